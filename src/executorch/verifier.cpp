#include "executorch/verifier.h"

#include <algorithm>
#include <utility>

#include "executorch/graph_input_output.h"
#include "executorch/mutable_buffers.h"
#include "executorch/node_specs.h"
#include "executorch/selection.h"
#include "executorch/storage_reuse.h"
#include "message.h"

namespace memplan {
namespace {

using executorch::MutableBuffers;
using executorch::NodeSpecs;
using executorch::OwnershipFault;
using executorch::PairFault;
using executorch::PlacedTensor;
using executorch::SelectionFilter;
using executorch::StorageReuse;

std::string_view CodeOf(PairFault fault) {
  switch (fault) {
    case PairFault::kNone:
      return "";
    case PairFault::kObjectDisagree:
      return "MEM_OBJ_ID_DISAGREE";
    case PairFault::kNoOffset:
      return "NO_OFFSET";
    case PairFault::kNoLifetime:
      return "NO_LIFETIME";
    case PairFault::kOverlap:
      return "STORAGE_OVERLAP";
    case PairFault::kObjectMismatch:
      return "MEM_OBJ_ID_MISMATCH";
  }
  return "";
}

std::string_view ReasonOf(PairFault fault) {
  switch (fault) {
    case PairFault::kNone:
      return "";
    case PairFault::kObjectDisagree:
      return "one has a mem_obj_id and the other none";
    case PairFault::kNoOffset:
      return "they have one mem_id, and not both have a mem_offset";
    case PairFault::kNoLifetime:
      return "they share bytes, and not both have a lifetime";
    case PairFault::kOverlap:
      return "they share bytes while both are live";
    case PairFault::kObjectMismatch:
      return "they share bytes, and their mem_obj_id differ";
  }
  return "";
}

class Verdict {
 public:
  Verdict(const Program& program, const GraphPlan& plan, const Options& options)
      : names_(program.names),
        plan_(plan),
        graph_(*plan.graph),
        options_(options),
        buffers_(graph_.signature),
        specs_(graph_) {
    if (options.rules != Rules::kExecutorch2026) return;
    for (NodeIndex n = 0; n < graph_.nodes.size(); ++n) {
      if (executorch::IsInplace(graph_, n)) specs_.AliasInplaceResult(n);
    }
  }

  Report Give() {
    Report report;
    CheckStorageReuse(&report);
    CheckInputsAndOutputs(&report);
    report.ok = report.errors.empty();
    return report;
  }

 private:
  std::vector<PlacedTensor> Collect() const {
    SelectionFilter filter;
    filter.graph_inputs = options_.alloc_graph_input;
    filter.graph_outputs = options_.alloc_graph_output;
    filter.mutable_buffers =
        options_.rules != Rules::kExecutorch2026 || options_.alloc_mutable_buffers;
    filter.out_variants = true;
    const bool knows_bases = options_.rules == Rules::kExecutorch2026;
    std::vector<PlacedTensor> rows;
    const Result<std::vector<TensorIndex>> tensors =
        SelectTensors(graph_, specs_, buffers_, filter, names_, "");
    if (!tensors) return rows;  // never: the filter insists on nothing
    for (TensorIndex t : *tensors) {
      rows.push_back({t, knows_bases ? graph_.tensors.inplace_base_of(t) : kNoTensor,
                      plan_.mem_id[t], plan_.mem_obj_id[t], plan_.mem_offset[t],
                      AlignUp(graph_.tensors.nbytes[t], options_.alignment), plan_.lifetime[t]});
    }
    return rows;
  }

  void CheckStorageReuse(Report* report) const {
    const std::vector<PlacedTensor> rows = Collect();
    const StorageReuse reuse(rows, options_.allow_lifetime_and_storage_overlap);
    const std::optional<StorageReuse::Pair> pair = reuse.FindFirstFault();
    report->reuse_pairs = pair ? -1 : reuse.CountPairs();
    if (!pair) return;
    const PlacedTensor& a = rows[pair->first];
    const PlacedTensor& b = rows[pair->second];
    Fault fault;
    fault.check = "storage_reuse";
    fault.code = CodeOf(pair->fault);
    fault.tensors = {NameOf(a.tensor), NameOf(b.tensor)};
    fault.message = Message({"Tensors \"", fault.tensors[0], "\" and \"", fault.tensors[1],
                             "\": ", ReasonOf(pair->fault)});
    if (a.mem_id == b.mem_id && a.offset != kNoBytes && b.offset != kNoBytes) {
      fault.from = std::max(a.offset, b.offset);
      fault.to = std::max(fault.from, std::min(a.offset + a.size, b.offset + b.size));
    }
    if (pair->fault == PairFault::kOverlap) {
      const NodeIndex n = std::max(a.lifetime.first, b.lifetime.first);
      if (n < graph_.nodes.size()) fault.nodes = {std::string(names_[graph_.nodes.name[n]])};
    }
    report->errors.push_back(std::move(fault));
  }

  void CheckInputsAndOutputs(Report* report) const {
    OwnershipFault found =
        executorch::CheckOwnership(graph_, specs_, buffers_, plan_.mem_offset, options_);
    if (found.kind.empty()) return;
    Fault fault;
    fault.check = "graph_input_output";
    fault.code = found.kind;
    fault.message = std::move(found.message);
    for (TensorIndex t : found.tensors) fault.tensors.push_back(NameOf(t));
    if (found.node != kNoNode) {
      fault.nodes = {std::string(names_[graph_.nodes.name[found.node]])};
    }
    report->errors.push_back(std::move(fault));
  }

  std::string NameOf(TensorIndex t) const { return std::string(names_[graph_.tensors.id[t]]); }

  const Names& names_;
  const GraphPlan& plan_;
  const Graph& graph_;
  const Options& options_;
  const MutableBuffers buffers_;
  NodeSpecs specs_;
};

}  // namespace

Report VerifyExecutorch(const Program& program, const GraphPlan& plan, const Options& options) {
  return Verdict(program, plan, options).Give();
}

}  // namespace memplan
