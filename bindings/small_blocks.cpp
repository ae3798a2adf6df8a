// operator new and delete with a quick way for small blocks: a plan of a small graph makes hundreds
// of them, and emmalloc takes a tenth of its time. Large ones go to malloc.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace {

// Blocks of up to kLargest bytes lie in pages, each of blocks of one size; what is freed goes to
// the list of its size. Pages are never given back, but there are few: when they are used up,
// malloc has to do.
constexpr size_t kStep = 16;  // bytes from one size to the next
constexpr size_t kLargest = 512;
constexpr size_t kPage = 4096;
constexpr size_t kPages = 64;

struct Free {
  Free* next;
};

alignas(16) char pages[kPages * kPage];
uint8_t size_of_page[kPages];  // place in `lists`
size_t used_pages = 0;
Free* lists[kLargest / kStep];

// Cuts a new page into blocks; null where there is none.
Free* AddPage(size_t place) {
  if (used_pages == kPages) return nullptr;
  char* const page = pages + used_pages * kPage;
  size_of_page[used_pages++] = static_cast<uint8_t>(place);
  const size_t size = (place + 1) * kStep;
  Free* list = nullptr;
  for (size_t at = kPage / size; at-- > 0;) {
    Free* const block = reinterpret_cast<Free*>(page + at * size);
    block->next = list;
    list = block;
  }
  return list;
}

}  // namespace

void* operator new(size_t size) {
  if (size <= kLargest) {
    const size_t place = (size - (size > 0 ? 1 : 0)) / kStep;
    Free* block = lists[place];
    if (block == nullptr) block = AddPage(place);
    if (block != nullptr) {
      lists[place] = block->next;
      return block;
    }
  }
  void* const block = std::malloc(size > 0 ? size : 1);
  if (block == nullptr) std::get_new_handler()();
  return block;
}

void operator delete(void* block) noexcept {
  const size_t at = static_cast<size_t>(static_cast<char*>(block) - pages);
  if (at >= sizeof pages) return std::free(block);
  Free* const freed = static_cast<Free*>(block);
  Free*& list = lists[size_of_page[at / kPage]];
  freed->next = list;
  list = freed;
}

void operator delete(void* block, size_t) noexcept { operator delete(block); }
