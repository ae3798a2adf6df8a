// All graphs of a program on one axis of time, under `sound`: a submodule's memory exists only
// while its node runs.
//
// Every call of a submodule is laid out inside its caller's node, one submodule after the other, so
// branches of a `cond` never meet, and what is live at the node lies apart from all that runs in
// it. A result of `cond` is written by the branch itself where it can be: the branch's output lies
// at the result, whose bytes are the branch's to use until then.
#ifndef MEMPLAN_NESTING_H_
#define MEMPLAN_NESTING_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "binding.h"
#include "graph.h"
#include "lifetimes.h"
#include "options.h"
#include "problem.h"
#include "result.h"
#include "storages.h"

namespace memplan {

// Whose bytes a storage of a graph has.
enum class Home : uint8_t {
  kOwn,     // its own
  kCaller,  // a storage of its caller, by reference: not planned in this graph
  kPlaced,  // those of another graph's storage, which this graph's plan names too
            // (GraphNest::placed)
};

// A storage of some graph of the nest.
struct StorageRef {
  int32_t graph = -1;
  StorageIndex storage = kNoStorage;
};

// One place for the results of several calls of a submodule, no two of which are ever live at once.
struct TiedPlace {
  StorageIndex leader = kNoStorage;  // the result that stands for all
  std::vector<StorageIndex> others;  // the other results, kPlaced at the leader
  // The outputs that are kPlaced there, and the calls that hand one of them to none of the results:
  // there it has the place for as long as the submodule runs.
  std::vector<StorageRef> outputs;
  std::vector<NodeIndex> nodes;
};

struct GraphNest {
  const Graph* graph = nullptr;
  std::string path;     // JSON path with a dot behind it; empty for the top graph
  int32_t parent = -1;  // -1 for a root: the top graph or a method
  Storages storages;
  Lifetimes lifetimes;
  std::vector<MemId>
      pool;                // by storage: what the graph asks for, of its base first; empty: nothing
  std::vector<Home> home;  // by storage
  std::vector<StorageRef> placed;  // by storage, where home is kPlaced; empty where no storage is
  std::vector<TiedPlace> tied;     // sorted by leader
  // By storage: 1 for a result that may be bytes which lie elsewhere and a branch hands over
  // (controlFlowResults "move"); empty where there is none.
  std::vector<uint8_t> takes_over;
  // Outputs that have bytes of their own though they could lie at some call's result: rising.
  std::vector<StorageIndex> copied;
  std::vector<int32_t> children;  // by Graph::submodules: the place of that graph in Nest::graphs
  struct Call {
    NodeIndex node = kNoNode;
    std::vector<BoundSubmodule> bound;
  };
  std::vector<Call> calls;  // by node
  std::vector<Tick> start;  // by node and one more: ticks after the graph's begin; empty: 1 a node
  Tick length = 0;          // ticks of one run
  bool is_called = false;   // false for a submodule that no node calls, and what is in it

  Tick start_of(NodeIndex n) const { return start.empty() ? n : start[n]; }
  MemId pool_of(StorageIndex s) const { return pool.empty() ? kNoPool : pool[s]; }
};

// Ticks [from, to).
struct TickSpan {
  Tick from = 0;
  Tick to = 0;
};

// One run of a graph: a root's, or a submodule's at one call.
struct Run {
  int32_t graph = 0;
  int32_t caller = -1;                    // a run; -1 for a root's
  const BoundSubmodule* bound = nullptr;  // how the caller's node binds it; null for a root's
  Tick begin = 0;
  std::vector<TickSpan> spans;  // by storage; from == to where nothing names it
  struct Meets {
    int32_t run = -1;
    StorageIndex storage = kNoStorage;
  };
  std::vector<Meets> home;  // by storage: what it is in another run; empty for a root's
  // Where within its span a storage holds nothing: a result of `cond` before the branch that writes
  // it there does. By storage, then by time.
  struct Absence {
    StorageIndex storage = kNoStorage;
    TickSpan span;
  };
  std::vector<Absence> absent;
};

struct Nest {
  std::vector<GraphNest> graphs;  // callers before their submodules
  std::vector<int32_t> roots;     // one, or one a method
  std::vector<Run> runs;          // callers before their submodules
  Tick length = 0;
  bool has_control_flow = false;
  bool has_choice = false;  // some output lies where it was chosen to: other plans are right too
};

// Errors: those of storages and bindings, INVALID_INPUT for a mem_id of 0, UNSUPPORTED where the
// submodules are called along so many paths that the axis would not fit. `chosen` has in-place
// pairs by graph of the nest (empty: none).
Result<Nest> BuildNest(const Program& program, const Options& options,
                       const std::vector<std::vector<Placed>>& chosen);

// True where a storage of a root graph is the caller's, by the options: an input, or an output that
// is no state.
bool IsCallerOwned(uint8_t roles, const Options& options);

}  // namespace memplan

#endif  // MEMPLAN_NESTING_H_
