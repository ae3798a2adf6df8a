#include "verifier/row_checks.h"

#include <algorithm>
#include <string>

#include "message.h"
#include "row_sort.h"

namespace memplan::verifier {
namespace {

// What an XNNPACK delegate may read past the end of a tensor; upstream's XNN_EXTRA_BYTES.
constexpr Bytes kDelegatePadding = 64;

template <typename T>
T At(const std::vector<T>& column, TensorIndex t, T none) {
  return static_cast<size_t>(t) < column.size() ? column[t] : none;
}

bool NamesXnnpack(std::string_view backend) {
  constexpr std::string_view kWord = "xnnpack";
  const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
  return std::search(backend.begin(), backend.end(), kWord.begin(), kWord.end(), same) !=
         backend.end();
}

class RowChecker {
 public:
  RowChecker(const PlacedGraph& graph, const Setting& setting, bool claims_lifetimes,
             FaultList* faults)
      : graph_(graph),
        reading_(*graph.reading),
        tensors_(graph.reading->graph->tensors),
        plan_(*graph.plan),
        setting_(setting),
        claims_lifetimes_(claims_lifetimes),
        faults_(*faults) {}

  void Check() {
    for (const TensorIndex t : reading_.contradictions) {
      Add("BASE_CONTRADICTION", {t},
          Message({Name(t), " is put in two places of one storage by the graph"}));
    }
    for (TensorIndex t = 0; t < tensors_.size(); ++t) CheckRow(t);
    for (const Flow& flow : reading_.flows) CheckFlow(flow);
    CheckFrees();
    CheckPadding();
  }

 private:
  std::string Name(TensorIndex t) const { return Quoted(setting_.names[tensors_.id[t]]); }
  std::string NodeName(NodeIndex n) const {
    return std::string(setting_.names[reading_.graph->nodes.name[n]]);
  }

  void Add(const char* code, std::initializer_list<TensorIndex> tensors, const std::string& message,
           Bytes from = 0, Bytes to = 0, const char* check = "plan") {
    if (!faults_.is_open()) return faults_.Count(1);
    Fault fault;
    fault.check = check;
    fault.code = code;
    fault.message = message;
    fault.graph = PathOf(reading_, setting_.names);
    for (const TensorIndex t : tensors) {
      fault.tensors.emplace_back(setting_.names[tensors_.id[t]]);
    }
    fault.from = from;
    fault.to = to;
    faults_.Add(std::move(fault));
  }

  bool IsCallers(TensorIndex storage) const {
    return (reading_.flags[storage] & (kByReference | kOwnInBody)) == kByReference;
  }

  // Bytes of its own, also where a value is carried beyond a node's results.
  bool HasOwnBytes(TensorIndex storage) const {
    return !IsCallers(storage) || (reading_.tensor_flags[storage] & kCarriedApart) != 0;
  }

  // Why the options leave a storage of a top graph to the caller; null where they do not.
  const char* LeftToCaller(TensorIndex storage) const {
    if (reading_.caller != nullptr) return nullptr;
    const uint8_t flags = reading_.flags[storage];
    const Options& options = setting_.options;
    if ((flags & kState) != 0) return options.alloc_mutable_buffers ? nullptr : "BUFFER_PLANNED";
    if ((flags & kInput) != 0 && !options.alloc_graph_input) return "INPUT_PLANNED";
    if ((flags & kOutput) != 0 && !options.alloc_graph_output) return "OUTPUT_PLANNED";
    return nullptr;
  }

  void CheckRow(TensorIndex t) {
    const MemId pool = At(plan_.mem_id, t, kNoPool);
    const Bytes offset = At(plan_.mem_offset, t, kNoBytes);
    if (pool == kNoPool && offset == kNoBytes) return CheckMissing(t);
    if (pool == kNoPool || offset == kNoBytes) {
      return Add(
          "PLACE_INCOMPLETE", {t},
          Name(t) + (pool == kNoPool ? " has an offset and no pool" : " has a pool and no offset"));
    }
    if (pool < 1 || static_cast<size_t>(pool) >= setting_.buffer_sizes.size()) {
      return Add("NO_SUCH_POOL", {t},
                 Message({Name(t), " is in pool ", pool, ", which has no buffer"}));
    }
    if (offset < 0) {
      return Add("NEGATIVE_OFFSET", {t}, Message({Name(t), " has offset ", offset}));
    }
    CheckAllowed(t, pool, offset);
    CheckPlace(t, pool, offset);
    CheckClaims(t, offset);
  }

  void CheckMissing(TensorIndex t) {
    const TensorIndex storage = reading_.storage[t];
    const uint8_t flags = reading_.flags[storage];
    if (!reading_.is_named(t) || tensors_.nbytes[t] == 0 || (flags & kYielded) == 0 ||
        (flags & (kConstant | kUnbound)) != 0 || IsCallers(storage) ||
        LeftToCaller(storage) != nullptr) {
      return;
    }
    const bool whole = graph_.pool[storage] == kNoPool && reading_.caller == nullptr;
    const char* code = "TENSOR_MISSING";
    if (whole && (flags & kState) != 0) {
      code = "BUFFER_NOT_PLANNED";
    } else if (whole && (flags & kInput) != 0) {
      code = "INPUT_NOT_PLANNED";
    } else if (whole && (flags & kOutput) != 0) {
      code = "OUTPUT_NOT_PLANNED";
    }
    const bool owned = whole && (flags & (kState | kInput | kOutput)) != 0;
    Add(code, {t}, Message({Name(t), " has no place in the plan"}), 0, 0,
        owned ? "graph_input_output" : "plan");
  }

  void CheckAllowed(TensorIndex t, MemId pool, Bytes offset) {
    // What a placeholder is, its caller's tensor says.
    if (IsCallers(reading_.storage[t])) return;
    const Bytes end = offset + tensors_.nbytes[t];
    const uint8_t flags = reading_.flags[reading_.storage[t]];
    if ((flags & kConstant) != 0) {
      Add("CONSTANT_PLANNED", {t}, Message({Name(t), " is constant and has a place in the plan"}),
          offset, end);
    } else if ((flags & kUnbound) != 0) {
      Add("UNBOUND_PLANNED", {t}, Message({Name(t), " has no bound on its size and has a place"}),
          offset, end);
    } else if (const char* code = LeftToCaller(reading_.storage[t])) {
      Add(code, {t}, Message({Name(t), " is the caller's by the options and has a place"}), offset,
          end, "graph_input_output");
    }
    const MemId chosen = tensors_.pool_of(t), by_base = tensors_.pool_of(reading_.storage[t]);
    const MemId wanted = by_base != kNoPool ? by_base : chosen;
    if (wanted != kNoPool && wanted != pool) {
      Add("WRONG_POOL", {t}, Message({Name(t), " is in pool ", pool, ", the graph says ", wanted}),
          offset, end);
    }
  }

  void CheckPlace(TensorIndex t, MemId pool, Bytes offset) {
    const TensorIndex storage = reading_.storage[t];
    const bool at_base = graph_.pool[storage] == pool && graph_.address(t) == offset;
    if (!at_base) {
      Add("NOT_WHERE_BASE_IS", {t, storage},
          Message({Name(t), " is in ", BytesOfPool(pool, offset, offset + tensors_.nbytes[t]),
                   ", by its base ", Name(storage), " it should begin at ", graph_.address(t),
                   " of pool ", graph_.pool[storage]}),
          offset, offset + tensors_.nbytes[t]);
    }
    const bool is_whole = t == storage && HasOwnBytes(storage);
    const Bytes alignment = setting_.AlignmentOf(pool);
    const Bytes end =
        offset + (is_whole ? AlignUp(reading_.size[t], alignment) : tensors_.nbytes[t]);
    const Bytes buffer = setting_.buffer_sizes[pool];
    if (end > buffer && end > offset) {
      Add("PAST_END", {t},
          Message(
              {Name(t), " is in ", BytesOfPool(pool, offset, end), ", whose buffer has ", buffer}),
          std::max(offset, buffer), end);
    }
    if (!is_whole || end == offset) return;
    if (offset % alignment != 0) {
      Add("MISALIGNED", {t},
          Message({Name(t), " is at ", offset, ", which is no multiple of ", alignment}), offset,
          end);
    }
    const Bytes reserved = At(setting_.reserved, pool, Bytes{0});
    if (offset < reserved) {
      Add("BELOW_RESERVED", {t},
          Message({Name(t), " is in ", BytesOfPool(pool, offset, end), ", which is taken up to ",
                   reserved}),
          offset, std::min(end, reserved));
    }
  }

  void CheckClaims(TensorIndex t, Bytes offset) {
    const Bytes end = offset + tensors_.nbytes[t];
    const Bytes allocated = At(plan_.allocated, t, kNoBytes);
    if (allocated != kNoBytes && allocated < tensors_.nbytes[t]) {
      Add("TOO_SMALL", {t},
          Message({Name(t), " is given ", allocated, " bytes and has ", tensors_.nbytes[t]}),
          offset, end);
    }
    const TensorIndex storage = reading_.storage[t];
    const Lifetime needs = reading_.life[storage];
    if (!claims_lifetimes_ || !reading_.is_named(t) || IsCallers(storage)) return;
    const Lifetime has = At(plan_.lifetime, t, Lifetime{});
    if (has.exists() && has.first <= needs.first && has.last >= needs.last) return;
    Add("LIFETIME_TOO_SHORT", {t},
        Message({Name(t), " has lifetime [", has.first, ", ", has.last,
                 "], its storage is named in [", needs.first, ", ", needs.last, "]"}),
        offset, end);
  }

  void CheckFlow(const Flow& flow) {
    for (const Call& call : flow.calls) {
      const PlacedGraph& inner = *graph_.submodules[call.submodule];
      for (const auto& [placeholder, outer] : call.by_reference) {
        const TensorIndex storage = inner.reading->storage[placeholder];
        const bool has_own = inner.reading->has(placeholder, kOwnInBody) ||
                             (inner.reading->tensor_flags[storage] & kCarriedApart) != 0;
        if (outer == kNoTensor || !inner.is_placed(placeholder) || has_own) continue;
        const bool same = graph_.is_placed(outer) &&
                          graph_.pool[reading_.storage[outer]] == inner.pool[storage] &&
                          graph_.address(outer) == inner.address(placeholder);
        if (!same) NotAtOperand(flow, *inner.reading, placeholder, outer);
      }
    }
    for (const auto& [first, last] : flow.carried_apart) CheckCarried(flow, first, last);
  }

  // A value carried beyond the results has one place of its own, given in the body, the condition
  // or both.
  void CheckCarried(const Flow& flow, TensorIndex first, TensorIndex last) {
    const PlacedGraph& condition = *graph_.submodules[flow.calls.front().submodule];
    const PlacedGraph& body = *graph_.submodules[flow.calls.back().submodule];
    const bool in_condition = condition.is_placed(first), in_body = body.is_placed(last);
    const TensorIndex storage = body.reading->storage[last];
    if (!in_condition && !in_body) {
      if (body.reading->graph->tensors.nbytes[last] == 0 ||
          (body.reading->flags[storage] & (kConstant | kUnbound)) != 0) {
        return;
      }
      return AddInner("TENSOR_MISSING", flow, *body.reading, last,
                      " is carried beyond the results and has no place");
    }
    if (in_condition && in_body &&
        (condition.pool[condition.reading->storage[first]] != body.pool[storage] ||
         condition.address(first) != body.address(last))) {
      AddInner("NOT_WHERE_OPERAND_IS", flow, *body.reading, last,
               " has another place in the condition");
    }
  }

  void NotAtOperand(const Flow& flow, const GraphReading& inner, TensorIndex placeholder,
                    TensorIndex outer) {
    AddInner("NOT_WHERE_OPERAND_IS", flow, inner, placeholder,
             Message({" is not where ", Name(outer), " is"}));
  }

  // A fault of a submodule's tensor that a node here shows.
  void AddInner(const char* code, const Flow& flow, const GraphReading& inner, TensorIndex tensor,
                const std::string& what) {
    if (!faults_.is_open()) return faults_.Count(1);
    const std::string_view name = setting_.names[inner.graph->tensors.id[tensor]];
    Fault fault;
    fault.check = "plan";
    fault.code = code;
    fault.message = Message({Quoted(name), what, ", at node ", Quoted(NodeName(flow.node))});
    fault.graph = PathOf(inner, setting_.names);
    fault.tensors.emplace_back(name);
    fault.nodes.push_back(NodeName(flow.node));
    faults_.Add(std::move(fault));
  }

  void CheckFrees() {
    std::vector<TensorIndex> freed;
    for (const Free& free : plan_.frees) {
      const TensorIndex storage = reading_.storage[free.tensor];
      const uint8_t flags = reading_.flags[storage];
      if (free.after < graph_.life[storage].last) {
        Add("FREED_EARLY", {free.tensor},
            Message({Name(free.tensor), " is freed after ", Quoted(NodeName(free.after)),
                     " and read until ", Quoted(NodeName(graph_.life[storage].last))}));
      }
      if (graph_.pool[storage] != kNoPool || IsCallers(storage) ||
          (flags & (kInput | kOutput | kConstant)) != 0) {
        Add("FREED_WRONGLY", {free.tensor},
            Message(
                {Name(free.tensor), " is freed, and is planned, an input, an output or constant"}));
      }
      freed.push_back(storage);
    }
    SortRows(&freed);
    for (size_t i = 1; i < freed.size(); ++i) {
      if (freed[i] == freed[i - 1]) {
        Add("FREED_TWICE", {freed[i]}, Message({Name(freed[i]), " is freed twice"}));
      }
    }
  }

  void CheckPadding() {
    const Nodes& nodes = reading_.graph->nodes;
    if (nodes.backend_id.empty()) return;
    const std::vector<NodeIndex> sources = SourcesOf(nodes);
    for (NodeIndex n = 0; n < nodes.size(); ++n) {
      const NameId backend = nodes.backend_id[n];
      if (nodes.kind[n] != Target::kDelegate || backend == kNoName ||
          !NamesXnnpack(setting_.names[backend])) {
        continue;
      }
      for (const TensorIndex t : nodes.specs_of(n)) CheckPaddingOf(t);
      for (const NodeIndex arg : nodes.args_of(n)) {
        for (const TensorIndex t : nodes.specs_of(sources[arg])) CheckPaddingOf(t);
      }
    }
  }

  void CheckPaddingOf(TensorIndex t) {
    if (t == kNoTensor || !graph_.is_placed(t) || IsCallers(reading_.storage[t])) return;
    const MemId pool = graph_.pool[reading_.storage[t]];
    const Bytes end = graph_.address(t) + tensors_.nbytes[t];
    const Bytes buffer = At(setting_.buffer_sizes, pool, Bytes{0});
    if (tensors_.nbytes[t] == 0 || end > buffer || end + kDelegatePadding <= buffer) return;
    Add("PADDING_MISSING", {t},
        Message({Name(t),
                 " goes to an XNNPACK delegate, which may read 64 bytes past its end, and ends ",
                 buffer - end, " bytes before its buffer does"}),
        end, end + kDelegatePadding);
  }

  const PlacedGraph& graph_;
  const GraphReading& reading_;
  const Tensors& tensors_;
  const GraphPlan& plan_;
  const Setting& setting_;
  const bool claims_lifetimes_;
  FaultList& faults_;
};

}  // namespace

void CheckRows(const PlacedGraph& graph, const Setting& setting, bool claims_lifetimes,
               FaultList* faults) {
  RowChecker(graph, setting, claims_lifetimes, faults).Check();
  for (const auto& submodule : graph.submodules) {
    if (submodule != nullptr) CheckRows(*submodule, setting, claims_lifetimes, faults);
  }
}

void CheckCapacity(const Setting& setting, FaultList* faults) {
  const Options& options = setting.options;
  std::vector<Bytes> capacity(setting.buffer_sizes.size(), kNoBytes);
  for (const Pool& pool : setting.pools) {
    if (static_cast<size_t>(pool.mem_id) < capacity.size()) capacity[pool.mem_id] = pool.capacity;
  }
  // The option wins.
  for (size_t pool = 0; pool < capacity.size() && !options.capacity.empty(); ++pool) {
    if (!options.capacity_per_pool) {
      capacity[pool] = options.capacity[0];
    } else if (pool < options.capacity.size()) {
      capacity[pool] = options.capacity[pool];
    }
  }
  for (size_t pool = 1; pool < capacity.size(); ++pool) {
    const Bytes size = setting.buffer_sizes[pool];
    if (capacity[pool] == kNoBytes || size <= capacity[pool]) continue;
    Fault fault;
    fault.check = "plan";
    fault.code = "OVER_CAPACITY";
    fault.message = Message(
        {"the buffer of pool ", pool, " has ", size, " bytes, the pool has ", capacity[pool]});
    fault.from = capacity[pool];
    fault.to = size;
    faults->Add(std::move(fault));
  }
}

}  // namespace memplan::verifier
