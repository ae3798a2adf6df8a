// Strings interned once: a name is a small number from then on.
#ifndef MEMPLAN_NAMES_H_
#define MEMPLAN_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

namespace memplan {

using NameId = uint32_t;
inline constexpr NameId kNoName = 0xffffffffu;

// Equal text gives the equal id; ids count up from 0 in order of first sight.
// Holds views only: the text (the input's bytes) must outlive it. Names that
// were made to collide cost a logarithm, not a walk over all of them.
class Names {
 public:
  NameId Intern(std::string_view text);
  // The same; `guess` is tried first: a name that rows of this kind tend to have here, of whatever
  // value.
  NameId Intern(std::string_view text, NameId guess);
  // Makes room for that many names.
  void Reserve(size_t count);
  // kNoName where the text was never interned.
  NameId Find(std::string_view text) const;
  std::string_view operator[](NameId id) const { return {views_[id].data, views_[id].size}; }
  // The same, empty for kNoName.
  std::string_view TextOf(NameId id) const { return id == kNoName ? "" : (*this)[id]; }
  uint32_t size() const { return static_cast<uint32_t>(views_.size()); }
  // Gives back the look-up table's memory; Intern and Find may not be called
  // afterwards.
  void Seal();
  // Copies all texts to one piece of memory, which must outlive the names from then on; what they
  // were views of need not any more.
  std::vector<char> CopyTexts();

 private:
  struct View {
    const char* data;
    uint32_t size;
  };
  struct Slot {
    uint32_t id_plus_1;  // 0: empty
    uint32_t hash;
  };
  void Grow(size_t slots);
  NameId InternInOrder(std::string_view text);

  std::vector<View> views_;
  std::vector<Slot> slots_;                      // open addressing; a power of two of them
  std::map<std::string_view, size_t> in_order_;  // ids, instead of the slots once a probe was long
};

}  // namespace memplan

#endif  // MEMPLAN_NAMES_H_
