// Where failed attempts of the exact search had come furthest, to go on from.
#ifndef MEMPLAN_SEARCH_BEGINNINGS_H_
#define MEMPLAN_SEARCH_BEGINNINGS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "search/attempt_engine.h"
#include "search/restarts.h"
#include "units.h"

namespace memplan {

struct Beginning {
  std::vector<PlacedBuffer> placed;  // in the order of placing
  bool mirrored = false;
  Bytes target = 0;
  int32_t drawn = 0;  // so many times
};

// The few that placed most. An attempt that failed late was wrong late, as a
// rule: another one that keeps most of it succeeds more often than a fresh one.
class Beginnings {
 public:
  void Offer(Beginning beginning);
  void Clear() { best_.clear(); }
  bool full() const { return best_.size() == kMost; }
  Beginning Draw(RandomStream* random);

 private:
  static constexpr size_t kMost = 12;
  std::vector<Beginning> best_;  // most placed first
};

}  // namespace memplan

#endif  // MEMPLAN_SEARCH_BEGINNINGS_H_
