#include "engine/order_planner.h"

#include <utility>

#include "engine/free_list.h"

namespace memplan {
namespace {

class OrderPlanner : public Planner {
 public:
  OrderPlanner(const Problem& problem, OrderFunction order, Fit fit)
      : problem_(problem), order_(order), fit_(fit) {}

  int64_t Step(int64_t) override {
    if (done_) return 0;
    const Packing packing(problem_);
    const SlotTree tree(packing);
    int64_t steps = 0;
    placement_ = PlaceByOrder(packing, tree, order_, fit_, &steps);
    bound_ = packing.bound;
    done_ = true;
    return steps;
  }
  bool done() const override { return done_; }
  const Placement* best() const override {
    const Bytes most = problem_.capacity == kNoBytes ? kMaxBytes : problem_.capacity;
    return done_ && placement_.peak <= most ? &placement_ : nullptr;
  }
  Bytes smallest_peak() const override {
    return done_ && placement_.peak <= kMaxBytes ? placement_.peak : kNoBytes;
  }
  Bytes lower_bound() const override { return bound_; }
  bool infeasible() const override {
    return problem_.capacity != kNoBytes && bound_ > problem_.capacity;
  }

 private:
  const Problem& problem_;
  OrderFunction order_;
  Fit fit_;
  Placement placement_;
  Bytes bound_ = 0;
  bool done_ = false;
};

}  // namespace

std::unique_ptr<Planner> MakeOrderPlanner(const Problem& problem, OrderFunction order, Fit fit) {
  return std::make_unique<OrderPlanner>(problem, order, fit);
}

Placement PlaceByOrder(const Packing& packing, const SlotTree& tree, OrderFunction order, Fit fit,
                       int64_t* steps) {
  PassResult pass =
      PlaceInOrder(packing, tree, order(packing), fit, kNoBytes, PassStepLimit(packing));
  *steps += pass.steps;
  if (pass.finished) return packing.ToPlacement(pass.offset);
  Placement forward = packing.ToPlacement(PlaceInTime(packing, Direction::kForward));
  Placement backward = packing.ToPlacement(PlaceInTime(packing, Direction::kBackward));
  *steps += 2 * int64_t{packing.count()};
  return backward.peak < forward.peak ? std::move(backward) : std::move(forward);
}

}  // namespace memplan
