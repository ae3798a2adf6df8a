// The exact search for any problem: buffers are placed from the bottom up, one
// by one, wherever nothing below can come any more.
#ifndef MEMPLAN_SEARCH_CLIQUE_SEARCH_H_
#define MEMPLAN_SEARCH_CLIQUE_SEARCH_H_

#include <cstdint>
#include <vector>

#include "search/attempt_engine.h"
#include "search/clique_problem.h"
#include "search/progress.h"

namespace memplan {

// Which buffer is decided next; each is complete.
enum class BufferRule : uint8_t {
  kLowest,    // the lowest, then by rank
  kTightest,  // from the clique with least room, downwards
  kFewest,    // the fewest that could hold it up, then by rank
};

// The plan it must not lose, P, is one that minimises the sum of offsets within
// the capacity, twins in the order of their numbers. Let the decisions so far
// hold in P: each placed buffer lies where it was placed, low[b] <= P[b] for
// each that remains. Pinned buffers are obstacles that low steps over.
//
// Take a remaining b with low[b] <= low[c] for each remaining c that it
// conflicts with. Placed at low[b], all those c lie above it. If P[b] > low[b],
// then in P something occupies part of [low[b], low[b] + size), or b could be
// put there. Pinned and placed buffers do not (low is clear of both), so it is a
// remaining c with low[c] <= P[c] < low[b] + size[b]; b is not below c, as P[b]
// > low[b]; so P[b] >= P[c] + size[c]. Hence either P[b] = low[b], or P[b] >=
// NextFit(min of low[c] + size[c] over the c that conflict and have low[c] <
// low[b] + size[b]); where there is no such c, P[b] = low[b].
//
// Also, if P[b] = low[b] then all that lies below b is placed, and P minimal
// means that low[b] is the lowest fit over what is placed. So where low[b] was
// raised above that ("rest"), b is not at low[b].
//
// Pruning: what remains of a clique with low >= t needs its room in [t,
// capacity], clear of the clique's obstacles; and a twin lies above its
// predecessor.
//
// Conflicts: levels[b] are the levels that placed a neighbour of b or raised
// low[b] (directly, or its predecessor's), so low[b] <= P[b] follows from their
// decisions alone. A clique fails by the levels of those that need the room. A
// node's argument rests on the lows of b and its remaining neighbours and on the
// places of its placed ones. Backjumping as in ValleySearch.
class CliqueSearch {
 public:
  explicit CliqueSearch(const CliqueProblem& problem);

  // `rank`: a number for each free buffer, smaller first. `kept` is placed
  // beforehand, each over those before it that it conflicts with; where there is
  // any, kInfeasible proves nothing.
  void Start(Bytes target, BufferRule rule, std::vector<int32_t> rank, int64_t patience,
             const std::vector<PlacedBuffer>& kept);
  int64_t Run(int64_t work);

  AttemptOutcome outcome() const { return outcome_; }
  bool out_of_patience() const { return progress_.out_of_patience(); }
  const std::vector<PlacedBuffer>& Deepest() { return progress_.Deepest(placed_); }
  // After kFound: the offset of each free buffer.
  const std::vector<Bytes>& offsets() const { return offset_; }
  // After kInfeasible: so many bytes more of capacity change nothing,
  // exclusive.
  Bytes missing() const { return missing_; }

 private:
  struct Frame {
    int32_t buffer;
    Bytes at;
    Bytes raised;  // kNoBytes: it must lie at `at`
    bool may_place;
    int32_t tried;
    size_t cells;
    size_t placed;
  };

  static constexpr int32_t kLevels = 64 * 16;
  static constexpr int64_t kWorkPerStep = 32;

  Bytes low(int32_t b) const { return cells_[b]; }
  Bytes rest(int32_t b) const { return cells_[rest_ + b]; }
  bool remains(int32_t b) const { return offset_[b] == kNoBytes; }
  void Set(size_t cell, int64_t value);
  uint64_t* conflict(int32_t level) { return conflicts_.data() + size_t(level) * words_; }
  int64_t* levels(int32_t b) { return cells_.data() + levels_ + size_t(b) * words_; }

  void AddLevel(int32_t b, int32_t level);
  void AddLevels(int32_t b, int32_t other);
  void Blame(int32_t b, uint64_t* conflict);
  bool LiftLow(int32_t b, Bytes v);
  bool Settle();
  bool CheckClique(int32_t q);
  Bytes ObstaclesAbove(int32_t q, Bytes from) const;
  bool Place(int32_t b, Bytes v, int32_t level);
  bool Raise(int32_t b, Bytes v, int32_t level);
  void Undo(const Frame& frame);
  void Fail(Bytes by);

  int32_t Choose();
  int32_t LowestByRank() const;
  int32_t DownFromTightest() const;
  int32_t WithFewest();
  int32_t CountBelow(int32_t b, Bytes* next);
  void Enter();
  void TryNext();
  void FailFrame();

  const CliqueProblem& problem_;
  int32_t words_;
  size_t rest_, levels_;        // cells
  std::vector<int64_t> cells_;  // low, rest and the bits of levels, of each free buffer
  struct Change {
    size_t cell;
    int64_t old;
  };
  std::vector<Change> trail_;
  std::vector<Bytes> offset_;         // kNoBytes where it remains
  std::vector<PlacedBuffer> placed_;  // in this order
  Progress progress_;
  std::vector<int32_t> twin_after_;
  std::vector<Bytes> granule_;  // of each clique: 1 if it has obstacles, else its least alignment
  std::vector<int32_t> lifted_;
  std::vector<int32_t> touched_;  // cliques
  std::vector<uint8_t> is_touched_;
  std::vector<int32_t> stack_;  // the members of the clique in check
  std::vector<uint64_t> failure_;
  std::vector<Frame> frames_;
  std::vector<uint64_t> conflicts_;
  std::vector<int32_t> rank_;
  BufferRule rule_ = BufferRule::kLowest;
  Bytes target_ = 0;
  Bytes missing_ = 0;
  int64_t work_ = 0;
  AttemptOutcome outcome_ = AttemptOutcome::kInfeasible;
};

}  // namespace memplan

#endif  // MEMPLAN_SEARCH_CLIQUE_SEARCH_H_
