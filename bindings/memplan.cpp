#include <emscripten/bind.h>

#include "planner.h"

namespace {
int AlgorithmCount() { return static_cast<int>(memplan::AllPlanners().size()); }
}  // namespace

EMSCRIPTEN_BINDINGS(memplan) { emscripten::function("algorithmCount", &AlgorithmCount); }
