// One complete attempt to pack a section problem below a target: depth-first
// over branches, with an explicit stack.
#ifndef MEMPLAN_SEARCH_VALLEY_SEARCH_H_
#define MEMPLAN_SEARCH_VALLEY_SEARCH_H_

#include <cstdint>
#include <vector>

#include "search/attempt_engine.h"
#include "search/branching.h"
#include "search/progress.h"
#include "search/valley_state.h"

namespace memplan {

// Conflict-directed backjumping (Prosser 1993) over the branches of Brancher,
// with decomposition.
//
// A conflict is a set of levels whose decisions no plan P (see Brancher) holds
// together. Where a section fails, these are the levels that touched it. At a
// node the argument for its branch rests on the floors of the valley and its
// walls, and on the lows of the buffers over the valley, hence on the levels that
// touched the valley or the section on either side; so when all children have
// failed, that set and the children's conflicts, without the node's own level,
// is a conflict. A child's conflict without the node's level is one for the node
// itself, whatever the other children are.
//
// Decomposition: where no remaining buffer crosses two neighbouring sections,
// what lies left and right of them is independent. The parts are solved one
// after another; a part that fails, fails the decision that made it, whatever
// became of its siblings.
class ValleySearch {
 public:
  explicit ValleySearch(const SectionProblem& problem);

  // Begins a new attempt: is there a plan whose highest end is at most `target`
  // bytes? `kept` is placed beforehand, each over those before it that it
  // overlaps; where there is any, kInfeasible proves nothing.
  void Start(const Attempt& attempt, Bytes target, const std::vector<PlacedBuffer>& kept);
  // Expands nodes until decided, `work` is used up or patience is at an end;
  // returns the work done, at most one node's more. One unit of work is about a
  // microsecond.
  int64_t Run(int64_t work);

  AttemptOutcome outcome() const { return outcome_; }
  bool out_of_patience() const { return progress_.out_of_patience(); }
  const std::vector<PlacedBuffer>& Deepest() {
    return progress_.Deepest(state_.placed());
  }  // see Progress
  // After kFound: all buffers with their offsets in units.
  const std::vector<PlacedBuffer>& placed() const { return state_.placed(); }
  // After kInfeasible: the same search would fail alike with up to this many
  // units more, exclusive.
  int64_t missing() const { return missing_; }

 private:
  struct Frame {
    int32_t parent;
    SectionRange range;
    int32_t section;
    int64_t waste_floor;
    int64_t floor;
    bool may_waste;
    int32_t first_candidate;
    int32_t candidates;
    int32_t tried;
    int32_t first_part;  // parts still to be solved after the current child: [next_part, end_part)
    int32_t next_part;
    int32_t end_part;
    ValleyState::Mark mark;
  };

  void Enter(int32_t parent, SectionRange range);
  void TryNext();
  bool Apply(Frame* frame, int32_t level);
  void Descend(int32_t level);
  void Ascend(int32_t level);
  void Split(SectionRange range);
  void FailChild(int32_t level);
  void FailFrame(int32_t level);
  void PopTo(int32_t level);
  void StartConflict(int32_t level, const Branch& branch);
  uint64_t* conflict(int32_t level) { return conflicts_.data() + size_t(level) * state_.words(); }

  ValleyState state_;
  Brancher brancher_;
  std::vector<Frame> frames_;
  std::vector<int32_t> candidates_;
  std::vector<SectionRange> parts_;
  std::vector<uint64_t> conflicts_;  // words() a frame
  AttemptOutcome outcome_ = AttemptOutcome::kInfeasible;
  Progress progress_;
  int64_t work_ = 0;
  int64_t missing_ = 0;
};

}  // namespace memplan

#endif  // MEMPLAN_SEARCH_VALLEY_SEARCH_H_
