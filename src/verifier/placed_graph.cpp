#include "verifier/placed_graph.h"

#include <algorithm>
#include <utility>

#include "row_sort.h"
#include "verifier/moved_results.h"

namespace memplan::verifier {
namespace {

class Placer {
 public:
  Placer(const GraphReading& reading, const GraphPlan& plan, const Setting& setting)
      : reading_(reading), plan_(plan), setting_(setting) {
    placed_ = std::make_unique<PlacedGraph>();
    placed_->reading = &reading;
    placed_->plan = &plan;
  }

  std::unique_ptr<PlacedGraph> Place() {
    PlaceStorages();
    for (size_t i = 0; i < reading_.submodules.size(); ++i) {
      placed_->submodules.push_back(nullptr);
      if (reading_.submodules[i] == nullptr) continue;
      static const GraphPlan* kNone = new GraphPlan;
      const GraphPlan& plan = i < plan_.submodules.size() ? plan_.submodules[i] : *kNone;
      placed_->submodules.back() = Placer(*reading_.submodules[i], plan, setting_).Place();
    }
    placed_->life = reading_.life;
    std::vector<RestingPlace> resting;
    if (setting_.options.move_results) FollowMovedResults(placed_.get(), &resting);
    AddItems();
    AddCarriedApart();
    AddResting(resting);
    if (reading_.caller != nullptr) FillFootprint();
    return std::move(placed_);
  }

 private:
  // By its first tensor, or the first of the others that has a place.
  void PlaceStorages() {
    const TensorIndex count = reading_.graph->tensors.size();
    placed_->pool.resize(static_cast<size_t>(count), kNoPool);
    placed_->start.resize(static_cast<size_t>(count), kNoBytes);
    // Plans made by hand or read from elsewhere may have shorter columns.
    const size_t planned =
        std::min({plan_.mem_id.size(), plan_.mem_offset.size(), static_cast<size_t>(count)});
    for (TensorIndex t = 0; t < static_cast<TensorIndex>(planned); ++t) {
      const MemId pool = plan_.mem_id[t];
      const Bytes offset = plan_.mem_offset[t];
      const TensorIndex storage = reading_.storage[t];
      if (pool < 0 || offset == kNoBytes) continue;
      if (t != storage && placed_->pool[storage] != kNoPool) continue;
      placed_->pool[storage] = pool;
      placed_->start[storage] = offset - reading_.offset_of(t);
    }
  }

  // Storages whose bytes are the caller's are the caller's items.
  bool HasOwnBytes(TensorIndex storage) const {
    const uint8_t flags = reading_.flags[storage];
    return (flags & (kByReference | kOwnInBody)) != kByReference;
  }

  // Places that are none are other checks' faults.
  static bool IsSane(MemId pool, Bytes start) { return pool <= kMaxMemId && start >= 0; }

  Bytes EndOf(TensorIndex storage) const {
    const Bytes alignment = setting_.AlignmentOf(placed_->pool[storage]);
    return placed_->start[storage] + AlignUp(reading_.size[storage], alignment);
  }

  void AddItems() {
    // The cond that puts the first data into a storage, as a result.
    std::vector<std::pair<TensorIndex, int32_t>> late;
    for (size_t i = 0; i < reading_.flows.size(); ++i) {
      const Flow& flow = reading_.flows[i];
      if (flow.kind != Target::kCond) continue;
      for (const TensorIndex t : flow.results) {
        const TensorIndex storage = reading_.storage[t];
        if (reading_.written[storage] == flow.node) {
          late.emplace_back(storage, static_cast<int32_t>(i) + 1);
        }
      }
    }
    SortRows(&late);
    auto next_late = late.begin();
    const TensorIndex count = reading_.graph->tensors.size();
    placed_->items.reserve(static_cast<size_t>(count));
    for (TensorIndex s = 0; s < count; ++s) {
      if (placed_->pool[s] == kNoPool || reading_.size[s] == 0) continue;
      const Lifetime life = placed_->life[s];
      if (!life.exists() || !HasOwnBytes(s) || !IsSane(placed_->pool[s], placed_->start[s])) {
        continue;
      }
      while (next_late != late.end() && next_late->first < s) ++next_late;
      const bool is_late = next_late != late.end() && next_late->first == s;
      placed_->items.push_back({placed_->start[s], EndOf(s), life.first, life.last, s,
                                placed_->pool[s], is_late ? next_late->second : 0});
    }
  }

  void AddCarriedApart() {
    placed_->first_carried = placed_->items.size();
    for (const Flow& flow : reading_.flows) {
      for (const auto& [first, last] : flow.carried_apart) {
        const size_t before = placed_->items.size();
        AddCarried(flow.node, flow.calls.back().submodule, last);
        if (flow.calls.size() == 1) continue;
        AddCarried(flow.node, flow.calls.front().submodule, first);
        // Condition and body name the one place: it counts once.
        const std::vector<LiveItem>& items = placed_->items;
        if (items.size() < before + 2 || items[before].from != items[before + 1].from ||
            items[before].pool != items[before + 1].pool) {
          continue;
        }
        placed_->items.pop_back();
        placed_->carried_apart.pop_back();
      }
    }
    placed_->first_resting = placed_->items.size();
  }

  void AddCarried(NodeIndex node, int32_t submodule, TensorIndex placeholder) {
    const PlacedGraph& inner = *placed_->submodules[submodule];
    const TensorIndex storage = inner.reading->storage[placeholder];
    if (inner.pool[storage] == kNoPool || inner.reading->size[storage] == 0) return;
    const Bytes start = inner.start[storage];
    if (!IsSane(inner.pool[storage], start)) return;
    const Bytes end =
        start + AlignUp(inner.reading->size[storage], setting_.AlignmentOf(inner.pool[storage]));
    placed_->carried_apart.push_back({inner.reading, placeholder});
    placed_->items.push_back({start, end, node, node,
                              -static_cast<int32_t>(placed_->carried_apart.size()),
                              inner.pool[storage], 0});
  }

  void AddResting(const std::vector<RestingPlace>& resting) {
    for (const RestingPlace& place : resting) {
      const MemId pool = placed_->pool[place.result];
      if (!IsSane(pool, place.start)) continue;
      // Not rounded up: where a branch hands over a slice, what is behind it need not be its.
      const Bytes end = place.start + reading_.size[place.result];
      placed_->items.push_back({place.start, end, reading_.flows[place.flow].node,
                                placed_->life[place.result].last, place.result, pool,
                                place.flow + 1});
    }
  }

  void FillFootprint() {
    std::vector<ByteRange> ranges;
    ranges.reserve(placed_->items.size());
    const NodeIndex end = reading_.graph->nodes.size() - 1;
    for (size_t i = 0; i < placed_->items.size(); ++i) {
      const LiveItem& item = placed_->items[i];
      ranges.push_back({item.pool, item.from, item.to});
      if (item.last == end) placed_->survivors.push_back(static_cast<ItemIndex>(i));
    }
    for (const auto& submodule : placed_->submodules) {
      if (submodule == nullptr) continue;
      ranges.insert(ranges.end(), submodule->footprint.begin(), submodule->footprint.end());
    }
    placed_->footprint = MakeFootprint(std::move(ranges));
  }

  const GraphReading& reading_;
  const GraphPlan& plan_;
  const Setting& setting_;
  std::unique_ptr<PlacedGraph> placed_;
};

}  // namespace

Setting::Setting(const Names& program_names, const Options& used_options,
                 const std::vector<Bytes>& sizes, std::vector<Pool> own_pools,
                 std::vector<Bytes> taken)
    : names(program_names),
      options(used_options),
      buffer_sizes(sizes),
      reserved(std::move(taken)),
      pools(std::move(own_pools)) {
  for (const Pool& pool : pools) {
    const auto at = static_cast<size_t>(pool.mem_id);
    if (at >= alignments.size()) alignments.resize(at + 1, options.alignment);
    alignments[at] = std::max(options.alignment, pool.alignment);
  }
}

const LiveItem* PlacedGraph::OwnItem(TensorIndex storage) const {
  const auto end = items.begin() + static_cast<ptrdiff_t>(first_carried);
  const auto at = std::lower_bound(
      items.begin(), end, storage,
      [](const LiveItem& item, TensorIndex wanted) { return item.owner < wanted; });
  return at != end && at->owner == storage ? &*at : nullptr;
}

std::unique_ptr<PlacedGraph> PlaceForCheck(const GraphReading& reading, const GraphPlan& plan,
                                           const Setting& setting) {
  return Placer(reading, plan, setting).Place();
}

std::string_view ItemName(const PlacedGraph& graph, const LiveItem& item, const Names& names) {
  if (item.owner >= 0) return names[graph.reading->graph->tensors.id[item.owner]];
  const PlacedGraph::CarriedApart& carried = graph.carried_apart[-1 - item.owner];
  return names[carried.submodule->graph->tensors.id[carried.placeholder]];
}

}  // namespace memplan::verifier
