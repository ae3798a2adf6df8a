// What one run of an ExecuTorch algorithm is given and gives, and the table of them.
#ifndef MEMPLAN_EXECUTORCH_ALGORITHM_H_
#define MEMPLAN_EXECUTORCH_ALGORITHM_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "executorch/graph_state.h"
#include "options.h"
#include "result.h"
#include "units.h"

namespace memplan::executorch {

// One run: tensors of one graph (under 2026 of one device), in the order they were selected.
struct Task {
  GraphState* state = nullptr;  // algorithms realign the tensors and change nothing else
  const std::vector<TensorIndex>* tensors = nullptr;
  // Bytes taken already, per mem_id: upstream's input_mem_buffer_sizes. Upstream's naive grows this
  // very list, which others then see.
  std::vector<Bytes>* taken = nullptr;
  Bytes alignment = 16;
  Bytes padding = 0;  // after the tensors of each mem_id (2026's greedy only)

  Bytes TakenOf(MemId id) const {
    return static_cast<size_t>(id) < taken->size() ? (*taken)[id] : 0;
  }
};

// Columns go with Task::tensors.
struct Outcome {
  std::vector<MemId> mem_id;
  std::vector<int32_t> object;  // empty: null for all
  std::vector<Bytes> offset;
  std::vector<Bytes> sizes;  // per mem_id

  explicit Outcome(size_t count = 0) : mem_id(count, 1), object(count, 0), offset(count, 0) {}
};

// Writes where the tensors of `task` lie into its state.
void Settle(const Task& task, const Outcome& outcome);

// An entry of the `algorithm` option under one of the ExecuTorch rules.
struct Algorithm {
  Rules rules = Rules::kExecutorch2024;
  std::string_view name;
  std::string_view summary;
  // 2024: check targets even where the graph says that failures were met
  // (encounter_to_out_var_failure).
  bool always_insists = false;
  Result<Outcome> (*run)(const Task& task) = nullptr;
};

// Null where the rules have no algorithm of that name. An empty name is greedy.
const Algorithm* FindAlgorithm(Rules rules, std::string_view name);

// The names the rules have, for a message: "naive, greedy".
std::string ListAlgorithms(Rules rules);

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_ALGORITHM_H_
