// A problem that has intervals and no graph, as read from buffers JSON or
// MiniMalloc CSV.
#ifndef MEMPLAN_INTERVAL_FILE_H_
#define MEMPLAN_INTERVAL_FILE_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "names.h"
#include "units.h"

namespace memplan {

// Columns go together, in the file's order. Times are the file's own: 0 to 2^53
// - 1, lower inclusive, upper exclusive.
struct IntervalFile {
  struct TimeGap {
    int64_t from = 0;  // inclusive
    int64_t to = 0;    // exclusive
  };
  Names names;  // views into the input
  std::vector<NameId> id;
  std::vector<int64_t> lower;
  std::vector<int64_t> upper;
  std::vector<Bytes> size;
  std::vector<Bytes> alignment;     // empty where no row has one; 1 by default
  std::vector<Bytes> offset;        // empty where no row has one; kNoBytes where a row has none
  std::vector<MemId> mem_id;        // empty where no row has one; 1 by default
  std::vector<uint32_t> first_gap;  // empty where no row has one; into gaps, one more than rows
  std::vector<TimeGap> gaps;
  std::vector<std::pair<int32_t, int32_t>> conflicts;  // rows
  std::vector<uint32_t> line;                          // of a CSV's rows, from 1
  std::vector<Bytes> capacity;                         // empty: none; one for all, or per mem_id
  bool capacity_per_pool = false;
  bool is_csv = false;

  int32_t count() const { return static_cast<int32_t>(size.size()); }
};

}  // namespace memplan

#endif  // MEMPLAN_INTERVAL_FILE_H_
