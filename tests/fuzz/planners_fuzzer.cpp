// Any bytes as a problem: each planner that honours what it asks gives a plan that is right, and
// no planner's bound is above another's plan.
#include <algorithm>
#include <bitset>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "expectation.h"
#include "planner.h"

namespace memplan {
namespace {

constexpr BufferIndex kMostBuffers = 48;
constexpr Tick kTicks = 512;
using Ticks = std::bitset<kTicks>;

// Hands out bytes, zeros at the end.
class ByteSource {
 public:
  ByteSource(const uint8_t* data, size_t size) : at_(data), end_(data + size) {}
  bool empty() const { return at_ == end_; }
  uint32_t Byte() { return empty() ? 0 : *at_++; }
  uint32_t Below(uint32_t n) { return Byte() % n; }

 private:
  const uint8_t* at_;
  const uint8_t* end_;
};

enum Feature : uint32_t {
  kAlignments = 1,
  kPins = 2,
  kGaps = 4,
  kConflicts = 8,
  kBase = 16,
  kCapacity = 32
};

struct Row {
  Tick lower = 0, upper = 0;
  Bytes size = 0, alignment = 1, pin = kNoBytes;
  std::vector<Gap> gaps;
};

Row DecodeRow(uint32_t features, int shift, ByteSource* bytes) {
  Row row;
  row.lower = static_cast<Tick>(bytes->Byte());
  row.upper = row.lower + static_cast<Tick>(bytes->Byte());
  row.size = static_cast<Bytes>(bytes->Byte()) << shift;
  // Sizes with no common divisor too.
  if (row.size > 0) row.size -= bytes->Below(2);
  if (features & kAlignments) row.alignment = Bytes{1} << bytes->Below(7);
  if ((features & kPins) && bytes->Below(4) == 0) {
    row.pin = (static_cast<Bytes>(bytes->Byte()) << shift) / row.alignment * row.alignment;
  }
  for (Tick from = row.lower + 1; (features & kGaps) && row.upper - from >= 2;) {
    const Tick start = from + static_cast<Tick>(bytes->Byte());
    const Tick end = start + 1 + static_cast<Tick>(bytes->Below(16));
    if (end >= row.upper || row.gaps.size() == 3) break;
    row.gaps.push_back({start, end});
    from = end + 1;
  }
  return row;
}

Ticks LiveTicks(const Problem& problem, BufferIndex b) {
  Ticks ticks;
  if (problem.size[b] == 0) return ticks;
  for (Tick t = problem.lower[b]; t < problem.upper[b]; ++t) ticks.set(static_cast<size_t>(t));
  for (const Gap& gap : problem.gaps_of(b)) {
    for (Tick t = gap.from; t < gap.to; ++t) ticks.reset(static_cast<size_t>(t));
  }
  return ticks;
}

// Who excludes whom, straight from the definition.
class Exclusions {
 public:
  explicit Exclusions(const Problem& problem) : count_(problem.count()) {
    std::vector<Ticks> ticks;
    for (BufferIndex b = 0; b < count_; ++b) ticks.push_back(LiveTicks(problem, b));
    for (BufferIndex a = 0; a < count_; ++a) {
      for (BufferIndex b = 0; b < count_; ++b) {
        excludes_.push_back(a != b && (ticks[a] & ticks[b]).any());
      }
    }
    for (const auto& [a, b] : problem.conflicts) {
      if (!problem.is_live(a) || !problem.is_live(b)) continue;
      excludes_[a * count_ + b] = excludes_[b * count_ + a] = true;
    }
  }
  bool operator()(BufferIndex a, BufferIndex b) const { return excludes_[a * count_ + b]; }

 private:
  BufferIndex count_;
  std::vector<bool> excludes_;
};

bool ShareBytes(Bytes at, Bytes size, Bytes other, Bytes other_size) {
  return at < other + other_size && other < at + size;
}

void AddRows(const std::vector<Row>& rows, uint32_t features, Problem* problem) {
  if (features & kGaps) problem->first_gap.push_back(0);
  for (const Row& row : rows) {
    problem->lower.push_back(row.lower);
    problem->upper.push_back(row.upper);
    problem->size.push_back(row.size);
    if (features & kAlignments) problem->alignment.push_back(row.alignment);
    if (!(features & kGaps)) continue;
    problem->gaps.insert(problem->gaps.end(), row.gaps.begin(), row.gaps.end());
    problem->first_gap.push_back(static_cast<uint32_t>(problem->gaps.size()));
  }
}

void AddConflicts(ByteSource* bytes, Problem* problem) {
  const auto count = static_cast<uint32_t>(problem->count());
  for (uint32_t left = bytes->Below(16); left > 0; --left) {
    const auto a = static_cast<BufferIndex>(bytes->Below(count));
    const auto b = static_cast<BufferIndex>(bytes->Below(count));
    if (a != b) problem->conflicts.emplace_back(std::min(a, b), std::max(a, b));
  }
  std::sort(problem->conflicts.begin(), problem->conflicts.end());
  problem->conflicts.erase(std::unique(problem->conflicts.begin(), problem->conflicts.end()),
                           problem->conflicts.end());
}

// Pins that collide are refused before planners see them.
void AddPins(const std::vector<Row>& rows, Problem* problem) {
  problem->pin.assign(rows.size(), kNoBytes);
  const Exclusions excludes(*problem);
  for (BufferIndex b = 0; b < problem->count(); ++b) {
    const Bytes pin = rows[b].pin;
    if (pin == kNoBytes || pin < problem->base || !FitsBytes(pin, problem->size[b])) continue;
    bool collides = false;
    for (BufferIndex a = 0; a < b; ++a) {
      collides |= problem->pin[a] != kNoBytes && excludes(a, b) &&
                  ShareBytes(pin, problem->size[b], problem->pin[a], problem->size[a]);
    }
    if (!collides) problem->pin[b] = pin;
  }
}

struct Case {
  Problem problem;
  int64_t steps = 0;
};

Case Decode(ByteSource bytes) {
  const uint32_t features = bytes.Byte();
  const int64_t steps = int64_t{50} << bytes.Below(7);
  const int shift = static_cast<int>(bytes.Below(44));
  Problem problem;
  if (features & kBase) problem.base = static_cast<Bytes>(bytes.Byte());
  const Bytes capacity = static_cast<Bytes>(bytes.Byte()) << (shift + 2);
  if (features & kCapacity) problem.capacity = problem.base + capacity;
  ByteSource for_conflicts = bytes;
  std::vector<Row> rows;
  while (!bytes.empty() && rows.size() < kMostBuffers) {
    rows.push_back(DecodeRow(features, shift, &bytes));
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    if (a.size != b.size) return a.size > b.size;
    return a.lower != b.lower ? a.lower < b.lower : a.upper < b.upper;
  });
  AddRows(rows, features, &problem);
  if ((features & kConflicts) && problem.count() > 1) AddConflicts(&for_conflicts, &problem);
  if (features & kPins) AddPins(rows, &problem);
  return {std::move(problem), steps};
}

void CheckPlacement(const Problem& problem, const Exclusions& excludes, const Placement& placement,
                    const std::string& name) {
  Expect(placement.offset.size() == problem.size.size(), name + " places every buffer");
  Bytes end = problem.count() > 0 ? problem.base : 0;
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    const Bytes at = placement.offset[b];
    Expect(at >= 0 && at % problem.alignment_of(b) == 0, name + " aligns");
    const Bytes pin = problem.pin_of(b);
    Expect(pin == kNoBytes || at == pin, name + " keeps pins");
    if (!problem.is_live(b)) continue;
    Expect(at >= problem.base, name + " leaves what is taken");
    end = std::max(end, at + problem.size[b]);
    for (BufferIndex a = 0; a < b; ++a) {
      if (!excludes(a, b)) continue;
      Expect(!ShareBytes(at, problem.size[b], placement.offset[a], problem.size[a]),
             name + " keeps " + std::to_string(a) + " and " + std::to_string(b) + " apart");
    }
  }
  Expect(end <= placement.peak, name + " says how high its plan reaches");
  Expect(problem.capacity == kNoBytes || placement.peak <= problem.capacity,
         name + " keeps the capacity");
}

bool HonoursAll(const PlannerInfo& info, const Problem& problem) {
  uint32_t asks = 0;
  if (!problem.alignment.empty()) asks |= kHonoursAlignment;
  if (!problem.pin.empty()) asks |= kHonoursPins;
  if (!problem.conflicts.empty()) asks |= kHonoursConflicts;
  return (asks & ~info.honours) == 0;
}

// True where a buffer above the other, pinned ones lowest, never passes the highest byte there is:
// then every one of them has a place.
bool StacksFit(const Problem& problem) {
  Bytes top = problem.base;
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (problem.pin_of(b) != kNoBytes) top = std::max(top, problem.pin[b] + problem.size[b]);
  }
  // No sum here wraps around: at most 48 terms, each below 2^52.
  for (BufferIndex b = 0; b < problem.count(); ++b)
    top += problem.size[b] + problem.alignment_of(b);
  return top <= kMaxBytes;
}

// The same state whatever `cut` is.
std::unique_ptr<Planner> Run(const PlannerInfo& info, const Case& of, int64_t cut) {
  std::unique_ptr<Planner> planner = info.make(of.problem, {});
  for (int64_t left = of.steps; left > 0 && !planner->done(); left -= cut) planner->Step(cut);
  return planner;
}

// What all planners together say of a problem.
struct Verdict {
  Bytes bound = 0;
  std::string bound_by;
  Bytes peak = kNoBytes;
  std::string peak_by;
  std::string infeasible_by;
};

void TryPlanner(const PlannerInfo& info, const Case& of, const Exclusions& excludes,
                Verdict* verdict) {
  const Problem& problem = of.problem;
  const std::string name(info.name);
  const auto planner = Run(info, of, of.steps);
  const Placement* best = planner->best();
  if (best == nullptr) {
    Expect(info.searches || problem.capacity != kNoBytes || !StacksFit(problem),
           name + " gives a plan");
  } else {
    CheckPlacement(problem, excludes, *best, name);
    if (verdict->peak == kNoBytes || best->peak < verdict->peak) {
      verdict->peak = best->peak;
      verdict->peak_by = name;
    }
  }
  if (planner->lower_bound() > verdict->bound) {
    verdict->bound = planner->lower_bound();
    verdict->bound_by = name;
  }
  if (planner->infeasible()) verdict->infeasible_by = name;
  if (!info.searches) return;
  const auto cut = Run(info, of, 25);
  Expect((cut->best() == nullptr) == (best == nullptr), name + " minds no cuts");
  Expect(best == nullptr || cut->best()->offset == best->offset, name + " minds no cuts");
}

}  // namespace
}  // namespace memplan

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace memplan;
  const Case of = Decode({data, size});
  const Problem& problem = of.problem;
  if (!ComputeMaxLive(problem)) return 0;
  const Exclusions excludes(problem);
  Verdict verdict;
  for (const PlannerInfo& info : AllPlanners()) {
    if (HonoursAll(info, problem)) TryPlanner(info, of, excludes, &verdict);
  }
  if (verdict.peak == kNoBytes) return 0;
  Expect(verdict.bound <= verdict.peak,
         verdict.bound_by + "'s bound is not above the plan of " + verdict.peak_by);
  Expect(
      verdict.infeasible_by.empty(),
      verdict.infeasible_by + " does not say that nothing fits where " + verdict.peak_by + " fits");
  return 0;
}
