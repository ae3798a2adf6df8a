#include "random_graph.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "random_problem.h"

namespace memplan {
namespace {

// A tensor that later nodes can read.
struct Value {
  std::string node;
  std::string tensor;
  int64_t size = 0;
  bool writable = true;  // an in-place operator may take it
};

std::string Quote(const std::string& text) { return "\"" + text + "\""; }

std::string List(const std::vector<std::string>& texts) {
  std::string list = "[";
  for (const std::string& text : texts) {
    if (list.size() > 1) list += ",";
    list += Quote(text);
  }
  return list + "]";
}

// One graph in the making: rows as JSON text.
class GraphMaker {
 public:
  GraphMaker(Random* random, const RandomGraphOptions& options, int depth, bool is_top)
      : random_(*random), options_(options), depth_(depth), is_top_(is_top) {}

  std::string Make(const std::vector<int64_t>& inputs, const std::vector<int64_t>& outputs) {
    for (const int64_t size : inputs) AddInput(size);
    if (Chance(20)) AddConstant();
    if (is_top_ && options_.state && Chance(40)) AddState();
    if (values_.empty()) AddOperator(Size());
    const int count =
        is_top_ ? options_.nodes : static_cast<int>(Below(int64_t{options_.nodes / 3 + 1}));
    for (int i = 0; i < count; ++i) AddSomething();
    std::vector<std::string> returned;
    for (const int64_t size : outputs) returned.push_back(OutputOf(size));
    if (is_top_) {
      for (int i = 0; i < 2; ++i) returned.push_back(values_[Below(values_.size())].node);
    }
    AddNode("output", "output", "output", returned, {});
    return Text();
  }

 private:
  int64_t Below(int64_t bound) {
    return static_cast<int64_t>(random_.Next() % static_cast<uint64_t>(bound));
  }
  size_t Below(size_t bound) { return static_cast<size_t>(random_.Next() % bound); }
  bool Chance(int percent) { return Below(int64_t{100}) < percent; }
  int64_t Size() { return 16 * (1 + Below(int64_t{6})); }
  std::string Fresh(const char* stem) { return stem + std::to_string(next_++); }

  void AddTensorRow(const std::string& id, int64_t size, const std::string& more) {
    std::string row = "{\"id\":" + Quote(id) + ",\"nbytes\":" + std::to_string(size);
    if (options_.shapes) row += ",\"dtype\":\"uint8\",\"shape\":[" + std::to_string(size) + "]";
    tensors_.push_back(row + more + "}");
  }

  std::string AddTensor(int64_t size) {
    const std::string id = Fresh("t");
    std::string more;
    if (options_.pools && Chance(12)) more = ",\"mem_id\":2";
    if (options_.unbound && Chance(10)) more += ",\"dynamism\":\"dynamic_unbound\"";
    AddTensorRow(id, size, more);
    return id;
  }

  void AddNode(const std::string& name, const char* op, const std::string& target,
               const std::vector<std::string>& args, const std::vector<std::string>& specs,
               const std::string& more = {}) {
    nodes_.push_back("{\"name\":" + Quote(name) + ",\"op\":" + Quote(op) +
                     ",\"target\":" + Quote(target) + ",\"args\":" + List(args) +
                     ",\"specs\":" + List(specs) + more + "}");
  }

  void AddInput(int64_t size) {
    const std::string tensor = AddTensor(size), node = Fresh("x");
    AddNode(node, "placeholder", node, {}, {tensor});
    // By reference it is the caller's, and may be anything there.
    values_.push_back({node, tensor, size, is_top_});
  }

  void AddConstant() {
    const std::string tensor = Fresh("w"), node = Fresh("weight");
    const int64_t size = Size();
    AddTensorRow(tensor, size, ",\"const\":true");
    AddNode(node, "placeholder", node, {}, {tensor});
    values_.push_back({node, tensor, size, false});
  }

  void AddState() {
    const std::string tensor = Fresh("state"), node = Fresh("b_cache");
    const int64_t size = Size();
    AddTensorRow(tensor, size, "");
    AddNode(node, "placeholder", node, {}, {tensor});
    values_.push_back({node, tensor, size, false});
    state_ = values_.back();
    write_state_at_ = Below(int64_t{options_.nodes});
  }

  // Written over once in each run; only what was there before may still be read by others.
  void WriteState() {
    const std::string node = Fresh("update");
    AddNode(node, "call_function", "aten::copy_", {state_.node, Some().node}, {state_.tensor},
            ",\"variant\":\"inplace\"");
    signature_ = ",\"signature\":{\"inputs_to_buffers\":{" + Quote(state_.node) +
                 ":\"cache\"},\"buffers_to_mutate\":{" + Quote(node) + ":\"cache\"}}";
    values_.push_back({node, state_.tensor, state_.size, false});
  }

  const Value& Some() { return values_[Below(values_.size())]; }

  std::vector<std::string> SomeArgs() {
    std::vector<std::string> args;
    for (int64_t i = Below(int64_t{3}); i >= 0; --i) args.push_back(Some().node);
    return args;
  }

  void AddSomething() {
    if (is_top_ && !state_.node.empty() && write_state_at_-- == 0) return WriteState();
    const int64_t pick = Below(int64_t{100});
    const bool can_nest = depth_ < options_.depth;
    if (pick < 25) return AddOperator(Size());
    if (pick < 45) return AddOutVariant(Size());
    if (pick < 50) return AddPair();
    if (pick < 57) return AddView();
    if (pick < 65) return AddInplace();
    if (pick < 72 && options_.slices) return AddSlices();
    if (pick < 87 && can_nest) return AddCond();
    if (pick < 93 && can_nest) return AddWhile();
    if (can_nest) return AddScan(pick < 96);
    AddOperator(Size());
  }

  // One that works element by element where the option `inplace` is to find some.
  const char* OperatorName() { return options_.shapes && Chance(70) ? "aten::add" : "aten::op"; }

  void AddConcat() {
    std::vector<std::string> args;
    int64_t size = 0;
    for (int64_t i = Below(int64_t{3}); i >= 0; --i) {
      const Value& value = Some();
      args.push_back(value.node);
      size += value.size;
    }
    const std::string tensor = AddTensor(size), node = Fresh("cat");
    AddNode(node, "call_function", "aten::cat", args, {tensor});
    values_.push_back({node, tensor, size});
  }

  void AddOperator(int64_t size) {
    if (options_.shapes && !values_.empty() && Chance(20)) return AddConcat();
    if (options_.shapes && !values_.empty() && Chance(60)) size = Some().size;
    const std::string tensor = AddTensor(size), node = Fresh("n");
    std::vector<std::string> args;
    if (!values_.empty()) args = SomeArgs();
    AddNode(node, "call_function", OperatorName(), args, {tensor});
    values_.push_back({node, tensor, size});
  }

  void AddOutVariant(int64_t size) {
    const std::string tensor = AddTensor(size), alloc = Fresh("alloc"), node = Fresh("n");
    std::vector<std::string> args = SomeArgs();
    args.push_back(alloc);
    AddNode(alloc, "call_function", "memory.alloc", {}, {tensor});
    AddNode(node, "call_function", "aten::op.out", args, {tensor}, ",\"variant\":\"out\"");
    values_.push_back({node, tensor, size});
  }

  void AddPair() {
    const int64_t sizes[2] = {Size(), Size()};
    const std::string first = AddTensor(sizes[0]), second = AddTensor(sizes[1]);
    const std::string node = Fresh("n");
    AddNode(node, "call_function", "aten::split", SomeArgs(), {first, second});
    const std::string tensors[2] = {first, second};
    for (int i = 0; i < 2; ++i) {
      const std::string item = Fresh("getitem");
      AddNode(item, "call_function", "operator.getitem", {node}, {tensors[i]});
      values_.push_back({item, tensors[i], sizes[i]});
    }
  }

  void AddView() {
    const Value base = Some();
    const std::string node = Fresh("view");
    std::string tensor = base.tensor;
    if (Chance(50)) {
      tensor = Fresh("v");
      AddTensorRow(tensor, base.size, "");
    }
    AddNode(node, "call_function", "memory.view", {base.node}, {tensor});
    values_.push_back({node, base.tensor, base.size, base.writable});
  }

  void AddInplace() {
    const Value base = Some();
    if (!base.writable) return AddOperator(Size());
    const std::string node = Fresh("n");
    std::string tensor = base.tensor;
    if (Chance(50)) {
      tensor = Fresh("p");
      AddTensorRow(tensor, base.size, "");
    }
    AddNode(node, "call_function", "aten::relu_", {base.node, Some().node}, {tensor},
            ",\"variant\":\"inplace\"");
    values_.push_back({node, tensor, base.size});
  }

  // Parts of one storage written by operators of their own, then read as a whole.
  void AddSlices() {
    if (Chance(30)) return AddInplaceBase();
    const int64_t sizes[2] = {Size(), Size()};
    const std::string whole = AddTensor(sizes[0] + sizes[1]), alloc = Fresh("alloc");
    AddNode(alloc, "call_function", "memory.alloc", {}, {whole});
    int64_t offset = 0;
    for (const int64_t size : sizes) {
      const std::string part = Fresh("s");
      AddTensorRow(part, size,
                   ",\"storage_base\":" + Quote(whole) +
                       ",\"storage_base_offset\":" + std::to_string(offset));
      offset += size;
      if (depth_ < options_.depth && Chance(25)) {
        AddCondFor({part}, {size});
      } else {
        const std::string node = Fresh("n");
        AddNode(node, "call_function", "aten::op", SomeArgs(), {part});
        values_.push_back({node, part, size, false});
      }
    }
    values_.push_back({alloc, whole, offset, false});
  }

  void AddInplaceBase() {
    const Value base = Some();
    if (!base.writable) return AddOperator(Size());
    const std::string tensor = Fresh("b"), node = Fresh("n");
    AddTensorRow(tensor, base.size, ",\"inplace_base\":" + Quote(base.tensor));
    AddNode(node, "call_function", "aten::op", {base.node}, {tensor});
    values_.push_back({node, tensor, base.size});
  }

  // What a cond has seen may be its result's bytes from then on. Which names are of one storage is
  // not told apart here, so all are protected.
  void ProtectAll() {
    for (Value& value : values_) value.writable = false;
  }

  // Something to hand to a submodule: not the mutable buffer, which is written later.
  const Value& SomeOperand() {
    while (true) {
      const Value& value = Some();
      if (value.tensor != state_.tensor) return value;
    }
  }

  void AddCond() {
    std::vector<std::string> results;
    std::vector<int64_t> sizes;
    for (int64_t i = Below(int64_t{3}); i >= 0; --i) {
      sizes.push_back(Size());
      results.push_back(AddTensor(sizes.back()));
    }
    AddCondFor(results, sizes);
  }

  void AddCondFor(const std::vector<std::string>& results, const std::vector<int64_t>& sizes) {
    std::vector<std::string> args{Some().node};
    std::vector<int64_t> inputs;
    for (int64_t i = Below(int64_t{4}); i > 0; --i) {
      const Value& value = SomeOperand();
      args.push_back(value.node);
      inputs.push_back(value.size);
    }
    const std::string node = Fresh("cond");
    std::string names[2];
    for (std::string& name : names) {
      name = Chance(30) ? Reuse(inputs, sizes) : AddSubmodule(inputs, sizes);
    }
    ProtectAll();
    AddNode(node, "call_function", "cond", args, results,
            ",\"submodules\":" + List({names[0], names[1]}));
    AddResults(node, results, sizes);
  }

  void AddResults(const std::string& node, const std::vector<std::string>& results,
                  const std::vector<int64_t>& sizes) {
    for (size_t i = 0; i < results.size(); ++i) {
      std::string reader = node;
      if (results.size() > 1) {
        reader = Fresh("getitem");
        AddNode(reader, "call_function", "operator.getitem", {node}, {results[i]});
      }
      values_.push_back({reader, results[i], sizes[i], false});
    }
  }

  // A submodule that another node runs already, if one has these inputs and outputs.
  std::string Reuse(const std::vector<int64_t>& inputs, const std::vector<int64_t>& outputs) {
    for (const auto& [name, shape] : submodule_names_) {
      if (shape == std::pair(inputs, outputs)) return name;
    }
    return AddSubmodule(inputs, outputs);
  }

  std::string AddSubmodule(const std::vector<int64_t>& inputs,
                           const std::vector<int64_t>& outputs) {
    const std::string name = Fresh("graph_");
    GraphMaker maker(&random_, options_, depth_ + 1, false);
    submodules_.push_back(Quote(name) + ":" + maker.Make(inputs, outputs));
    submodule_names_.push_back({name, {inputs, outputs}});
    return name;
  }

  void AddWhile() {
    std::vector<std::string> args, results;
    std::vector<int64_t> inputs, carried, sizes;
    const int64_t carries = 1 + Below(int64_t{3});
    for (int64_t i = 0; i < carries + Below(int64_t{2}); ++i) {
      const Value& value = SomeOperand();
      args.push_back(value.node);
      inputs.push_back(value.size);
      if (i < carries) carried.push_back(value.size);
    }
    // Some carried values are no results.
    const size_t count = Chance(25) ? Below(carried.size() + 1) : carried.size();
    for (size_t i = 0; i < count; ++i) {
      sizes.push_back(carried[i]);
      results.push_back(AddTensor(sizes.back()));
    }
    const std::string node = Fresh("while");
    const std::string condition = AddSubmodule(inputs, {16});
    const std::string body = AddSubmodule(inputs, carried);
    ProtectAll();
    AddNode(node, "call_function", "while", args, results,
            ",\"submodules\":" + List({condition, body}) +
                ",\"carried\":" + std::to_string(carried.size()));
    AddResults(node, results, sizes);
  }

  // Three turns; or, without carried values, a map.
  void AddScan(bool is_map) {
    constexpr int64_t kTurns = 3;
    std::vector<std::string> args, results;
    std::vector<int64_t> inputs, outputs, sizes;
    if (!is_map) {
      const Value& value = SomeOperand();
      args.push_back(value.node);
      inputs.push_back(value.size);
      outputs.push_back(value.size);
      sizes.push_back(value.size);
    }
    const int64_t slice = 16 * (1 + Below(int64_t{2}));
    AddOutVariant(slice * kTurns);
    args.push_back(values_.back().node);
    inputs.push_back(slice);
    const Value& shared = SomeOperand();
    args.push_back(shared.node);
    inputs.push_back(shared.size);
    const int64_t stacked = 16 * (1 + Below(int64_t{2}));
    outputs.push_back(stacked);
    sizes.push_back(stacked * kTurns);
    for (const int64_t size : sizes) results.push_back(AddTensor(size));
    const std::string node = Fresh("loop");
    const std::string body = AddSubmodule(inputs, outputs);
    ProtectAll();
    std::string more = ",\"submodules\":" + List({body}) + ",\"mapped\":1";
    if (!is_map) more += ",\"carried\":1";
    AddNode(node, "call_function", is_map ? "map" : "scan", args, results, more);
    AddResults(node, results, sizes);
  }

  // A value of that size to return: one that is there, or a new one.
  std::string OutputOf(int64_t size) {
    std::vector<std::string> fitting;
    for (const Value& value : values_) {
      if (value.size == size) fitting.push_back(value.node);
    }
    if (!fitting.empty() && Chance(60)) return fitting[Below(fitting.size())];
    AddOutVariant(size);
    return values_.back().node;
  }

  static std::string Join(const std::vector<std::string>& rows) {
    std::string text;
    for (const std::string& row : rows) {
      if (!text.empty()) text += ",";
      text += row;
    }
    return text;
  }

  std::string Text() const {
    return "{\"version\":1,\"tensors\":[" + Join(tensors_) + "],\"nodes\":[" + Join(nodes_) +
           "],\"submodules\":{" + Join(submodules_) + "}" + signature_ + "}";
  }

  Random& random_;
  const RandomGraphOptions& options_;
  const int depth_;
  const bool is_top_;
  int next_ = 0;
  std::vector<std::string> tensors_, nodes_, submodules_;
  std::vector<std::pair<std::string, std::pair<std::vector<int64_t>, std::vector<int64_t>>>>
      submodule_names_;
  std::vector<Value> values_;
  Value state_;
  int64_t write_state_at_ = 0;
  std::string signature_;
};

}  // namespace

std::string RandomGraphJson(uint64_t seed, const RandomGraphOptions& options) {
  Random random(seed);
  std::vector<int64_t> inputs;
  for (uint64_t i = random.Next() % 3 + 1; i > 0; --i) {
    inputs.push_back(16 * (1 + static_cast<int64_t>(random.Next() % 6)));
  }
  return GraphMaker(&random, options, 0, true).Make(inputs, {});
}

}  // namespace memplan
