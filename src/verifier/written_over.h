// Results that lie in their operator's inputs by choice (the option `inplace`).
#ifndef MEMPLAN_VERIFIER_WRITTEN_OVER_H_
#define MEMPLAN_VERIFIER_WRITTEN_OVER_H_

#include "verifier/placed_graph.h"

namespace memplan::verifier {

// Whether two items of one graph that share bytes while both are named do so rightly: one is over
// before the first data is put into the other; or that is done by an element-wise operator which
// reads the one as a whole and for the last time, in the very bytes of its result; or by a concat
// of whose result the one is the part that it makes.
bool IsWrittenOver(const PlacedGraph& graph, const LiveItem& a, const LiveItem& b,
                   const Setting& setting);

}  // namespace memplan::verifier

#endif  // MEMPLAN_VERIFIER_WRITTEN_OVER_H_
