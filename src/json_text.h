// A place in JSON text: what stands there, byte by byte, without a thought for what it means.
//
// Written by hand because reading is most of the way from bytes to a plan: RapidJSON's SAX reader
// in the same place takes two to three times as long in wasm, and a page's JSON.parse less than
// that.
#ifndef MEMPLAN_JSON_TEXT_H_
#define MEMPLAN_JSON_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <vector>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace memplan {

// Zero bytes behind the text. They end every loop below, and let 16 bytes be read from any place.
inline constexpr size_t kJsonPadding = 17;

// The first eight bytes of a key and the quote behind it, as one number, and which of its bytes
// count: most keys are told by one comparison. Both machines that this is built for have the low
// byte first.
struct KeyHead {
  uint64_t bytes = 0;
  uint64_t mask = 0;

  constexpr explicit KeyHead(std::string_view key) {
    for (size_t i = 0; i < 8 && i <= key.size(); ++i) {
      const auto byte = static_cast<uint8_t>(i < key.size() ? key[i] : '"');
      bytes |= uint64_t{byte} << (8 * i);
      mask |= uint64_t{0xff} << (8 * i);
    }
  }
};

// Reads forwards; each function that fails leaves the place of the fault and what it is.
class JsonText {
 public:
  // What Number gives for a number that is no size.
  static constexpr int64_t kNotWhole = -1;
  static constexpr int64_t kTooMuch = -2;  // over 2^53 - 1

  // `text` is followed by kJsonPadding zero bytes.
  explicit JsonText(std::span<char> text)
      : begin_(text.data()), end_(text.data() + text.size()), at_(begin_) {}

  // The next byte that is no white space, which stays where it is; 0 at the end.
  char Peek() {
    while (static_cast<uint8_t>(*at_) <= ' ') {
      if (!SkipSpace()) return 0;
    }
    return *at_;
  }
  void Skip() { ++at_; }
  bool at_end() const { return at_ == end_; }

  // With the opening quote at this place: past the key and its closing quote, if it is this one.
  bool IsKey(std::string_view key, const KeyHead& head) {
    uint64_t bytes;
    std::memcpy(&bytes, at_ + 1, sizeof bytes);
    if (((bytes ^ head.bytes) & head.mask) != 0) return false;
    for (size_t i = 8; i <= key.size(); ++i) {
      if (at_[i + 1] != (i < key.size() ? key[i] : '"')) return false;
    }
    at_ += key.size() + 2;
    return true;
  }

  // With the opening quote at this place; unescaped where it stands.
  bool String(std::string_view* text) {
    const char* const from = at_ + 1;
    at_ = ScanString(at_ + 1);
    const char* end = at_;
    if (*at_ != '"' && !Unescape(&end)) return false;
    *text = {from, static_cast<size_t>(end - from)};
    ++at_;
    return true;
  }

  // A whole number from 0 to 2^53 - 1, or one of the two constants above.
  bool Number(int64_t* value) {
    const char* at = at_;
    uint64_t sum = 0;
    while (static_cast<uint8_t>(*at - '0') < 10) sum = sum * 10 + static_cast<uint8_t>(*at++ - '0');
    const auto digits = at - at_;
    const char next = static_cast<char>(*at | 0x20);
    // Fifteen digits are below 2^53.
    if (digits == 0 || digits > 15 || (*at_ == '0' && digits > 1) || next == '.' || next == 'e') {
      return OtherNumber(value);
    }
    at_ = const_cast<char*>(at);
    *value = static_cast<int64_t>(sum);
    return true;
  }

  // `word` is true, false or null.
  bool Word(std::string_view word) {
    for (const char c : word) {
      if (*at_ != c) return Bad("this is no value");
      ++at_;
    }
    return true;
  }

  bool Bad(const char* fault) {
    fault_ = fault;
    return false;
  }
  // Null where no function above has failed.
  const char* fault() const { return fault_; }
  size_t offset() const { return static_cast<size_t>(at_ - begin_); }

 private:
  bool SkipSpace();
  // From the first byte that does not stand for itself to the closing quote.
  bool Unescape(const char** end);
  bool Escape(char** to);
  bool Codepoint(uint32_t* value);
  bool OtherNumber(int64_t* value);

  // The first quote, backslash or control character from there.
  static char* ScanString(char* at) {
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    const __m128i control = _mm_set1_epi8(0x1f);
    for (;; at += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
      const __m128i found =
          _mm_or_si128(_mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash)),
                       _mm_cmpeq_epi8(_mm_max_epu8(bytes, control), control));
      const int bits = _mm_movemask_epi8(found);
      if (bits != 0) return at + __builtin_ctz(static_cast<unsigned>(bits));
    }
#else
    while (*at != '"' && *at != '\\' && static_cast<uint8_t>(*at) > 0x1f) ++at;
    return at;
#endif
  }

  char* begin_;
  char* end_;
  char* at_;
  const char* fault_ = nullptr;
};

// Where the text stops being UTF-8 (its size where it does not), and whether there is a backslash.
struct Utf8Check {
  size_t good = 0;
  bool has_escapes = false;
};
Utf8Check CheckUtf8(std::span<const char> text);

// A text of that many bytes, to be filled, with room for its padding.
std::vector<char> MakeText(size_t size);

}  // namespace memplan

#endif  // MEMPLAN_JSON_TEXT_H_
