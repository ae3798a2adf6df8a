// Graph JSON to a Program.
#ifndef MEMPLAN_GRAPH_READER_H_
#define MEMPLAN_GRAPH_READER_H_

#include <memory>
#include <span>

#include "graph.h"
#include "interval_file.h"
#include "result.h"

namespace memplan {

class GraphRows;

// Submodules nest as deep as this; deeper is an error.
inline constexpr int kMaxSubmoduleDepth = 64;

// What a JSON input turned out to be: exactly one is set.
struct JsonInput {
  std::unique_ptr<Program> program;         // a graph, or several methods
  std::unique_ptr<IntervalFile> intervals;  // the buffers form
};

// Reads graph, methods or buffers JSON as FORMAT.md has it. `bytes` ends with kJsonPadding
// zero bytes that do not count, is written into, and must outlive the result, whose names are
// views. Errors: INVALID_JSON, INVALID_INPUT, TOO_LARGE, with the JSON path.
// `rows` are those of the outer graph, whose own lists are then there and empty; where they cannot
// be read, the error is INTERNAL.
Result<JsonInput> ReadJsonInput(std::span<char> bytes, bool keep_shapes = false,
                                GraphRows* rows = nullptr);

}  // namespace memplan

#endif  // MEMPLAN_GRAPH_READER_H_
