#include "interval_reader.h"

#include <algorithm>
#include <string>
#include <utility>

#include "message.h"
#include "row_sort.h"

namespace memplan {
namespace {

template <auto Method>
constexpr JsonSetter kSet = &JsonCall<Method>::Call;
template <auto Method>
constexpr JsonHook kHook = &JsonCall<Method>::Call;

using Rows = IntervalRows;

constexpr JsonField kGapEnd[] = {{.accepts = kJsonNumber, .set = kSet<&Rows::GapEnd>}};
constexpr JsonShape kGap{.fields = kGapEnd,
                         .is_list = true,
                         .begin = kHook<&Rows::BeginGap>,
                         .end = kHook<&Rows::EndGap>};
constexpr JsonField kGapItem[] = {{.accepts = kJsonArray, .inside = &kGap}};
constexpr JsonShape kGaps{.fields = kGapItem, .is_list = true};

constexpr JsonField kRowFields[] = {
    {.key = "id", .accepts = kJsonText, .set = kSet<&Rows::Id>, .required = true},
    {.key = "lower", .accepts = kJsonNumber, .set = kSet<&Rows::Lower>, .required = true},
    {.key = "upper", .accepts = kJsonNumber, .set = kSet<&Rows::Upper>, .required = true},
    {.key = "size", .accepts = kJsonNumber, .set = kSet<&Rows::Size>, .required = true},
    {.key = "alignment", .accepts = kJsonNumber, .set = kSet<&Rows::Alignment>},
    {.key = "offset", .accepts = kJsonNumber | kJsonNull, .set = kSet<&Rows::Offset>},
    {.key = "mem_id", .accepts = kJsonNumber, .set = kSet<&Rows::RowMemId>, .max = kMaxMemId},
    {.key = "gaps", .accepts = kJsonArray, .inside = &kGaps},
};
constexpr JsonShape kRow{
    .fields = kRowFields, .begin = kHook<&Rows::BeginRow>, .end = kHook<&Rows::EndRow>};
constexpr JsonField kRowItem[] = {{.accepts = kJsonObject, .inside = &kRow}};
constexpr JsonShape kBuffers{
    .fields = kRowItem, .is_list = true, .begin = kHook<&Rows::BeginBuffers>};

constexpr JsonField kCapacityItem[] = {{.accepts = kJsonNumber, .set = kSet<&Rows::Capacity>}};
constexpr JsonShape kCapacities{
    .fields = kCapacityItem, .is_list = true, .begin = kHook<&Rows::BeginCapacities>};

constexpr JsonField kConflictId[] = {{.accepts = kJsonText, .set = kSet<&Rows::ConflictId>}};
constexpr JsonShape kConflict{.fields = kConflictId,
                              .is_list = true,
                              .begin = kHook<&Rows::BeginConflict>,
                              .end = kHook<&Rows::EndConflict>};
constexpr JsonField kConflictItem[] = {{.accepts = kJsonArray, .inside = &kConflict}};
constexpr JsonShape kConflicts{.fields = kConflictItem, .is_list = true};

template <typename T>
void SetRare(std::vector<T>* column, size_t rows, T value, T none) {
  column->resize(rows, none);
  column->back() = value;
}

template <typename T>
void CloseColumn(std::vector<T>* column, size_t rows, T none) {
  if (!column->empty()) column->resize(rows, none);
}

}  // namespace

const JsonField IntervalRows::kBuffersField{
    .key = "buffers", .accepts = kJsonArray, .inside = &kBuffers};
const JsonField IntervalRows::kCapacityField{.key = "capacity",
                                             .accepts = kJsonNumber | kJsonArray,
                                             .inside = &kCapacities,
                                             .set = kSet<&Rows::Capacity>};
const JsonField IntervalRows::kConflictsField{
    .key = "conflicts", .accepts = kJsonArray, .inside = &kConflicts};

bool IntervalRows::BeginBuffers(JsonWalker&) { return seen_ = true; }

bool IntervalRows::BeginRow(JsonWalker&) {
  file_.id.push_back(kNoName);
  file_.lower.push_back(0);
  file_.upper.push_back(0);
  file_.size.push_back(0);
  if (!file_.first_gap.empty()) {
    file_.first_gap.push_back(static_cast<uint32_t>(file_.gaps.size()));
  }
  return true;
}

bool IntervalRows::EndRow(JsonWalker& walker) {
  if (file_.upper.back() < file_.lower.back()) {
    return walker.Fail(ErrorCode::kInvalidInput, "upper is below lower", "upper");
  }
  if (file_.first_gap.empty()) return true;
  const auto begin = file_.gaps.begin() + file_.first_gap.back();
  SortRows(begin, file_.gaps.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
  int64_t free_from = file_.lower.back();
  for (auto gap = begin; gap != file_.gaps.end(); ++gap) {
    if (gap->from < free_from || gap->to > file_.upper.back()) {
      return walker.Fail(ErrorCode::kInvalidInput,
                         "gaps must lie within [lower, upper) and not overlap", "gaps");
    }
    free_from = gap->to;
  }
  return true;
}

bool IntervalRows::Id(JsonWalker&, const JsonScalar& value) {
  file_.id.back() = names_->Intern(value.text);
  return true;
}
bool IntervalRows::Lower(JsonWalker&, const JsonScalar& value) {
  file_.lower.back() = value.number;
  return true;
}
bool IntervalRows::Upper(JsonWalker&, const JsonScalar& value) {
  file_.upper.back() = value.number;
  return true;
}
bool IntervalRows::Size(JsonWalker&, const JsonScalar& value) {
  file_.size.back() = value.number;
  return true;
}
bool IntervalRows::Alignment(JsonWalker& walker, const JsonScalar& value) {
  if (value.number < 1 || (value.number & (value.number - 1)) != 0) {
    return walker.Fail(ErrorCode::kInvalidInput, "an alignment is a power of two");
  }
  SetRare(&file_.alignment, file_.size.size(), value.number, Bytes{1});
  return true;
}
bool IntervalRows::Offset(JsonWalker&, const JsonScalar& value) {
  if (value.kind != kJsonNull) {
    SetRare(&file_.offset, file_.size.size(), value.number, kNoBytes);
  }
  return true;
}
bool IntervalRows::RowMemId(JsonWalker& walker, const JsonScalar& value) {
  if (value.number < 1) return walker.Fail(ErrorCode::kInvalidInput, "pools count from 1");
  SetRare(&file_.mem_id, file_.size.size(), static_cast<MemId>(value.number), MemId{1});
  return true;
}

bool IntervalRows::BeginGap(JsonWalker&) {
  // Rows before the first one with a gap have none.
  if (file_.first_gap.empty()) file_.first_gap.resize(file_.size.size(), 0);
  pair_.clear();
  return true;
}
bool IntervalRows::GapEnd(JsonWalker&, const JsonScalar& value) {
  pair_.push_back(value.number);
  return true;
}
bool IntervalRows::EndGap(JsonWalker& walker) {
  if (pair_.size() != 2 || pair_[0] > pair_[1]) {
    return walker.Fail(ErrorCode::kInvalidInput, "a gap is [from, to), from at most to");
  }
  if (pair_[0] < pair_[1]) file_.gaps.push_back({pair_[0], pair_[1]});
  return true;
}

bool IntervalRows::BeginCapacities(JsonWalker&) { return file_.capacity_per_pool = true; }
bool IntervalRows::Capacity(JsonWalker&, const JsonScalar& value) {
  file_.capacity.push_back(value.number);
  return true;
}

bool IntervalRows::BeginConflict(JsonWalker&) {
  pair_.clear();
  return true;
}
bool IntervalRows::ConflictId(JsonWalker&, const JsonScalar& value) {
  pair_.push_back(names_->Intern(value.text));
  return true;
}
bool IntervalRows::EndConflict(JsonWalker& walker) {
  if (pair_.size() != 2) {
    return walker.Fail(ErrorCode::kInvalidInput, "a conflict is a pair of ids");
  }
  file_.conflicts.push_back({static_cast<int32_t>(pair_[0]), static_cast<int32_t>(pair_[1])});
  return true;
}

bool IntervalRows::FindDuplicates(JsonWalker& walker, std::vector<int32_t>* row_of_name) {
  for (int32_t row = 0; row < file_.count(); ++row) {
    int32_t& at = (*row_of_name)[file_.id[row]];
    if (at >= 0) {
      return walker.Fail(ErrorCode::kInvalidInput,
                         Message({"the id \"", (*names_)[file_.id[row]], "\" is there twice"}),
                         Message({"buffers[", row, "].id"}));
    }
    at = row;
  }
  return true;
}

bool IntervalRows::ResolveConflicts(JsonWalker& walker, const std::vector<int32_t>& row_of_name) {
  for (size_t i = 0; i < file_.conflicts.size(); ++i) {
    auto& [a, b] = file_.conflicts[i];
    const int32_t rows[] = {row_of_name[a], row_of_name[b]};
    for (int end = 0; end < 2; ++end) {
      if (rows[end] >= 0) continue;
      const auto name = static_cast<NameId>(end == 0 ? a : b);
      return walker.Fail(ErrorCode::kInvalidInput,
                         Message({"no buffer has the id \"", (*names_)[name], "\""}),
                         Message({"conflicts[", i, "][", end, "]"}));
    }
    if (rows[0] == rows[1]) {
      return walker.Fail(ErrorCode::kInvalidInput, "a buffer conflicts with itself",
                         Message({"conflicts[", i, "]"}));
    }
    a = rows[0];
    b = rows[1];
  }
  return true;
}

std::unique_ptr<IntervalFile> IntervalRows::FinishRows(JsonWalker& walker) {
  const size_t rows = file_.size.size();
  CloseColumn(&file_.alignment, rows, Bytes{1});
  CloseColumn(&file_.offset, rows, kNoBytes);
  CloseColumn(&file_.mem_id, rows, MemId{1});
  if (!file_.first_gap.empty()) {
    file_.first_gap.push_back(static_cast<uint32_t>(file_.gaps.size()));
  }
  std::vector<int32_t> row_of_name(names_->size(), -1);
  if (!FindDuplicates(walker, &row_of_name) || !ResolveConflicts(walker, row_of_name)) {
    return nullptr;
  }
  names_->Seal();
  file_.names = std::move(*names_);
  return std::make_unique<IntervalFile>(std::move(file_));
}

}  // namespace memplan
