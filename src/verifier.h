// Whether a plan is right, told by an own reading of the graph: nothing here is shared with the
// planners.
#ifndef MEMPLAN_VERIFIER_H_
#define MEMPLAN_VERIFIER_H_

#include <cstdint>
#include <string>
#include <vector>

#include "options.h"
#include "result.h"
#include "units.h"

namespace memplan {

struct IntervalFile;
struct Plan;
struct PlanFile;
struct Program;

// One fault, as a report has it (bindings/types.ts). Under `sound` the codes are
//
//   storage_reuse       STORAGE_OVERLAP       two storages that can be live at once share bytes
//   graph_input_output  INPUT_NOT_PLANNED     an input (output, mutable buffer) that the plan
//                       OUTPUT_NOT_PLANNED    should own by the options has no place
//                       BUFFER_NOT_PLANNED
//                       INPUT_PLANNED         … that the caller should own has one
//                       OUTPUT_PLANNED
//                       BUFFER_PLANNED
//   plan                GRAPH_HASH_DIFFERS    the plan is of another graph
//                       TENSOR_MISSING        a tensor that must be planned has no place
//                       PLACE_INCOMPLETE      a pool without an offset, or the other way round
//                       NO_SUCH_POOL          a pool that has no buffer in the plan
//                       WRONG_POOL            not the pool that the input chose
//                       NEGATIVE_OFFSET
//                       MISALIGNED
//                       PAST_END              past the end of its buffer
//                       BELOW_RESERVED        in bytes that input_mem_buffer_sizes say are taken
//                       OVER_CAPACITY         a buffer larger than its pool
//                       PADDING_MISSING       less than 64 bytes behind a tensor of an XNNPACK
//                                             delegate, which may read past its end
//                       NOT_WHERE_BASE_IS     a view, slice or in-place result away from its base
//                       BASE_CONTRADICTION    the graph itself puts a tensor in two places
//                       NOT_WHERE_OPERAND_IS  a placeholder away from the tensor it is bound to
//                       PINNED_ELSEWHERE      (intervals) not at the offset that the input pins
//                       CONSTANT_PLANNED
//                       UNBOUND_PLANNED       a size without a bound has a place
//                       TOO_SMALL             allocated_memory is less than the tensor's bytes
//                       LIFETIME_TOO_SHORT    a plan that says "sound" gives a lifetime that leaves
//                                             out a node which names the storage
//                       STATE_MOVES           a shared buffer has two places in two methods
//                       FREED_EARLY           freed before the last node that names it
//                       FREED_TWICE
//                       FREED_WRONGLY         a planned tensor, an input or an output is freed
struct Fault {
  std::string check;  // "storage_reuse", "graph_input_output" or "plan"
  std::string code;   // "STORAGE_OVERLAP", …
  std::string message;
  std::string graph;  // path of submodule names joined by "/", empty for the top graph
  std::vector<std::string> tensors;
  std::vector<std::string> nodes;
  Bytes from = 0;  // the bytes in question: [from, to)
  Bytes to = 0;
};

// So many faults are described; more are only counted.
inline constexpr size_t kMaxFaults = 1000;

struct Report {
  bool ok = true;
  int64_t reuse_pairs = 0;  // pairs of the top graph that share bytes; -1: null
                            // (the check failed)
  std::vector<Fault> errors;
  int64_t fault_count = 0;  // under `sound`: at least so many, errors.size() where that is less
                            // than kMaxFaults
};

// Checks a plan under `sound`, all graphs of it. A fault between a graph and a submodule that one
// of its nodes runs is reported in the former; the submodule's tensors are named by path
// ("true_0/t1"). `reuse_pairs` counts pairs of storages, for several methods of each by itself.
// BAD_SUBMODULE where the graph's own control flow does not match. About 0.3 µs a tensor; grows as
// n log n.
Result<Report> VerifySound(const Program& program, const PlanFile& file, const Options& options);

// The storage_reuse check alone: what `plan` runs on each plan before it is returned.
// `reuse_pairs` is not counted.
Result<Report> CheckStorageReuse(const Program& program, const Plan& plan, const Options& options);

// Checks the plan of an interval problem: times, gaps, conflicts, pins, alignments, pools, ends.
Report VerifyIntervals(const IntervalFile& intervals, const PlanFile& file, const Options& options);

}  // namespace memplan

#endif  // MEMPLAN_VERIFIER_H_
