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

Bytes Optimizer::ChooseTarget() {
  RandomStream& random = portfolio_.random();
  const Bytes most = range_.upper - 1;
  const Bytes least = std::min(most, std::max(range_.lower, range_.good_enough));
  // The first attempts and most others go for the least: those that cannot
  // succeed end soon. The rest is spread, as success is uneven.
  if (attempts_ == 0 || random.Percent(70)) return least;
  const Bytes reach = std::min(most, range_.lower + range_.lower / 4);
  if (reach <= least) return most;
  return std::min(most, engine_->Reachable(least + random.Below(reach - least + 1)));
}

void Optimizer::Begin() {
  attempt_ = portfolio_.Next();
  attempt_work_ = 0;
  target_ = ChooseTarget();
  ++attempts_;
  engine_->Start(attempt_, target_);
  running_ = true;
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
      range_.lower = std::max(range_.lower, engine_->proven());
      running_ = false;
      break;
    case AttemptOutcome::kRunning:
      running_ = !engine_->out_of_nodes();
      break;
  }
  if (!running_) {
    portfolio_.Learn(attempt_, attempt_work_, engine_->outcome() == AttemptOutcome::kFound);
  }
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
