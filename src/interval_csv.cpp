#include "interval_csv.h"

#include <rapidjson/encodings.h>
#include <rapidjson/memorystream.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "message.h"
#include "row_sort.h"

// Read by hand: the format is MiniMalloc's own dialect (gaps within a cell, inclusive ends told by
// a column's name), every error needs its column, and names must stay views into the input, which
// no CSV library leaves them.
namespace memplan {
namespace {

enum Column { kId, kLower, kUpper, kSize, kAlignment, kOffset, kMemId, kGaps, kColumnCount };

struct ColumnName {
  std::string_view name;
  Column column;
};
// MiniMalloc's names, and mem_id as in the JSON form.
constexpr ColumnName kColumnNames[] = {
    {"id", kId},       {"buffer", kId},           {"buffer_id", kId},  {"lower", kLower},
    {"start", kLower}, {"begin", kLower},         {"upper", kUpper},   {"end", kUpper},
    {"size", kSize},   {"alignment", kAlignment}, {"offset", kOffset}, {"mem_id", kMemId},
    {"gaps", kGaps},
};
constexpr std::array<std::string_view, kColumnCount> kPlainNames = {
    "id", "lower", "upper", "size", "alignment", "offset", "mem_id", "gaps"};

// A cell and where it starts.
struct Cell {
  std::string_view text;
  const char* at = nullptr;
};

std::string_view Trim(std::string_view text) {
  const size_t from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

bool IsUtf8(std::string_view text) {
  const auto plain = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::all_of(text.begin(), text.end(), plain)) return true;
  rapidjson::MemoryStream stream(text.data(), text.size());
  while (stream.Tell() < text.size()) {
    unsigned codepoint = 0;
    if (!rapidjson::UTF8<>::Decode(stream, &codepoint)) return false;
  }
  return stream.Tell() == text.size();
}

class CsvReader {
 public:
  explicit CsvReader(std::span<char> text) : next_(text.data()), end_(text.data() + text.size()) {
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (std::string_view(next_, text.size()).starts_with(kByteOrderMark)) {
      next_ += kByteOrderMark.size();
    }
  }

  Result<IntervalFile> Read() {
    bool has_header = false;
    while (next_ < end_) {
      if (!ReadLine()) return Failure();
      if (cells_.size() == 1 && Trim(cells_[0].text).empty()) continue;
      if (!(has_header ? ReadRow() : ReadHeader())) return Failure();
      has_header = true;
    }
    if (!has_header) {
      line_ = 1;
      Report(line_start_, ErrorCode::kInvalidJson, "neither JSON nor CSV: the input is empty");
      return Failure();
    }
    Close();
    return std::move(file_);
  }

 private:
  tl::unexpected<Error> Failure() { return tl::unexpected<Error>(std::move(*error_)); }

  // Notes the error; always false.
  bool Report(const char* at, ErrorCode code, std::string message) {
    const ptrdiff_t column = at == nullptr ? 1 : at - line_start_ + 1;
    std::string path = Message({"line ", line_, ", column ", int64_t{column}});
    error_ = Error{code, std::move(message), std::move(path), {}, nullptr};
    return false;
  }

  // Splits the next line into cells.
  bool ReadLine() {
    ++line_;
    line_start_ = next_;
    cells_.clear();
    char* stop = std::find(next_, end_, '\n');
    char* after = stop < end_ ? stop + 1 : stop;
    if (stop > next_ && stop[-1] == '\r') --stop;
    char* at = next_;
    while (true) {
      if (at < stop && *at == '"') {
        at = ReadQuoted(at, stop);
        if (at == nullptr) return false;
      } else {
        char* comma = std::find(at, stop, ',');
        cells_.push_back({{at, static_cast<size_t>(comma - at)}, at});
        at = comma;
      }
      if (at == stop) break;
      ++at;
    }
    next_ = after;
    return true;
  }

  // A doubled quote is one; moves the text together. Returns the comma or the end of the line.
  char* ReadQuoted(char* at, char* stop) {
    char* const open = at++;
    char* write = at;
    while (at < stop && !(*at == '"' && (at + 1 == stop || at[1] != '"'))) {
      if (*at == '"') ++at;
      *write++ = *at++;
    }
    if (at == stop) {
      Report(open, ErrorCode::kInvalidInput, "the quote is never closed on this line");
      return nullptr;
    }
    ++at;
    if (at < stop && *at != ',') {
      Report(at, ErrorCode::kInvalidInput, "text after a closing quote");
      return nullptr;
    }
    cells_.push_back({{open + 1, static_cast<size_t>(write - open - 1)}, open});
    return at;
  }

  bool ReadHeader() {
    field_of_.fill(-1);
    int known = 0;
    for (size_t field = 0; field < cells_.size(); ++field) {
      const std::string_view name = Trim(cells_[field].text);
      for (const ColumnName& candidate : kColumnNames) {
        if (candidate.name != name) continue;
        int& at = field_of_[candidate.column];
        if (at >= 0) {
          return Report(
              cells_[field].at, ErrorCode::kInvalidInput,
              Message({"the column \"", name, "\" repeats \"", Trim(cells_[at].text), "\""}));
        }
        at = static_cast<int>(field);
        ++known;
        if (candidate.column == kUpper) inclusive_ends_ = name == "end";
      }
    }
    if (known == 0) {
      return Report(nullptr, ErrorCode::kInvalidJson,
                    "neither JSON nor CSV, whose first line names columns, as id,lower,upper,size");
    }
    for (const Column required : {kId, kLower, kUpper, kSize}) {
      if (field_of_[required] >= 0) continue;
      return Report(nullptr, ErrorCode::kInvalidInput,
                    Message({"the column \"", kPlainNames[required], "\" is missing"}));
    }
    field_count_ = cells_.size();
    return true;
  }

  // The cell of a column, trimmed; empty where there is no such column.
  Cell Get(Column column) const {
    if (field_of_[column] < 0) return {};
    Cell cell = cells_[field_of_[column]];
    const std::string_view trimmed = Trim(cell.text);
    if (!trimmed.empty()) cell.at += trimmed.data() - cell.text.data();
    return {trimmed, cell.at};
  }

  // A whole number from 0 to kMaxBytes.
  bool Parse(std::string_view text, const char* at, std::string_view what, int64_t* value) {
    uint64_t number = 0;
    const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = !text.empty() && stop == text.data() + text.size();
    if (!whole || problem == std::errc::invalid_argument) {
      return Report(at, ErrorCode::kInvalidInput,
                    Message({what, " must be a whole number, not \"", text, "\""}));
    }
    if (problem == std::errc::result_out_of_range || number > uint64_t{kMaxBytes}) {
      return Report(at, ErrorCode::kTooLarge, Message({what, " ", text, " is over 2^53 - 1"}));
    }
    *value = static_cast<int64_t>(number);
    return true;
  }
  bool ParseColumn(Column column, int64_t* value) {
    const Cell cell = Get(column);
    return Parse(cell.text, cell.at, kPlainNames[column], value);
  }

  bool ReadRow() {
    if (cells_.size() != field_count_) {
      return Report(cells_.back().at, ErrorCode::kInvalidInput,
                    Message({static_cast<int64_t>(cells_.size()), " fields where the header has ",
                             static_cast<int64_t>(field_count_)}));
    }
    const Cell id = Get(kId);
    if (id.text.empty()) return Report(id.at, ErrorCode::kInvalidInput, "the id is empty");
    if (!IsUtf8(id.text)) return Report(id.at, ErrorCode::kInvalidJson, "not UTF-8");
    int64_t lower = 0, upper = 0, size = 0;
    if (!ParseColumn(kLower, &lower) || !ParseColumn(kUpper, &upper) ||
        !ParseColumn(kSize, &size)) {
      return false;
    }
    upper += inclusive_ends_ ? 1 : 0;
    if (upper < lower) {
      return Report(Get(kUpper).at, ErrorCode::kInvalidInput,
                    inclusive_ends_ ? "the end is before the start" : "upper is below lower");
    }
    file_.id.push_back(file_.names.Intern(id.text));
    if (file_.id.back() != file_.size.size()) {  // names count up, so this one was known
      return Report(id.at, ErrorCode::kInvalidInput,
                    Message({"the id \"", id.text, "\" is there twice"}));
    }
    file_.lower.push_back(lower);
    file_.upper.push_back(upper);
    file_.size.push_back(size);
    file_.line.push_back(static_cast<uint32_t>(line_));
    return ReadOptions() && ReadGaps();
  }

  bool ReadOptions() {
    int64_t value = 0;
    if (!Get(kAlignment).text.empty()) {
      if (!ParseColumn(kAlignment, &value)) return false;
      if (value < 1 || (value & (value - 1)) != 0) {
        return Report(Get(kAlignment).at, ErrorCode::kInvalidInput,
                      "an alignment is a power of two");
      }
      SetRare(&file_.alignment, value, Bytes{1});
    }
    if (!Get(kOffset).text.empty()) {
      if (!ParseColumn(kOffset, &value)) return false;
      SetRare(&file_.offset, value, kNoBytes);
    }
    if (!Get(kMemId).text.empty()) {
      if (!ParseColumn(kMemId, &value)) return false;
      if (value < 1 || value > kMaxMemId) {
        return Report(Get(kMemId).at, ErrorCode::kInvalidInput,
                      Message({"mem_id counts from 1 to ", static_cast<int64_t>(kMaxMemId)}));
      }
      SetRare(&file_.mem_id, static_cast<MemId>(value), MemId{1});
    }
    return true;
  }

  template <typename T>
  void SetRare(std::vector<T>* column, T value, T none) {
    column->resize(file_.size.size(), none);
    column->back() = value;
  }

  bool ReadGaps() {
    if (field_of_[kGaps] < 0) return true;
    file_.first_gap.push_back(static_cast<uint32_t>(file_.gaps.size()));
    const Cell cell = Get(kGaps);
    size_t at = 0;
    while (at < cell.text.size()) {
      const size_t stop = std::min(cell.text.find(' ', at), cell.text.size());
      if (stop > at && !ReadGap(cell.text.substr(at, stop - at), cell.at + at)) return false;
      at = stop + 1;
    }
    return SortGaps(cell.at);
  }

  // `3-5`.
  bool ReadGap(std::string_view text, const char* at) {
    if (text.find('@') != std::string_view::npos) {
      return Report(at, ErrorCode::kUnsupported,
                    Message({"the gap \"", text,
                             "\" has a window of bytes (@lo:hi), which is not supported"}));
    }
    const size_t dash = text.find('-');
    if (dash == std::string_view::npos) {
      return Report(at, ErrorCode::kInvalidInput,
                    Message({"a gap is two times, as 3-5, not \"", text, "\""}));
    }
    IntervalFile::TimeGap gap;
    if (!Parse(text.substr(0, dash), at, "a gap's start", &gap.from) ||
        !Parse(text.substr(dash + 1), at + dash + 1, "a gap's end", &gap.to)) {
      return false;
    }
    gap.to += inclusive_ends_ ? 1 : 0;
    if (gap.to < gap.from) {
      return Report(at, ErrorCode::kInvalidInput, "the gap ends before it starts");
    }
    if (gap.from < gap.to) file_.gaps.push_back(gap);
    return true;
  }

  bool SortGaps(const char* at) {
    const auto first = file_.gaps.begin() + file_.first_gap.back();
    SortRows(first, file_.gaps.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
    int64_t from = file_.lower.back();
    for (auto gap = first; gap != file_.gaps.end(); ++gap) {
      if (gap->from < from || gap->to > file_.upper.back()) {
        return Report(at, ErrorCode::kInvalidInput,
                      "gaps must lie within the buffer's life and not overlap");
      }
      from = gap->to;
    }
    return true;
  }

  void Close() {
    const size_t rows = file_.size.size();
    if (!file_.alignment.empty()) file_.alignment.resize(rows, 1);
    if (!file_.offset.empty()) file_.offset.resize(rows, kNoBytes);
    if (!file_.mem_id.empty()) file_.mem_id.resize(rows, 1);
    if (file_.gaps.empty()) {
      file_.first_gap.clear();
    } else {
      file_.first_gap.push_back(static_cast<uint32_t>(file_.gaps.size()));
    }
    file_.is_csv = true;
    file_.names.Seal();
  }

  char* next_;
  char* end_;
  const char* line_start_ = nullptr;
  int64_t line_ = 0;
  std::vector<Cell> cells_;
  std::array<int, kColumnCount> field_of_{};
  size_t field_count_ = 0;
  bool inclusive_ends_ = false;
  IntervalFile file_;
  std::optional<Error> error_;
};

}  // namespace

Result<IntervalFile> ReadIntervalCsv(std::span<char> text) { return CsvReader(text).Read(); }

}  // namespace memplan
