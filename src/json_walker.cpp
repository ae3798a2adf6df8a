#include "json_walker.h"

#include <algorithm>
#include <array>
#include <bit>

namespace memplan {
namespace {

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

// Frames are the open containers; a value that no shape asks for is only read past.
class Walk final : public JsonWalker {
 public:
  Walk(std::span<char> bytes, const JsonShape& root, JsonReader* reader)
      : text_(bytes), reader_(reader) {
    root_field_.accepts = kJsonObject;
    root_field_.inside = &root;
  }

  // False: either the text has a fault, or error() is set.
  bool Run() {
    bool fine = Value(&root_field_, text_.Peek());
    while (fine && depth_ > 0) fine = frames_[depth_ - 1].is_list ? Elements() : Members();
    if (!fine) return false;
    text_.Peek();
    return text_.at_end() || text_.Bad("text after the end");
  }

  const JsonText& text() const { return text_; }
  const Error& error() const { return error_; }

  std::string_view map_key() const override {
    for (size_t i = depth_; i-- > 0;) {
      const JsonShape* shape = frames_[i].shape;
      if (shape != nullptr && shape->is_map) return frames_[i].key;
    }
    return {};
  }

  std::string path() const override {
    std::string text;
    for (size_t i = 0; i < depth_; ++i) {
      const Frame& frame = frames_[i];
      // A hook speaks of its own container, so the innermost frame counts only while a value is
      // read; what lies in a skipped value has no path.
      if (frame.shape == nullptr || (i + 1 == depth_ && in_hook_)) break;
      if (frame.is_list) {
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

 private:
  struct Frame {
    const JsonShape* shape;  // null in a skipped value
    std::string_view key;
    uint64_t seen;   // bits of the fields met
    uint32_t count;  // elements or keys so far
    uint32_t field;  // the last field met
    bool is_list;
  };

  // Both read on until a container begins or this one ends.
  bool Elements() {
    Frame& frame = frames_[depth_ - 1];
    const JsonField* field = frame.shape != nullptr ? frame.shape->fields.data() : nullptr;
    for (;;) {
      char next = text_.Peek();
      if (next == ']') return Close();
      if (frame.count > 0) {
        if (next != ',') return text_.Bad("expected a comma or ]");
        text_.Skip();
        next = text_.Peek();
      }
      if (next == '[' || next == '{') return Open(field, next);
      ++frame.count;
      if (!Scalar(field, next)) return false;
    }
  }

  bool Members() {
    Frame& frame = frames_[depth_ - 1];
    for (;;) {
      char next = text_.Peek();
      if (next == '}') return Close();
      if (frame.count > 0) {
        if (next != ',') return text_.Bad("expected a comma or }");
        text_.Skip();
        next = text_.Peek();
      }
      if (next != '"') return text_.Bad("expected a key in double quotes");
      const JsonField* field = nullptr;
      if (!Key(&frame, &field)) return false;
      if (text_.Peek() != ':') return text_.Bad("expected a colon");
      text_.Skip();
      next = text_.Peek();
      if (next == '[' || next == '{') return Open(field, next);
      if (!Scalar(field, next)) return false;
    }
  }

  // Leaves null where no shape asks for it.
  bool Key(Frame* frame, const JsonField** field) {
    ++frame->count;
    if (frame->shape == nullptr || frame->shape->is_map) {
      if (frame->shape != nullptr) *field = frame->shape->fields.data();
      return text_.String(&frame->key);
    }
    const std::span<const JsonField> fields = frame->shape->fields;
    // Rows of one kind tend to have their keys in one order: try the one after the last first.
    size_t at = frame->field + 1;
    if (at < fields.size() && text_.IsKey(fields[at].key, fields[at].head)) {
      frame->key = fields[at].key;
    } else {
      if (!text_.String(&frame->key)) return false;
      for (at = 0; at < fields.size() && fields[at].key != frame->key; ++at) {
      }
      if (at == fields.size()) return true;
    }
    *field = &fields[at];
    frame->field = static_cast<uint32_t>(at);
    const uint64_t bit = uint64_t{1} << at;
    if ((frame->seen & bit) != 0) {
      return Fail(ErrorCode::kInvalidInput, "this key is there twice", {});
    }
    frame->seen |= bit;
    return true;
  }

  bool Value(const JsonField* field, char next) {
    return next == '[' || next == '{' ? Open(field, next) : Scalar(field, next);
  }

  // `field` is null where the value is skipped, here and below.
  bool Scalar(const JsonField* field, char next) {
    JsonScalar value;
    if (next == '"') {
      value.kind = kJsonText;
      if (!text_.String(&value.text)) return false;
    } else if (next == 't' || next == 'f') {
      value.kind = kJsonBool;
      value.flag = next == 't';
      if (!text_.Word(value.flag ? "true" : "false")) return false;
    } else if (next == 'n') {
      if (!text_.Word("null")) return false;
    } else {
      value.kind = kJsonNumber;
      if (!text_.Number(&value.number)) return false;
    }
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
    if (value == JsonText::kTooMuch || value > field.max) {
      const bool size = field.max == kMaxBytes;
      return Fail(size ? ErrorCode::kTooLarge : ErrorCode::kInvalidInput,
                  "must be at most " + std::to_string(field.max), {});
    }
    return Fail(ErrorCode::kInvalidInput, "must be a whole number, 0 or more", {});
  }

  bool Open(const JsonField* field, char bracket) {
    const bool is_list = bracket == '[';
    if (depth_ == kMaxJsonDepth) {
      return Fail(ErrorCode::kInvalidJson,
                  "nested deeper than " + std::to_string(kMaxJsonDepth) + " levels", {});
    }
    if (depth_ > 0 && frames_[depth_ - 1].is_list) ++frames_[depth_ - 1].count;
    const JsonKind kind = is_list ? kJsonArray : kJsonObject;
    if (field != nullptr && (field->accepts & kind) == 0) return WrongKind(*field, kind);
    text_.Skip();
    const JsonShape* inside = field != nullptr ? field->inside : nullptr;
    frames_[depth_++] = {inside, {}, 0, 0, ~uint32_t{0}, is_list};
    return inside == nullptr || Hook(inside->begin);
  }

  bool Close() {
    text_.Skip();
    const Frame& frame = frames_[depth_ - 1];
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

  JsonText text_;
  JsonReader* reader_;
  JsonField root_field_;
  std::array<Frame, kMaxJsonDepth> frames_;  // of which depth_ are open
  size_t depth_ = 0;
  bool in_hook_ = false;
  Error error_;
};

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
  const Utf8Check utf8 = CheckUtf8(bytes);
  if (utf8.good < bytes.size()) {
    return Fail(ErrorCode::kInvalidJson, "not UTF-8", Position(bytes, utf8.good));
  }
  if (bytes.size() >= 3 && std::string_view(bytes.data(), 3) == "\xef\xbb\xbf") {
    return Fail(ErrorCode::kInvalidJson, "starts with a byte order mark, which JSON does not allow",
                "line 1, column 1");
  }
  Walk walk(bytes, root, reader);
  if (walk.Run()) return {};
  const JsonText& text = walk.text();
  if (text.fault() == nullptr) return tl::unexpected(walk.error());
  const size_t offset = std::min(text.offset(), bytes.size());
  const char* fault = offset == bytes.size() ? "the text ends too early" : text.fault();
  // Strings are unescaped in place, after which lines cannot be counted any more.
  return Fail(ErrorCode::kInvalidJson, fault,
              utf8.has_escapes ? "byte " + std::to_string(offset) : Position(bytes, offset));
}

}  // namespace memplan
