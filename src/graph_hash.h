// What a plan is of: 64 bits of a parsed input.
#ifndef MEMPLAN_GRAPH_HASH_H_
#define MEMPLAN_GRAPH_HASH_H_

#include <cstdint>
#include <string>

#include "graph.h"
#include "interval_file.h"

namespace memplan {

// Of everything that planning depends on: nodes, tensors, signature, pools. The same however the
// text was laid out, in whatever order keys, rows of `tensors`, submodules and methods came, and
// whether sizes were given as bytes or as shapes; the order of nodes and pools counts. Not the
// graph's `name`, `source` or `module`. No defence against inputs made to collide.
uint64_t GraphHash(const Program& program);
// Likewise; the order of `buffers` and `conflicts` does not count, nor whether it came as CSV.
uint64_t IntervalHash(const IntervalFile& file);

// 16 hexadecimal digits, lower case, as in `graph_hash`. Not by snprintf, which would bring all of
// printf into the wasm.
std::string HashText(uint64_t hash);

}  // namespace memplan

#endif  // MEMPLAN_GRAPH_HASH_H_
