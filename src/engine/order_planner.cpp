#include "engine/order_planner.h"

#include "engine/free_list.h"
#include "engine/orders.h"

namespace memplan {
namespace {

class OrderPlanner : public Planner {
 public:
  OrderPlanner(const Problem& problem, const OrderPass& pass) : problem_(problem), pass_(pass) {}

  int64_t Step(int64_t) override {
    if (done_) return 0;
    const Packing packing(problem_);
    const SlotTree tree(packing);
    int64_t steps = 0;
    placement_ = PlaceByOrder(packing, tree, pass_, &steps);
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
  OrderPass pass_;
  Placement placement_;
  Bytes bound_ = 0;
  bool done_ = false;
};

}  // namespace

const OrderPass kFirstFitByLoad = {OrderByLoadAndLength, Fit::kFirst, true};
const OrderPass kBestFitByLoad = {OrderByLoadAndLength, Fit::kBest, true};
const OrderPass kFirstFitByClass = {
    [](const Packing& packing) { return OrderBySizeClass(packing, 512); }, Fit::kFirst, true};
const OrderPass kFirstFitBySize = {OrderBySize, Fit::kFirst, false};

PassResult RunOrderPass(const Packing& packing, const SlotTree& tree, const OrderPass& pass) {
  return PlaceInOrder(packing, tree, pass.order(packing), pass.fit,
                      pass.keeps_to_bound ? packing.bound : kNoBytes, PassStepLimit(packing));
}

Placement PlaceByOrder(const Packing& packing, const SlotTree& tree, const OrderPass& pass,
                       int64_t* steps) {
  const PassResult result = RunOrderPass(packing, tree, pass);
  *steps += result.steps;
  if (result.finished) return packing.ToPlacement(result.offset);
  *steps += packing.count();
  return packing.ToPlacement(PlaceInTimeBothWays(packing));
}

std::unique_ptr<Planner> MakeOrderPlanner(const Problem& problem, const OrderPass& pass) {
  return std::make_unique<OrderPlanner>(problem, pass);
}

}  // namespace memplan
