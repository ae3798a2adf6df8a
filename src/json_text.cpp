#include "json_text.h"

#include <algorithm>

#include "units.h"

namespace memplan {
namespace {

char* AppendUtf8(uint32_t codepoint, char* to) {
  const auto put = [&to](uint32_t byte) { *to++ = static_cast<char>(byte); };
  if (codepoint < 0x80) {
    put(codepoint);
    return to;
  }
  if (codepoint < 0x800) {
    put(0xc0 | codepoint >> 6);
  } else {
    if (codepoint < 0x10000) {
      put(0xe0 | codepoint >> 12);
    } else {
      put(0xf0 | codepoint >> 18);
      put(0x80 | (codepoint >> 12 & 0x3f));
    }
    put(0x80 | (codepoint >> 6 & 0x3f));
  }
  put(0x80 | (codepoint & 0x3f));
  return to;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Bytes of the sequence that begins there, from 2; 0 where it is none (RFC 3629, table of section
// 4). Past the text's end there must be a byte that continues nothing.
size_t SequenceLength(const char* at) {
  const auto byte = [at](size_t i) { return static_cast<uint8_t>(at[i]); };
  const auto tail = [&](size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const uint8_t first = byte(0);
  if (first >= 0xc2 && first <= 0xdf) return tail(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = first == 0xed && byte(1) > 0x9f;
    return !overlong && !surrogate && tail(1) && tail(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool overlong = first == 0xf0 && byte(1) < 0x90;
    const bool past_last = first == 0xf4 && byte(1) > 0x8f;
    return !overlong && !past_last && tail(1) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

// Past all blocks of sixteen bytes of plain ASCII from there.
size_t SkipAscii(std::span<const char> text, size_t at, bool* has_escapes) {
#if defined(__SSE2__)
  const __m128i backslash = _mm_set1_epi8('\\');
  __m128i escapes = _mm_setzero_si128();
  for (; at + 16 <= text.size(); at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    if (_mm_movemask_epi8(bytes) != 0) break;
    escapes = _mm_or_si128(escapes, _mm_cmpeq_epi8(bytes, backslash));
  }
  *has_escapes |= _mm_movemask_epi8(escapes) != 0;
#else
  while (at < text.size() && static_cast<signed char>(text[at]) >= 0) {
    *has_escapes |= text[at++] == '\\';
  }
#endif
  return at;
}

}  // namespace

bool JsonText::SkipSpace() {
  // Indentation.
  while (*at_ == ' ') ++at_;
  if (*at_ == '\n' || *at_ == '\r' || *at_ == '\t') {
    ++at_;
    return true;
  }
  return static_cast<uint8_t>(*at_) > ' ';
}

bool JsonText::Unescape(const char** end) {
  char* to = at_;
  for (;;) {
    if (*at_ == '\\') {
      if (!Escape(&to)) return false;
    } else if (*at_ == '"') {
      *end = to;
      return true;
    } else if (static_cast<uint8_t>(*at_) < 0x20) {
      return Bad(at_end() ? "the string does not end" : "a control character in a string");
    } else {
      *to++ = *at_++;
    }
  }
}

// From a backslash to what it stands for.
bool JsonText::Escape(char** to) {
  constexpr std::string_view kLetters = "\"\\/bfnrt";
  constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
  if (at_[1] != 'u') {
    const size_t at = kLetters.find(at_[1]);
    if (at_[1] == '\0' || at == std::string_view::npos) return Bad("there is no such escape");
    *(*to)++ = kMeanings[at];
    at_ += 2;
    return true;
  }
  uint32_t codepoint = 0;
  if (!Codepoint(&codepoint)) return false;
  if (codepoint >= 0xd800 && codepoint <= 0xdfff) {
    uint32_t low = 0;
    if (codepoint > 0xdbff || at_[0] != '\\' || at_[1] != 'u') return Bad("half a surrogate pair");
    if (!Codepoint(&low)) return false;
    if (low < 0xdc00 || low > 0xdfff) return Bad("half a surrogate pair");
    codepoint = 0x10000 + ((codepoint & 0x3ff) << 10) + (low & 0x3ff);
  }
  *to = AppendUtf8(codepoint, *to);
  return true;
}

// Past a backslash, a u and four hexadecimal digits.
bool JsonText::Codepoint(uint32_t* value) {
  at_ += 2;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char lower = static_cast<char>(*at_ | 0x20);
    const bool letter = lower >= 'a' && lower <= 'f';
    if (!IsDigit(*at_) && !letter) return Bad("four hexadecimal digits are missing");
    *value = *value << 4 | static_cast<uint32_t>(letter ? lower - 'a' + 10 : *at_ - '0');
  }
  return true;
}

// With a sign, a point, an exponent or many digits: exact, in decimal.
bool JsonText::OtherNumber(int64_t* value) {
  constexpr int64_t kFar = 1'000'000'000'000;  // an exponent as good as any larger one
  const bool negative = *at_ == '-';
  at_ += negative ? 1 : 0;
  if (!IsDigit(*at_)) return Bad(negative ? "a digit is missing" : "this is no value");
  if (*at_ == '0' && IsDigit(at_[1])) return Bad("a number begins with 0");
  uint64_t sum = 0;      // of the digits up to the last that is not 0
  int64_t zeros = 0;     // digits 0 since then
  int64_t exponent = 0;  // of the last digit
  const auto digits = [&](int64_t step) {
    for (; IsDigit(*at_); ++at_, exponent += step) {
      if (*at_ == '0') {
        zeros += sum > 0 ? 1 : 0;
        continue;
      }
      for (++zeros; zeros > 0; --zeros) {
        if (sum <= static_cast<uint64_t>(kMaxBytes)) sum *= 10;
      }
      sum += static_cast<uint64_t>(*at_ - '0');
    }
  };
  digits(0);
  if (*at_ == '.') {
    ++at_;
    if (!IsDigit(*at_)) return Bad("a digit is missing");
    digits(-1);
  }
  if (*at_ == 'e' || *at_ == 'E') {
    ++at_;
    const bool down = *at_ == '-';
    if (*at_ == '-' || *at_ == '+') ++at_;
    if (!IsDigit(*at_)) return Bad("a digit is missing");
    int64_t power = 0;
    for (; IsDigit(*at_); ++at_) power = std::min(kFar, power * 10 + (*at_ - '0'));
    exponent += down ? -power : power;
  }
  exponent += zeros;
  if (sum == 0) {
    *value = 0;
  } else if (negative || exponent < 0) {
    *value = kNotWhole;
  } else {
    for (; exponent > 0 && sum <= static_cast<uint64_t>(kMaxBytes); --exponent) sum *= 10;
    *value = sum > static_cast<uint64_t>(kMaxBytes) ? kTooMuch : static_cast<int64_t>(sum);
  }
  return true;
}

Utf8Check CheckUtf8(std::span<const char> text) {
  Utf8Check result;
  size_t at = 0;
  while (at < text.size()) {
    at = SkipAscii(text, at, &result.has_escapes);
    // What lies between blocks of plain ASCII.
    const size_t block_end = std::min(at + 16, text.size());
    while (at < block_end) {
      result.has_escapes |= text[at] == '\\';
      // The padding's zero bytes end a sequence that is cut off.
      const size_t length =
          static_cast<signed char>(text[at]) >= 0 ? 1 : SequenceLength(text.data() + at);
      if (length == 0) {
        result.good = at;
        return result;
      }
      at += length;
    }
  }
  result.good = text.size();
  return result;
}

std::vector<char> MakeText(size_t size) {
  std::vector<char> text;
  text.reserve(size + kJsonPadding);
  text.resize(size);
  return text;
}

}  // namespace memplan
