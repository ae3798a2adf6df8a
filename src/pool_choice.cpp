#include "pool_choice.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "engine/splitmix.h"
#include "planner.h"
#include "row_sort.h"

namespace memplan {
namespace {

// Where storages without a pool are collected first; no input can name it.
constexpr MemId kUndecided = kMaxMemId + 1;
// Steps for finding out whether a set of storages fits a pool.
constexpr int64_t kFitSteps = 200'000;
// Orders in which the pools are filled until all fits.
constexpr int kWays = 12;

// The bytes in use at each tick, with "add to a range" and "highest in a range" in O(log n) (a
// segment tree whose nodes hold what was added to all of their span).
class Load {
 public:
  explicit Load(Tick ticks) {
    while (size_ < ticks) size_ *= 2;
    added_.assign(static_cast<size_t>(size_) * 2, 0);
    highest_.assign(static_cast<size_t>(size_) * 2, 0);
  }
  void Add(Tick from, Tick to, Bytes bytes) { Add(1, 0, size_, from, to, bytes); }
  Bytes Highest(Tick from, Tick to) const { return Highest(1, 0, size_, from, to); }

 private:
  void Add(Tick node, Tick begin, Tick end, Tick from, Tick to, Bytes bytes) {
    if (to <= begin || end <= from) return;
    if (from <= begin && end <= to) {
      added_[node] += bytes;
      highest_[node] += bytes;
      return;
    }
    const Tick middle = begin + (end - begin) / 2;
    Add(node * 2, begin, middle, from, to, bytes);
    Add(node * 2 + 1, middle, end, from, to, bytes);
    highest_[node] = added_[node] + std::max(highest_[node * 2], highest_[node * 2 + 1]);
  }
  Bytes Highest(Tick node, Tick begin, Tick end, Tick from, Tick to) const {
    if (to <= begin || end <= from) return 0;
    if (from <= begin && end <= to) return highest_[node];
    const Tick middle = begin + (end - begin) / 2;
    return added_[node] + std::max(Highest(node * 2, begin, middle, from, to),
                                   Highest(node * 2 + 1, middle, end, from, to));
  }

  Tick size_ = 1;
  std::vector<Bytes> added_;
  std::vector<Bytes> highest_;
};

class Spreader {
 public:
  Spreader(const Program& program, const Nest& nest, const Options& options)
      : program_(program),
        nest_(nest),
        options_(options),
        pools_(program.pools()),
        fixed_(pools_.size()) {
    for (const Pool& pool : pools_) {
      capacity_.push_back(CapacityOf(program, options, pool.mem_id));
    }
  }

  Result<PoolSpread> Spread() {
    PoolSpread spread;
    for (const GraphNest& graph : nest_.graphs) {
      spread.choice.emplace_back(graph.home.size(), kUndecided);
    }
    Result<Selection> selection = Select(program_, nest_, options_, Scope::kAll, spread.choice);
    if (!selection) return tl::unexpected(selection.error());
    for (const PoolProblem& pool : selection->pools) {
      if (pool.mem_id == kUndecided) items_ = &pool;
    }
    if (items_ == nullptr) return PoolSpread{};
    for (const PoolProblem& pool : selection->pools) {
      for (const Pool& named : pools_) {
        if (pool.mem_id == named.mem_id) fixed_[&named - pools_.data()] = &pool;
      }
    }
    SetBenefits();
    bool fits = Spread(0, &spread);
    spread.fits_nowhere = !fits && FitsNowhere();
    if (!fits && !spread.fits_nowhere) {
      const int64_t most_steps = steps_ + kFitSteps;
      for (int way = 1; way < kWays && !fits && steps_ < most_steps; ++way) {
        fits = Spread(way, &spread);
      }
      if (!fits) Spread(0, &spread);
    }
    SortByTensor(&spread.spilled);
    ShareChoice(*selection, &spread.choice);
    return spread;
  }

 private:
  // Fills the pools with the items in some order, the first of which is by benefit. False where
  // what is left for the last one does not fit it, which has it all the same.
  bool Spread(int way, PoolSpread* spread) {
    std::vector<BufferIndex> left = Order(way);
    spread->spilled.clear();
    bool fits = true;
    for (size_t p = 0; p < pools_.size(); ++p) {
      const bool last = p + 1 == pools_.size();
      const size_t count = Fill(p, last, &left);
      fits = !last || count == left.size();
      left = Take(p, left, last ? left.size() : count, way, spread);
    }
    return fits;
  }

  // State that methods have in common goes where the first of them has it.
  void ShareChoice(const Selection& selection, PoolChoice* choice) const {
    const auto undecided = static_cast<int32_t>(items_ - selection.pools.data());
    for (size_t g = 0; g < choice->size(); ++g) {
      for (size_t s = 0; s < (*choice)[g].size(); ++s) {
        const Selection::Where where = selection.where[g][s];
        if (where.pool != undecided) continue;
        const BufferSource& source = items_->source[where.buffer];
        (*choice)[g][s] = (*choice)[source.graph][source.row];
      }
    }
  }

  std::vector<BufferIndex> Order(int way) const {
    std::vector<BufferIndex> order(benefit_.size());
    SplitMix random(static_cast<uint64_t>(way));
    for (size_t i = 0; i < order.size(); ++i) {
      order[i] = static_cast<BufferIndex>(i);
      if (way > 0) std::swap(order[i], order[random.Below(static_cast<uint32_t>(i + 1))]);
    }
    if (way == 0) {
      SortRows(&order, [this](BufferIndex a, BufferIndex b) { return benefit_[a] > benefit_[b]; });
    }
    return order;
  }

  // True where one item is larger than any pool, or more live at once than they all hold.
  bool FitsNowhere() const {
    Bytes largest = 0;
    Bytes all = 0;
    for (const Bytes capacity : capacity_) {
      if (capacity == kNoBytes) return false;
      largest = std::max(largest, capacity);
      all = FitsBytes(all, capacity) ? all + capacity : kMaxBytes;
    }
    const Result<MaxLive> live = ComputeMaxLive(items_->problem);
    if (!live || live->bytes - items_->problem.base > all) return true;
    const std::vector<Bytes>& size = items_->problem.size;
    return std::any_of(size.begin(), size.end(), [=](Bytes bytes) { return bytes > largest; });
  }

  static void SortByTensor(std::vector<SpillRow>* rows) {
    std::vector<const SpillRow*> order;
    for (const SpillRow& row : *rows) order.push_back(&row);
    SortRows(&order, [](const SpillRow* a, const SpillRow* b) { return a->tensor < b->tensor; });
    std::vector<SpillRow> sorted;
    for (const SpillRow* row : order) sorted.push_back(*row);
    rows->swap(sorted);
  }

  void SetBenefits() {
    std::vector<std::vector<int64_t>> reads;
    for (const GraphNest& graph : nest_.graphs) reads.push_back(ReadsOf(graph));
    for (const BufferSource& source : items_->source) {
      if (source.kind == BufferSource::kScratch) {
        benefit_.push_back(0);
        continue;
      }
      const GraphNest& graph = nest_.graphs[source.graph];
      const int64_t cost = graph.graph->tensors.cost_of(graph.storages.base[source.row]);
      const Bytes size = graph.storages.size[source.row];
      const int64_t count = reads[source.graph][source.row];
      constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
      const int64_t traffic = count > 0 && size > kMost / count ? kMost : size * count;
      benefit_.push_back(cost != kNoBytes ? cost : traffic);
    }
  }

  static std::vector<int64_t> ReadsOf(const GraphNest& graph) {
    std::vector<int64_t> reads(graph.home.size(), 0);
    const Nodes& nodes = graph.graph->nodes;
    for (const NodeIndex arg : nodes.args) {
      for (const TensorIndex t : graph.graph->YieldedBy(arg)) {
        if (t != kNoTensor) ++reads[graph.storages.of[t]];
      }
    }
    return reads;
  }

  // The item's size where the pool's alignment is greater than the option's.
  Bytes SizeIn(const Pool& pool, BufferIndex item) const {
    return AlignUp(items_->problem.size[item], std::max(options_.alignment, pool.alignment));
  }

  // Brings the items that the pool takes to the front of `left`, best first, the others behind them
  // in their order; gives how many it takes. `all_or_none`: no fewer than all, or none.
  size_t Fill(size_t p, bool all_or_none, std::vector<BufferIndex>* left) {
    const Pool& pool = pools_[p];
    const PoolProblem* const fixed = fixed_[p];
    const Bytes capacity = capacity_[p];
    if (capacity == kNoBytes || pools_.size() == 1) return left->size();
    const Problem& all = items_->problem;
    Load load(nest_.length + 1);
    const Bytes base = fixed != nullptr ? fixed->problem.base : 0;
    if (fixed != nullptr) {
      for (BufferIndex b = 0; b < fixed->problem.count(); ++b) {
        load.Add(fixed->problem.lower[b], fixed->problem.upper[b], fixed->problem.size[b]);
      }
    }
    std::vector<BufferIndex> taken;
    std::vector<BufferIndex> passed;
    for (const BufferIndex item : *left) {
      const Bytes size = SizeIn(pool, item);
      const Bytes beside = base + load.Highest(all.lower[item], all.upper[item]);
      if (size <= capacity && beside <= capacity - size) {
        load.Add(all.lower[item], all.upper[item], size);
        taken.push_back(item);
      } else {
        if (all_or_none) return 0;
        passed.push_back(item);
      }
    }
    if (all_or_none) return Fits(p, taken) ? taken.size() : 0;
    // The last ones, of least benefit, give way until a plan is found, twice as many each time.
    size_t keep = taken.size();
    for (size_t drop = 1; keep > 0 && !Fits(p, {taken.data(), keep}); drop *= 2) {
      keep -= std::min(keep, drop);
    }
    passed.insert(passed.begin(), taken.begin() + static_cast<std::ptrdiff_t>(keep), taken.end());
    taken.resize(keep);
    left->assign(taken.begin(), taken.end());
    left->insert(left->end(), passed.begin(), passed.end());
    return keep;
  }

  bool Fits(size_t p, std::span<const BufferIndex> items) {
    const Pool& pool = pools_[p];
    const PoolProblem* const fixed = fixed_[p];
    if (capacity_[p] < items_->padding) return false;
    Problem problem;
    problem.uniform_alignment = std::max(options_.alignment, pool.alignment);
    if (fixed != nullptr) {
      problem = fixed->problem;
      problem.gaps.clear();
      problem.first_gap.clear();
      problem.alignment.clear();
    }
    std::vector<BufferIndex> order(items.begin(), items.end());
    SortRows(&order);
    for (const BufferIndex item : order) {
      problem.lower.push_back(items_->problem.lower[item]);
      problem.upper.push_back(items_->problem.upper[item]);
      problem.size.push_back(SizeIn(pool, item));
    }
    problem.capacity = capacity_[p] - items_->padding;
    const PlannerInfo* info = FindPlanner("auto");
    const std::unique_ptr<Planner> planner = info->make(problem, {.stop_at = problem.capacity});
    steps_ += planner->Step(kFitSteps);
    return planner->best() != nullptr;
  }

  // Gives the first `count` items to the pool and returns the others.
  std::vector<BufferIndex> Take(size_t p, const std::vector<BufferIndex>& left, size_t count,
                                int way, PoolSpread* spread) const {
    for (size_t i = 0; i < count; ++i) {
      const BufferSource& source = items_->source[left[i]];
      if (source.kind == BufferSource::kScratch) continue;
      spread->choice[source.graph][source.row] = pools_[p].mem_id;
      if (p == 0) continue;
      const GraphNest& graph = nest_.graphs[source.graph];
      const bool larger = capacity_[0] != kNoBytes && SizeIn(pools_[0], left[i]) > capacity_[0];
      spread->spilled.push_back({graph.graph, graph.storages.base[source.row], pools_[0].mem_id,
                                 pools_[p].mem_id,
                                 larger     ? "it is larger than the pool"
                                 : way == 0 ? "the pool is full of what is worth more"
                                            : "not all would fit otherwise"});
    }
    return {left.begin() + static_cast<std::ptrdiff_t>(count), left.end()};
  }

  const Program& program_;
  const Nest& nest_;
  const Options& options_;
  const std::vector<Pool>& pools_;
  std::vector<Bytes> capacity_;            // by pool
  std::vector<const PoolProblem*> fixed_;  // by pool: what chose it; null where nothing did
  const PoolProblem* items_ = nullptr;
  int64_t steps_ = 0;             // of the planners that looked whether a set fits
  std::vector<int64_t> benefit_;  // by item
};

}  // namespace

Result<PoolSpread> SpreadOverPools(const Program& program, const Nest& nest,
                                   const Options& options) {
  if (program.pools().empty()) return PoolSpread{};
  return Spreader(program, nest, options).Spread();
}

}  // namespace memplan
