#include "shared_objects.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace memplan {
namespace {

// The objects made so far, by number, as a binary tree of least last uses:
// upstream looks at every object for every buffer, which is quadratic where
// most are busy.
class ObjectTree {
 public:
  int32_t count() const { return static_cast<int32_t>(size_.size()); }
  Bytes size(int32_t object) const { return size_[object]; }
  std::vector<Bytes> TakeSizes() { return std::move(size_); }

  int32_t Add(Bytes size, NodeIndex last_use) {
    if (size_.size() == leaves_) Grow();
    size_.push_back(size);
    SetLastUse(count() - 1, last_use);
    return count() - 1;
  }

  void Occupy(int32_t object, Bytes size, NodeIndex last_use) {
    size_[object] = std::max(size_[object], size);
    SetLastUse(object, last_use);
  }

  // The first object at or after `from` that was last used before `node`; count() if none is.
  int32_t NextFree(int32_t from, NodeIndex node) const {
    if (from >= count()) return count();
    size_t at = leaves_ + from;
    // Up and to the right until a subtree holds a free one, then down to it.
    while (least_[at] >= node) {
      while (at & 1) at >>= 1;
      if (at == 0) return count();
      ++at;
    }
    while (at < leaves_) {
      at *= 2;
      if (least_[at] >= node) ++at;
    }
    return static_cast<int32_t>(at - leaves_);
  }

 private:
  static constexpr NodeIndex kBusy = std::numeric_limits<NodeIndex>::max();

  void SetLastUse(int32_t object, NodeIndex last_use) {
    size_t at = leaves_ + object;
    least_[at] = last_use;
    for (at >>= 1; at > 0; at >>= 1) least_[at] = std::min(least_[2 * at], least_[2 * at + 1]);
  }

  void Grow() {
    const size_t before = leaves_;
    leaves_ = std::max<size_t>(16, 2 * before);
    std::vector<NodeIndex> grown(2 * leaves_, kBusy);
    if (before > 0) std::copy_n(&least_[before], before, &grown[leaves_]);
    for (size_t at = leaves_ - 1; at > 0; --at) {
      grown[at] = std::min(grown[2 * at], grown[2 * at + 1]);
    }
    least_ = std::move(grown);
  }

  std::vector<Bytes> size_;
  std::vector<NodeIndex>
      least_;          // [1] is the root, leaves from leaves_; leaves without object busy
  size_t leaves_ = 0;  // a power of two
};

}  // namespace

SharedObjects PickSharedObjects(std::span<const Lifetime> lifetimes, std::span<const Bytes> sizes) {
  SharedObjects result;
  result.object.reserve(sizes.size());
  ObjectTree objects;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Lifetime life = lifetimes[i];
    int32_t picked = -1;
    Bytes difference = 0;
    for (int32_t at = objects.NextFree(0, life.first); at < objects.count();
         at = objects.NextFree(at + 1, life.first)) {
      if (picked >= 0 && std::abs(objects.size(at) - sizes[i]) >= difference) continue;
      picked = at;
      objects.Occupy(at, sizes[i], life.last);
      difference = objects.size(at) - sizes[i];
      if (difference == 0) break;
    }
    result.object.push_back(picked >= 0 ? picked : objects.Add(sizes[i], life.last));
  }
  result.object_size = objects.TakeSizes();
  return result;
}

std::vector<Bytes> StackSharedObjects(std::span<const Bytes> object_size, Bytes base) {
  std::vector<Bytes> offset;
  offset.reserve(object_size.size() + 1);
  offset.push_back(base);
  for (const Bytes size : object_size) {
    const bool fits = offset.back() >= 0 && FitsBytes(offset.back(), size);
    offset.push_back(fits ? offset.back() + size : kNoBytes);
  }
  return offset;
}

}  // namespace memplan
