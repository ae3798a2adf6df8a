// Sorted lists of occupied address ranges, many of them in one arena.
#ifndef MEMPLAN_ENGINE_RUN_LIST_H_
#define MEMPLAN_ENGINE_RUN_LIST_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace memplan {

// An occupied range of addresses [from, to), of at least one; no address is negative.
struct ByteRun {
  int64_t from;
  int64_t to;
};

// Lists of runs that are sorted, disjoint and never touch (those that do are
// one). Most lists have one run all their life, which lies in the list itself.
// More have storage in powers of two from chunks that never move, so
// that the memory is what the lists need and growth copies one list only.
class RunLists {
 public:
  explicit RunLists(size_t lists) : lists_(lists) {}

  // Until the list changes.
  std::span<const ByteRun> runs(size_t list) const {
    const List& at = lists_[list];
    if (at.run.to >= 0) return {&at.run, at.run.to > 0 ? size_t{1} : 0};
    return {at.Runs(), at.Count()};
  }

  void Add(size_t list, int64_t from, int64_t to) {
    List& at = lists_[list];
    if (at.run.to < 0) {
      AddToMany(&at, from, to);
    } else if (at.run.to == 0) {
      at.run = {from, to};
    } else if (to < at.run.from || at.run.to < from) {
      AddSecond(&at, {from, to});
    } else {
      at.run = {std::min(at.run.from, from), std::max(at.run.to, to)};
    }
  }

 private:
  static constexpr size_t kChunk = size_t{1} << 15;  // runs
  static constexpr size_t kFirstChunk = size_t{1} << 7;
  static constexpr int kLogBits = 5;

  // None where run.to is 0, one where it is more. Where it is less, the runs lie at run.from, and
  // run.to tells how many there are and for how many there is room: 2^RoomLog().
  struct List {
    ByteRun run{0, 0};

    ByteRun* Runs() const { return reinterpret_cast<ByteRun*>(static_cast<intptr_t>(run.from)); }
    size_t Count() const { return static_cast<size_t>(~run.to >> kLogBits); }
    int RoomLog() const { return static_cast<int>(~run.to & ((1 << kLogBits) - 1)); }
    void Set(ByteRun* runs, size_t count, int room_log) {
      run = {reinterpret_cast<intptr_t>(runs),
             ~(static_cast<int64_t>(count) << kLogBits | room_log)};
    }
  };

  void AddSecond(List* list, ByteRun run) {
    ByteRun* runs = Take(1);
    runs[0] = list->run.from < run.from ? list->run : run;
    runs[1] = list->run.from < run.from ? run : list->run;
    list->Set(runs, 2, 1);
  }

  void AddToMany(List* list, int64_t from, int64_t to) {
    ByteRun* const runs = list->Runs();
    const size_t count = list->Count();
    ByteRun* const end = runs + count;
    ByteRun* first = end;
    if (runs[count - 1].to >= from) {
      first = std::lower_bound(runs, end, from,
                               [](const ByteRun& run, int64_t a) { return run.to < a; });
    }
    ByteRun* last = first;
    while (last != end && last->from <= to) ++last;
    if (first == last) {
      InsertAt(list, static_cast<size_t>(first - runs), {from, to});
      return;
    }
    first->from = std::min(first->from, from);
    first->to = std::max((last - 1)->to, to);
    if (last - first == 1) return;
    std::memmove(first + 1, last, static_cast<size_t>(end - last) * sizeof(ByteRun));
    list->Set(runs, count - static_cast<size_t>(last - first - 1), list->RoomLog());
  }

  void InsertAt(List* list, size_t place, ByteRun run) {
    ByteRun* runs = list->Runs();
    const size_t count = list->Count();
    int room_log = list->RoomLog();
    if (count == size_t{1} << room_log) {
      ByteRun* const grown = Take(room_log + 1);
      std::memcpy(grown, runs, count * sizeof(ByteRun));
      free_[room_log].push_back(runs);
      runs = grown;
      ++room_log;
    }
    list->Set(runs, count + 1, room_log);
    std::memmove(runs + place + 1, runs + place, (count - place) * sizeof(ByteRun));
    runs[place] = run;
  }

  // Room for 2^log runs.
  ByteRun* Take(int log) {
    std::vector<ByteRun*>& free = free_[log];
    if (!free.empty()) {
      ByteRun* const runs = free.back();
      free.pop_back();
      return runs;
    }
    const size_t count = size_t{1} << log;
    if (count > left_) {
      // The first is small, for small problems.
      left_ = std::max(count, chunks_.empty() ? kFirstChunk : kChunk);
      // Left as it is: std::make_unique_for_overwrite is not in the library of Emscripten 3.1.6.
      chunks_.emplace_back(new ByteRun[left_]);
      top_ = chunks_.back().get();
    }
    left_ -= count;
    top_ += count;
    return top_ - count;
  }

  std::vector<List> lists_;
  std::vector<std::unique_ptr<ByteRun[]>> chunks_;
  std::array<std::vector<ByteRun*>, 32> free_;
  ByteRun* top_ = nullptr;
  size_t left_ = 0;  // runs from top_ on that are free
};

}  // namespace memplan

#endif  // MEMPLAN_ENGINE_RUN_LIST_H_
