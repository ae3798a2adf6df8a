#include "auto/auto_state.h"

#include <algorithm>
#include <utility>

#include "engine/orders.h"

namespace memplan {

AutoState::AutoState(const Problem& problem, const SearchOptions& options)
    : problem_(problem),
      options_(options),
      packing_(problem),
      tree_(packing_),
      bound_(packing_.bound) {
  // A plan beyond the capacity is good for nothing.
  if (problem.capacity != kNoBytes) {
    options_.stop_at = std::min(options_.stop_at, problem.capacity);
  }
}

const ConflictIndex& AutoState::conflicts() {
  if (!conflicts_) conflicts_.emplace(packing_);
  return *conflicts_;
}

const std::vector<int64_t>& AutoState::highest_load() {
  if (highest_load_.empty()) highest_load_ = HighestLoads(packing_);
  return highest_load_;
}

void AutoState::Offer(std::string_view algorithm, const std::vector<int64_t>& offset,
                      int64_t steps) {
  Placement placement = packing_.ToPlacement(offset);
  PlannerResult& row = RowOf(algorithm);
  row.steps += steps;
  if (row.peak == kNoBytes || placement.peak < row.peak) row.peak = placement.peak;
  Keep(algorithm, std::move(placement));
}

void AutoState::Offer(std::string_view algorithm, const Placement& placement, int64_t steps) {
  PlannerResult& row = RowOf(algorithm);
  row.steps += steps;
  if (row.peak == kNoBytes || placement.peak < row.peak) row.peak = placement.peak;
  if (!has_plan() || placement.peak < best_.peak) Keep(algorithm, placement);
}

void AutoState::Charge(std::string_view algorithm, int64_t steps) {
  RowOf(algorithm).steps += steps;
}

void AutoState::RaiseBound(Bytes bound) { bound_ = std::max(bound_, bound); }

void AutoState::Keep(std::string_view algorithm, Placement placement) {
  if (placement.peak > kMaxBytes || (has_plan() && placement.peak >= best_.peak)) return;
  best_ = std::move(placement);
  winner_ = algorithm;
}

std::vector<int64_t> AutoState::BestInUnits() const {
  std::vector<int64_t> offset;
  if (!has_plan()) return offset;
  offset.reserve(packing_.count());
  for (ItemIndex item = 0; item < packing_.count(); ++item) {
    const Bytes bytes = best_.offset[packing_.buffer[item]];
    if (bytes % packing_.unit != 0) return {};
    offset.push_back(bytes / packing_.unit);
  }
  return offset;
}

bool AutoState::Enough() const {
  return has_plan() && best_.peak <= std::max(bound_, options_.stop_at);
}

PlannerResult& AutoState::RowOf(std::string_view algorithm) {
  for (PlannerResult& row : results_) {
    if (row.algorithm == algorithm) return row;
  }
  return results_.emplace_back(PlannerResult{algorithm, kNoBytes, 0});
}

}  // namespace memplan
