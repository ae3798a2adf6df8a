// Element types and their sizes, as torch has them.
#ifndef MEMPLAN_DTYPE_H_
#define MEMPLAN_DTYPE_H_

#include <string_view>

#include "units.h"

namespace memplan {

// Bytes of one element; 0 where the name is not one of the format's. quint4x2 counts one byte an
// element, as in ExecuTorch; packed tensors give `nbytes`.
Bytes DtypeSize(std::string_view name);

}  // namespace memplan

#endif  // MEMPLAN_DTYPE_H_
