// The options of a fuzzed job, told by the last byte of its input.
#ifndef MEMPLAN_TESTS_FUZZ_OPTIONS_BYTE_H_
#define MEMPLAN_TESTS_FUZZ_OPTIONS_BYTE_H_

#include <cstdint>

#include "options.h"

namespace memplan {

// A line end means the defaults, so that a seed can be a plain text file.
inline Options OptionsOf(uint8_t byte) {
  const unsigned bits = byte ^ static_cast<unsigned>('\n');
  constexpr Rules kRules[] = {Rules::kSound, Rules::kSound, Rules::kExecutorch2024,
                              Rules::kExecutorch2026};
  Options options;
  options.rules = kRules[bits & 3];
  options.enable_non_cpu_memory_planning = (bits & 7) == 7;
  options.alloc_graph_input = (bits & 4) == 0;
  options.alloc_graph_output = (bits & 8) == 0;
  options.alloc_mutable_buffers = (bits & 16) == 0;
  options.move_results = (bits & 32) == 0;
  options.inplace = (bits & 64) != 0 && options.rules == Rules::kSound;
  if (options.rules == Rules::kSound) options.algorithm = (bits & 128) ? "auto" : "greedy_by_size";
  return options;
}

}  // namespace memplan

#endif  // MEMPLAN_TESTS_FUZZ_OPTIONS_BYTE_H_
