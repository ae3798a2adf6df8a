#include "verifier/state_checks.h"

#include <algorithm>
#include <tuple>

#include "message.h"
#include "row_sort.h"
#include "verifier/live_set.h"

namespace memplan::verifier {
namespace {

// A planned mutable buffer of one method.
struct StatePlace {
  NameId buffer = kNoName;
  MemId pool = kNoPool;
  Bytes from = 0;
  Bytes to = 0;
  size_t method = 0;
  TensorIndex storage = kNoTensor;
};

std::vector<StatePlace> ListState(const std::vector<std::unique_ptr<PlacedGraph>>& methods) {
  std::vector<StatePlace> places;
  for (size_t m = 0; m < methods.size(); ++m) {
    const PlacedGraph& method = *methods[m];
    std::vector<StateBuffer> state = method.reading->state;
    SortRows(&state,
             [](const StateBuffer& a, const StateBuffer& b) { return a.storage < b.storage; });
    auto next = state.begin();
    for (size_t i = 0; i < method.first_resting; ++i) {
      const LiveItem& item = method.items[i];
      while (next != state.end() && next->storage < item.owner) ++next;
      if (next == state.end()) break;
      if (next->storage != item.owner) continue;
      places.push_back({next->buffer, item.pool, item.from, item.to, m, item.owner});
    }
  }
  return places;
}

std::string TensorPath(const PlacedGraph& graph, const LiveItem& item, const Names& names) {
  std::string path = PathOf(*graph.reading, names);
  path += '/';
  return path.append(ItemName(graph, item, names));
}

std::string TensorPath(const std::vector<std::unique_ptr<PlacedGraph>>& methods,
                       const StatePlace& place, const Names& names) {
  const GraphReading& reading = *methods[place.method]->reading;
  std::string path = PathOf(reading, names);
  path += '/';
  return path.append(names[reading.graph->tensors.id[place.storage]]);
}

// Looks for items of other methods in the bytes of buffers.
class StateGuard {
 public:
  StateGuard(const std::vector<std::unique_ptr<PlacedGraph>>& methods, bool shared_buffers,
             const Names& names, FaultList* faults)
      : methods_(methods),
        shared_(shared_buffers),
        names_(names),
        faults_(*faults),
        state_(ListState(methods)) {
    // A set of the buffers answers who lies where; one that several methods share is in it once.
    std::vector<std::tuple<NameId, MemId, Bytes, Bytes>> seen;
    for (size_t i = 0; i < state_.size(); ++i) {
      const StatePlace& place = state_[i];
      if (shared_) {
        const std::tuple key(place.buffer, place.pool, place.from, place.to);
        const auto at = std::lower_bound(seen.begin(), seen.end(), key);
        if (at != seen.end() && *at == key) continue;
        seen.insert(at, key);
      }
      buffers_.push_back({place.from, place.to, 0, 0, static_cast<int32_t>(i), place.pool, 0});
    }
  }

  void Check() {
    if (buffers_.empty()) return;
    OverlappingSet set(buffers_);
    for (size_t i = 0; i < buffers_.size(); ++i) set.Insert(static_cast<ItemIndex>(i));
    for (size_t m = 0; m < methods_.size(); ++m) CheckBelow(*methods_[m], m, set);
  }

 private:
  void CheckBelow(const PlacedGraph& graph, size_t method, const OverlappingSet& set) {
    for (const LiveItem& item : graph.items) {
      set.ForOverlaps(item.pool, item.from, item.to, [&](ItemIndex buffer) {
        const StatePlace& place = state_[buffers_[buffer].owner];
        // Within one method FindOverlaps has said it.
        if (place.method == method || IsSame(graph, item, method, place)) return true;
        Report(graph, item, place);
        return true;
      });
    }
    for (const auto& submodule : graph.submodules) {
      if (submodule != nullptr) CheckBelow(*submodule, method, set);
    }
  }

  // Whether an item is the very buffer, or a buffer that will say so when its turn comes.
  bool IsSame(const PlacedGraph& graph, const LiveItem& item, size_t method,
              const StatePlace& place) const {
    if (graph.reading->caller != nullptr || item.owner < 0 ||
        !graph.reading->has(item.owner, kState)) {
      return false;
    }
    const auto own =
        std::lower_bound(state_.begin(), state_.end(), std::pair(method, item.owner),
                         [](const StatePlace& row, const std::pair<size_t, TensorIndex>& wanted) {
                           return std::pair(row.method, row.storage) < wanted;
                         });
    if (own == state_.end() || own->method != method || own->storage != item.owner) return false;
    return (shared_ && own->buffer == place.buffer) || own->method > place.method;
  }

  void Report(const PlacedGraph& graph, const LiveItem& item, const StatePlace& place) {
    if (!faults_.is_open()) return faults_.Count(1);
    Fault fault;
    fault.check = "storage_reuse";
    fault.code = "STORAGE_OVERLAP";
    fault.from = std::max(item.from, place.from);
    fault.to = std::min(item.to, place.to);
    fault.tensors = {TensorPath(methods_, place, names_), TensorPath(graph, item, names_)};
    fault.message = Message({"buffer ", Quoted(names_[place.buffer]),
                             " keeps its bytes between runs, and ", Quoted(fault.tensors[1]),
                             " lies in ", BytesOfPool(item.pool, fault.from, fault.to)});
    faults_.Add(std::move(fault));
  }

  const std::vector<std::unique_ptr<PlacedGraph>>& methods_;
  const bool shared_;
  const Names& names_;
  FaultList& faults_;
  std::vector<StatePlace> state_;
  std::vector<LiveItem> buffers_;
};

}  // namespace

void CheckStatePlaces(const std::vector<std::unique_ptr<PlacedGraph>>& methods, const Names& names,
                      FaultList* faults) {
  std::vector<StatePlace> state = ListState(methods);
  SortRows(&state, [](const StatePlace& a, const StatePlace& b) {
    if (a.buffer != b.buffer) return a.buffer < b.buffer;
    return a.method != b.method ? a.method < b.method : a.storage < b.storage;
  });
  for (size_t i = 1; i < state.size(); ++i) {
    const StatePlace &first = state[i - 1], &second = state[i];
    if (first.buffer != second.buffer || (first.pool == second.pool && first.from == second.from)) {
      continue;
    }
    Fault fault;
    fault.check = "plan";
    fault.code = "STATE_MOVES";
    fault.tensors = {TensorPath(methods, first, names), TensorPath(methods, second, names)};
    fault.message = Message({"buffer ", Quoted(names[first.buffer]), " is in ",
                             BytesOfPool(first.pool, first.from, first.to), " and in ",
                             BytesOfPool(second.pool, second.from, second.to)});
    fault.from = second.from;
    fault.to = second.to;
    faults->Add(std::move(fault));
  }
}

void CheckStateAcrossMethods(const std::vector<std::unique_ptr<PlacedGraph>>& methods,
                             bool shared_buffers, const Names& names, FaultList* faults) {
  StateGuard(methods, shared_buffers, names, faults).Check();
}

}  // namespace memplan::verifier
