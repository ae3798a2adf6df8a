// In-place by choice: results that may be written over an input, and inputs that may be written
// straight into a concat's result.
#ifndef MEMPLAN_INPLACE_H_
#define MEMPLAN_INPLACE_H_

#include <string>
#include <string_view>
#include <vector>

#include "graph.h"
#include "nesting.h"
#include "options.h"
#include "plan.h"

namespace memplan {

// What a graph's operators allow. Both lists go by graph of the nest.
struct InplaceChoice {
  std::vector<std::vector<Placed>> elementwise;
  // One list a concat, since all of its inputs are worth the longer life of its result, or none.
  std::vector<std::vector<std::vector<Placed>>> concats;
  std::vector<InplaceRow>
      rows;  // both kinds, and what was refused with the reason; by graph and node
};

// An element-wise operator (Options::inplace_operators, else the built-in list of aten, TFLite and
// ONNX names) writes its result over an input that dies there, has the result's size and is all of
// its storage. A concat along the outermost dimension that is not 1 takes inputs that die there.
// `nest` was built without any choice; shapes must have been kept for concats.
InplaceChoice ChooseInplace(const Program& program, const Nest& nest, const Options& options);

// True where an operator of that name works element by element, by the built-in list:
// "aten::relu.out", "RELU" and "onnx::Relu" are one name.
bool IsElementwise(std::string_view target);
bool IsConcat(std::string_view target);
// True where `names` (as Options::inplace_operators has them) names that operator.
bool IsNamedIn(const std::vector<std::string>& names, std::string_view target);

}  // namespace memplan

#endif  // MEMPLAN_INPLACE_H_
