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

template <typename Places>
auto FirstFrom(Places& tied, StorageIndex leader) {
  return std::lower_bound(
      tied.begin(), tied.end(), leader,
      [](const TiedPlace& place, StorageIndex wanted) { return place.leader < wanted; });
}

// The place with that leader; null where there is none.
const TiedPlace* FindPlace(const GraphNest& graph, StorageIndex leader) {
  const auto at = FirstFrom(graph.tied, leader);
  return at != graph.tied.end() && at->leader == leader ? &*at : nullptr;
}

template <typename T>
void Append(const std::vector<T>& some, std::vector<T>* all) {
  all->insert(all->end(), some.begin(), some.end());
}

}  // namespace

bool Tie(TiedPlace place, int32_t g, std::vector<GraphNest>* graphs) {
  GraphNest* graph = &(*graphs)[g];
  std::vector<StorageIndex> leaders;  // of the places that are joined with this one
  for (const StorageIndex s : place.others) {
    const StorageIndex leader = LeaderOf(*graph, g, s);
    if (FindPlace(*graph, leader) != nullptr) leaders.push_back(leader);
  }
  SortRows(&leaders);
  leaders.erase(std::unique(leaders.begin(), leaders.end()), leaders.end());
  for (const StorageIndex leader : leaders) {
    const TiedPlace& known = *FindPlace(*graph, leader);
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
  if (!leaders.empty()) {
    std::erase_if(graph->tied, [&](const TiedPlace& known) {
      return std::binary_search(leaders.begin(), leaders.end(), known.leader);
    });
  }
  graph->tied.insert(FirstFrom(graph->tied, place.leader), std::move(place));
  return true;
}

bool IsAtTiedPlace(const GraphNest& graph, int32_t g, StorageIndex s) {
  return FindPlace(graph, LeaderOf(graph, g, s)) != nullptr;
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

bool IsTied(const GraphNest& caller, int32_t g, const GraphNest& callee, StorageRef output) {
  if (!IsPlacedBeyond(callee, output.graph, output.storage)) return false;
  const StorageRef target = callee.placed[output.storage];
  if (target.graph != g) return false;
  const TiedPlace* place = FindPlace(caller, LeaderOf(caller, g, target.storage));
  return place != nullptr &&
         std::any_of(place->outputs.begin(), place->outputs.end(), [&](const StorageRef& other) {
           return other.graph == output.graph && other.storage == output.storage;
         });
}

}  // namespace memplan
