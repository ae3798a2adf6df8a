// Rows of a graph as JavaScript walks them: numbers and lines of names instead of JSON. The layout
// is that of bindings/graph_rows.ts, which has checked the types of all values.
#ifndef MEMPLAN_GRAPH_ROWS_H_
#define MEMPLAN_GRAPH_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "graph_builder.h"

namespace memplan {

// Where rows lie in an input: the numbers (doubles), then the JSON of all else and its padding,
// then the lines.
struct RowLayout {
  size_t numbers = 0;
  size_t json_bytes = 0;
  size_t lines = 0;
};

// Reads tensors, then nodes. Says false where the rows do not hold together, or a value is none
// that a graph can have: what is wrong with it, the JSON of the same graph tells.
class GraphRows {
 public:
  // All outlives what is read: names are views of the lines, which have kJsonPadding bytes behind
  // them.
  GraphRows(const char* numbers, size_t number_count, std::string_view lines, size_t line_count)
      : number_(numbers), numbers_left_(number_count), lines_(lines), lines_left_(line_count) {}

  // How many different names there will be, about; before anything is read.
  size_t name_count() const;

  bool ReadTensors(GraphBuilder* builder, Names* names);
  bool ReadNodes(GraphBuilder* builder, Names* names);
  // True once all was read.
  bool at_end() const {
    return fine_ && numbers_left_ == 0 && lines_left_ == 0 && lines_.data() == nullptr;
  }

 private:
  bool ReadTensor(GraphBuilder* builder, Names* names);
  bool ReadNode(GraphBuilder* builder, Names* names);
  // Each 0 or empty, and fine_ false, where there are no more.
  int64_t Number();
  std::string_view Line();

  const char* number_;
  size_t numbers_left_;
  std::string_view lines_;
  size_t lines_left_;
  bool fine_ = true;
  NameId spec_ = kNoName;  // the last ones met
  NameId target_ = kNoName;
  size_t next_tensor_ = 0;  // behind the last one told by its place
};

}  // namespace memplan

#endif  // MEMPLAN_GRAPH_ROWS_H_
