// How far an attempt of the exact search has come, and when it gives up.
#ifndef MEMPLAN_SEARCH_PROGRESS_H_
#define MEMPLAN_SEARCH_PROGRESS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace memplan {

// A buffer by the engine's number, at an offset in the engine's units.
struct PlacedBuffer {
  int32_t buffer = 0;
  int64_t offset = 0;
};

// Watches the stack of what is placed.
class Progress {
 public:
  void Start(int64_t patience) {
    patience_ = patience;
    idle_nodes_ = 0;
    most_ = 0;
    is_saved_ = false;
  }
  // To be called at each node.
  void Count(const std::vector<PlacedBuffer>& stack) {
    ++idle_nodes_;
    if (stack.size() <= most_) return;
    most_ = stack.size();
    idle_nodes_ = 0;
    is_saved_ = false;
  }
  // To be called before anything is taken off the stack.
  void Save(const std::vector<PlacedBuffer>& stack) {
    if (is_saved_) return;
    deepest_.assign(stack.begin(), stack.begin() + static_cast<ptrdiff_t>(most_));
    is_saved_ = true;
  }
  // So many nodes have not placed more than those before.
  bool out_of_patience() const { return idle_nodes_ >= patience_; }
  // What was placed when most was, in this order.
  const std::vector<PlacedBuffer>& Deepest(const std::vector<PlacedBuffer>& stack) {
    Save(stack);
    return deepest_;
  }

 private:
  int64_t patience_ = 0;
  int64_t idle_nodes_ = 0;
  size_t most_ = 0;
  bool is_saved_ = false;  // else deepest_ is the beginning of the stack
  std::vector<PlacedBuffer> deepest_;
};

}  // namespace memplan

#endif  // MEMPLAN_SEARCH_PROGRESS_H_
