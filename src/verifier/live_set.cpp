#include "verifier/live_set.h"

#include <algorithm>

#include "row_sort.h"

namespace memplan::verifier {

DisjointSet::Pool& DisjointSet::PoolOf(MemId pool) {
  if (pool >= static_cast<MemId>(pools_.size())) pools_.resize(static_cast<size_t>(pool) + 1);
  return pools_[pool];
}

bool DisjointSet::Insert(ItemIndex item) {
  const LiveItem& live = items_[item];
  Pool& pool = PoolOf(live.pool);
  if (pool.blocks.empty()) pool.blocks.emplace_back();
  const size_t at = BlockAt(pool, live.from);
  Block& block = pool.blocks[at];
  const size_t place = PlaceAt(block, live.from);
  // The one before may reach in; the one behind may be in the next block.
  if (place > 0 && block[place - 1].to > live.from) return false;
  const bool is_last = place == block.size();
  const Entry* const behind = !is_last                      ? &block[place]
                              : at + 1 < pool.blocks.size() ? &pool.blocks[at + 1].front()
                                                            : nullptr;
  if (behind != nullptr && behind->from < live.to) return false;
  // By hand, as in Remove: there are few, and a call to move them would take longer.
  block.emplace_back();
  Entry* const entries = block.data();
  for (size_t i = block.size() - 1; i > place; --i) entries[i] = entries[i - 1];
  entries[place] = {live.from, live.to, item};
  if (block.size() < kMaxBlock) return true;
  Block upper(block.begin() + kMaxBlock / 2, block.end());
  block.resize(kMaxBlock / 2);
  pool.blocks.insert(pool.blocks.begin() + static_cast<ptrdiff_t>(at) + 1, std::move(upper));
  return true;
}

void DisjointSet::Remove(ItemIndex item) {
  const LiveItem& live = items_[item];
  Pool& pool = PoolOf(live.pool);
  const size_t at = BlockAt(pool, live.from);
  Block& block = pool.blocks[at];
  Entry* const entries = block.data();
  for (size_t i = PlaceAt(block, live.from) + 1; i < block.size(); ++i) entries[i - 1] = entries[i];
  block.pop_back();
  if (block.empty()) pool.blocks.erase(pool.blocks.begin() + static_cast<ptrdiff_t>(at));
}

OverlappingSet::OverlappingSet(const std::vector<LiveItem>& items) : items_(items) {
  struct Start {
    Bytes from;
    MemId pool;
    ItemIndex item;
  };
  std::vector<Start> starts;
  starts.reserve(items.size());
  for (const LiveItem& item : items) {
    starts.push_back({item.from, item.pool, static_cast<ItemIndex>(starts.size())});
  }
  SortRows(&starts, [](const Start& a, const Start& b) {
    if (a.pool != b.pool) return a.pool < b.pool;
    return a.from != b.from ? a.from < b.from : a.item < b.item;
  });
  sorted_.reserve(items.size());
  for (const Start& start : starts) sorted_.push_back(start.item);
  rank_.resize(items.size());
  for (size_t i = 0; i < sorted_.size(); ++i) rank_[sorted_[i]] = static_cast<uint32_t>(i);
  while (leaves_ < items.size()) leaves_ *= 2;
  tree_.assign(leaves_ * 2, kNoBytes);
}

size_t OverlappingSet::RankOf(MemId pool, Bytes from) const {
  const auto at = std::partition_point(sorted_.begin(), sorted_.end(), [&](ItemIndex item) {
    return items_[item].pool < pool || (items_[item].pool == pool && items_[item].from < from);
  });
  return static_cast<size_t>(at - sorted_.begin());
}

size_t OverlappingSet::Next(size_t rank, Bytes above) const {
  if (rank >= leaves_) return leaves_;
  size_t node = leaves_ + rank;
  while (tree_[node] <= above) {
    // To the next subtree on the right, going up as long as this was a right child.
    while ((node & 1) != 0) {
      node /= 2;
      if (node == 0) return leaves_;
    }
    ++node;
  }
  while (node < leaves_) {
    node *= 2;
    if (tree_[node] <= above) ++node;
  }
  return node - leaves_;
}

void OverlappingSet::Set(size_t rank, Bytes end) {
  size_t node = leaves_ + rank;
  tree_[node] = end;
  for (node /= 2; node > 0; node /= 2) {
    tree_[node] = std::max(tree_[node * 2], tree_[node * 2 + 1]);
  }
}

}  // namespace memplan::verifier
