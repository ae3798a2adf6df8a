#include "verifier/overlaps.h"

#include <algorithm>
#include <string>
#include <utility>

#include "message.h"
#include "row_sort.h"
#include "verifier/overlap_checker.h"

namespace memplan::verifier {
namespace {

// "add", or "add to output" where a lifetime spans several nodes.
std::string NodesOf(const PlacedGraph& graph, const LiveItem& item, const Names& names) {
  const std::vector<NameId>& name = graph.reading->graph->nodes.name;
  std::string text = Quoted(names[name[item.first]]);
  if (item.last != item.first) text += Message({" to ", Quoted(names[name[item.last]])});
  return text;
}

// An item in words: its tensor, its bytes, and in its own graph its nodes.
std::string Describe(const PlacedGraph& graph, const LiveItem& item, std::string_view name,
                     const Names& names) {
  return Message(
      {Quoted(name), " (", item.from, " to ", item.to, ", ", NodesOf(graph, item, names), ")"});
}

Fault Describe(const PlacedGraph& graph, const Overlap& overlap, const Names& names) {
  const LiveItem& item = graph.items[overlap.item];
  const LiveItem& other = overlap.other_graph->items[overlap.other];
  const std::vector<NameId>& node_names = graph.reading->graph->nodes.name;
  std::string item_name(ItemName(graph, item, names));
  std::string other_name(ItemName(*overlap.other_graph, other, names));
  Fault fault;
  fault.check = "storage_reuse";
  fault.code = "STORAGE_OVERLAP";
  fault.graph = PathOf(*graph.reading, names);
  fault.from = std::max(item.from, other.from);
  fault.to = std::min(item.to, other.to);
  fault.nodes.emplace_back(names[node_names[overlap.node]]);
  if (overlap.other_graph == &graph) {
    const NodeIndex last = std::min(item.last, other.last);
    if (last != overlap.node) fault.nodes.emplace_back(names[node_names[last]]);
  } else {
    const std::string path = PathOf(*overlap.other_graph->reading, names);
    other_name =
        Message({path.substr(fault.graph.empty() ? 0 : fault.graph.size() + 1), "/", other_name});
  }
  fault.message =
      Message({Describe(graph, item, item_name, names), " and ",
               Describe(*overlap.other_graph, other, other_name, names),
               " can be live at once and share ", BytesOfPool(item.pool, fault.from, fault.to)});
  fault.tensors = {std::move(item_name), std::move(other_name)};
  return fault;
}

}  // namespace

void FindOverlaps(const PlacedGraph& graph, const Setting& setting, FaultList* faults) {
  const Overlaps overlaps = CheckGraph(graph, setting);
  int64_t described = 0;
  for (const Overlap& overlap : overlaps.rows) {
    if (!faults->is_open()) break;
    faults->Add(Describe(graph, overlap, setting.names));
    ++described;
  }
  faults->Count(overlaps.count - described);
  for (const auto& submodule : graph.submodules) {
    if (submodule != nullptr) FindOverlaps(*submodule, setting, faults);
  }
}

int64_t CountSharingPairs(const std::vector<LiveItem>& items) {
  using Edge = std::pair<MemId, Bytes>;
  std::vector<Edge> starts, ends;
  for (const LiveItem& item : items) {
    starts.emplace_back(item.pool, item.from);
    ends.emplace_back(item.pool, item.to);
  }
  SortRows(&starts);
  SortRows(&ends);
  // Of each item with those that start before it or where it does: all that have not ended by then.
  int64_t pairs = 0;
  size_t ended = 0;
  size_t pool_begin = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    if (i > 0 && starts[i].first != starts[i - 1].first) pool_begin = ended = i;
    while (ended < i && ends[ended] <= starts[i]) ++ended;
    pairs += static_cast<int64_t>((i - pool_begin) - (ended - pool_begin));
  }
  return pairs;
}

}  // namespace memplan::verifier
