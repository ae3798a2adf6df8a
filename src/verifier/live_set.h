// The items live at one moment, ordered by address: who lies in these bytes?
#ifndef MEMPLAN_VERIFIER_LIVE_SET_H_
#define MEMPLAN_VERIFIER_LIVE_SET_H_

#include <vector>

#include "verifier/live_item.h"

namespace memplan::verifier {

// For items that do not overlap each other, which is how it is in a right plan. A list in blocks,
// so that it is as quick for the dozens that most graphs have as it is for a million.
class DisjointSet {
 public:
  explicit DisjointSet(const std::vector<LiveItem>& items) : items_(items) {}

  // False, and nothing changes, where something live has bytes of the item.
  bool Insert(ItemIndex item);
  void Remove(ItemIndex item);

  // Calls fn(item) for each live item with bytes in [from, to) of `pool`, from the lowest on, until
  // it returns false.
  template <typename Fn>
  void ForOverlaps(MemId pool, Bytes from, Bytes to, Fn fn) const;

 private:
  struct Entry {
    Bytes from;
    Bytes to;
    ItemIndex item;
  };
  using Block = std::vector<Entry>;
  static constexpr size_t kMaxBlock = 128;
  struct Pool {
    std::vector<Block> blocks;  // none empty
  };

  Pool& PoolOf(MemId pool);
  // The block that an item at `from` belongs in, and its place there.
  static size_t BlockAt(const Pool& pool, Bytes from);
  static size_t PlaceAt(const Block& block, Bytes from);

  const std::vector<LiveItem>& items_;
  std::vector<Pool> pools_;  // by mem_id
};

// For any items: a tree of the highest ends over all items in order of their start.
class OverlappingSet {
 public:
  explicit OverlappingSet(const std::vector<LiveItem>& items);

  void Insert(ItemIndex item) { Set(rank_[item], items_[item].to); }
  void Remove(ItemIndex item) { Set(rank_[item], kNoBytes); }
  template <typename Fn>
  void ForOverlaps(MemId pool, Bytes from, Bytes to, Fn fn) const;

 private:
  void Set(size_t rank, Bytes end);
  // The number of items of lower pools, or of this one that start before `from`.
  size_t RankOf(MemId pool, Bytes from) const;
  // The first live item from `rank` on that ends after `above`; leaves_ where there is none.
  size_t Next(size_t rank, Bytes above) const;

  const std::vector<LiveItem>& items_;
  std::vector<ItemIndex> sorted_;  // by pool, start
  std::vector<uint32_t> rank_;     // place in sorted_
  size_t leaves_ = 1;              // a power of two
  std::vector<Bytes> tree_;        // 1 is the root; highest end of those live, kNoBytes for none
};

// --- implementation ---

inline size_t DisjointSet::BlockAt(const Pool& pool, Bytes from) {
  size_t low = 0, high = pool.blocks.size();
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    if (pool.blocks[middle].front().from <= from) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

// Without branches, which nobody could foresee here.
inline size_t DisjointSet::PlaceAt(const Block& block, Bytes from) {
  const Entry* at = block.data();
  for (size_t left = block.size(); left > 0;) {
    const size_t half = (left + 1) / 2;
    at += at[half - 1].from < from ? half : 0;
    left -= half;
  }
  return static_cast<size_t>(at - block.data());
}

template <typename Fn>
void DisjointSet::ForOverlaps(MemId pool_id, Bytes from, Bytes to, Fn fn) const {
  if (pool_id >= static_cast<MemId>(pools_.size())) return;
  const Pool& pool = pools_[pool_id];
  if (pool.blocks.empty()) return;
  size_t b = BlockAt(pool, from);
  size_t place = PlaceAt(pool.blocks[b], from);
  // The one before may reach in.
  if (place > 0 && pool.blocks[b][place - 1].to > from) --place;
  for (; b < pool.blocks.size(); ++b, place = 0) {
    const Block& block = pool.blocks[b];
    for (; place < block.size(); ++place) {
      if (block[place].from >= to) return;
      if (!fn(block[place].item)) return;
    }
  }
}

template <typename Fn>
void OverlappingSet::ForOverlaps(MemId pool, Bytes from, Bytes to, Fn fn) const {
  const size_t end = RankOf(pool, to);
  for (size_t rank = Next(RankOf(pool, 0), from); rank < end; rank = Next(rank + 1, from)) {
    if (!fn(sorted_[rank])) return;
  }
}

}  // namespace memplan::verifier

#endif  // MEMPLAN_VERIFIER_LIVE_SET_H_
