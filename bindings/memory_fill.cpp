// memset by the engine's own instruction where there is much to fill: the one that Emscripten links
// is a loop, in which a plan of a large graph spends a twentieth of its time.
#include <cstddef>

extern "C" void* memset(void* to, int value, size_t size) {
  // Below it the instruction costs more than it saves.
  constexpr size_t kMuch = 256;
  if (size >= kMuch) {
    asm volatile("local.get %0\n local.get %1\n local.get %2\n memory.fill 0"
                 :
                 : "r"(to), "r"(value), "r"(size)
                 : "memory");
    return to;
  }
  char* at = static_cast<char*>(to);
  using Word [[gnu::may_alias, gnu::aligned(1)]] = unsigned long long;
  const Word word = static_cast<unsigned char>(value) * 0x0101010101010101u;
  size_t left = size;
  for (; left >= sizeof word; left -= sizeof word, at += sizeof word)
    *reinterpret_cast<Word*>(at) = word;
  for (; left > 0; --left) *at++ = static_cast<char>(value);
  return to;
}
