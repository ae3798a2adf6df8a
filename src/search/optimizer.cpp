#include "search/optimizer.h"

#include <algorithm>
#include <utility>

namespace memplan {

Optimizer::Optimizer(std::unique_ptr<AttemptEngine> engine, const PeakRange& range, bool found,
                     uint64_t seed)
    : engine_(std::move(engine)),
      portfolio_(seed, engine_->buffers()),
      range_(range),
      found_(found) {
  range_.lower = engine_->Reachable(std::max(range_.lower, engine_->lower_bound()));
}

Bytes Optimizer::LeastTarget() const {
  return std::min(range_.upper - 1, std::max(range_.lower, range_.good_enough));
}

Bytes Optimizer::ChooseTarget() {
  RandomStream& random = portfolio_.random();
  const Bytes most = range_.upper - 1;
  const Bytes least = LeastTarget();
  // The first attempts and most others go for the least: those that cannot
  // succeed end soon. The rest is spread, as success is uneven.
  if (attempts_ == 0 || random.Percent(70)) return least;
  const Bytes reach = std::min(most, range_.lower + range_.lower / 4);
  if (reach <= least) return most;
  return std::min(most, engine_->Reachable(least + random.Below(reach - least + 1)));
}

void Optimizer::Begin() {
  constexpr int kContinuations = 60;  // percent
  constexpr int kOfAll = 25;          // percent of them
  RandomStream& random = portfolio_.random();
  kept_.clear();
  Beginnings& beginnings = random.Percent(kOfAll) ? beginnings_ : least_beginnings_;
  if (beginnings.full() && random.Percent(kContinuations)) {
    Continue(beginnings.Draw(&random));
  } else {
    attempt_ = portfolio_.Next();
    target_ = ChooseTarget();
  }
  attempt_work_ = 0;
  ++attempts_;
  engine_->Start(attempt_, target_, kept_);
  running_ = true;
}

// Keeps 50 to 95% of what `from` had placed.
void Optimizer::Continue(const Beginning& from) {
  attempt_ = portfolio_.NextContinuation();
  attempt_.mirrored = from.mirrored;
  target_ = std::max(LeastTarget(), std::min(range_.upper - 1, from.target));
  const int64_t kept =
      static_cast<int64_t>(from.placed.size()) * (50 + portfolio_.random().Below(46)) / 100;
  kept_.assign(from.placed.begin(), from.placed.begin() + static_cast<ptrdiff_t>(kept));
}

void Optimizer::Conclude() {
  switch (engine_->outcome()) {
    case AttemptOutcome::kFound:
      engine_->Read(&best_);
      range_.upper = best_.peak;
      found_ = true;
      running_ = false;
      break;
    case AttemptOutcome::kInfeasible:
      if (kept_.empty()) range_.lower = std::max(range_.lower, engine_->proven());
      running_ = false;
      break;
    case AttemptOutcome::kRunning:
      running_ = !engine_->out_of_patience();
      break;
  }
  if (running_) return;
  const bool found = engine_->outcome() == AttemptOutcome::kFound;
  portfolio_.Learn(attempt_, attempt_work_, found);
  if (found) {
    beginnings_.Clear();
    return;
  }
  Beginning beginning{engine_->Deepest(), attempt_.mirrored, target_};
  if (target_ == LeastTarget()) least_beginnings_.Offer(beginning);
  beginnings_.Offer(std::move(beginning));
}

int64_t Optimizer::Run(int64_t work) {
  int64_t done = 0;
  while (done < work && !settled()) {
    if (!running_) {
      Begin();
      done += 1 + engine_->buffers() / 8;
    }
    const int64_t run = engine_->Run(work - done);
    done += run;
    attempt_work_ += run;
    Conclude();
  }
  return done;
}

}  // namespace memplan
