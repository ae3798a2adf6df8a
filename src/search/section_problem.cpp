#include "search/section_problem.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <utility>

#include "row_sort.h"

namespace memplan {
namespace {

struct Span {
  BufferIndex buffer = 0;
  int32_t lo = 0;
  int32_t hi = 0;
  int64_t size = 0;
  Bytes bytes = 0;
};

// A section is closed at the first end after a start: only there is the live
// set maximal. Ends come before starts at one tick.
int32_t AssignSections(const Problem& problem, std::vector<Span>* spans) {
  struct Event {
    Tick at;
    bool starts;
    int32_t span;
  };
  std::vector<Event> events;
  events.reserve(2 * spans->size());
  for (size_t i = 0; i < spans->size(); ++i) {
    const BufferIndex b = (*spans)[i].buffer;
    events.push_back({problem.lower[b], true, static_cast<int32_t>(i)});
    events.push_back({problem.upper[b], false, static_cast<int32_t>(i)});
  }
  SortRows(&events, [](const Event& a, const Event& b) {
    if (a.at != b.at) return a.at < b.at;
    if (a.starts != b.starts) return !a.starts;
    return a.span < b.span;
  });
  int32_t section = 0;
  bool grown = false;
  for (const Event& event : events) {
    Span& span = (*spans)[event.span];
    if (event.starts) {
      span.lo = section;
      grown = true;
      continue;
    }
    if (grown) ++section;
    grown = false;
    span.hi = section;
  }
  return section;
}

void SortSpans(std::vector<Span>* spans) {
  SortRows(spans, [](const Span& a, const Span& b) {
    if (a.lo != b.lo) return a.lo < b.lo;
    if (a.hi != b.hi) return a.hi > b.hi;
    if (a.bytes != b.bytes) return a.bytes > b.bytes;
    return a.buffer < b.buffer;
  });
}

void FillFrom(const std::vector<Span>& spans, SectionProblem* result) {
  for (const Span& span : spans) {
    result->buffer.push_back(span.buffer);
    result->lo.push_back(span.lo);
    result->hi.push_back(span.hi);
    result->size.push_back(span.size);
    result->bytes.push_back(span.bytes);
  }
  result->first.assign(result->sections + 1, 0);
  int32_t next = 0;
  for (int32_t s = 0; s <= result->sections; ++s) {
    while (next < result->count() && result->lo[next] < s) ++next;
    result->first[s] = next;
  }
}

// The largest alignment among live buffers.
Bytes TopAlignment(const Problem& problem) {
  Bytes top = problem.uniform_alignment;
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (problem.is_live(b)) top = std::max(top, problem.alignment_of(b));
  }
  return top;
}

}  // namespace

int64_t SectionProblem::EndLimit(int32_t b, Bytes target) const {
  const Bytes room = target - base - bytes[b];
  return room < 0 ? -1 : room / unit + size[b];
}

bool HasSectionForm(const Problem& problem) {
  if (problem.has_gaps() || !problem.conflicts.empty()) return false;
  const Bytes top = TopAlignment(problem);
  bool mixed = false;
  bool whole = problem.base % top == 0;
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (!problem.is_live(b)) continue;
    if (problem.pin_of(b) != kNoBytes) return false;
    mixed |= problem.alignment_of(b) != top;
    whole &= problem.size[b] % top == 0;
  }
  // Where every size is a multiple of the largest alignment, a plan pushed down
  // as far as it goes has all offsets at sums of sizes: aligned by themselves.
  return !mixed || whole;
}

SectionProblem MakeSectionProblem(const Problem& problem) {
  SectionProblem result;
  const Bytes alignment = TopAlignment(problem);
  std::vector<Span> spans;
  Bytes unit = 0;
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (!problem.is_live(b)) continue;
    const Bytes rounded = AlignUp(problem.size[b], alignment);
    unit = std::gcd(unit, rounded);
    result.padded |= rounded != problem.size[b];
    spans.push_back({b, 0, 0, rounded, problem.size[b]});
  }
  if (unit == 0) unit = 1;
  for (Span& span : spans) span.size /= unit;
  result.unit = unit;
  result.base = AlignUp(problem.base, alignment);
  result.sections = AssignSections(problem, &spans);
  SortSpans(&spans);
  FillFrom(spans, &result);
  return result;
}

SectionProblem MirrorInTime(const SectionProblem& problem) {
  SectionProblem result;
  result.sections = problem.sections;
  result.unit = problem.unit;
  result.base = problem.base;
  result.padded = problem.padded;
  std::vector<Span> spans;
  for (int32_t b = 0; b < problem.count(); ++b) {
    spans.push_back({problem.buffer[b], problem.sections - problem.hi[b],
                     problem.sections - problem.lo[b], problem.size[b], problem.bytes[b]});
  }
  SortSpans(&spans);
  FillFrom(spans, &result);
  return result;
}

Bytes SectionBound(const SectionProblem& problem) {
  // In a section some buffer lies on top; all below it take their rounded
  // sizes, and it alone may end before its padding.
  std::vector<int64_t> change(problem.sections + 1, 0);
  for (int32_t b = 0; b < problem.count(); ++b) {
    change[problem.lo[b]] += problem.size[b];
    change[problem.hi[b]] -= problem.size[b];
  }
  Bytes bound = problem.base;
  int64_t load = 0;
  // The largest padding of the buffers live so far, each until its hi.
  std::priority_queue<std::pair<Bytes, int32_t>> padding;
  for (int32_t s = 0; s < problem.sections; ++s) {
    load += change[s];
    for (int32_t b = problem.first[s]; b < problem.first[s + 1]; ++b) {
      padding.emplace(problem.size[b] * problem.unit - problem.bytes[b], problem.hi[b]);
    }
    while (padding.top().second <= s) padding.pop();
    bound = std::max(bound, problem.base + load * problem.unit - padding.top().first);
  }
  return bound;
}

}  // namespace memplan
