// Collects the rows of graphs as a reader meets them, then turns names into places.
#ifndef MEMPLAN_GRAPH_BUILDER_H_
#define MEMPLAN_GRAPH_BUILDER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "graph.h"
#include "result.h"

namespace memplan {

// An error of one graph: its path is relative to that graph.
struct GraphFault {
  ErrorCode code;
  std::string message;
  std::string path;
};

// One graph under construction. Rows refer to each other by name, in any order of the input's keys,
// so the columns hold name ids until Finish.
class GraphBuilder {
 public:
  GraphBuilder(Names* names, bool keep_shapes);

  Graph& graph() { return *graph_; }

  // Makes room for that many rows, where that is known.
  void ReserveTensors(size_t count);
  void ReserveNodes(size_t count);

  // --- tensors: BeginTensor, then the row's fields, then EndTensor ---
  void BeginTensor();
  void SetTensorId(NameId id) { graph_->tensors.id.back() = id; }
  void SetDtype(std::string_view dtype) { dtype_ = dtype; }
  void SetNbytes(Bytes nbytes) { nbytes_ = nbytes; }
  void BeginShape() { has_shape_ = true; }
  void AddDimension(Bytes size);
  // Writes to a rare column, which exists from then on.
  template <typename T>
  void SetRare(std::vector<T>* column, T value, T none) {
    column->resize(graph_->tensors.id.size(), none);
    column->back() = value;
  }
  // False where the row's size cannot be told; the fault's path is the field's name.
  bool EndTensor(GraphFault* fault);

  // --- nodes, likewise ---
  void BeginNode();
  void AddSpec(NameId tensor) { graph_->nodes.specs.push_back(static_cast<TensorIndex>(tensor)); }
  void AddArg(NameId node) { graph_->nodes.args.push_back(static_cast<NodeIndex>(node)); }
  void AddSubmodule(NameId name) { flow_.submodules.push_back(static_cast<int32_t>(name)); }
  ControlFlow& flow() { return flow_; }
  void SetBackend(NameId backend);
  bool EndNode(GraphFault* fault);

  // Resolves all names and closes the columns. Null and a fault where one is unknown, there twice,
  // or a node is used before it is made. `place` is room for look-ups, as long as there are names,
  // all -1, and left so: graphs share it.
  std::unique_ptr<Graph> Finish(std::vector<int32_t>* place, GraphFault* fault);

 private:
  bool ResolveTensorNames(std::vector<int32_t>* place, GraphFault* fault);
  bool ResolveNodeNames(std::vector<int32_t>* place, GraphFault* fault);
  void FollowViews();
  bool ResolveSubmodules(std::vector<int32_t>* place, GraphFault* fault);
  bool ResolveBases(const char* key, std::vector<TensorIndex>* column,
                    const std::vector<int32_t>& place, GraphFault* fault);
  bool CheckSignature(std::vector<int32_t>* place, GraphFault* fault) const;
  void CloseRareColumns();

  Names* names_;
  bool keep_shapes_;
  std::unique_ptr<Graph> graph_;
  // The row being read.
  std::string_view dtype_;
  Bytes nbytes_ = kNoBytes;
  Bytes elements_ = 1;
  bool has_zero_ = false;
  bool has_shape_ = false;
  ControlFlow flow_;
};

// Interns the targets with a meaning of their own, so that their name ids tell the kind; call it on
// fresh names.
void InternTargets(Names* names);
// The kind of a call_function node with that target.
Target TargetOf(NameId target);

}  // namespace memplan

#endif  // MEMPLAN_GRAPH_BUILDER_H_
