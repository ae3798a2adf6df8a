#include "sound_problem.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "inplace.h"
#include "message.h"
#include "pool_choice.h"
#include "pool_race.h"

namespace memplan {
namespace {

class GraphNames final : public ProblemNames {
 public:
  GraphNames(const Program& program, const Nest& nest, const PoolProblem& pool)
      : program_(program), nest_(nest), pool_(pool) {}

  std::string BufferName(BufferIndex buffer) const override {
    return SourceName(program_, nest_, pool_.source[buffer]);
  }
  int64_t TimeOf(Tick tick) const override {
    for (size_t r = nest_.roots.size(); r-- > 0;) {
      const Run& run = nest_.runs[r];
      if (tick < run.begin) continue;
      const std::vector<Tick>& start = nest_.graphs[run.graph].start;
      if (start.empty()) return tick - run.begin;
      const auto after = std::upper_bound(start.begin(), start.end() - 1, tick - run.begin);
      return after - start.begin() - 1;
    }
    return 0;
  }

 private:
  const Program& program_;
  const Nest& nest_;
  const PoolProblem& pool_;
};

// A pool that is too small for what lies in it before anything is placed.
Error TakenAlready(MemId mem_id, Bytes capacity, Bytes taken, std::string_view by) {
  auto details = std::make_shared<FitDetails>();
  details->mem_id = mem_id;
  details->required = taken;
  details->available = capacity;
  details->excess = taken - capacity;
  return {ErrorCode::kDoesNotFit,
          Message({"pool ", mem_id, " has ", capacity, " bytes, and ", by, " takes ", taken}),
          {},
          {},
          std::move(details)};
}

// False where all buffers together are no more bytes than there can be.
bool MayBeTooLarge(const Problem& problem) {
  Bytes sum = problem.base;
  for (const Bytes size : problem.size) {
    if (!FitsBytes(sum, size)) return true;
    sum += size;
  }
  return false;
}

Status SetCapacities(const Program& program, const Options& options, Selection* selection) {
  for (PoolProblem& pool : selection->pools) {
    if (MayBeTooLarge(pool.problem)) {
      const Result<MaxLive> live = ComputeMaxLive(pool.problem);
      if (!live) return tl::unexpected(live.error());
    }
    const Bytes capacity = CapacityOf(program, options, pool.mem_id);
    if (capacity == kNoBytes) continue;
    const bool is_empty = pool.problem.count() == 0;
    const Bytes taken = is_empty ? pool.problem.base : pool.padding;
    if (taken > capacity) {
      return tl::unexpected(
          TakenAlready(pool.mem_id, capacity, taken,
                       is_empty ? "input_mem_buffer_sizes" : "the XNNPACK padding"));
    }
    // What the padding takes is not there for buffers.
    pool.problem.capacity = is_empty ? capacity : capacity - pool.padding;
  }
  return {};
}

// Bytes of max live over all pools, which is what a choice is judged by: the placing that follows
// comes close to it.
Result<Bytes> MaxLiveOf(const Program& program, const Options& options,
                        const std::vector<std::vector<Placed>>& chosen) {
  const Result<Nest> nest = BuildNest(program, options, chosen);
  if (!nest) return tl::unexpected(nest.error());
  const Result<Selection> selection = Select(program, *nest, options, Scope::kAll, {});
  if (!selection) return tl::unexpected(selection.error());
  Bytes sum = 0;
  for (const PoolProblem& pool : selection->pools) {
    const Result<MaxLive> live = ComputeMaxLive(pool.problem);
    if (!live) return tl::unexpected(live.error());
    sum += live->bytes;
  }
  return sum;
}

// A concat's result lives as long as its first input where that is written into it, which can cost
// more than it saves. So each concat is tried, last ones first (their results hold those of earlier
// ones), and kept where max live does not grow; after this much work the rest is kept or left
// together.
constexpr int64_t kConcatWork = 20'000'000;

using ChosenPairs = std::vector<std::vector<Placed>>;  // by graph of the nest

void Refuse(const Graph* graph, const Placed& pair, const char* why, InplaceChoice* choice) {
  for (InplaceRow& row : choice->rows) {
    if (row.graph != graph || row.tensor != pair.inner || row.base != pair.outer) continue;
    row.bytes = 0;
    row.refused = why;
  }
}

// A pair can make a result stay in use when its submodule runs again: UNSUPPORTED, which no plan
// may be for what was only a choice.
constexpr const char* kRunAgain =
    "a result of a submodule would still be in use when another node runs it again";

// Adds those pairs of graph g to `chosen` with which there is a plan, halving until the others are
// found.
Status AddPlannable(const Program& program, const Options& options, const Nest& plain, size_t g,
                    std::span<const Placed> pairs, ChosenPairs* chosen, InplaceChoice* choice) {
  if (pairs.empty()) return {};
  ChosenPairs with = *chosen;
  with[g].insert(with[g].end(), pairs.begin(), pairs.end());
  const Result<Nest> nest = BuildNest(program, options, with);
  if (nest) {
    *chosen = std::move(with);
    return {};
  }
  if (nest.error().code != ErrorCode::kUnsupported) return tl::unexpected(nest.error());
  if (pairs.size() == 1) {
    Refuse(plain.graphs[g].graph, pairs[0], kRunAgain, choice);
    return {};
  }
  const size_t half = pairs.size() / 2;
  for (const auto part : {pairs.first(half), pairs.subspan(half)}) {
    Status fine = AddPlannable(program, options, plain, g, part, chosen, choice);
    if (!fine) return fine;
  }
  return {};
}

// `plain` is the nest without any choice.
Result<ChosenPairs> SettleInplace(const Program& program, const Options& options, const Nest& plain,
                                  InplaceChoice* choice) {
  ChosenPairs chosen = choice->elementwise;
  // Without submodules no pair can be in the way of a plan.
  if (plain.has_control_flow) chosen.assign(chosen.size(), {});
  for (size_t g = 0; g < chosen.size() && plain.has_control_flow; ++g) {
    Status fine = AddPlannable(program, options, plain, g, choice->elementwise[g], &chosen, choice);
    if (!fine) return tl::unexpected(fine.error());
  }
  Result<Bytes> best = MaxLiveOf(program, options, chosen);
  if (!best) return tl::unexpected(best.error());
  int64_t work = 0;
  for (size_t g = 0; g < chosen.size(); ++g) {
    for (size_t i = choice->concats[g].size(); i-- > 0;) {
      ChosenPairs with = chosen;
      const std::vector<Placed>& pairs = choice->concats[g][i];
      const bool last_try = work > kConcatWork;
      const size_t from = last_try ? 0 : i;
      for (size_t k = from; k <= i; ++k) {
        const std::vector<Placed>& some = choice->concats[g][k];
        with[g].insert(with[g].end(), some.begin(), some.end());
      }
      const Result<Bytes> now = MaxLiveOf(program, options, with);
      if (!now && now.error().code != ErrorCode::kUnsupported) return tl::unexpected(now.error());
      work += static_cast<int64_t>(with[g].size() + 1000);
      if (now && *now <= *best) {
        chosen = std::move(with);
        best = now;
      } else {
        for (const Placed& pair : pairs) {
          Refuse(plain.graphs[g].graph, pair,
                 now ? "it would make the plan larger: the result would live longer" : kRunAgain,
                 choice);
        }
      }
      if (last_try) break;
    }
  }
  return chosen;
}

}  // namespace

Result<SoundProblem> MakeSoundProblem(const Program& program, const Options& options) {
  SoundProblem problem;
  Result<Nest> nest = BuildNest(program, options, {});
  if (!nest) return tl::unexpected(nest.error());
  if (options.inplace) {
    InplaceChoice choice = ChooseInplace(program, *nest, options);
    auto chosen = SettleInplace(program, options, *nest, &choice);
    if (!chosen) return tl::unexpected(chosen.error());
    nest = BuildNest(program, options, *chosen);
    if (!nest) return tl::unexpected(nest.error());
    problem.chosen = std::move(*chosen);
    problem.inplace = std::move(choice.rows);
  }
  problem.nest = std::move(*nest);
  Result<PoolSpread> spread = SpreadOverPools(program, problem.nest, options);
  if (!spread) return tl::unexpected(spread.error());
  problem.spilled = std::move(spread->spilled);
  problem.may_spread =
      program.pools().size() > 1 && !spread->choice.empty() && !spread->fits_nowhere;
  Result<Selection> selection = Select(program, problem.nest, options, Scope::kAll, spread->choice);
  if (!selection) return tl::unexpected(selection.error());
  problem.selection = std::move(*selection);
  if (Status fine = SetCapacities(program, options, &problem.selection); !fine) {
    return tl::unexpected(fine.error());
  }
  return problem;
}

std::unique_ptr<ProblemNames> MakeProblemNames(const Program& program, const Nest& nest,
                                               const PoolProblem& pool) {
  return std::make_unique<GraphNames>(program, nest, pool);
}

Result<Bytes> QuickTotal(const Selection& selection, const Options& options) {
  // Enough for the quick planners and some repair; a long search would not show in a comparison.
  constexpr int64_t kSteps = 50'000;
  constexpr int64_t kStepsPerBuffer = 20;
  std::vector<const Problem*> problems;
  int64_t buffers = 0;
  Bytes total = 0;
  for (const PoolProblem& pool : selection.pools) {
    buffers += pool.problem.count();
    if (pool.problem.count() > 0) {
      problems.push_back(&pool.problem);
      total += pool.padding;
    } else {
      total += pool.problem.base;
    }
  }
  if (problems.empty()) return total;
  Result<PoolRace> race = PoolRace::Start(options.algorithm, std::move(problems),
                                          {.seed = options.seed, .stop_at = kNoBytes});
  if (!race) return tl::unexpected(race.error());
  race->Step(kSteps + kStepsPerBuffer * buffers);
  return total + race->best_peak();
}

}  // namespace memplan
