#include "capacity_error.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "message.h"

namespace memplan {
namespace {

constexpr size_t kCulprits = 3;

bool IsLiveAt(const Problem& problem, BufferIndex b, Tick tick) {
  if (!problem.is_live(b) || tick < problem.lower[b] || tick >= problem.upper[b]) return false;
  for (const Gap& gap : problem.gaps_of(b)) {
    if (gap.from <= tick && tick < gap.to) return false;
  }
  return true;
}

std::string CulpritText(const std::vector<NamedBytes>& culprits) {
  std::string text;
  for (const NamedBytes& culprit : culprits) {
    text += Message({text.empty() ? ": \"" : ", \"", culprit.id, "\" (", culprit.bytes, ")"});
  }
  return text;
}

std::string Explain(const FitDetails& details, Bytes live, const CapacityVerdict& verdict) {
  const std::string culprits = CulpritText(details.culprits);
  if (live > details.available) {
    return Message({verdict.chosen ? "placed otherwise it might fit, but here what is live at step "
                                   : "what is live at step ",
                    details.node, " needs ", live, " bytes, ", details.excess, " more than the ",
                    details.available, " there are", culprits});
  }
  if (verdict.proven) {
    return Message({"no plan fits ", details.available, " bytes, which is proven: at least ",
                    details.required, " are needed; most are live at step ", details.node,
                    culprits});
  }
  std::string smallest;
  if (verdict.smallest != kNoBytes) {
    smallest = Message({"; the smallest one found needs ", verdict.smallest});
  }
  return Message({"no plan was found that fits ", details.available, " bytes", smallest,
                  "; most are live at step ", details.node, culprits});
}

}  // namespace

Error MakeCapacityError(const Problem& problem, MemId mem_id, const ProblemNames& names,
                        const CapacityVerdict& verdict) {
  if (problem.capacity == kNoBytes) {
    // What lives at once is a size, so it is the algorithm that spreads it so far.
    return {.code = ErrorCode::kTooLarge,
            .message = Message({"the plan would need more than 2^53 - 1 bytes of pool ", mem_id})};
  }
  auto details = std::make_shared<FitDetails>();
  const Result<MaxLive> fullest = ComputeMaxLive(problem);
  const Bytes live = fullest ? fullest->bytes : verdict.lower_bound;
  const Tick tick = fullest ? fullest->tick : 0;
  details->mem_id = mem_id;
  details->node = names.TimeOf(tick);
  details->available = problem.capacity;
  // The tie order has the largest first.
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (!IsLiveAt(problem, b, tick)) continue;
    details->live.push_back({names.BufferName(b), problem.size[b]});
  }
  details->culprits.assign(details->live.begin(),
                           details->live.begin() + std::min(kCulprits, details->live.size()));
  if (live > problem.capacity) {
    details->required = live;
  } else if (verdict.proven) {
    details->required = std::max(verdict.lower_bound, problem.capacity + 1);
  } else {
    details->required = std::max(verdict.smallest, verdict.lower_bound);
  }
  details->excess = std::max<Bytes>(0, details->required - details->available);

  Error error;
  const bool is_proven = verdict.proven || (live > problem.capacity && !verdict.chosen);
  error.code = is_proven ? ErrorCode::kDoesNotFit : ErrorCode::kNotFoundInTime;
  error.message = Explain(*details, live, verdict);
  error.details = std::move(details);
  return error;
}

}  // namespace memplan
