// Which storages are planned, in which pool, as problems of placement.
#ifndef MEMPLAN_SELECTION_H_
#define MEMPLAN_SELECTION_H_

#include <string>
#include <vector>

#include "graph.h"
#include "nesting.h"
#include "options.h"
#include "plan.h"
#include "problem.h"
#include "result.h"

namespace memplan {

// What a buffer of a problem stands for.
struct BufferSource {
  enum Kind : uint8_t { kStorage, kScratch };
  Kind kind = kStorage;
  int32_t graph = 0;  // of the nest
  int32_t row = 0;    // a storage, or a row of Graph::scratch
};

// One pool's problem; its buffers are in the tie order, source goes with them.
struct PoolProblem {
  MemId mem_id = 1;
  Bytes alignment = 1;
  Bytes padding = 0;  // bytes that the pool needs beyond the placement's peak (an XNNPACK delegate)
  Problem problem;
  std::vector<BufferSource> source;
};

struct Selection {
  std::vector<PoolProblem> pools;  // by mem_id; those with something to plan or bytes taken already
  // Where a storage went: by graph of the nest and storage, the place in `pools` and the buffer; -1
  // where it is not planned, or is another's (Home).
  struct Where {
    int32_t pool = -1;
    BufferIndex buffer = -1;
  };
  std::vector<std::vector<Where>> where;
  std::vector<SpillRow> spilled;
};

// What a selection takes.
enum class Scope : uint8_t {
  kAll,        // everything, nested
  kRoots,      // the outer graphs alone
  kSubmodules  // the submodules alone, as ExecuTorch reserves them below the outer graph; results
               // that a branch would have written in place are counted here
};

// The pool of each storage that is planned, by graph of the nest and storage; kNoPool elsewhere.
using PoolChoice = std::vector<std::vector<MemId>>;

// Builds the problems. `choice` overrides the pools of storages without a mem_id (empty: pool 1).
// TOO_LARGE where a sum of sizes that are live at once is past 2^53 - 1.
Result<Selection> Select(const Program& program, const Nest& nest, const Options& options,
                         Scope scope, const PoolChoice& choice);

// True where the storage gets bytes of its own in a plan.
bool IsPlanned(const GraphNest& nest, StorageIndex s, const Options& options);

// The alignment of a pool in bytes: the greater of the option's and the pool's.
Bytes AlignmentOf(const Program& program, const Options& options, MemId mem_id);

// The capacity of a pool: the option's, else the pool's own; kNoBytes where there is none.
Bytes CapacityOf(const Program& program, const Options& options, MemId mem_id);

// A buffer's name in reports: its base tensor's id, behind the names of the submodules it is in.
std::string SourceName(const Program& program, const Nest& nest, const BufferSource& source);

}  // namespace memplan

#endif  // MEMPLAN_SELECTION_H_
