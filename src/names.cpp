#include "names.h"

#include <cstring>

namespace memplan {
namespace {

// Eight bytes at a time, multiply and fold: names are short and many, so the
// hash is most of the look-up.
uint32_t Hash(std::string_view text) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15u;
  uint64_t hash = text.size() * kFactor;
  const char* at = text.data();
  size_t left = text.size();
  while (left >= 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    hash = (hash ^ word) * kFactor;
    hash ^= hash >> 32;
    at += 8;
    left -= 8;
  }
  uint64_t tail = 0;
  if (left > 0) std::memcpy(&tail, at, left);
  hash = (hash ^ tail) * kFactor;
  return static_cast<uint32_t>(hash >> 32) ^ static_cast<uint32_t>(hash);
}

}  // namespace

NameId Names::Intern(std::string_view text) {
  if ((views_.size() + 1) * 3 > slots_.size() * 2) Grow();
  const size_t mask = slots_.size() - 1;
  size_t slot = Hash(text) & mask;
  while (slots_[slot] != 0) {
    const NameId id = slots_[slot] - 1;
    if ((*this)[id] == text) return id;
    slot = (slot + 1) & mask;
  }
  views_.push_back({text.data(), static_cast<uint32_t>(text.size())});
  slots_[slot] = size();
  return size() - 1;
}

NameId Names::Find(std::string_view text) const {
  if (slots_.empty()) return kNoName;
  const size_t mask = slots_.size() - 1;
  for (size_t slot = Hash(text) & mask; slots_[slot] != 0; slot = (slot + 1) & mask) {
    const NameId id = slots_[slot] - 1;
    if ((*this)[id] == text) return id;
  }
  return kNoName;
}

void Names::Seal() { slots_ = {}; }

void Names::Grow() {
  const size_t capacity = slots_.empty() ? 64 : slots_.size() * 2;
  slots_.assign(capacity, 0);
  for (NameId id = 0; id < size(); ++id) {
    size_t slot = Hash((*this)[id]) & (capacity - 1);
    while (slots_[slot] != 0) slot = (slot + 1) & (capacity - 1);
    slots_[slot] = id + 1;
  }
}

}  // namespace memplan
