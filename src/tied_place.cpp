#include "tied_place.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "row_sort.h"

namespace memplan {
namespace {

// Of all results, in `others`, one becomes the leader; false where they cannot lie at one place.
bool ChooseLeader(const std::vector<GraphNest>& graphs, int32_t g, TiedPlace* place) {
  const GraphNest& graph = graphs[g];
  std::vector<StorageIndex>& results = place->others;
  const std::vector<Lifetime>& life = graph.lifetimes.of;
  SortRows(&results, [&life](StorageIndex a, StorageIndex b) {
    return life[a].first != life[b].first ? life[a].first < life[b].first : a < b;
  });
  results.erase(std::unique(results.begin(), results.end()), results.end());
  const MemId pool = FinalPool(graphs, graph, results[0]);
  size_t leader = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    const Lifetime& now = life[results[i]];
    if (i > 0 && now.first <= life[results[i - 1]].last) return false;
    if (FinalPool(graphs, graph, results[i]) != pool) return false;
    for (const NodeIndex node : place->nodes) {
      if (now.first <= node && node <= now.last) return false;
    }
    if (i == leader || !IsPlacedBeyond(graph, g, results[i])) continue;
    if (IsPlacedBeyond(graph, g, results[leader])) return false;
    leader = i;
  }
  place->leader = results[leader];
  results.erase(results.begin() + static_cast<std::ptrdiff_t>(leader));
  return true;
}

template <typename T>
void Append(const std::vector<T>& some, std::vector<T>* all) {
  all->insert(all->end(), some.begin(), some.end());
}

}  // namespace

bool Tie(TiedPlace place, int32_t g, std::vector<GraphNest>* graphs) {
  GraphNest* graph = &(*graphs)[g];
  std::vector<TiedPlace> apart;
  for (const TiedPlace& known : graph->tied) {
    const bool is_shared =
        std::any_of(place.others.begin(), place.others.end(),
                    [&](StorageIndex s) { return LeaderOf(*graph, g, s) == known.leader; });
    if (!is_shared) {
      apart.push_back(known);
      continue;
    }
    place.others.push_back(known.leader);
    Append(known.others, &place.others);
    Append(known.outputs, &place.outputs);
    Append(known.nodes, &place.nodes);
  }
  if (!ChooseLeader(*graphs, g, &place)) return false;
  graph->placed.resize(graph->home.size());
  for (const StorageIndex s : place.others) {
    graph->home[s] = Home::kPlaced;
    graph->placed[s] = {g, place.leader};
  }
  const auto at = std::lower_bound(
      apart.begin(), apart.end(), place.leader,
      [](const TiedPlace& tied, StorageIndex leader) { return tied.leader < leader; });
  apart.insert(at, std::move(place));
  graph->tied = std::move(apart);
  return true;
}

bool IsAtTiedPlace(const GraphNest& graph, int32_t g, StorageIndex s) {
  const StorageIndex leader = LeaderOf(graph, g, s);
  return std::any_of(graph.tied.begin(), graph.tied.end(),
                     [leader](const TiedPlace& place) { return place.leader == leader; });
}

StorageIndex LeaderOf(const GraphNest& graph, int32_t g, StorageIndex s) {
  const bool is_tied = graph.home[s] == Home::kPlaced && graph.placed[s].graph == g;
  return is_tied ? graph.placed[s].storage : s;
}

bool IsPlacedBeyond(const GraphNest& graph, int32_t g, StorageIndex s) {
  return graph.home[s] == Home::kPlaced && graph.placed[s].graph != g;
}

MemId FinalPool(const std::vector<GraphNest>& graphs, const GraphNest& graph, StorageIndex s) {
  const GraphNest* at = &graph;
  while (at->pool_of(s) == kNoPool && at->home[s] == Home::kPlaced) {
    const StorageRef target = at->placed[s];
    at = &graphs[target.graph];
    s = target.storage;
  }
  return at->pool_of(s);
}

bool IsTied(const GraphNest& caller, StorageRef output) {
  for (const TiedPlace& place : caller.tied) {
    for (const StorageRef& other : place.outputs) {
      if (other.graph == output.graph && other.storage == output.storage) return true;
    }
  }
  return false;
}

}  // namespace memplan
