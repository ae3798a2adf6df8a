#include "interval_problem.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "message.h"
#include "row_sort.h"

namespace memplan {
namespace {

MemId MemIdOf(const IntervalFile& file, int32_t row) {
  return file.mem_id.empty() ? 1 : file.mem_id[row];
}

std::string_view NameOf(const IntervalFile& file, int32_t row) { return file.names[file.id[row]]; }

// "buffers[3].offset"; of a CSV the line.
std::string PathOf(const IntervalFile& file, int32_t row, std::string_view field) {
  if (file.is_csv) return Message({"line ", file.line[row], ", column 1"});
  return Message({"buffers[", row, "]", field});
}

// The rows of a pool in tie order: (larger size, earlier lower, earlier upper, id).
void PutInOrder(const IntervalFile& file, std::vector<int32_t>* rows) {
  SortRows(rows, [&](int32_t a, int32_t b) {
    if (file.size[a] != file.size[b]) return file.size[a] > file.size[b];
    if (file.lower[a] != file.lower[b]) return file.lower[a] < file.lower[b];
    if (file.upper[a] != file.upper[b]) return file.upper[a] < file.upper[b];
    return file.names[file.id[a]] < file.names[file.id[b]];
  });
}

std::span<const IntervalFile::TimeGap> GapsOf(const IntervalFile& file, int32_t row) {
  if (file.first_gap.empty()) return {};
  return {file.gaps.data() + file.first_gap[row], file.gaps.data() + file.first_gap[row + 1]};
}

// Ticks count from the first time where that fits; else times are ranked.
class Clock {
 public:
  Clock(const IntervalFile& file, IntervalProblem* pool) : pool_(pool) {
    if (pool->row.empty()) return;
    int64_t first = file.lower[pool->row[0]], last = file.upper[pool->row[0]];
    for (const int32_t row : pool->row) {
      first = std::min(first, file.lower[row]);
      last = std::max(last, file.upper[row]);
    }
    pool->first_time = first;
    if (last - first < INT32_MAX) return;
    std::vector<int64_t>& time = pool->time;
    for (const int32_t row : pool->row) {
      time.insert(time.end(), {file.lower[row], file.upper[row]});
      for (const auto& gap : GapsOf(file, row)) time.insert(time.end(), {gap.from, gap.to});
    }
    SortRows(&time);
    time.erase(std::unique(time.begin(), time.end()), time.end());
  }

  Tick TickOf(int64_t time) const {
    if (pool_->time.empty()) return static_cast<Tick>(time - pool_->first_time);
    const auto at = std::lower_bound(pool_->time.begin(), pool_->time.end(), time);
    return static_cast<Tick>(at - pool_->time.begin());
  }

 private:
  const IntervalProblem* pool_;
};

// Gaps at either end shorten the life, neighbours are one: what is left lies strictly inside.
void AddLife(const IntervalFile& file, int32_t row, const Clock& clock, Problem* problem) {
  int64_t lower = file.lower[row], upper = file.upper[row];
  std::vector<IntervalFile::TimeGap> inside;
  for (const IntervalFile::TimeGap& gap : GapsOf(file, row)) {
    if (gap.from <= lower) {
      lower = gap.to;
    } else if (!inside.empty() && inside.back().to == gap.from) {
      inside.back().to = gap.to;
    } else {
      inside.push_back(gap);
    }
  }
  if (!inside.empty() && inside.back().to >= upper) {
    upper = inside.back().from;
    inside.pop_back();
  }
  problem->lower.push_back(clock.TickOf(lower));
  problem->upper.push_back(clock.TickOf(std::max(lower, upper)));
  if (problem->first_gap.empty()) return;
  for (const IntervalFile::TimeGap& gap : inside) {
    problem->gaps.push_back({clock.TickOf(gap.from), clock.TickOf(gap.to)});
  }
  problem->first_gap.push_back(static_cast<uint32_t>(problem->gaps.size()));
}

Bytes CapacityOf(std::span<const Bytes> capacity, bool per_pool, MemId mem_id) {
  const size_t at = per_pool ? static_cast<size_t>(mem_id) : 0;
  return at < capacity.size() ? capacity[at] : kNoBytes;
}

void FillProblem(const IntervalFile& file, IntervalProblem* pool) {
  Problem& problem = pool->problem;
  const Clock clock(file, pool);
  if (!file.gaps.empty()) problem.first_gap.push_back(0);
  bool pinned = false, aligned = false;
  for (const int32_t row : pool->row) {
    problem.size.push_back(file.size[row]);
    AddLife(file, row, clock, &problem);
    pinned |= !file.offset.empty() && file.offset[row] != kNoBytes;
    aligned |= !file.alignment.empty() && file.alignment[row] != file.alignment[pool->row[0]];
  }
  if (!file.alignment.empty() && !pool->row.empty() && !aligned) {
    problem.uniform_alignment = file.alignment[pool->row[0]];
  }
  for (const int32_t row : pool->row) {
    if (pinned) problem.pin.push_back(file.offset[row]);
    if (aligned) problem.alignment.push_back(file.alignment[row]);
  }
}

// Conflicts between pools are met already.
void AddConflicts(const IntervalFile& file, std::vector<IntervalProblem>* pools) {
  if (file.conflicts.empty()) return;
  std::vector<BufferIndex> buffer_of(file.size.size());
  std::vector<Problem*> problem_of(kMaxMemId + 1, nullptr);
  for (IntervalProblem& pool : *pools) {
    problem_of[pool.mem_id] = &pool.problem;
    for (BufferIndex b = 0; b < pool.problem.count(); ++b) buffer_of[pool.row[b]] = b;
  }
  for (const auto& [first, second] : file.conflicts) {
    if (MemIdOf(file, first) != MemIdOf(file, second)) continue;
    const BufferIndex a = buffer_of[first], b = buffer_of[second];
    problem_of[MemIdOf(file, first)]->conflicts.emplace_back(std::min(a, b), std::max(a, b));
  }
  for (IntervalProblem& pool : *pools) {
    auto& conflicts = pool.problem.conflicts;
    SortRows(&conflicts);
    conflicts.erase(std::unique(conflicts.begin(), conflicts.end()), conflicts.end());
  }
}

// The first moment at which too much is live, by time and then by row.
Status CheckLive(const IntervalFile& file, const IntervalProblem& pool) {
  if (const Result<MaxLive> live = ComputeMaxLive(pool.problem); live) return {};
  struct Change {
    int64_t at;
    bool starts;
    int32_t row;
  };
  std::vector<Change> changes;
  for (const int32_t row : pool.row) {
    int64_t from = file.lower[row];
    for (const auto& gap : GapsOf(file, row)) {
      changes.push_back({from, true, row});
      changes.push_back({gap.from, false, row});
      from = gap.to;
    }
    changes.push_back({from, true, row});
    changes.push_back({file.upper[row], false, row});
  }
  SortRows(&changes, [](const Change& a, const Change& b) {
    if (a.at != b.at) return a.at < b.at;
    return a.starts != b.starts ? b.starts : a.row < b.row;
  });
  Bytes live = 0;
  for (const Change& change : changes) {
    live += change.starts ? file.size[change.row] : -file.size[change.row];
    if (live <= kMaxBytes) continue;
    return Fail(ErrorCode::kTooLarge,
                Message({"with \"", NameOf(file, change.row), "\" the bytes live at step ",
                         change.at, " sum to ", live, ", more than 2^53 - 1 = ", kMaxBytes}),
                PathOf(file, change.row, ""));
  }
  return {};
}

Error CollisionError(const IntervalFile& file, const IntervalProblem& pool,
                     const PinCollision& collision) {
  const Problem& problem = pool.problem;
  BufferIndex a = collision.first, b = collision.second;
  if (problem.pin[b] < problem.pin[a]) std::swap(a, b);
  const Tick from = std::max(problem.lower[a], problem.lower[b]);
  const Tick to = std::min(problem.upper[a], problem.upper[b]);
  const Bytes end = std::min(problem.pin[a] + problem.size[a], problem.pin[b] + problem.size[b]);
  std::string message =
      Message({"the pinned buffers \"", NameOf(file, pool.row[a]), "\" and \"",
               NameOf(file, pool.row[b]), "\" share the bytes ", problem.pin[b], " to ", end - 1});
  message += from < to ? Message({" and are both live in the steps ", pool.TimeOf(from), " to ",
                                  pool.TimeOf(to - 1)})
                       : ", which conflicts forbids";
  return {ErrorCode::kPinsCollide,
          std::move(message),
          PathOf(file, pool.row[b], ".offset"),
          {},
          nullptr};
}

Status CheckPins(const IntervalFile& file, const IntervalProblem& pool) {
  const Problem& problem = pool.problem;
  if (problem.pin.empty()) return {};
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    const Bytes pin = problem.pin[b];
    if (pin == kNoBytes) continue;
    if (pin % problem.alignment_of(b) != 0) {
      return Fail(ErrorCode::kInvalidInput,
                  Message({"the offset ", pin, " of \"", NameOf(file, pool.row[b]),
                           "\" is no multiple of its alignment ", problem.alignment_of(b)}),
                  PathOf(file, pool.row[b], ".offset"));
    }
    if (!FitsBytes(pin, problem.size[b])) {
      return Fail(ErrorCode::kTooLarge,
                  Message({"\"", NameOf(file, pool.row[b]), "\" ends at ", pin + problem.size[b],
                           ", above 2^53 - 1 = ", kMaxBytes}),
                  PathOf(file, pool.row[b], ".offset"));
    }
  }
  const std::vector<PinCollision> collisions = FindPinCollisions(problem);
  if (collisions.empty()) return {};
  return tl::unexpected<Error>(CollisionError(file, pool, collisions[0]));
}

class IntervalNames : public ProblemNames {
 public:
  IntervalNames(const IntervalFile& file, const IntervalProblem& pool) : file_(file), pool_(pool) {}
  std::string BufferName(BufferIndex buffer) const override {
    return std::string(file_.names[file_.id[pool_.row[buffer]]]);
  }
  int64_t TimeOf(Tick tick) const override { return pool_.TimeOf(tick); }

 private:
  const IntervalFile& file_;
  const IntervalProblem& pool_;
};

}  // namespace

Result<std::vector<IntervalProblem>> MakeIntervalProblems(const IntervalFile& file,
                                                          std::span<const Bytes> capacity,
                                                          bool capacity_per_pool) {
  std::vector<std::vector<int32_t>> rows_of;
  for (int32_t row = 0; row < file.count(); ++row) {
    const auto mem_id = static_cast<size_t>(MemIdOf(file, row));
    if (rows_of.size() <= mem_id) rows_of.resize(mem_id + 1);
    rows_of[mem_id].push_back(row);
  }
  std::vector<IntervalProblem> pools;
  for (size_t mem_id = 0; mem_id < rows_of.size(); ++mem_id) {
    if (rows_of[mem_id].empty()) continue;
    IntervalProblem& pool = pools.emplace_back();
    pool.mem_id = static_cast<MemId>(mem_id);
    pool.row = std::move(rows_of[mem_id]);
    PutInOrder(file, &pool.row);
    FillProblem(file, &pool);
    pool.problem.capacity = CapacityOf(capacity, capacity_per_pool, pool.mem_id);
    if (pool.problem.capacity == kNoBytes) {
      pool.problem.capacity = CapacityOf(file.capacity, file.capacity_per_pool, pool.mem_id);
    }
  }
  AddConflicts(file, &pools);
  for (const IntervalProblem& pool : pools) {
    if (const Status live = CheckLive(file, pool); !live) return tl::unexpected(live.error());
    if (const Status pins = CheckPins(file, pool); !pins) return tl::unexpected(pins.error());
  }
  return pools;
}

Error IntervalCapacityError(const IntervalFile& file, const IntervalProblem& pool,
                            const CapacityVerdict& verdict) {
  return MakeCapacityError(pool.problem, pool.mem_id, IntervalNames(file, pool), verdict);
}

}  // namespace memplan
