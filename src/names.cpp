#include "names.h"

#include <cstring>

namespace memplan {
namespace {

// Names are short and many, so hash and comparison read words, the last of which may overlap the
// one before: no loop over bytes, no call.
template <typename Word>
Word WordAt(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// The first and the last bytes of a text of 1 to 8 bytes, in one number.
uint64_t ShortText(const char* at, size_t size) {
  if (size >= 4) {
    return WordAt<uint32_t>(at) | uint64_t{WordAt<uint32_t>(at + size - 4)} << 32;
  }
  const auto byte = [at](size_t i) { return uint64_t{static_cast<uint8_t>(at[i])}; };
  return byte(0) | byte(size / 2) << 8 | byte(size - 1) << 16;
}

// Eight bytes at a time, multiply and fold.
uint32_t Hash(std::string_view text) {
  constexpr uint64_t kFactor = 0x9e3779b97f4a7c15u;
  uint64_t hash = text.size() * kFactor;
  const char* at = text.data();
  size_t left = text.size();
  while (left > 8) {
    hash = (hash ^ WordAt<uint64_t>(at)) * kFactor;
    hash ^= hash >> 32;
    at += 8;
    left -= 8;
  }
  if (left > 0) {
    const bool overlaps = text.size() >= 8;
    const uint64_t word = overlaps ? WordAt<uint64_t>(at + left - 8) : ShortText(at, left);
    hash = (hash ^ word) * kFactor;
  }
  return static_cast<uint32_t>(hash >> 32) ^ static_cast<uint32_t>(hash);
}

// Longer than any probe at a load of two thirds, unless names were made to collide.
constexpr size_t kMostProbes = 4096;

bool Same(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  const char* at = a.data();
  const char* other = b.data();
  size_t left = a.size();
  if (left < 8) return left == 0 || ShortText(at, left) == ShortText(other, left);
  while (left > 8) {
    if (WordAt<uint64_t>(at) != WordAt<uint64_t>(other)) return false;
    at += 8;
    other += 8;
    left -= 8;
  }
  return WordAt<uint64_t>(at + left - 8) == WordAt<uint64_t>(other + left - 8);
}

}  // namespace

NameId Names::Intern(std::string_view text) {
  if (!in_order_.empty()) return InternInOrder(text);
  if ((views_.size() + 1) * 3 > slots_.size() * 2) Grow(slots_.empty() ? 64 : slots_.size() * 2);
  const size_t mask = slots_.size() - 1;
  const uint32_t hash = Hash(text);
  size_t at = hash & mask;
  for (size_t probes = 0; slots_[at].id_plus_1 != 0; at = (at + 1) & mask) {
    const NameId id = slots_[at].id_plus_1 - 1;
    if (slots_[at].hash == hash && Same((*this)[id], text)) return id;
    if (++probes == kMostProbes) return InternInOrder(text);
  }
  views_.push_back({text.data(), static_cast<uint32_t>(text.size())});
  slots_[at] = {size(), hash};
  return size() - 1;
}

NameId Names::Intern(std::string_view text, NameId guess) {
  return guess < size() && Same((*this)[guess], text) ? guess : Intern(text);
}

NameId Names::InternInOrder(std::string_view text) {
  if (in_order_.empty()) {
    for (NameId id = 0; id < size(); ++id) in_order_.emplace((*this)[id], id);
    slots_ = std::vector<Slot>();
  }
  const auto [at, is_new] = in_order_.emplace(text, size());
  if (is_new) views_.push_back({text.data(), static_cast<uint32_t>(text.size())});
  return static_cast<NameId>(at->second);
}

NameId Names::Find(std::string_view text) const {
  if (slots_.empty()) {
    const auto at = in_order_.find(text);
    return at == in_order_.end() ? kNoName : static_cast<NameId>(at->second);
  }
  const size_t mask = slots_.size() - 1;
  const uint32_t hash = Hash(text);
  for (size_t at = hash & mask; slots_[at].id_plus_1 != 0; at = (at + 1) & mask) {
    const NameId id = slots_[at].id_plus_1 - 1;
    if (slots_[at].hash == hash && Same((*this)[id], text)) return id;
  }
  return kNoName;
}

void Names::Reserve(size_t count) {
  size_t slots = 64;
  while (slots * 2 < count * 3) slots *= 2;
  if (slots > slots_.size()) Grow(slots);
  views_.reserve(count);
}

// Braces alone would empty it and keep the memory.
void Names::Seal() {
  slots_ = std::vector<Slot>();
  in_order_.clear();
}

std::vector<char> Names::CopyTexts() {
  size_t size = 0;
  for (const View& view : views_) size += view.size;
  std::vector<char> texts(size);
  char* at = texts.data();
  for (View& view : views_) {
    std::memcpy(at, view.data, view.size);
    view.data = at;
    at += view.size;
  }
  return texts;
}

void Names::Grow(size_t slots) {
  std::vector<Slot> old(slots);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.id_plus_1 == 0) continue;
    size_t at = slot.hash & (slots - 1);
    while (slots_[at].id_plus_1 != 0) at = (at + 1) & (slots - 1);
    slots_[at] = slot;
  }
}

}  // namespace memplan
