// MiniMalloc's CSV to an interval problem.
#ifndef MEMPLAN_INTERVAL_CSV_H_
#define MEMPLAN_INTERVAL_CSV_H_

#include <span>

#include "interval_file.h"
#include "result.h"

namespace memplan {

// Reads CSV with a header line: columns `id` (or `buffer`, `buffer_id`), `lower` (or `start`,
// `begin`), `upper` (or `end`, whose values are inclusive, those of gaps too) and `size` in any
// order; optionally `alignment`, `offset`, `mem_id` and `gaps` (`3-5 7-9`), where an empty cell
// means none. Other columns (`hint`) are ignored, as are empty lines. Fields may be quoted as in
// RFC 4180, but not run over several lines.
//
// `text` is written into (quotes are taken off in place) and must outlive the result, whose names
// are views. Errors carry "line N, column M", both from 1, the column in bytes: INVALID_JSON where
// the text is no such CSV at all, INVALID_INPUT, TOO_LARGE, and UNSUPPORTED for a gap with a window
// (`3-5@0:64`).
Result<IntervalFile> ReadIntervalCsv(std::span<char> text);

}  // namespace memplan

#endif  // MEMPLAN_INTERVAL_CSV_H_
