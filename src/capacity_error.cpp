#include "capacity_error.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

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
    text += text.empty() ? ": " : ", ";
    text += "\"" + culprit.id + "\" (" + std::to_string(culprit.bytes) + ")";
  }
  return text;
}

std::string Message(const FitDetails& details, Bytes live, const CapacityVerdict& verdict) {
  const std::string available = std::to_string(details.available);
  const std::string step = std::to_string(details.node);
  if (live > details.available) {
    return "what is live at step " + step + " needs " + std::to_string(live) + " bytes, " +
           std::to_string(details.excess) + " more than the " + available + " there are" +
           CulpritText(details.culprits);
  }
  if (verdict.proven) {
    return "no plan fits " + available + " bytes, which is proven: at least " +
           std::to_string(details.required) + " are needed; most are live at step " + step +
           CulpritText(details.culprits);
  }
  std::string text = "no plan was found that fits " + available + " bytes";
  if (verdict.smallest != kNoBytes) {
    text += "; the smallest one found needs " + std::to_string(verdict.smallest);
  }
  return text + "; most are live at step " + step + CulpritText(details.culprits);
}

}  // namespace

Error MakeCapacityError(const Problem& problem, MemId mem_id, const ProblemNames& names,
                        const CapacityVerdict& verdict) {
  auto details = std::make_shared<FitDetails>();
  const Result<MaxLive> fullest = ComputeMaxLive(problem);
  const Bytes live = fullest ? fullest->bytes : verdict.lower_bound;
  const Tick tick = fullest ? fullest->tick : 0;
  details->mem_id = mem_id;
  details->node = names.TimeOf(tick);
  details->available = problem.capacity;
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (!IsLiveAt(problem, b, tick)) continue;
    details->live.push_back({names.BufferName(b), problem.size[b]});
  }
  std::stable_sort(details->live.begin(), details->live.end(),
                   [](const NamedBytes& a, const NamedBytes& b) { return a.bytes > b.bytes; });
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
  error.code = verdict.proven || live > problem.capacity ? ErrorCode::kDoesNotFit
                                                         : ErrorCode::kNotFoundInTime;
  error.message = Message(*details, live, verdict);
  error.details = std::move(details);
  return error;
}

}  // namespace memplan
