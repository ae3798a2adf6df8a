// A graph with a submodule that several nodes run.
#ifndef MEMPLAN_TESTS_SHARED_BRANCHES_H_
#define MEMPLAN_TESTS_SHARED_BRANCHES_H_

#include <string>

namespace memplan {

inline constexpr const char* kBranch =
    R"({"tensors": [{"id": "i", "nbytes": 64}, {"id": "o", "nbytes": 64}],
  "nodes": [{"name": "i", "op": "placeholder", "target": "i", "specs": ["i"]},
    {"name": "f", "op": "call_function", "target": "f", "args": ["i"], "specs": ["o"]},
    {"name": "out", "op": "output", "args": ["f"]}]})";

// Two conds that run the same two branches; `reads` are the args of the last node.
inline std::string SharedBranches(const char* reads) {
  return R"({"tensors": [{"id": "x", "nbytes": 64}, {"id": "r", "nbytes": 64}, {"id": "s", "nbytes": 64},
      {"id": "y", "nbytes": 64}],
    "nodes": [{"name": "x", "op": "placeholder", "target": "x", "specs": ["x"]},
      {"name": "c", "op": "call_function", "target": "cond", "args": ["x", "x"], "specs": ["r"],
       "submodules": ["t", "f"]},
      {"name": "d", "op": "call_function", "target": "cond", "args": ["x", "c"], "specs": ["s"],
       "submodules": ["t", "f"]},
      {"name": "y", "op": "call_function", "target": "g", "args": [)" +
         std::string(reads) + R"(], "specs": ["y"]},
      {"name": "out", "op": "output", "args": ["y"]}],
    "submodules": {"t": )" +
         kBranch + R"(, "f": )" + kBranch + "}}";
}

}  // namespace memplan

#endif  // MEMPLAN_TESTS_SHARED_BRANCHES_H_
