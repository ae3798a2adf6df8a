// memset, memcpy and memmove by WebAssembly's own instructions for them. Emscripten's libc knows
// them in later versions; that of 3.1.6 fills two bytes a nanosecond, and asks JavaScript to copy
// what is long.
#include <cstddef>
#include <cstdint>

namespace {

// Up to this many bytes the instruction, a call out of the module in most engines, takes longer.
constexpr size_t kShort = 64;

// A word that lies anywhere.
template <typename Word>
struct __attribute__((packed, may_alias)) At {
  Word word;
};

template <typename Word>
Word Load(const void* from, size_t at) {
  return reinterpret_cast<const At<Word>*>(static_cast<const char*>(from) + at)->word;
}

template <typename Word>
void Store(void* to, size_t at, Word word) {
  reinterpret_cast<At<Word>*>(static_cast<char*>(to) + at)->word = word;
}

typedef uint64_t Block __attribute__((vector_size(16)));

// Two words that may overlap each other: sizes from one word to two. All is read before any is
// written, so the ranges may overlap too.
template <typename Word>
void CopyTwo(void* to, const void* from, size_t size) {
  const Word first = Load<Word>(from, 0);
  const Word last = Load<Word>(from, size - sizeof(Word));
  Store(to, 0, first);
  Store(to, size - sizeof(Word), last);
}

void CopyShort(void* to, const void* from, size_t size) {
  if (size >= 32) {
    const Block second = Load<Block>(from, 16);
    const Block third = Load<Block>(from, size - 32);
    CopyTwo<Block>(to, from, size);
    Store(to, 16, second);
    Store(to, size - 32, third);
  } else if (size >= 16) {
    CopyTwo<Block>(to, from, size);
  } else if (size >= 8) {
    CopyTwo<uint64_t>(to, from, size);
  } else if (size >= 4) {
    CopyTwo<uint32_t>(to, from, size);
  } else if (size >= 2) {
    CopyTwo<uint16_t>(to, from, size);
  } else if (size == 1) {
    Store(to, 0, Load<uint8_t>(from, 0));
  }
}

}  // namespace

extern "C" {

void* memset(void* to, int value, size_t size) {
  if (size > kShort) return __builtin_memset(to, value, size);
  const uint64_t bytes = 0x0101010101010101u * static_cast<uint8_t>(value);
  if (size >= 8) {
    for (size_t at = 0; at + 8 < size; at += 8) Store(to, at, bytes);
    Store(to, size - 8, bytes);
  } else if (size >= 4) {
    Store(to, 0, static_cast<uint32_t>(bytes));
    Store(to, size - 4, static_cast<uint32_t>(bytes));
  } else {
    for (size_t at = 0; at < size; ++at) Store(to, at, static_cast<uint8_t>(bytes));
  }
  return to;
}

void* memmove(void* to, const void* from, size_t size) {
  if (size > kShort) return __builtin_memmove(to, from, size);
  CopyShort(to, from, size);
  return to;
}

void* memcpy(void* to, const void* from, size_t size) {
  if (size > kShort) return __builtin_memmove(to, from, size);
  CopyShort(to, from, size);
  return to;
}

}  // extern "C"
