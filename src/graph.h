// A model's graph as structure of arrays: what the input says, names interned,
// nothing derived.
#ifndef MEMPLAN_GRAPH_H_
#define MEMPLAN_GRAPH_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "names.h"
#include "units.h"

namespace memplan {

enum class Op : uint8_t {
  kPlaceholder,
  kGetAttr,
  kCallFunction,
  kCallModule,
  kCallMethod,
  kOutput
};

enum class Variant : uint8_t { kFunctional, kOut, kInplace };

enum class Dynamism : uint8_t { kStatic, kDynamicBound, kDynamicUnbound };

// The call_function targets with a meaning of their own; kOperator is every
// other.
enum class Target : uint8_t {
  kOperator,
  kAlloc,    // memory.alloc
  kView,     // memory.view: its specs are those of its first arg
  kFree,     // memory.free
  kGetItem,  // operator.getitem
  kCond,
  kWhile,
  kMap,
  kScan,
  kDelegate,  // executorch_call_delegate
};

// The rows of `tensors`, a column each. The columns after `is_const` are rare:
// empty where no row of the graph sets them, else one entry a tensor; read them
// through the functions below.
struct Tensors {
  std::vector<NameId> id;
  std::vector<Bytes> nbytes;
  std::vector<Dynamism> dynamism;
  std::vector<uint8_t> is_const;
  std::vector<MemId> mem_id;              // kNoPool where the input chooses none
  std::vector<TensorIndex> inplace_base;  // kNoTensor where there is none
  std::vector<TensorIndex> storage_base;  // likewise
  std::vector<Bytes> storage_base_offset;
  std::vector<int64_t> cost;   // kNoBytes where none is given
  std::vector<NameId> device;  // kNoName where none is given

  // Kept only where the reader is asked to: a tensor's shape is dims[first_dim[t]] up to, not
  // including, dims[first_dim[t + 1]]; one entry more than there are tensors.
  std::vector<uint32_t> first_dim;
  std::vector<Bytes> dims;

  TensorIndex size() const { return static_cast<TensorIndex>(id.size()); }
  MemId pool_of(TensorIndex t) const { return mem_id.empty() ? kNoPool : mem_id[t]; }
  TensorIndex inplace_base_of(TensorIndex t) const {
    return inplace_base.empty() ? kNoTensor : inplace_base[t];
  }
  TensorIndex storage_base_of(TensorIndex t) const {
    return storage_base.empty() ? kNoTensor : storage_base[t];
  }
  Bytes storage_base_offset_of(TensorIndex t) const {
    return storage_base_offset.empty() ? 0 : storage_base_offset[t];
  }
  int64_t cost_of(TensorIndex t) const { return cost.empty() ? kNoBytes : cost[t]; }
  std::span<const Bytes> shape_of(TensorIndex t) const {
    if (first_dim.empty()) return {};
    return {dims.data() + first_dim[t], dims.data() + first_dim[t + 1]};
  }
  NameId device_of(TensorIndex t) const { return device.empty() ? kNoName : device[t]; }
};

// One row of a node's `scratch`: bytes live at that node only.
struct Scratch {
  NodeIndex node = kNoNode;
  Bytes nbytes = 0;
  Bytes alignment = 1;
  MemId mem_id = kNoPool;
};

// How a node uses its submodules; the format's defaults are left as kUnset.
struct ControlFlow {
  static constexpr int32_t kUnset = -1;
  NodeIndex node = kNoNode;
  std::vector<int32_t> submodules;  // places in Graph::submodules
  int32_t carried = kUnset;
  int32_t mapped = kUnset;
};

struct Pool {
  MemId mem_id = 1;
  std::string name;
  Bytes capacity = kNoBytes;
  Bytes alignment = 1;

  bool operator==(const Pool&) const = default;
};

// The rows of `nodes`, a column each. Node n yields specs[first_spec[n]] up to,
// not including, specs[first_spec[n + 1]]; both `first_` columns have one entry
// more than there are nodes.
struct Nodes {
  std::vector<NameId> name;
  std::vector<NameId> target;
  std::vector<Op> op;
  std::vector<Target> kind;  // kOperator too where op is not kCallFunction
  std::vector<Variant> variant;
  std::vector<uint8_t> weight_has_gradient;
  std::vector<uint32_t> first_spec;
  std::vector<TensorIndex> specs;  // kNoTensor where a spec is null
  std::vector<uint32_t> first_arg;
  std::vector<NodeIndex> args;     // earlier nodes, in the input's order
  std::vector<NameId> backend_id;  // rare: empty, or one entry a node
  // The node whose specs each node yields: itself, or what a memory.view (of a view …) looks at.
  // Empty where there are no views.
  std::vector<NodeIndex> source;

  NodeIndex size() const { return static_cast<NodeIndex>(name.size()); }
  std::span<const TensorIndex> specs_of(NodeIndex n) const {
    return {specs.data() + first_spec[n], specs.data() + first_spec[n + 1]};
  }
  std::span<const NodeIndex> args_of(NodeIndex n) const {
    return {args.data() + first_arg[n], args.data() + first_arg[n + 1]};
  }
  NameId backend_of(NodeIndex n) const { return backend_id.empty() ? kNoName : backend_id[n]; }
  NodeIndex source_of(NodeIndex n) const { return source.empty() ? n : source[n]; }
};

// A pair of the signature.
struct NamePair {
  NameId key = kNoName;
  NameId value = kNoName;
};

struct Signature {
  bool exists = false;
  std::vector<NamePair> inputs_to_buffers;  // placeholder target -> buffer name
  std::vector<NamePair> buffers_to_mutate;  // node that holds the new value -> buffer name
};

struct Graph {
  NameId name = kNoName;  // of a submodule or method: its key; of the top
                          // graph: its `name`
  Tensors tensors;
  Nodes nodes;
  std::vector<Scratch> scratch;                    // by node
  std::vector<ControlFlow> control_flow;           // by node
  std::vector<std::unique_ptr<Graph>> submodules;  // in the input's order
  Signature signature;
  std::vector<Pool> pools;
  std::vector<Bytes> input_mem_buffer_sizes;  // per mem_id; empty where the input has none
  bool encounter_to_out_var_failure = false;

  // The control flow of a node; null where it has none. O(log of their number).
  const ControlFlow* control_flow_of(NodeIndex n) const;
  // The tensors a node yields, upstream's get_node_tensor_specs with nulls
  // kept: a memory.view has those of its first arg (recursively where that is a
  // view too), whatever its own specs say; its own only where it has no arg.
  std::span<const TensorIndex> YieldedBy(NodeIndex n) const {
    return nodes.specs_of(nodes.source_of(n));
  }
};

// What one input holds: one graph, or several methods planned together.
struct Program {
  Names names;
  std::unique_ptr<Graph> graph;  // null where there are methods
  std::vector<std::unique_ptr<Graph>> methods;
  bool shared_buffers = true;  // state of one name is one buffer in all methods

  // Methods share one memory: those that name pools name the same ones.
  const std::vector<Pool>& pools() const;
  // The pool of what names none; kNoPool where that is spread over several.
  MemId default_pool() const;
  // Bytes of a pool that are taken already, in methods the most that one of them says.
  std::vector<Bytes> taken() const;
};

}  // namespace memplan

#endif  // MEMPLAN_GRAPH_H_
