// Reads JSON against a table of shapes: what keys an object has, what each may hold, and whom to
// tell.
//
// One pass, no DOM: RapidJSON's in-situ SAX reader feeds it, which goes no deeper than
// kMaxJsonDepth. Types, ranges, required and duplicate keys are checked here, and each error knows
// its JSON path, so a reader of a format is a table and a few setters.
#ifndef MEMPLAN_JSON_WALKER_H_
#define MEMPLAN_JSON_WALKER_H_

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "result.h"
#include "units.h"

namespace memplan {

// Bits, so that a field can accept several.
enum JsonKind : uint8_t {
  kJsonNull = 1,
  kJsonBool = 2,
  kJsonNumber = 4,
  kJsonText = 8,
  kJsonArray = 16,
  kJsonObject = 32,
};

struct JsonScalar {
  JsonKind kind = kJsonNull;
  bool flag = false;
  int64_t number = 0;     // whole, from 0 to the field's max
  std::string_view text;  // a view into the input
};

class JsonWalker;
struct JsonShape;

// What a reader of a format derives from; its setters are found by JsonCall below.
struct JsonReader {};

// Called with the reader that was given to WalkJson. False: the walk ends; the setter has called
// JsonWalker::Fail.
using JsonSetter = bool (*)(JsonReader* reader, JsonWalker& walker, const JsonScalar& value);
using JsonHook = bool (*)(JsonReader* reader, JsonWalker& walker);

// The first bytes of a key, up to eight of them, as one number: most keys are told by one
// comparison.
constexpr uint64_t KeyHead(std::string_view key) {
  uint64_t head = 0;
  for (size_t i = key.size() < 8 ? key.size() : 8; i-- > 0;) {
    head = head << 8 | static_cast<uint8_t>(key[i]);
  }
  return head;
}

// Whether `text`, of which eight bytes can be read whatever its size (it lies in a padded input),
// is `word`.
inline bool IsWord(std::string_view word, uint64_t word_head, std::string_view text) {
  if (word.size() != text.size()) return false;
  uint64_t head;
  std::memcpy(&head, text.data(), sizeof head);
  if (text.size() < 8) return text.empty() || (head ^ word_head) << (64 - 8 * text.size()) == 0;
  return head == word_head && (text.size() == 8 || word.substr(8) == text.substr(8));
}

struct JsonField {
  std::string_view key;
  uint8_t accepts = 0;                // of JsonKind
  const JsonShape* inside = nullptr;  // of the array or object; null where none is accepted
  JsonSetter set = nullptr;           // for scalars
  bool required = false;
  int64_t max = kMaxBytes;  // of a number, inclusive
  uint64_t head = KeyHead(key);
};

// The places of the required fields, in bits.
constexpr uint64_t RequiredFields(std::span<const JsonField> fields) {
  uint64_t bits = 0;
  for (size_t i = 0; i < fields.size(); ++i) bits |= uint64_t{fields[i].required} << i;
  return bits;
}

// An object with named fields (at most 64), or where `is_list` is true an array, where `is_map` an
// object with any keys; the latter two have one field, for each element.
struct JsonShape {
  std::span<const JsonField> fields;
  bool is_list = false;
  bool is_map = false;
  JsonHook begin = nullptr;  // before the first key or element
  JsonHook end = nullptr;    // after the last; required fields are checked before it
  uint64_t required = RequiredFields(fields);
};

// Deeper JSON than any format here needs is refused: 64 submodules of two levels each, and their
// rows.
inline constexpr int kMaxJsonDepth = 160;

// Zero bytes behind a text: they end what is cut off, and let sixteen bytes be read from any place.
inline constexpr size_t kJsonPadding = 17;
// A text of that many bytes, to be filled, with room for its padding.
std::vector<char> MakeText(size_t size);

// Walks `bytes`, which must end with kJsonPadding zero bytes that do not count as input; strings
// are unescaped in place. `root` must be an object's shape. Errors: INVALID_JSON with "line,
// column", else what a check or setter said, with the JSON path.
Status WalkJson(std::span<char> bytes, const JsonShape& root, JsonReader* reader);

// What a setter or hook sees of the walk.
class JsonWalker {
 public:
  // The key of the innermost map element being read.
  virtual std::string_view map_key() const = 0;
  // The JSON path of the value being read, of the innermost open object in a hook.
  virtual std::string path() const = 0;
  // Records the error at path() + `below` and returns false, for `return walker.Fail(...)`.
  virtual bool Fail(ErrorCode code, std::string message, std::string_view below = {}) = 0;

 protected:
  ~JsonWalker() = default;
};

// A setter made of a member function `bool Reader::Method(JsonWalker&, const JsonScalar&)`, and a
// hook of one `bool Reader::Method(JsonWalker&)`.
template <auto Method>
struct JsonCall;
template <typename Reader, bool (Reader::*Method)(JsonWalker&, const JsonScalar&)>
struct JsonCall<Method> {
  static bool Call(JsonReader* reader, JsonWalker& walker, const JsonScalar& value) {
    return (static_cast<Reader*>(reader)->*Method)(walker, value);
  }
};
template <typename Reader, bool (Reader::*Method)(JsonWalker&)>
struct JsonCall<Method> {
  static bool Call(JsonReader* reader, JsonWalker& walker) {
    return (static_cast<Reader*>(reader)->*Method)(walker);
  }
};

}  // namespace memplan

#endif  // MEMPLAN_JSON_WALKER_H_
