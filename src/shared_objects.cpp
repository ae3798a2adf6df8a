#include "shared_objects.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace memplan {
namespace {

// The objects made so far, by number, as a binary tree of least last uses and of sizes: upstream
// looks at every object for every buffer, which is quadratic where most are busy, or most are free
// and too large.
class ObjectTree {
 public:
  int32_t count() const { return count_; }
  Bytes size(int32_t object) const { return tree_[leaves_ + object].smallest; }

  int32_t Add(Bytes size, NodeIndex last_use) {
    if (static_cast<size_t>(count_) == leaves_) Grow();
    Set(count_, {last_use, size, size});
    return count_++;
  }

  void Occupy(int32_t object, Bytes size, NodeIndex last_use) {
    const Bytes grown = std::max(this->size(object), size);
    Set(object, {last_use, grown, grown});
  }

  // The first object at or after `from` that was last used before `node` and is larger than
  // `above` and smaller than `below`; count() if none is. Subtrees that can hold none are passed
  // over.
  int32_t NextFree(int32_t from, NodeIndex node, Bytes above, Bytes below) const {
    if (from >= count()) return count();
    size_t at = leaves_ + from;
    while (true) {
      if (tree_[at].last_use < node && tree_[at].smallest < below && tree_[at].largest > above) {
        if (at >= leaves_) return static_cast<int32_t>(at - leaves_);
        at *= 2;
        continue;
      }
      while (at & 1) at >>= 1;
      if (at == 0) return count();
      ++at;
    }
  }

 private:
  static constexpr NodeIndex kBusy = std::numeric_limits<NodeIndex>::max();
  struct Entry {
    NodeIndex last_use = kBusy;  // the least of the subtree
    Bytes smallest = std::numeric_limits<Bytes>::max();
    Bytes largest = -1;

    friend bool operator==(const Entry&, const Entry&) = default;
  };

  static Entry Joined(const Entry& a, const Entry& b) {
    return {std::min(a.last_use, b.last_use), std::min(a.smallest, b.smallest),
            std::max(a.largest, b.largest)};
  }

  void Set(int32_t object, const Entry& entry) {
    size_t at = leaves_ + object;
    tree_[at] = entry;
    for (at >>= 1; at > 0; at >>= 1) {
      const Entry joined = Joined(tree_[2 * at], tree_[2 * at + 1]);
      if (joined == tree_[at]) return;
      tree_[at] = joined;
    }
  }

  void Grow() {
    const size_t before = leaves_;
    leaves_ = std::max<size_t>(16, 2 * before);
    std::vector<Entry> grown(2 * leaves_);
    if (before > 0) std::copy_n(&tree_[before], before, &grown[leaves_]);
    for (size_t at = leaves_ - 1; at > 0; --at) {
      grown[at] = Joined(grown[2 * at], grown[2 * at + 1]);
    }
    tree_ = std::move(grown);
  }

  int32_t count_ = 0;
  std::vector<Entry> tree_;  // [1] is the root, leaves from leaves_
  size_t leaves_ = 0;        // a power of two
};

}  // namespace

SharedObjects PickSharedObjects(std::span<const Lifetime> lifetimes, std::span<const Bytes> sizes) {
  SharedObjects result;
  result.object.reserve(sizes.size());
  ObjectTree objects;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Lifetime life = lifetimes[i];
    int32_t picked = -1;
    Bytes above = -1;
    Bytes below = std::numeric_limits<Bytes>::max();
    for (int32_t at = objects.NextFree(0, life.first, above, below); at < objects.count();
         at = objects.NextFree(at + 1, life.first, above, below)) {
      picked = at;
      objects.Occupy(at, sizes[i], life.last);
      const Bytes difference = objects.size(at) - sizes[i];
      if (difference == 0) break;
      above = sizes[i] - difference;
      below = sizes[i] + difference;
    }
    result.object.push_back(picked >= 0 ? picked : objects.Add(sizes[i], life.last));
  }
  for (int32_t at = 0; at < objects.count(); ++at) result.object_size.push_back(objects.size(at));
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
