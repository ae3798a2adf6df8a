// VerifySound and CheckStorageReuse: the order of the checks.
#include <memory>
#include <utility>
#include <vector>

#include "graph_hash.h"
#include "message.h"
#include "plan.h"
#include "plan_reader.h"
#include "verifier.h"
#include "verifier/fault_list.h"
#include "verifier/graph_reading.h"
#include "verifier/overlaps.h"
#include "verifier/placed_graph.h"
#include "verifier/row_checks.h"
#include "verifier/state_checks.h"

namespace memplan {
namespace verifier {
namespace {

// A program read and placed: its one graph, or its methods.
struct PlacedProgram {
  std::vector<std::unique_ptr<GraphReading>> readings;
  std::vector<Setting> settings;
  std::vector<std::unique_ptr<PlacedGraph>> graphs;
};

Status PlaceOne(const Graph& graph, const GraphPlan& plan, const std::vector<Bytes>& buffer_sizes,
                const Program& program, const Options& options, PlacedProgram* placed) {
  auto reading = ReadForCheck(graph, program.names, options.inplace);
  if (!reading) {
    Error error = reading.error();
    if (program.graph == nullptr) {
      error.path = Message({"methods.", program.names[graph.name], ".", error.path});
    }
    return tl::unexpected(std::move(error));
  }
  (*reading)->is_method = program.graph == nullptr;
  placed->settings.emplace_back(program.names, options, buffer_sizes, program.pools(),
                                program.taken());
  placed->graphs.push_back(PlaceForCheck(**reading, plan, placed->settings.back()));
  placed->readings.push_back(std::move(*reading));
  return {};
}

Result<PlacedProgram> Place(const Program& program, const Plan& plan, const Options& options) {
  PlacedProgram placed;
  placed.settings.reserve(program.methods.size() + 1);
  if (program.graph != nullptr) {
    const Status status =
        PlaceOne(*program.graph, plan.top, plan.top.buffer_sizes, program, options, &placed);
    if (!status) return tl::unexpected(status.error());
    return placed;
  }
  static const GraphPlan* no_plan = new GraphPlan;
  for (size_t m = 0; m < program.methods.size(); ++m) {
    const GraphPlan& method = m < plan.methods.size() ? plan.methods[m] : *no_plan;
    const Status status =
        PlaceOne(*program.methods[m], method, plan.buffer_sizes, program, options, &placed);
    if (!status) return tl::unexpected(status.error());
  }
  return placed;
}

void CheckOverlaps(const PlacedProgram& placed, const Program& program, FaultList* faults) {
  for (size_t i = 0; i < placed.graphs.size(); ++i) {
    FindOverlaps(*placed.graphs[i], placed.settings[i], faults);
  }
  if (placed.graphs.size() > 1) {
    CheckStateAcrossMethods(placed.graphs, program.shared_buffers, program.names, faults);
  }
}

void CheckHash(const PlanFile& file, uint64_t hash, FaultList* faults) {
  if (file.graph_hash.empty()) return;
  const std::string own = HashText(hash);
  if (file.graph_hash == own) return;
  Fault fault;
  fault.check = "plan";
  fault.code = "GRAPH_HASH_DIFFERS";
  fault.message =
      Message({"the plan is of the graph with hash ", file.graph_hash, ", this one has ", own});
  faults->Add(std::move(fault));
}

}  // namespace
}  // namespace verifier

Result<Report> VerifySound(const Program& program, const PlanFile& file, const Options& options) {
  auto placed = verifier::Place(program, file.plan, options);
  if (!placed) return tl::unexpected(placed.error());
  Report report;
  verifier::FaultList faults(&report);
  if (!options.allow_lifetime_and_storage_overlap) {
    verifier::CheckOverlaps(*placed, program, &faults);
  }
  if (report.ok) {
    for (const auto& graph : placed->graphs) {
      const auto resting = graph->items.begin() + static_cast<ptrdiff_t>(graph->first_resting);
      report.reuse_pairs += verifier::CountSharingPairs({graph->items.begin(), resting});
    }
  } else {
    report.reuse_pairs = -1;
  }
  verifier::CheckHash(file, GraphHash(program), &faults);
  const bool claims_lifetimes = file.has_rules && file.plan.options.rules == Rules::kSound;
  for (size_t i = 0; i < placed->graphs.size(); ++i) {
    verifier::CheckRows(*placed->graphs[i], placed->settings[i], claims_lifetimes, &faults);
  }
  if (!placed->settings.empty()) verifier::CheckCapacity(placed->settings[0], &faults);
  if (program.shared_buffers) {
    verifier::CheckStatePlaces(placed->graphs, program.names, &faults);
  }
  return report;
}

Result<Report> CheckStorageReuse(const Program& program, const Plan& plan, const Options& options) {
  auto placed = verifier::Place(program, plan, options);
  if (!placed) return tl::unexpected(placed.error());
  Report report;
  verifier::FaultList faults(&report);
  verifier::CheckOverlaps(*placed, program, &faults);
  return report;
}

}  // namespace memplan
