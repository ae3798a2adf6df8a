// Random numbers that are the same on every machine.
#ifndef MEMPLAN_ENGINE_SPLITMIX_H_
#define MEMPLAN_ENGINE_SPLITMIX_H_

#include <cstdint>

namespace memplan {

// Steele, Lea & Flood 2014, Fast splittable pseudorandom number generators. Seeds that differ a
// little give unrelated streams, since the seed is hashed first.
class SplitMix {
 public:
  explicit SplitMix(uint64_t seed) : state_(Mix(seed)) {}

  uint64_t Next() { return Mix(state_ += kIncrement); }
  // From 0 to below - 1; `below` under 2^32.
  uint32_t Below(uint32_t below) {
    return static_cast<uint32_t>(((Next() >> 32) * uint64_t{below}) >> 32);
  }

 private:
  static constexpr uint64_t kIncrement = 0x9e3779b97f4a7c15u;
  static uint64_t Mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  uint64_t state_;
};

}  // namespace memplan

#endif  // MEMPLAN_ENGINE_SPLITMIX_H_
