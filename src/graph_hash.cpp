#include "graph_hash.h"

#include <cstring>
#include <vector>

namespace memplan {
namespace {

// The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit of the input moves every bit
// of the output.
uint64_t Mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// A hash of a sequence: each value depends on its place. One multiplication a value, so that a
// million rows cost little; Mix at the end.
class Sequence {
 public:
  explicit Sequence(uint64_t kind) : state_(Mix(kind + 1)) {}
  Sequence& Add(uint64_t value) {
    state_ = (state_ ^ value) * 0x9e3779b97f4a7c15u;
    state_ ^= state_ >> 29;
    return *this;
  }
  Sequence& Add(int64_t value) { return Add(static_cast<uint64_t>(value)); }
  Sequence& Add(int32_t value) { return Add(static_cast<uint64_t>(static_cast<int64_t>(value))); }
  uint64_t Take() const { return Mix(state_); }

 private:
  uint64_t state_;
};

template <typename Word>
uint64_t WordAt(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// The last `size` bytes of the text, less than eight, the first of them lowest. Without a loop or a
// call where the text is long enough to read whole words of it: this is most of the hash of a
// graph.
uint64_t Tail(std::string_view text, size_t size) {
  const char* const end = text.data() + text.size();
  if (size == 0) return 0;
  if (text.size() >= 8) return WordAt<uint64_t>(end - 8) >> (64 - 8 * size);
  uint64_t tail = 0;
  for (size_t i = 1; i <= size; ++i) tail = tail << 8 | static_cast<uint8_t>(*(end - i));
  return tail;
}

[[gnu::always_inline]] inline uint64_t HashOfText(std::string_view text) {
  Sequence hash(text.size());
  const char* at = text.data();
  size_t left = text.size();
  for (; left >= 8; left -= 8, at += 8) {
    uint64_t word;
    std::memcpy(&word, at, 8);
    hash.Add(word);
  }
  return hash.Add(Tail(text, left)).Take();
}

// Kinds of things, so that none can stand for another.
enum Kind : uint64_t {
  kTensor = 1000,
  kNode,
  kScratch,
  kFlow,
  kInputBuffer,
  kMutatedBuffer,
  kPools,
  kReserved,
  kSubmodule,
  kGraph,
  kMethod,
  kProgram,
  kInterval,
  kConflict,
  kIntervals,
};
// "No such name"; no text hashes to a constant on purpose.
constexpr uint64_t kNone = 0x6e6f6e65;

class GraphHasher {
 public:
  explicit GraphHasher(const Names& names) : names_(names) {}

  // Recursion is as deep as submodules nest, which the reader limits.
  uint64_t Hash(const Graph& graph) {
    Sequence hash(kGraph);
    const std::vector<uint64_t> ids = HashIds(graph);
    // A sum does not mind the order of its terms.
    uint64_t tensors = 0;
    for (TensorIndex t = 0; t < graph.tensors.size(); ++t) tensors += HashTensor(graph, ids, t);
    hash.Add(tensors);
    for (NodeIndex n = 0; n < graph.nodes.size(); ++n) hash.Add(HashNode(graph.nodes, ids, n));
    for (const Scratch& scratch : graph.scratch) hash.Add(HashScratch(scratch));
    for (const ControlFlow& flow : graph.control_flow) hash.Add(HashFlow(graph, flow));
    hash.Add(HashSignature(graph.signature)).Add(HashPools(graph));
    hash.Add(uint64_t{graph.encounter_to_out_var_failure});
    uint64_t submodules = 0;
    for (const auto& submodule : graph.submodules) {
      submodules += Sequence(kSubmodule).Add(Text(submodule->name)).Add(Hash(*submodule)).Take();
    }
    return hash.Add(submodules).Take();
  }

  uint64_t Text(NameId name) const { return name == kNoName ? kNone : HashOfText(names_[name]); }

 private:
  std::vector<uint64_t> HashIds(const Graph& graph) const {
    std::vector<uint64_t> ids(graph.tensors.id.size());
    for (size_t t = 0; t < ids.size(); ++t) ids[t] = Text(graph.tensors.id[t]);
    return ids;
  }

  static uint64_t IdOf(const std::vector<uint64_t>& ids, TensorIndex t) {
    return t == kNoTensor ? kNone : ids[t];
  }

  uint64_t HashTensor(const Graph& graph, const std::vector<uint64_t>& ids, TensorIndex t) const {
    const Tensors& tensors = graph.tensors;
    return Sequence(kTensor)
        .Add(ids[t])
        .Add(tensors.nbytes[t])
        .Add(uint64_t{tensors.is_const[t]} * 4 + static_cast<uint64_t>(tensors.dynamism[t]))
        .Add(tensors.pool_of(t))
        .Add(IdOf(ids, tensors.inplace_base_of(t)))
        .Add(IdOf(ids, tensors.storage_base_of(t)))
        .Add(tensors.storage_base_offset_of(t))
        .Add(tensors.cost_of(t))
        .Add(tensors.device.empty() ? kNone : Text(tensors.device[t]))
        .Take();
  }

  uint64_t HashNode(const Nodes& nodes, const std::vector<uint64_t>& ids, NodeIndex n) {
    Sequence hash(kNode);
    if (nodes.target[n] != target_) {
      target_ = nodes.target[n];
      target_hash_ = Text(target_);
    }
    hash.Add(Text(nodes.name[n]))
        .Add(target_hash_)
        .Add(nodes.backend_id.empty() ? kNone : Text(nodes.backend_id[n]));
    hash.Add(static_cast<uint64_t>(nodes.op[n]) * 64 + static_cast<uint64_t>(nodes.variant[n]) * 8 +
             nodes.weight_has_gradient[n]);
    const std::span<const TensorIndex> specs = nodes.specs_of(n);
    const std::span<const NodeIndex> args = nodes.args_of(n);
    hash.Add(uint64_t{specs.size()} << 32 | args.size());
    for (const TensorIndex t : specs) hash.Add(IdOf(ids, t));
    for (const NodeIndex arg : args) hash.Add(arg);
    return hash.Take();
  }

  static uint64_t HashScratch(const Scratch& scratch) {
    return Sequence(kScratch)
        .Add(scratch.node)
        .Add(scratch.nbytes)
        .Add(scratch.alignment)
        .Add(scratch.mem_id)
        .Take();
  }

  uint64_t HashFlow(const Graph& graph, const ControlFlow& flow) const {
    Sequence hash(kFlow);
    hash.Add(flow.node).Add(flow.carried).Add(flow.mapped);
    for (const int32_t place : flow.submodules) hash.Add(Text(graph.submodules[place]->name));
    return hash.Take();
  }

  uint64_t HashSignature(const Signature& signature) const {
    uint64_t sum = signature.exists ? 1 : 0;
    for (const NamePair& pair : signature.inputs_to_buffers) {
      sum += Sequence(kInputBuffer).Add(Text(pair.key)).Add(Text(pair.value)).Take();
    }
    for (const NamePair& pair : signature.buffers_to_mutate) {
      sum += Sequence(kMutatedBuffer).Add(Text(pair.key)).Add(Text(pair.value)).Take();
    }
    return sum;
  }

  static uint64_t HashPools(const Graph& graph) {
    Sequence hash(kPools);
    for (const Pool& pool : graph.pools) {
      hash.Add(pool.mem_id).Add(pool.capacity).Add(pool.alignment);
    }
    hash.Add(uint64_t{kReserved});
    for (const Bytes size : graph.input_mem_buffer_sizes) hash.Add(size);
    return hash.Take();
  }

  const Names& names_;
  NameId target_ = kNoName;  // of the last node; many have the same
  uint64_t target_hash_ = kNone;
};

uint64_t HashRow(const IntervalFile& file, int32_t row) {
  Sequence hash(kInterval);
  hash.Add(HashOfText(file.names[file.id[row]]));
  hash.Add(file.lower[row]).Add(file.upper[row]).Add(file.size[row]);
  hash.Add(file.alignment.empty() ? Bytes{1} : file.alignment[row]);
  hash.Add(file.offset.empty() ? kNoBytes : file.offset[row]);
  hash.Add(file.mem_id.empty() ? MemId{1} : file.mem_id[row]);
  if (!file.first_gap.empty()) {
    for (uint32_t i = file.first_gap[row]; i < file.first_gap[row + 1]; ++i) {
      hash.Add(file.gaps[i].from).Add(file.gaps[i].to);
    }
  }
  return hash.Take();
}

}  // namespace

uint64_t GraphHash(const Program& program) {
  GraphHasher hasher(program.names);
  if (program.graph != nullptr) return hasher.Hash(*program.graph);
  uint64_t methods = 0;
  for (const auto& method : program.methods) {
    methods += Sequence(kMethod).Add(hasher.Text(method->name)).Add(hasher.Hash(*method)).Take();
  }
  return Sequence(kProgram).Add(uint64_t{program.shared_buffers}).Add(methods).Take();
}

uint64_t IntervalHash(const IntervalFile& file) {
  uint64_t rows = 0;
  std::vector<uint64_t> ids;
  for (int32_t row = 0; row < file.count(); ++row) {
    rows += HashRow(file, row);
    ids.push_back(HashOfText(file.names[file.id[row]]));
  }
  uint64_t conflicts = 0;
  for (const auto& [a, b] : file.conflicts) {
    // Neither the order of the pairs counts nor that within one.
    conflicts += Sequence(kConflict).Add(ids[a] + ids[b]).Add(ids[a] ^ ids[b]).Take();
  }
  Sequence hash(kIntervals);
  hash.Add(rows).Add(conflicts).Add(uint64_t{file.capacity_per_pool});
  for (const Bytes capacity : file.capacity) hash.Add(capacity);
  return hash.Take();
}

std::string HashText(uint64_t hash) {
  std::string text(16, '0');
  for (size_t i = 16; i-- > 0; hash >>= 4) text[i] = "0123456789abcdef"[hash & 15];
  return text;
}

}  // namespace memplan
