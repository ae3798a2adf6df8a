// The failures of ExecuTorch's own planner as values.
#ifndef MEMPLAN_EXECUTORCH_UPSTREAM_ERROR_H_
#define MEMPLAN_EXECUTORCH_UPSTREAM_ERROR_H_

#include <string>
#include <utility>

#include "result.h"

namespace memplan::executorch {

// `kind` names upstream's assertion ("UNEXPECTED_TARGET"); callers see it as the error's code.
inline tl::unexpected<Error> FailAsUpstream(std::string kind, std::string message,
                                            std::string path = {}) {
  Error error;
  error.code = ErrorCode::kExecutorch;
  error.kind = std::move(kind);
  error.message = std::move(message);
  error.path = std::move(path);
  return tl::unexpected<Error>(std::move(error));
}

// Python's whole numbers have no end; ours do.
inline tl::unexpected<Error> FailTooLarge(MemId mem_id) {
  return Fail(ErrorCode::kTooLarge,
              "The bytes of mem_id " + std::to_string(mem_id) + " sum to more than 2^53 - 1",
              "tensors");
}

}  // namespace memplan::executorch

#endif  // MEMPLAN_EXECUTORCH_UPSTREAM_ERROR_H_
