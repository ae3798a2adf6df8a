// What a caller asks for, checked before it reaches the core.
#ifndef MEMPLAN_OPTIONS_H_
#define MEMPLAN_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "units.h"

namespace memplan {

enum class Rules : uint8_t { kSound, kExecutorch2024, kExecutorch2026 };

// "sound", "executorch-2024", "executorch-2026".
const char* RulesName(Rules rules);

// The options of the README, without the time limit: a clock is the
// caller's affair.
struct Options {
  Rules rules = Rules::kSound;
  std::string algorithm;  // empty: the default of the rules
  Bytes alignment = 16;   // a power of two
  bool alloc_graph_input = true;
  bool alloc_graph_output = true;
  bool alloc_mutable_buffers = true;
  uint64_t seed = 0;
  Bytes stop_at = kNoBytes;
  // Bytes: capacity[0] alone for every pool, or (capacity_per_pool) one per
  // mem_id. Empty: none.
  std::vector<Bytes> capacity;
  bool capacity_per_pool = false;
  bool move_results = true;                         // controlFlowResults: "move"; else "copy"
  bool inplace = false;                             // in-place by choice
  std::vector<std::string> inplace_operators;       // empty with `inplace`: the built-in list
  bool allow_lifetime_and_storage_overlap = false;  // verify only
  bool enable_non_cpu_memory_planning = false;      // executorch-2026 only
};

}  // namespace memplan

#endif  // MEMPLAN_OPTIONS_H_
