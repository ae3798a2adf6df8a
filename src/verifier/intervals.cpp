// VerifyIntervals: the plan of an interval problem.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "graph_hash.h"
#include "interval_file.h"
#include "message.h"
#include "plan_reader.h"
#include "row_sort.h"
#include "verifier.h"
#include "verifier/fault_list.h"
#include "verifier/live_item.h"
#include "verifier/live_set.h"
#include "verifier/overlaps.h"
#include "verifier/row_checks.h"
#include "verifier/sweep.h"

namespace memplan {
namespace verifier {
namespace {

using Row = int32_t;

class IntervalChecker {
 public:
  IntervalChecker(const IntervalFile& file, const PlanFile& plan, const Options& options,
                  Report* report)
      : file_(file),
        plan_(plan.plan.top),
        plan_file_(plan),
        options_(options),
        report_(*report),
        faults_(report) {}

  void Check() {
    MakeItems();
    if (!options_.allow_lifetime_and_storage_overlap) {
      CheckTimes();
      CheckConflicts();
    }
    report_.reuse_pairs = report_.ok ? CountPairs() : -1;
    CheckHash();
    for (Row row = 0; row < file_.count(); ++row) CheckRow(row);
    CheckBuffers();
  }

  // --- called by the sweep ---
  bool Meets(ItemIndex item, ItemIndex live) {
    const std::pair<Row, Row> pair = std::minmax(items_[item].owner, items_[live].owner);
    if (found_.size() < kMaxFaults) {
      // Rows with gaps can meet more than once.
      const auto at = std::lower_bound(found_.begin(), found_.end(), pair);
      if (at == found_.end() || *at != pair) {
        found_.insert(at, pair);
        Report(pair.first, pair.second, "can be live at once");
      }
    } else {
      faults_.Count(1);
    }
    return ++pairs_ < kMaxPairs;
  }
  template <typename Set>
  void During(int32_t, const Set&) {}
  template <typename Set>
  void After(int32_t, const Set&) {}

 private:
  static constexpr int64_t kMaxPairs = 20'000'000;

  MemId PoolOf(Row row) const {
    return static_cast<size_t>(row) < plan_.mem_id.size() ? plan_.mem_id[row] : kNoPool;
  }
  Bytes OffsetOf(Row row) const {
    return static_cast<size_t>(row) < plan_.mem_offset.size() ? plan_.mem_offset[row] : kNoBytes;
  }
  bool IsPlaced(Row row) const {
    return PoolOf(row) > 0 && PoolOf(row) <= kMaxMemId && OffsetOf(row) >= 0;
  }
  // Never where its gaps leave no time between them.
  bool IsLive(Row row) const {
    bool has_span = false;
    if (file_.size[row] > 0) ForSpans(row, [&](int64_t, int64_t) { has_span = true; });
    return has_span;
  }
  std::string Name(Row row) const { return Quoted(file_.names[file_.id[row]]); }

  // The spans in which a row is live: between its gaps, which the reader has put in order.
  template <typename Fn>
  void ForSpans(Row row, Fn fn) const {
    int64_t from = file_.lower[row];
    if (!file_.first_gap.empty()) {
      std::vector<IntervalFile::TimeGap> gaps(file_.gaps.begin() + file_.first_gap[row],
                                              file_.gaps.begin() + file_.first_gap[row + 1]);
      SortRows(&gaps, [](const IntervalFile::TimeGap& a, const IntervalFile::TimeGap& b) {
        return a.from < b.from;
      });
      for (const IntervalFile::TimeGap& gap : gaps) {
        if (gap.from > from) fn(from, gap.from);
        from = std::max(from, gap.to);
      }
    }
    if (from < file_.upper[row]) fn(from, file_.upper[row]);
  }

  // An item for each span of each placed row. Ticks are the places of the times at which spans
  // begin, in order: between two of those nothing new begins.
  void MakeItems() {
    std::vector<int64_t> times;
    for (Row row = 0; row < file_.count(); ++row) {
      if (!IsPlaced(row) || !IsLive(row)) continue;
      ForSpans(row, [&](int64_t from, int64_t) { times.push_back(from); });
    }
    SortRows(&times);
    times.erase(std::unique(times.begin(), times.end()), times.end());
    const auto ticks_before = [&](int64_t time) {
      return static_cast<int32_t>(std::lower_bound(times.begin(), times.end(), time) -
                                  times.begin());
    };
    for (Row row = 0; row < file_.count(); ++row) {
      if (!IsPlaced(row) || !IsLive(row)) continue;
      ForSpans(row, [&](int64_t from, int64_t to) {
        items_.push_back({OffsetOf(row), OffsetOf(row) + file_.size[row], ticks_before(from),
                          ticks_before(to) - 1, row, PoolOf(row), 0});
      });
    }
    ticks_ = static_cast<int32_t>(times.size());
  }

  void CheckTimes() {
    const Schedule schedule(items_, ticks_);
    DisjointSet disjoint(items_);
    if (Sweep(items_, schedule, &disjoint, this)) return;
    OverlappingSet overlapping(items_);
    Sweep(items_, schedule, &overlapping, this);
  }

  void CheckConflicts() {
    for (const auto& [a, b] : file_.conflicts) {
      if (a == b || !IsPlaced(a) || !IsPlaced(b) || PoolOf(a) != PoolOf(b)) continue;
      if (!IsLive(a) || !IsLive(b)) continue;
      if (OffsetOf(a) >= OffsetOf(b) + file_.size[b] ||
          OffsetOf(b) >= OffsetOf(a) + file_.size[a]) {
        continue;
      }
      const std::pair<Row, Row> pair = std::minmax(a, b);
      if (!std::binary_search(found_.begin(), found_.end(), pair)) {
        Report(pair.first, pair.second, "are in conflict");
      }
    }
  }

  void Report(Row a, Row b, const char* why) {
    if (!faults_.is_open()) return faults_.Count(1);
    Fault fault;
    fault.check = "storage_reuse";
    fault.code = "STORAGE_OVERLAP";
    fault.tensors = {std::string(file_.names[file_.id[a]]), std::string(file_.names[file_.id[b]])};
    fault.from = std::max(OffsetOf(a), OffsetOf(b));
    fault.to = std::min(OffsetOf(a) + file_.size[a], OffsetOf(b) + file_.size[b]);
    fault.message = Message({Describe(a), " and ", Describe(b), " ", why, " and share ",
                             BytesOfPool(PoolOf(a), fault.from, fault.to)});
    faults_.Add(std::move(fault));
  }

  std::string Describe(Row row) const {
    return Message({Name(row), " (", OffsetOf(row), " to ", OffsetOf(row) + file_.size[row],
                    ", times ", file_.lower[row], " to ", file_.upper[row], ")"});
  }

  int64_t CountPairs() const {
    std::vector<LiveItem> rows;
    for (Row row = 0; row < file_.count(); ++row) {
      if (!IsPlaced(row) || !IsLive(row)) continue;
      rows.push_back({OffsetOf(row), OffsetOf(row) + file_.size[row], 0, 0, row, PoolOf(row), 0});
    }
    return CountSharingPairs(rows);
  }

  void Add(const char* code, Row row, const std::string& what, Bytes from = 0, Bytes to = 0) {
    if (!faults_.is_open()) return faults_.Count(1);
    Fault fault;
    fault.check = "plan";
    fault.code = code;
    fault.message = row < 0 ? what : Message({Name(row), " ", what});
    if (row >= 0) fault.tensors.emplace_back(file_.names[file_.id[row]]);
    fault.from = from;
    fault.to = to;
    faults_.Add(std::move(fault));
  }

  void CheckHash() {
    const std::string own = HashText(IntervalHash(file_));
    if (plan_file_.graph_hash.empty() || plan_file_.graph_hash == own) return;
    Add("GRAPH_HASH_DIFFERS", -1,
        Message({"the plan is of the problem with hash ", plan_file_.graph_hash, ", this one has ",
                 own}));
  }

  void CheckRow(Row row) {
    const MemId pool = PoolOf(row);
    const Bytes offset = OffsetOf(row);
    if (pool == kNoPool && offset == kNoBytes) {
      if (IsLive(row)) Add("TENSOR_MISSING", row, "has no place in the plan");
      return;
    }
    if (pool == kNoPool || offset == kNoBytes) {
      return Add("PLACE_INCOMPLETE", row,
                 pool == kNoPool ? "has an offset and no pool" : "has a pool and no offset");
    }
    if (pool < 1 || static_cast<size_t>(pool) >= plan_.buffer_sizes.size()) {
      return Add("NO_SUCH_POOL", row, Message({"is in pool ", pool, ", which has no buffer"}));
    }
    if (offset < 0) return Add("NEGATIVE_OFFSET", row, Message({"has offset ", offset}));
    const Bytes end = offset + file_.size[row], buffer = plan_.buffer_sizes[pool];
    if (end > buffer && IsLive(row)) {
      Add("PAST_END", row,
          Message({"is in ", BytesOfPool(pool, offset, end), ", whose buffer has ", buffer}),
          std::max(offset, buffer), end);
    }
    CheckWishes(row, pool, offset);
  }

  // What the input asks of a row's place.
  void CheckWishes(Row row, MemId pool, Bytes offset) {
    const Bytes end = offset + file_.size[row];
    const Bytes alignment = file_.alignment.empty() ? 1 : file_.alignment[row];
    if (IsLive(row) && offset % alignment != 0) {
      Add("MISALIGNED", row, Message({"is at ", offset, ", which is no multiple of ", alignment}),
          offset, end);
    }
    const MemId wanted = file_.mem_id.empty() ? 1 : file_.mem_id[row];
    if (pool != wanted) {
      Add("WRONG_POOL", row, Message({"is in pool ", pool, ", the input says ", wanted}), offset,
          end);
    }
    const Bytes pin = file_.offset.empty() ? kNoBytes : file_.offset[row];
    if (pin != kNoBytes && pin != offset) {
      Add("PINNED_ELSEWHERE", row, Message({"is at ", offset, " and pinned to ", pin}), offset,
          end);
    }
  }

  void CheckBuffers() {
    // The file's, over which the option wins.
    std::vector<Pool> pools;
    for (size_t pool = 1; pool < plan_.buffer_sizes.size(); ++pool) {
      const size_t at = file_.capacity_per_pool ? pool : 0;
      if (at >= file_.capacity.size()) continue;
      pools.push_back({.mem_id = static_cast<MemId>(pool), .capacity = file_.capacity[at]});
    }
    CheckCapacity(Setting(file_.names, options_, plan_.buffer_sizes, std::move(pools), {}),
                  &faults_);
  }

  const IntervalFile& file_;
  const GraphPlan& plan_;
  const PlanFile& plan_file_;
  const Options& options_;
  memplan::Report& report_;
  FaultList faults_;
  std::vector<LiveItem> items_;
  int32_t ticks_ = 0;
  int64_t pairs_ = 0;
  std::vector<std::pair<Row, Row>> found_;  // sorted
};

}  // namespace
}  // namespace verifier

Report VerifyIntervals(const IntervalFile& intervals, const PlanFile& file,
                       const Options& options) {
  Report report;
  verifier::IntervalChecker(intervals, file, options, &report).Check();
  return report;
}

}  // namespace memplan
