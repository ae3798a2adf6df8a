#include "search/clique_problem.h"

#include <algorithm>
#include <utility>

#include "live_events.h"
#include "row_sort.h"

namespace memplan {
namespace {

using Obstacle = CliqueProblem::Obstacle;

// The maximal sets of buffers live at one tick, as rows of buffer indices.
// False where they hold more than `limit` buffers together.
bool LiveSets(const Problem& problem, size_t limit, NumberRows* sets) {
  std::vector<BufferIndex> live;
  bool grown = false;
  for (const LiveEvent& event : LiveEvents(problem)) {
    const auto place = std::lower_bound(live.begin(), live.end(), event.buffer);
    if (event.starts) {
      live.insert(place, event.buffer);
      grown = true;
      continue;
    }
    if (grown) {
      if (sets->items.size() + live.size() > limit) return false;
      sets->items.insert(sets->items.end(), live.begin(), live.end());
      sets->EndRow();
    }
    grown = false;
    live.erase(place);
  }
  return true;
}

// Who conflicts with whom, by buffer index; rows ascending. Empty where there
// are more than `limit` entries.
NumberRows FindNeighbours(const Problem& problem, const NumberRows& sets, size_t limit) {
  std::vector<std::vector<int32_t>> rows(problem.size.size());
  size_t entries = 0;
  const auto tidy = [&](std::vector<int32_t>* row) {
    entries -= row->size();
    SortRows(row);
    row->erase(std::unique(row->begin(), row->end()), row->end());
    entries += row->size();
  };
  for (int32_t set = 0; set < sets.count(); ++set) {
    for (const int32_t a : sets[set]) {
      for (const int32_t b : sets[set]) {
        if (a != b) rows[a].push_back(b);
      }
      entries += sets[set].size() - 1;
      // Neighbouring sets share most buffers; tidying now and then keeps the
      // rows short.
      if (rows[a].size() > 2 * problem.size.size()) tidy(&rows[a]);
    }
    if (entries > 2 * limit) {
      for (auto& row : rows) tidy(&row);
      if (entries > limit) return {};
    }
  }
  for (const auto& [a, b] : problem.conflicts) {
    if (!problem.is_live(a) || !problem.is_live(b)) continue;
    rows[a].push_back(b);
    rows[b].push_back(a);
    entries += 2;
  }
  NumberRows neighbours;
  for (auto& row : rows) {
    tidy(&row);
    neighbours.items.insert(neighbours.items.end(), row.begin(), row.end());
    neighbours.EndRow();
  }
  if (entries > limit) return {};
  return neighbours;
}

std::vector<int32_t> Common(std::span<const int32_t> a, std::span<const int32_t> b) {
  std::vector<int32_t> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

// Adds a clique for each extra conflict, grown as far as it goes by smallest
// index first.
void AddConflictCliques(const Problem& problem, const NumberRows& neighbours, NumberRows* sets) {
  for (const auto& [a, b] : problem.conflicts) {
    if (!problem.is_live(a) || !problem.is_live(b)) continue;
    std::vector<int32_t> clique{a, b};
    std::vector<int32_t> open = Common(neighbours[a], neighbours[b]);
    while (!open.empty()) {
      clique.push_back(open.front());
      open = Common(open, neighbours[clique.back()]);
    }
    SortRows(&clique);
    sets->items.insert(sets->items.end(), clique.begin(), clique.end());
    sets->EndRow();
  }
}

std::vector<Obstacle> Merged(std::vector<Obstacle> obstacles) {
  SortRows(&obstacles, [](const Obstacle& a, const Obstacle& b) { return a.from < b.from; });
  std::vector<Obstacle> merged;
  for (const Obstacle& o : obstacles) {
    if (!merged.empty() && o.from <= merged.back().to) {
      merged.back().to = std::max(merged.back().to, o.to);
    } else {
      merged.push_back(o);
    }
  }
  return merged;
}

// Splits a row of buffer indices into numbers of free buffers and obstacles.
std::vector<Obstacle> Split(const Problem& problem, const std::vector<int32_t>& number_of,
                            std::span<const int32_t> row, NumberRows* free) {
  std::vector<Obstacle> obstacles;
  for (const int32_t b : row) {
    if (number_of[b] >= 0) {
      free->items.push_back(number_of[b]);
    } else {
      obstacles.push_back({problem.pin[b], problem.pin[b] + problem.size[b]});
    }
  }
  free->EndRow();
  return Merged(std::move(obstacles));
}

void FindTwins(CliqueProblem* result) {
  const int32_t n = result->count();
  result->twin_before.assign(n, -1);
  // Twins conflict, so one is in the other's row; same rows but for each other.
  for (int32_t b = 0; b < n; ++b) {
    const auto mine = result->neighbours[b];
    for (size_t i = mine.size(); i-- > 0;) {
      const int32_t c = mine[i];
      if (c > b || result->size[c] != result->size[b]) continue;
      const auto other = result->neighbours[c];
      if (result->alignment[c] != result->alignment[b] || other.size() != mine.size()) continue;
      const auto same = [](const Obstacle& x, const Obstacle& y) {
        return x.from == y.from && x.to == y.to;
      };
      if (Common(mine, other).size() + 1 != mine.size() ||
          !std::equal(result->obstacles[b].begin(), result->obstacles[b].end(),
                      result->obstacles[c].begin(), result->obstacles[c].end(), same)) {
        continue;
      }
      result->twin_before[b] = c;
      break;
    }
  }
}

void FillCliquesOf(CliqueProblem* result) {
  std::vector<std::vector<int32_t>> rows(result->count());
  for (int32_t q = 0; q < result->cliques.count(); ++q) {
    for (const int32_t b : result->cliques[q]) rows[b].push_back(q);
  }
  for (const auto& row : rows) {
    result->cliques_of.items.insert(result->cliques_of.items.end(), row.begin(), row.end());
    result->cliques_of.EndRow();
  }
}

}  // namespace

Bytes CliqueProblem::NextFit(int32_t b, Bytes from) const {
  Bytes at = AlignUp(from, alignment[b]);
  for (const Obstacle& o : obstacles[b]) {
    if (o.from >= at + size[b]) break;
    if (o.to > at) at = AlignUp(o.to, alignment[b]);
  }
  return at;
}

bool MakeCliqueProblem(const Problem& problem, size_t limit, CliqueProblem* result) {
  NumberRows sets;
  if (!LiveSets(problem, limit, &sets)) return false;
  const NumberRows neighbours = FindNeighbours(problem, sets, limit);
  if (neighbours.count() != problem.count()) return false;
  AddConflictCliques(problem, neighbours, &sets);
  std::vector<int32_t> number_of(problem.size.size(), -1);
  result->base = problem.base;
  result->pinned_end = problem.base;
  for (BufferIndex b = 0; b < problem.count(); ++b) {
    if (!problem.is_live(b)) continue;
    if (problem.pin_of(b) != kNoBytes) {
      result->pinned_end = std::max(result->pinned_end, problem.pin[b] + problem.size[b]);
      continue;
    }
    number_of[b] = result->count();
    result->buffer.push_back(b);
    result->size.push_back(problem.size[b]);
    result->alignment.push_back(problem.alignment_of(b));
  }
  for (const BufferIndex b : result->buffer) {
    result->obstacles.push_back(Split(problem, number_of, neighbours[b], &result->neighbours));
  }
  for (int32_t set = 0; set < sets.count(); ++set) {
    result->clique_obstacles.push_back(Split(problem, number_of, sets[set], &result->cliques));
  }
  FillCliquesOf(result);
  FindTwins(result);
  return true;
}

}  // namespace memplan
