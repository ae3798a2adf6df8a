#include "json_walker.h"

#include <algorithm>
#include <cmath>
#include <vector>

#if defined(__SSE2__)
#define RAPIDJSON_SSE2
#endif
#define RAPIDJSON_HAS_STDSTRING 0
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

namespace memplan {
namespace {

constexpr unsigned kFlags = rapidjson::kParseInsituFlag | rapidjson::kParseIterativeFlag;

std::string_view KindName(JsonKind kind) {
  switch (kind) {
    case kJsonNull:
      return "null";
    case kJsonBool:
      return "true or false";
    case kJsonNumber:
      return "a number";
    case kJsonText:
      return "a string";
    case kJsonArray:
      return "an array";
    case kJsonObject:
      return "an object";
  }
  return "a value";
}

std::string ExpectedKinds(uint8_t accepts) {
  std::string text;
  for (uint8_t bit = 1; bit <= kJsonObject; bit = static_cast<uint8_t>(bit << 1)) {
    if ((accepts & bit) == 0) continue;
    if (!text.empty()) text += " or ";
    text += bit == kJsonNumber ? "a whole number" : KindName(static_cast<JsonKind>(bit));
  }
  return text;
}

bool IsPlainKey(std::string_view key) {
  for (const char c : key) {
    const bool plain =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    if (!plain) return false;
  }
  return !key.empty();
}

void AppendKey(std::string_view key, std::string* path) {
  if (IsPlainKey(key)) {
    if (!path->empty()) *path += '.';
    *path += key;
    return;
  }
  *path += "[\"";
  for (const char c : key.substr(0, 200)) {
    if (c == '"' || c == '\\') *path += '\\';
    *path += c;
  }
  *path += "\"]";
}

// The SAX handler. Frames are the open containers; a value that no shape asks for is skipped whole.
class Walk final : public JsonWalker {
 public:
  Walk(const JsonShape& root, JsonReader* reader) : reader_(reader) {
    root_field_.accepts = kJsonObject;
    root_field_.inside = &root;
    frames_.reserve(32);
  }

  std::string_view map_key() const override {
    for (size_t i = frames_.size(); i-- > 0;) {
      if (frames_[i].shape->is_map) return frames_[i].key;
    }
    return {};
  }

  std::string path() const override {
    std::string text;
    for (size_t i = 0; i < frames_.size(); ++i) {
      const Frame& frame = frames_[i];
      // A hook speaks of its own container, so the innermost frame counts only while a value is
      // read.
      if (i + 1 == frames_.size() && in_hook_) break;
      if (frame.shape->is_list) {
        if (frame.count > 0) text += '[' + std::to_string(frame.count - 1) + ']';
      } else if (frame.count > 0) {
        AppendKey(frame.key, &text);
      }
    }
    return text;
  }

  bool Fail(ErrorCode code, std::string message, std::string_view below) override {
    std::string at = path();
    if (!below.empty()) {
      if (!at.empty() && below.front() != '[') at += '.';
      at += below;
    }
    error_ = Error{code, std::move(message), std::move(at), {}, nullptr};
    return false;
  }

  const Error& error() const { return error_; }

  // --- what RapidJSON calls ---
  bool Null() { return Scalar({.kind = kJsonNull}); }
  bool Bool(bool flag) { return Scalar({.kind = kJsonBool, .flag = flag}); }
  bool Int(int value) { return Whole(value < 0 ? kNotWhole : value); }
  bool Uint(unsigned value) { return Whole(value); }
  bool Int64(int64_t value) { return Whole(value < 0 ? kNotWhole : value); }
  bool Uint64(uint64_t value) {
    return Whole(value > static_cast<uint64_t>(kMaxBytes) ? kTooMuch : static_cast<int64_t>(value));
  }
  bool Double(double value) {
    if (!(value >= 0) || value != std::floor(value)) return Whole(kNotWhole);
    return Whole(value > static_cast<double>(kMaxBytes) ? kTooMuch : static_cast<int64_t>(value));
  }
  bool RawNumber(const char*, rapidjson::SizeType, bool) { return false; }
  bool String(const char* text, rapidjson::SizeType size, bool) {
    return Scalar({.kind = kJsonText, .text = {text, size}});
  }

  bool Key(const char* text, rapidjson::SizeType size, bool) {
    if (skip_depth_ > 0) return true;
    Frame& frame = frames_.back();
    frame.key = {text, size};
    ++frame.count;
    if (frame.shape->is_map) return true;
    const std::span<const JsonField> fields = frame.shape->fields;
    // Rows of one kind tend to have their keys in one order: try the one after the last first.
    size_t at = frame.field + 1;
    if (at >= fields.size() || fields[at].key != frame.key) {
      for (at = 0; at < fields.size() && fields[at].key != frame.key; ++at) {
      }
    }
    if (at == fields.size()) {
      skip_next_ = true;
      return true;
    }
    frame.field = static_cast<uint32_t>(at);
    const uint64_t bit = uint64_t{1} << at;
    if ((frame.seen & bit) != 0)
      return Fail(ErrorCode::kInvalidInput, "this key is there twice", {});
    frame.seen |= bit;
    return true;
  }

  bool StartObject() { return Start(kJsonObject); }
  bool EndObject(rapidjson::SizeType) { return End(); }
  bool StartArray() { return Start(kJsonArray); }
  bool EndArray(rapidjson::SizeType) { return End(); }

 private:
  static constexpr int64_t kNotWhole = -1;
  static constexpr int64_t kTooMuch = -2;

  struct Frame {
    const JsonShape* shape;
    std::string_view key;
    uint32_t count = 0;             // elements or keys so far
    uint32_t field = ~uint32_t{0};  // the last field met
    uint64_t seen = 0;
  };

  const JsonField& NextField() {
    if (frames_.empty()) return root_field_;
    Frame& frame = frames_.back();
    if (frame.shape->is_list) ++frame.count;
    if (frame.shape->is_list || frame.shape->is_map) return frame.shape->fields[0];
    return frame.shape->fields[frame.field];
  }

  bool WrongKind(const JsonField& field, JsonKind kind) {
    std::string message = "expected " + ExpectedKinds(field.accepts) + ", found ";
    message += KindName(kind);
    return Fail(ErrorCode::kInvalidInput, std::move(message), {});
  }

  bool Whole(int64_t value) { return Scalar({.kind = kJsonNumber, .number = value}); }

  bool Scalar(const JsonScalar& value) {
    if (skip_depth_ > 0) return true;
    if (skip_next_) {
      skip_next_ = false;
      return true;
    }
    const JsonField& field = NextField();
    if ((field.accepts & value.kind) == 0) return WrongKind(field, value.kind);
    if (value.kind == kJsonNumber && (value.number < 0 || value.number > field.max)) {
      return BadNumber(field, value.number);
    }
    return field.set == nullptr || field.set(reader_, *this, value);
  }

  bool BadNumber(const JsonField& field, int64_t value) {
    if (value == kTooMuch || value > field.max) {
      const bool size = field.max == kMaxBytes;
      return Fail(size ? ErrorCode::kTooLarge : ErrorCode::kInvalidInput,
                  "must be at most " + std::to_string(field.max), {});
    }
    return Fail(ErrorCode::kInvalidInput, "must be a whole number, 0 or more", {});
  }

  bool Start(JsonKind kind) {
    if (static_cast<int>(frames_.size()) + skip_depth_ >= kMaxJsonDepth) {
      return Fail(ErrorCode::kInvalidJson,
                  "nested deeper than " + std::to_string(kMaxJsonDepth) + " levels", {});
    }
    if (skip_depth_ > 0 || skip_next_) {
      skip_next_ = false;
      ++skip_depth_;
      return true;
    }
    const JsonField& field = NextField();
    if ((field.accepts & kind) == 0) return WrongKind(field, kind);
    if (field.inside == nullptr) {
      skip_depth_ = 1;
      return true;
    }
    frames_.push_back({.shape = field.inside, .key = {}});
    return Hook(field.inside->begin);
  }

  bool End() {
    if (skip_depth_ > 0) {
      --skip_depth_;
      return true;
    }
    const Frame& frame = frames_.back();
    if (!frame.shape->is_list && !frame.shape->is_map && !CheckRequired(frame)) return false;
    const bool fine = Hook(frame.shape->end);
    frames_.pop_back();
    return fine;
  }

  bool CheckRequired(const Frame& frame) {
    for (size_t i = 0; i < frame.shape->fields.size(); ++i) {
      const JsonField& field = frame.shape->fields[i];
      if (!field.required || (frame.seen >> i & 1) != 0) continue;
      in_hook_ = true;
      return Fail(ErrorCode::kInvalidInput, "\"" + std::string(field.key) + "\" is missing",
                  field.key);
    }
    return true;
  }

  bool Hook(JsonHook hook) {
    if (hook == nullptr) return true;
    in_hook_ = true;
    const bool fine = hook(reader_, *this);
    in_hook_ = false;
    return fine;
  }

  JsonReader* reader_;
  JsonField root_field_;
  std::vector<Frame> frames_;
  int skip_depth_ = 0;
  bool skip_next_ = false;
  bool in_hook_ = false;
  Error error_;
};

// What the pre-pass learns: where the text stops being UTF-8 (size where it does not), and whether
// there is a backslash, after which line numbers cannot be told any more (strings are unescaped in
// place).
struct PrePass {
  size_t bad_utf8 = 0;
  bool has_escapes = false;
};

// Plain ASCII goes by in blocks, which compilers turn into vector code.
PrePass CheckUtf8(std::span<const char> bytes) {
  constexpr size_t kBlock = 16;
  PrePass result;
  size_t at = 0;
  while (at < bytes.size()) {
    if (at + kBlock <= bytes.size()) {
      uint8_t high = 0;
      uint8_t escapes = 0;
      for (size_t i = 0; i < kBlock; ++i) {
        const auto byte = static_cast<uint8_t>(bytes[at + i]);
        high |= byte;
        escapes |= static_cast<uint8_t>(byte == '\\');
      }
      result.has_escapes |= escapes != 0;
      if ((high & 0x80) == 0) {
        at += kBlock;
        continue;
      }
    }
    const size_t block_end = std::min(at + kBlock, bytes.size());
    while (at < block_end) {
      result.has_escapes |= bytes[at] == '\\';
      if (static_cast<signed char>(bytes[at]) >= 0) {
        ++at;
        continue;
      }
      // The padding's zero bytes end a sequence that is cut off.
      rapidjson::StringStream stream(bytes.data() + at);
      unsigned codepoint = 0;
      if (!rapidjson::UTF8<>::Decode(stream, &codepoint)) {
        result.bad_utf8 = at;
        return result;
      }
      at += stream.Tell();
    }
  }
  result.bad_utf8 = bytes.size();
  return result;
}

// Line and column count from 1; columns are bytes.
std::string Position(std::span<const char> bytes, size_t offset) {
  size_t line = 1;
  size_t start = 0;
  for (size_t i = 0; i < offset && i < bytes.size(); ++i) {
    if (bytes[i] == '\n') {
      ++line;
      start = i + 1;
    }
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(offset - start + 1);
}

}  // namespace

Status WalkJson(std::span<char> bytes, const JsonShape& root, JsonReader* reader) {
  const PrePass pre = CheckUtf8(bytes);
  if (pre.bad_utf8 < bytes.size()) {
    return Fail(ErrorCode::kInvalidJson, "not UTF-8", Position(bytes, pre.bad_utf8));
  }
  if (bytes.size() >= 3 && std::string_view(bytes.data(), 3) == "\xef\xbb\xbf") {
    return Fail(ErrorCode::kInvalidJson, "starts with a byte order mark, which JSON does not allow",
                "line 1, column 1");
  }
  Walk walk(root, reader);
  rapidjson::InsituStringStream stream(bytes.data());
  rapidjson::Reader parser;
  const rapidjson::ParseResult result = parser.Parse<kFlags>(stream, walk);
  size_t stopped = result.IsError() ? result.Offset() : stream.Tell();
  if (result.Code() == rapidjson::kParseErrorTermination) return tl::unexpected(walk.error());
  if (!result.IsError() && stopped >= bytes.size()) return {};
  std::string message = result.IsError() ? rapidjson::GetParseError_En(result.Code())
                                         : "a zero byte stands in the text";
  if (stopped > bytes.size()) stopped = bytes.size();
  return Fail(ErrorCode::kInvalidJson, std::move(message),
              pre.has_escapes ? "byte " + std::to_string(stopped) : Position(bytes, stopped));
}

}  // namespace memplan
