#include "json_walker.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#if defined(__SSE2__)
#define RAPIDJSON_SSE2
#include <emmintrin.h>
#endif
#define RAPIDJSON_HAS_STDSTRING 0
#include <rapidjson/error/en.h>
#include <rapidjson/reader.h>

namespace memplan {
namespace {

// RapidJSON's stream of a text that is unescaped in place. Of its own InsituStringStream RapidJSON
// copies all three pointers at once, which waits until the store to one of them has reached the
// cache, at each string and number; and it ends each string with a zero, for which the next look at
// the string waits. Here only `at` is copied, and strings are told by their size.
struct TextStream {
  using Ch = char;

  explicit TextStream(char* text) : at(text), begin(text) {}
  TextStream(const TextStream& other) : at(other.at), begin(other.begin) {}
  TextStream& operator=(const TextStream& other) {
    at = other.at;
    return *this;
  }

  char Peek() const { return *at; }
  char Take() { return *at++; }
  size_t Tell() const { return static_cast<size_t>(at - begin); }
  char* PutBegin() { return to = at; }
  void Put(char c) {
    // What lies there is this, or the quote for which the zero comes.
    if (to + 1 != at) *to = c;
    ++to;
  }
  size_t PutEnd(const char* first) const { return static_cast<size_t>(to - first); }

  char* at;
  char* to = nullptr;  // between `at` and `begin`, so that those are not copied as one
  char* const begin;
};

}  // namespace
}  // namespace memplan

template <>
struct rapidjson::StreamTraits<memplan::TextStream> {
  enum { copyOptimization = 1 };
};

#if defined(__SSE2__)
// The padding lets blocks be read from any place.
template <>
template <>
inline void rapidjson::Reader::ScanCopyUnescapedString(memplan::TextStream& is,
                                                       memplan::TextStream& os) {
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i backslash = _mm_set1_epi8('\\');
  const __m128i control = _mm_set1_epi8(0x1f);
  char* to = os.to;
  for (char* at = is.at;; at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const __m128i found =
        _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(block, quote), _mm_cmpeq_epi8(block, backslash)),
                     _mm_cmpeq_epi8(_mm_max_epu8(block, control), control));
    const int bits = _mm_movemask_epi8(found);
    const int plain = bits == 0 ? 16 : std::countr_zero(static_cast<unsigned>(bits));
    // Behind an escape what is read is no longer where it is to be.
    if (to != at) std::memmove(to, at, static_cast<size_t>(plain));
    to += plain;
    if (bits == 0) continue;
    is.at = at + plain;
    os.to = to;
    return;
  }
}
#endif

namespace memplan {
namespace {

// Recursion is as deep as Walk lets it.
constexpr unsigned kFlags = rapidjson::kParseInsituFlag;

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

// The SAX handler. Frames are the open containers; a value that no shape asks for is only read
// past.
class Walk final : public JsonWalker {
 public:
  Walk(const JsonShape& root, JsonReader* reader, bool has_escapes)
      : reader_(reader), has_escapes_(has_escapes) {
    root_field_.accepts = kJsonObject;
    root_field_.inside = &root;
    frames_[0] = Frame{.next = &root_field_};
  }

  std::string_view map_key() const override {
    for (size_t i = depth_; i > 0; --i) {
      const JsonShape* shape = frames_[i].shape;
      if (shape != nullptr && shape->is_map) return frames_[i].key_text();
    }
    return {};
  }

  std::string path() const override {
    std::string text;
    for (size_t i = 1; i <= depth_; ++i) {
      const Frame& frame = frames_[i];
      // A hook speaks of its own container, so the innermost frame counts only while a value is
      // read; what lies in a skipped value has no path.
      if (frame.shape == nullptr || (i == depth_ && in_hook_)) break;
      if (frame.is_list) {
        if (frame.count > 0) text += '[' + std::to_string(frame.count - 1) + ']';
      } else if (frame.count > 0) {
        AppendKey(frame.key_text(), &text);
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
    return (!has_escapes_ || IsWhole({text, size})) &&
           Scalar({.kind = kJsonText, .text = {text, size}});
  }

  bool Key(const char* text, rapidjson::SizeType size, bool) {
    Frame& frame = frames_[depth_];
    const std::string_view key(text, size);
    frame.key = text;
    frame.key_size = size;
    ++frame.count;
    if (has_escapes_ && !IsWhole(key)) return false;
    if (frame.shape == nullptr || frame.shape->is_map) return true;
    const std::span<const JsonField> fields = frame.shape->fields;
    // Rows of one kind tend to have their keys in one order: try the one after the last first.
    size_t at = frame.field;
    if (at >= fields.size() || !IsWord(fields[at].key, fields[at].head, key)) {
      for (at = 0; at < fields.size() && !IsWord(fields[at].key, fields[at].head, key); ++at) {
      }
    }
    frame.next = nullptr;
    if (at == fields.size()) return true;
    frame.next = &fields[at];
    frame.field = static_cast<uint32_t>(at) + 1;
    const uint64_t bit = uint64_t{1} << at;
    if ((frame.seen & bit) != 0) {
      return Fail(ErrorCode::kInvalidInput, "this key is there twice", {});
    }
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

  // Without initial values: those that are never opened would take as long as reading a small
  // graph.
  struct Frame {
    const JsonShape* shape;  // null in a skipped value
    const JsonField* next;   // of the value that follows; null: it is skipped
    const char* key;
    uint64_t seen;  // bits of the fields met
    uint32_t key_size;
    uint32_t count;  // elements or keys so far
    uint32_t field;  // the one after the last field met
    bool is_list;

    std::string_view key_text() const { return {key, key_size}; }
  };

  // RapidJSON takes the escape of a second half of a surrogate pair without a first, which leaves
  // bytes that are no UTF-8: those that would mean it.
  bool IsWhole(std::string_view text) {
    for (size_t at = text.find('\xed'); at < text.size(); at = text.find('\xed', at + 1)) {
      if (static_cast<uint8_t>(text[at + 1]) < 0xa0) continue;
      return Fail(ErrorCode::kInvalidJson, "half a surrogate pair", {});
    }
    return true;
  }

  bool Whole(int64_t value) { return Scalar({.kind = kJsonNumber, .number = value}); }

  bool Scalar(const JsonScalar& value) {
    Frame& frame = frames_[depth_];
    if (frame.is_list) ++frame.count;
    const JsonField* field = frame.next;
    if (field == nullptr) return true;
    if ((field->accepts & value.kind) == 0) return WrongKind(*field, value.kind);
    if (value.kind == kJsonNumber && (value.number < 0 || value.number > field->max)) {
      return BadNumber(*field, value.number);
    }
    return field->set == nullptr || field->set(reader_, *this, value);
  }

  bool WrongKind(const JsonField& field, JsonKind kind) {
    std::string message = "expected " + ExpectedKinds(field.accepts) + ", found ";
    message += KindName(kind);
    return Fail(ErrorCode::kInvalidInput, std::move(message), {});
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
    if (depth_ == kMaxJsonDepth) {
      return Fail(ErrorCode::kInvalidJson,
                  "nested deeper than " + std::to_string(kMaxJsonDepth) + " levels", {});
    }
    Frame& frame = frames_[depth_];
    if (frame.is_list) ++frame.count;
    const JsonField* field = frame.next;
    if (field != nullptr && (field->accepts & kind) == 0) return WrongKind(*field, kind);
    const JsonShape* inside = field != nullptr ? field->inside : nullptr;
    Frame& opened = frames_[++depth_];
    opened = Frame{.shape = inside, .is_list = kind == kJsonArray};
    if (inside == nullptr) return true;
    if (inside->is_list || inside->is_map) opened.next = inside->fields.data();
    return Hook(inside->begin);
  }

  bool End() {
    const Frame& frame = frames_[depth_];
    if (frame.shape != nullptr) {
      if ((frame.shape->required & ~frame.seen) != 0) return Missing(frame);
      if (!Hook(frame.shape->end)) return false;
    }
    --depth_;
    return true;
  }

  bool Missing(const Frame& frame) {
    const std::string_view key =
        frame.shape->fields[std::countr_zero(frame.shape->required & ~frame.seen)].key;
    in_hook_ = true;
    return Fail(ErrorCode::kInvalidInput, "\"" + std::string(key) + "\" is missing", key);
  }

  bool Hook(JsonHook hook) {
    if (hook == nullptr) return true;
    in_hook_ = true;
    const bool fine = hook(reader_, *this);
    in_hook_ = false;
    return fine;
  }

  JsonReader* reader_;
  const bool has_escapes_;
  JsonField root_field_;
  std::array<Frame, kMaxJsonDepth + 1> frames_;  // the first stands for what holds the root
  size_t depth_ = 0;
  bool in_hook_ = false;
  Error error_;
};

// What the pre-pass learns: where there is a byte that JSON cannot have (size where there is none),
// and whether there is a backslash, after which line numbers cannot be told any more (strings are
// unescaped in place).
struct PrePass {
  size_t bad = 0;
  const char* fault = nullptr;
  bool has_escapes = false;
};

// Control characters that RapidJSON's SSE2 scan of strings takes for letters: it compares with
// 0x19.
bool IsMissedControl(char c) { return c >= 0x1a && c <= 0x1f; }

// Past all blocks of sixteen bytes of plain ASCII from there. RapidJSON's own validation would
// switch its block-wise scan of strings off.
size_t SkipAscii(std::span<const char> bytes, size_t at, bool* has_escapes) {
#if defined(__SSE2__)
  const __m128i backslash = _mm_set1_epi8('\\');
  __m128i escapes = _mm_setzero_si128();
  for (; at + 16 <= bytes.size(); at += 16) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data() + at));
    const __m128i above = _mm_sub_epi8(block, _mm_set1_epi8(0x1a));
    const __m128i missed = _mm_cmpeq_epi8(_mm_min_epu8(above, _mm_set1_epi8(5)), above);
    if (_mm_movemask_epi8(_mm_or_si128(block, missed)) != 0) break;
    escapes = _mm_or_si128(escapes, _mm_cmpeq_epi8(block, backslash));
  }
  *has_escapes |= _mm_movemask_epi8(escapes) != 0;
#endif
  return at;
}

PrePass CheckBytes(std::span<const char> bytes) {
  PrePass result;
  size_t at = 0;
  while (at < bytes.size()) {
    at = SkipAscii(bytes, at, &result.has_escapes);
    const size_t block_end = std::min(at + 16, bytes.size());
    while (at < block_end) {
      result.has_escapes |= bytes[at] == '\\';
      if (IsMissedControl(bytes[at])) {
        result.bad = at;
        result.fault = "a control character";
        return result;
      }
      if (static_cast<signed char>(bytes[at]) >= 0) {
        ++at;
        continue;
      }
      // The padding's zero bytes end a sequence that is cut off.
      rapidjson::StringStream stream(bytes.data() + at);
      unsigned codepoint = 0;
      if (!rapidjson::UTF8<>::Decode(stream, &codepoint)) {
        result.bad = at;
        result.fault = "not UTF-8";
        return result;
      }
      at += stream.Tell();
    }
  }
  result.bad = bytes.size();
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

std::vector<char> MakeText(size_t size) {
  std::vector<char> text;
  text.reserve(size + kJsonPadding);
  text.resize(size);
  return text;
}

Status WalkJson(std::span<char> bytes, const JsonShape& root, JsonReader* reader) {
  const PrePass pre = CheckBytes(bytes);
  if (pre.fault != nullptr) {
    return Fail(ErrorCode::kInvalidJson, pre.fault, Position(bytes, pre.bad));
  }
  if (bytes.size() >= 3 && std::string_view(bytes.data(), 3) == "\xef\xbb\xbf") {
    return Fail(ErrorCode::kInvalidJson, "starts with a byte order mark, which JSON does not allow",
                "line 1, column 1");
  }
  Walk walk(root, reader, pre.has_escapes);
  TextStream stream(bytes.data());
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
