// How a fuzz target says that something must be so.
#ifndef MEMPLAN_TESTS_FUZZ_EXPECTATION_H_
#define MEMPLAN_TESTS_FUZZ_EXPECTATION_H_

#include <cstdio>
#include <cstdlib>
#include <string>

namespace memplan {

// Ends the program where it is not, so that the fuzzer keeps the input.
inline void Expect(bool holds, const std::string& what) {
  if (holds) return;
  std::fprintf(stderr, "not as it must be: %s\n", what.c_str());
  std::abort();
}

}  // namespace memplan

#endif  // MEMPLAN_TESTS_FUZZ_EXPECTATION_H_
