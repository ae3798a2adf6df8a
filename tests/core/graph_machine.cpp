#include "graph_machine.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "random_problem.h"

namespace memplan {
namespace {

using Cells = std::vector<uint64_t>;
constexpr Bytes kCell = 16;

// Where a tensor's bytes are.
struct Place {
  Cells* cells = nullptr;
  Bytes at = 0;          // bytes
  MemId pool = kNoPool;  // of the plan; kNoPool for memory that the plan does not own
};

// What a graph's tensors share, found by going over all that is said until nothing changes.
class Sharing {
 public:
  explicit Sharing(const Graph& graph) {
    const Tensors& tensors = graph.tensors;
    for (TensorIndex t = 0; t < tensors.size(); ++t) {
      root_.push_back(t);
      offset_.push_back(0);
    }
    const Nodes& nodes = graph.nodes;
    for (TensorIndex t = 0; t < tensors.size(); ++t) {
      if (tensors.inplace_base_of(t) != kNoTensor) Same(t, tensors.inplace_base_of(t), 0);
      if (tensors.storage_base_of(t) != kNoTensor) {
        Same(t, tensors.storage_base_of(t), tensors.storage_base_offset_of(t));
      }
    }
    for (NodeIndex n = 0; n < nodes.size(); ++n) {
      const bool shares = nodes.kind[n] == Target::kView || nodes.variant[n] == Variant::kInplace;
      if (!shares) continue;
      Same(nodes.specs_of(n)[0], graph.YieldedBy(nodes.args_of(n)[0])[0], 0);
    }
  }

  TensorIndex root(TensorIndex t) const { return root_[t]; }
  Bytes offset(TensorIndex t) const { return offset_[t]; }

 private:
  void Same(TensorIndex t, TensorIndex base, Bytes offset) {
    const TensorIndex gone = root_[t], kept = root_[base];
    const Bytes shift = offset_[base] + offset - offset_[t];
    if (gone == kept) return;
    for (size_t i = 0; i < root_.size(); ++i) {
      if (root_[i] != gone) continue;
      root_[i] = kept;
      offset_[i] += shift;
    }
  }

  std::vector<TensorIndex> root_;
  std::vector<Bytes> offset_;
};

class Machine {
 public:
  Machine(const Program& program, const Options& options, uint64_t seed)
      : names_(program.names), options_(options), random_(seed) {}

  std::string Run(const Graph& graph, const GraphPlan& plan, int runs) {
    for (int i = 0; i < runs && fault_.empty(); ++i) {
      Frame frame = Open(graph, plan, "");
      KeepState(&frame);
      for (NodeIndex n = 0; n < graph.nodes.size(); ++n) {
        if (graph.nodes.op[n] != Op::kPlaceholder) continue;
        for (const TensorIndex t : graph.nodes.specs_of(n)) {
          if (t == kNoTensor || IsState(graph, n)) continue;
          Write(frame, t, random_.Next());
        }
      }
      Execute(&frame);
      for (const TensorIndex t : Outputs(graph)) Read(frame, t, "the end");
    }
    return fault_;
  }

 private:
  // One run of one graph. `truth` are the buffers of the run beside.
  struct Frame {
    const Graph* graph;
    const GraphPlan* plan;
    std::string path;
    std::unique_ptr<Sharing> sharing;
    std::vector<Place> memory, truth;  // by tensor
    std::vector<std::unique_ptr<Cells>> own;
  };

  static Cells* Allocate(Frame* frame, Bytes size) {
    frame->own.push_back(std::make_unique<Cells>(static_cast<size_t>(size / kCell + 1)));
    return frame->own.back().get();
  }

  Cells* Pool(MemId pool) { return &pools_[pool]; }

  Frame Open(const Graph& graph, const GraphPlan& plan, const std::string& path) {
    Frame frame{&graph, &plan, path, std::make_unique<Sharing>(graph), {}, {}, {}};
    const Tensors& tensors = graph.tensors;
    std::map<TensorIndex, Bytes> low, high;  // of each storage, from its root
    for (TensorIndex t = 0; t < tensors.size(); ++t) {
      const TensorIndex root = frame.sharing->root(t);
      const Bytes offset = frame.sharing->offset(t);
      low[root] = std::min(low[root], offset);
      high[root] = std::max(high[root], offset + tensors.nbytes[t]);
    }
    std::map<TensorIndex, Place> truth, unplanned;
    for (const auto& [root, from] : low) {
      truth[root] = {Allocate(&frame, high[root] - from), -from};
      unplanned[root] = {Allocate(&frame, high[root] - from), -from};
    }
    for (TensorIndex t = 0; t < tensors.size(); ++t) {
      const TensorIndex root = frame.sharing->root(t);
      const Bytes offset = frame.sharing->offset(t);
      frame.truth.push_back({truth[root].cells, truth[root].at + offset});
      if (plan.mem_id[t] != kNoPool) {
        frame.memory.push_back({Pool(plan.mem_id[t]), plan.mem_offset[t], plan.mem_id[t]});
      } else {
        frame.memory.push_back({unplanned[root].cells, unplanned[root].at + offset});
      }
    }
    // Constants hold something from the start.
    for (TensorIndex t = 0; t < tensors.size(); ++t) {
      if (tensors.is_const[t] != 0) Write(frame, t, static_cast<uint64_t>(t) + 77);
    }
    return frame;
  }

  bool IsState(const Graph& graph, NodeIndex n) const {
    for (const NamePair& pair : graph.signature.inputs_to_buffers) {
      if (pair.key == graph.nodes.target[n]) return true;
    }
    return false;
  }

  // A mutable buffer's bytes are those of the run before.
  void KeepState(Frame* frame) {
    const Graph& graph = *frame->graph;
    for (NodeIndex n = 0; n < graph.nodes.size(); ++n) {
      if (graph.nodes.op[n] != Op::kPlaceholder || !IsState(graph, n)) continue;
      const TensorIndex state = graph.nodes.specs_of(n)[0];
      const bool is_new = state_truth_.empty();
      if (is_new) {
        const auto cells = static_cast<size_t>(graph.tensors.nbytes[state] / kCell);
        state_truth_.resize(cells + 1);
        state_memory_.resize(cells + 1);
      }
      const Bytes from = frame->sharing->offset(state);
      for (TensorIndex t = 0; t < graph.tensors.size(); ++t) {
        if (frame->sharing->root(t) != frame->sharing->root(state)) continue;
        const Bytes at = frame->sharing->offset(t) - from;
        frame->truth[t] = {&state_truth_, at};
        if (frame->plan->mem_id[t] == kNoPool) frame->memory[t] = {&state_memory_, at};
      }
      if (is_new) Write(*frame, state, random_.Next());
    }
  }

  // --- cells ---

  static uint64_t& Cell(const Place& place, Bytes from) {
    const auto at = static_cast<size_t>((place.at + from) / kCell);
    if (at >= place.cells->size()) place.cells->resize(at + 1);
    return (*place.cells)[at];
  }

  static uint64_t Mix(uint64_t a, uint64_t b) {
    return memplan::Random(a * 0x9e3779b97f4a7c15u ^ b).Next();
  }

  void Write(const Frame& frame, TensorIndex t, uint64_t value) {
    for (Bytes from = 0; from < frame.graph->tensors.nbytes[t]; from += kCell) {
      const uint64_t cell = Mix(value, static_cast<uint64_t>(from));
      Cell(frame.memory[t], from) = cell;
      Cell(frame.truth[t], from) = cell;
    }
  }

  // Gives a number made of all cells; notes a fault where the two runs differ.
  uint64_t Read(const Frame& frame, TensorIndex t, const std::string& reader) {
    uint64_t sum = 1;
    for (Bytes from = 0; from < frame.graph->tensors.nbytes[t]; from += kCell) {
      const uint64_t truth = Cell(frame.truth[t], from);
      if (fault_.empty() && Cell(frame.memory[t], from) != truth) {
        fault_ = reader + " of \"" + frame.path + "\" reads something else in \"" +
                 std::string(names_[frame.graph->tensors.id[t]]) + "\"";
      }
      sum = Mix(sum, truth);
    }
    return sum;
  }

  // `to` gets a part of `from`, which begins `skip` bytes in the latter and `at` in the former.
  void Copy(const Frame& from_frame, TensorIndex from, Bytes skip, const Frame& to_frame,
            TensorIndex to, Bytes at, Bytes size, const std::string& reader) {
    Read(from_frame, from, reader);
    for (Bytes i = 0; i < size; i += kCell) {
      Cell(to_frame.memory[to], at + i) = Cell(from_frame.memory[from], skip + i);
      Cell(to_frame.truth[to], at + i) = Cell(from_frame.truth[from], skip + i);
    }
  }

  // --- nodes ---

  static std::vector<TensorIndex> WithoutNulls(std::span<const TensorIndex> specs) {
    std::vector<TensorIndex> tensors;
    for (const TensorIndex t : specs) {
      if (t != kNoTensor) tensors.push_back(t);
    }
    return tensors;
  }

  static std::vector<TensorIndex> Inputs(const Graph& graph) {
    std::vector<TensorIndex> inputs;
    for (NodeIndex n = 0; n < graph.nodes.size(); ++n) {
      if (graph.nodes.op[n] != Op::kPlaceholder) continue;
      for (const TensorIndex t : WithoutNulls(graph.nodes.specs_of(n))) {
        if (graph.tensors.is_const[t] == 0) inputs.push_back(t);
      }
    }
    return inputs;
  }

  static std::vector<TensorIndex> Outputs(const Graph& graph) {
    std::vector<TensorIndex> outputs;
    for (NodeIndex n = 0; n < graph.nodes.size(); ++n) {
      if (graph.nodes.op[n] != Op::kOutput) continue;
      for (const NodeIndex arg : graph.nodes.args_of(n)) {
        for (const TensorIndex t : WithoutNulls(graph.YieldedBy(arg))) outputs.push_back(t);
      }
    }
    return outputs;
  }

  void Execute(Frame* frame) {
    const Graph& graph = *frame->graph;
    for (NodeIndex n = 0; n < graph.nodes.size() && fault_.empty(); ++n) {
      if (graph.nodes.op[n] == Op::kPlaceholder || graph.nodes.op[n] == Op::kGetAttr) continue;
      switch (graph.nodes.kind[n]) {
        case Target::kAlloc:
        case Target::kFree:
        case Target::kGetItem:
          break;
        case Target::kView: {
          // A view is made of its base's pointer.
          const TensorIndex own = graph.nodes.specs_of(n)[0];
          frame->memory[own] = frame->memory[graph.YieldedBy(n)[0]];
          break;
        }
        case Target::kCond:
          RunCond(frame, n);
          break;
        case Target::kWhile:
          RunWhile(frame, n);
          break;
        case Target::kMap:
        case Target::kScan:
          RunScan(frame, n);
          break;
        default:
          RunOperator(frame, n);
          break;
      }
    }
  }

  void RunOperator(Frame* frame, NodeIndex n) {
    const Graph& graph = *frame->graph;
    const std::vector<TensorIndex> results = WithoutNulls(graph.nodes.specs_of(n));
    const std::string name(names_[graph.nodes.name[n]]);
    uint64_t value = Mix(static_cast<uint64_t>(n), 5);
    for (const NodeIndex arg : graph.nodes.args_of(n)) {
      for (const TensorIndex t : WithoutNulls(graph.YieldedBy(arg))) {
        // What memory.alloc gave it to write to is not read.
        const bool is_out = graph.nodes.kind[arg] == Target::kAlloc &&
                            std::find(results.begin(), results.end(), t) != results.end();
        if (!is_out) value = Mix(value, Read(*frame, t, name));
      }
    }
    if (graph.nodes.op[n] == Op::kOutput) return;
    if (graph.nodes.variant[n] == Variant::kInplace) {
      frame->memory[results[0]] = frame->memory[graph.YieldedBy(graph.nodes.args_of(n)[0])[0]];
    }
    for (size_t i = 0; i < results.size(); ++i) Write(*frame, results[i], Mix(value, i));
  }

  // --- control flow ---

  struct Flow {
    const ControlFlow* control;
    std::string name;
    std::vector<TensorIndex> operands, results;
  };

  Flow FlowOf(const Frame& frame, NodeIndex n) const {
    const Graph& graph = *frame.graph;
    Flow flow{graph.control_flow_of(n), std::string(names_[graph.nodes.name[n]]), {}, {}};
    const std::span<const NodeIndex> args = graph.nodes.args_of(n);
    const size_t skip = graph.nodes.kind[n] == Target::kCond ? 1 : 0;
    for (size_t i = skip; i < args.size(); ++i) {
      for (const TensorIndex t : WithoutNulls(graph.YieldedBy(args[i]))) flow.operands.push_back(t);
    }
    flow.results = WithoutNulls(graph.nodes.specs_of(n));
    return flow;
  }

  Frame OpenSubmodule(const Frame& frame, int32_t place) {
    const Graph& graph = *frame.graph->submodules[place];
    return Open(graph, frame.plan->submodules[place],
                frame.path + std::string(names_[graph.name]) + "/");
  }

  // Placeholder `ph` of `inner` is the caller's tensor.
  static void Refer(Frame* inner, TensorIndex ph, const Place& memory, const Place& truth) {
    const Sharing& sharing = *inner->sharing;
    for (TensorIndex t = 0; t < inner->graph->tensors.size(); ++t) {
      if (sharing.root(t) != sharing.root(ph)) continue;
      const Bytes shift = sharing.offset(t) - sharing.offset(ph);
      inner->memory[t] = {memory.cells, memory.at + shift, memory.pool};
      inner->truth[t] = {truth.cells, truth.at + shift, kNoPool};
    }
  }

  // Whether a result is one with tensors that do not come of it, which a moved pointer would leave
  // behind.
  static bool IsPart(const Frame& frame, TensorIndex result, NodeIndex node) {
    const Graph& graph = *frame.graph;
    for (TensorIndex t = 0; t < graph.tensors.size(); ++t) {
      if (frame.sharing->root(t) != frame.sharing->root(result)) continue;
      if (graph.tensors.inplace_base_of(t) != kNoTensor) return true;
      if (graph.tensors.storage_base_of(t) != kNoTensor) return true;
      if (t == result) continue;
      for (NodeIndex n = 0; n < node; ++n) {
        for (const TensorIndex named : graph.nodes.specs_of(n)) {
          if (named == t) return true;
        }
      }
    }
    return false;
  }

  void RunCond(Frame* frame, NodeIndex n) {
    const Flow flow = FlowOf(*frame, n);
    const std::span<const NodeIndex> args = frame->graph->nodes.args_of(n);
    for (const TensorIndex t : WithoutNulls(frame->graph->YieldedBy(args[0]))) {
      Read(*frame, t, flow.name);
    }
    Frame branch = OpenSubmodule(*frame, flow.control->submodules[random_.Next() % 2]);
    const std::vector<TensorIndex> inputs = Inputs(*branch.graph), outputs = Outputs(*branch.graph);
    for (size_t i = 0; i < inputs.size(); ++i) {
      Refer(&branch, inputs[i], frame->memory[flow.operands[i]], frame->truth[flow.operands[i]]);
    }
    Execute(&branch);
    for (size_t i = 0; i < outputs.size(); ++i) {
      const TensorIndex result = flow.results[i], output = outputs[i];
      Copy(branch, output, 0, *frame, result, 0, 0, flow.name);
      const bool is_moved = options_.move_results && frame->memory[result].pool != kNoPool &&
                            frame->memory[result].pool == branch.memory[output].pool &&
                            !IsPart(*frame, result, n) &&
                            branch.graph->tensors.is_const[output] == 0;
      const Bytes size = frame->graph->tensors.nbytes[result];
      if (is_moved) {
        for (Bytes at = 0; at < size; at += kCell) {
          Cell(frame->truth[result], at) = Cell(branch.truth[output], at);
        }
        frame->memory[result] = branch.memory[output];
      } else {
        Copy(branch, output, 0, *frame, result, 0, size, flow.name);
      }
    }
  }

  // Copies tensors of one frame to places; all are read before any is written.
  void CarryRound(const Frame& from, const std::vector<TensorIndex>& tensors,
                  const std::vector<std::pair<Place, Place>>& to, const std::string& reader) {
    std::vector<std::pair<Cells, Cells>> held;
    for (size_t i = 0; i < to.size(); ++i) {
      Read(from, tensors[i], reader);
      held.emplace_back();
      for (Bytes at = 0; at < from.graph->tensors.nbytes[tensors[i]]; at += kCell) {
        held.back().first.push_back(Cell(from.memory[tensors[i]], at));
        held.back().second.push_back(Cell(from.truth[tensors[i]], at));
      }
    }
    for (size_t i = 0; i < to.size(); ++i) {
      for (size_t c = 0; c < held[i].first.size(); ++c) {
        Cell(to[i].first, static_cast<Bytes>(c) * kCell) = held[i].first[c];
        Cell(to[i].second, static_cast<Bytes>(c) * kCell) = held[i].second[c];
      }
    }
  }

  // The places of the carried values, in memory and in truth: the results, and for those beyond
  // what the body's placeholder has.
  std::vector<std::pair<Place, Place>> CarriedPlaces(const Frame& frame, const Flow& flow,
                                                     const Frame& body, size_t carried) const {
    std::vector<std::pair<Place, Place>> places;
    const std::vector<TensorIndex> inputs = Inputs(*body.graph);
    for (size_t i = 0; i < carried; ++i) {
      if (i < flow.results.size()) {
        places.emplace_back(frame.memory[flow.results[i]], frame.truth[flow.results[i]]);
      } else {
        places.emplace_back(body.memory[inputs[i]], body.truth[inputs[i]]);
      }
    }
    return places;
  }

  void RunWhile(Frame* frame, NodeIndex n) {
    const Flow flow = FlowOf(*frame, n);
    const int32_t body_place = flow.control->submodules[1];
    // Keeps what is carried beyond the results.
    const Frame keeper = OpenSubmodule(*frame, body_place);
    const auto carried = static_cast<size_t>(flow.control->carried);
    const auto places = CarriedPlaces(*frame, flow, keeper, carried);
    CarryRound(*frame, flow.operands, places, flow.name);
    for (uint64_t turns = random_.Next() % 4;; --turns) {
      for (size_t s = 0; s < 2; ++s) {
        if (s == 1 && turns == 0) return;
        Frame inner = OpenSubmodule(*frame, flow.control->submodules[s]);
        const std::vector<TensorIndex> inputs = Inputs(*inner.graph);
        for (size_t i = 0; i < inputs.size(); ++i) {
          if (i < carried) {
            Refer(&inner, inputs[i], places[i].first, places[i].second);
          } else {
            Refer(&inner, inputs[i], frame->memory[flow.operands[i]],
                  frame->truth[flow.operands[i]]);
          }
        }
        Execute(&inner);
        const std::vector<TensorIndex> outputs = Outputs(*inner.graph);
        for (const TensorIndex t : outputs) Read(inner, t, flow.name);
        if (s == 1) CarryRound(inner, outputs, places, flow.name);
      }
    }
  }

  // map is a scan that carries nothing.
  void RunScan(Frame* frame, NodeIndex n) {
    const Flow flow = FlowOf(*frame, n);
    const size_t carried = frame->graph->nodes.kind[n] == Target::kMap
                               ? 0
                               : static_cast<size_t>(flow.control->carried);
    const auto mapped = static_cast<size_t>(flow.control->mapped);
    const int32_t body_place = flow.control->submodules[0];
    const Frame keeper = OpenSubmodule(*frame, body_place);
    const auto places = CarriedPlaces(*frame, flow, keeper, carried);
    CarryRound(*frame, flow.operands, places, flow.name);
    const TensorIndex sliced = Inputs(*keeper.graph)[carried];
    const Bytes turns =
        frame->graph->tensors.nbytes[flow.operands[carried]] / keeper.graph->tensors.nbytes[sliced];
    for (Bytes turn = 0; turn < turns && fault_.empty(); ++turn) {
      Frame body = OpenSubmodule(*frame, body_place);
      const std::vector<TensorIndex> inputs = Inputs(*body.graph);
      for (size_t i = 0; i < inputs.size(); ++i) {
        const TensorIndex ph = inputs[i];
        if (i < carried) {
          Refer(&body, ph, places[i].first, places[i].second);
        } else if (i >= carried + mapped) {
          Refer(&body, ph, frame->memory[flow.operands[i]], frame->truth[flow.operands[i]]);
        }
      }
      for (size_t i = carried; i < carried + mapped; ++i) {
        const Bytes size = body.graph->tensors.nbytes[inputs[i]];
        Copy(*frame, flow.operands[i], turn * size, body, inputs[i], 0, size, flow.name);
      }
      Execute(&body);
      const std::vector<TensorIndex> outputs = Outputs(*body.graph);
      for (const TensorIndex t : outputs) Read(body, t, flow.name);
      CarryRound(body, outputs, places, flow.name);
      for (size_t i = carried; i < outputs.size(); ++i) {
        const Bytes size = body.graph->tensors.nbytes[outputs[i]];
        Copy(body, outputs[i], 0, *frame, flow.results[i], turn * size, size, flow.name);
      }
    }
  }

  const Names& names_;
  const Options& options_;
  memplan::Random random_;
  std::map<MemId, Cells> pools_;
  Cells state_truth_, state_memory_;
  std::string fault_;
};

}  // namespace

std::string RunInPlan(const Program& program, const Plan& plan, const Options& options,
                      uint64_t seed, int runs) {
  return Machine(program, options, seed).Run(*program.graph, plan.top, runs);
}

}  // namespace memplan
