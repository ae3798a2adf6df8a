// Sorted lists of occupied address ranges, many of them in one arena.
#ifndef MEMPLAN_ENGINE_RUN_LIST_H_
#define MEMPLAN_ENGINE_RUN_LIST_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

namespace memplan {

// An occupied range of addresses [from, to).
struct ByteRun {
  int64_t from;
  int64_t to;
};

// Lists of runs that are sorted, disjoint and never touch (those that do are
// one). Storage is handed out in powers of two from chunks that never move, so
// that the memory is what the lists need and growth copies one list only.
class RunLists {
 public:
  explicit RunLists(size_t lists) : lists_(lists) {}

  const ByteRun* begin(size_t list) const { return Data(lists_[list]); }
  const ByteRun* end(size_t list) const { return Data(lists_[list]) + lists_[list].count; }
  bool empty(size_t list) const { return lists_[list].count == 0; }

  void Add(size_t list, int64_t from, int64_t to) {
    List& at = lists_[list];
    ByteRun* runs = at.count == 0 ? nullptr : Data(at);
    ByteRun* first = runs;
    if (at.count > 0 && runs[at.count - 1].to < from) {
      first = runs + at.count;
    } else if (at.count > 0) {
      first = std::lower_bound(runs, runs + at.count, from,
                               [](const ByteRun& run, int64_t a) { return run.to < a; });
    }
    ByteRun* last = first;
    while (last != runs + at.count && last->from <= to) ++last;
    if (first == last) {
      const uint32_t place = static_cast<uint32_t>(first - runs);
      InsertAt(&at, place, {from, to});
      return;
    }
    first->from = std::min(first->from, from);
    first->to = std::max((last - 1)->to, to);
    std::memmove(first + 1, last, (runs + at.count - last) * sizeof(ByteRun));
    at.count -= static_cast<uint32_t>(last - first - 1);
  }

 private:
  static constexpr int kChunkLog = 15;  // runs
  static constexpr int kFirstLog = 7;
  static constexpr uint32_t kInChunk = (1u << kChunkLog) - 1;
  struct List {
    uint32_t place = 0;  // of the first run: chunk, then place in it
    uint32_t count : 27 = 0;
    uint32_t room_log : 5 = 0;  // room for 2^room_log runs, once there is one
  };

  ByteRun* Data(const List& list) const {
    return list.count == 0 ? nullptr : chunks_[list.place >> kChunkLog] + (list.place & kInChunk);
  }

  void InsertAt(List* list, uint32_t place, ByteRun run) {
    if (list->count == 0) {
      // A list that ran empty cannot be: runs only merge. So this is its first.
      list->place = Take(0);
      list->room_log = 0;
    } else if (list->count == 1u << list->room_log) {
      Grow(list);
    }
    ++list->count;
    ByteRun* runs = Data(*list);
    std::memmove(runs + place + 1, runs + place, (list->count - 1 - place) * sizeof(ByteRun));
    runs[place] = run;
  }

  void Grow(List* list) {
    const uint32_t grown = Take(list->room_log + 1);
    std::memcpy(chunks_[grown >> kChunkLog] + (grown & kInChunk), Data(*list),
                list->count * sizeof(ByteRun));
    free_[list->room_log].push_back(list->place);
    list->place = grown;
    list->room_log = list->room_log + 1;
  }

  uint32_t Take(int log) {
    std::vector<uint32_t>& free = free_[log];
    if (!free.empty()) {
      const uint32_t place = free.back();
      free.pop_back();
      return place;
    }
    const uint32_t runs = 1u << log;
    if (log >= kChunkLog) return AddChunks(runs >> kChunkLog, size_t{runs});
    if (top_ + runs > top_end_) {
      // The first is small, for small problems.
      const uint32_t room = 1u << (chunks_.empty() && log < kFirstLog ? kFirstLog : kChunkLog);
      top_ = AddChunks(1, room);
      top_end_ = top_ + room;
    }
    top_ += runs;
    return top_ - runs;
  }

  // Chunks in a row that are one piece of memory, of so many runs.
  uint32_t AddChunks(uint32_t count, size_t room) {
    const uint32_t place = static_cast<uint32_t>(chunks_.size()) << kChunkLog;
    // Left as it is: std::make_unique_for_overwrite is not in the library of Emscripten 3.1.6.
    owned_.emplace_back(new ByteRun[room]);
    for (uint32_t i = 0; i < count; ++i) {
      chunks_.push_back(owned_.back().get() + (size_t{i} << kChunkLog));
    }
    return place;
  }

  std::vector<List> lists_;
  std::vector<ByteRun*> chunks_;
  std::vector<std::unique_ptr<ByteRun[]>> owned_;
  std::array<std::vector<uint32_t>, 32> free_;
  uint32_t top_ = 0;
  uint32_t top_end_ = 0;
};

}  // namespace memplan

#endif  // MEMPLAN_ENGINE_RUN_LIST_H_
