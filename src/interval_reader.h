// The buffers form of FORMAT.md (interval JSON), as fields of the one JSON root.
#ifndef MEMPLAN_INTERVAL_READER_H_
#define MEMPLAN_INTERVAL_READER_H_

#include <memory>
#include <vector>

#include "interval_file.h"
#include "json_walker.h"
#include "names.h"

namespace memplan {

// Collects `buffers`, `capacity` and `conflicts`. A reader of the JSON root derives from it and
// puts the three fields below among its own.
class IntervalRows : public JsonReader {
 public:
  static const JsonField kBuffersField;
  static const JsonField kCapacityField;
  static const JsonField kConflictsField;

  // Names are interned there; call before the walk.
  void UseNames(Names* names) { names_ = names; }
  // True once `buffers` was met.
  bool seen() const { return seen_; }
  // The file, with the names moved into it. Null after walker.Fail: an id there twice, an upper
  // below its lower, gaps that are not inside, a conflict with an unknown id.
  std::unique_ptr<IntervalFile> FinishRows(JsonWalker& walker);

  // --- called by the shapes ---
  bool BeginBuffers(JsonWalker& walker);
  bool BeginRow(JsonWalker& walker);
  bool EndRow(JsonWalker& walker);
  bool Id(JsonWalker& walker, const JsonScalar& value);
  bool Lower(JsonWalker& walker, const JsonScalar& value);
  bool Upper(JsonWalker& walker, const JsonScalar& value);
  bool Size(JsonWalker& walker, const JsonScalar& value);
  bool Alignment(JsonWalker& walker, const JsonScalar& value);
  bool Offset(JsonWalker& walker, const JsonScalar& value);
  bool RowMemId(JsonWalker& walker, const JsonScalar& value);
  bool BeginGap(JsonWalker& walker);
  bool GapEnd(JsonWalker& walker, const JsonScalar& value);
  bool EndGap(JsonWalker& walker);
  bool Capacity(JsonWalker& walker, const JsonScalar& value);
  bool BeginCapacities(JsonWalker& walker);
  bool BeginConflict(JsonWalker& walker);
  bool ConflictId(JsonWalker& walker, const JsonScalar& value);
  bool EndConflict(JsonWalker& walker);

 private:
  bool FindDuplicates(JsonWalker& walker, std::vector<int32_t>* row_of_name);
  bool ResolveConflicts(JsonWalker& walker, const std::vector<int32_t>& row_of_name);

  Names* names_ = nullptr;
  bool seen_ = false;
  IntervalFile file_;
  std::vector<int64_t> pair_;  // the gap or conflict being read
};

}  // namespace memplan

#endif  // MEMPLAN_INTERVAL_READER_H_
