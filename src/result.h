// Errors as values: what went wrong, where in the input, and in words.
#ifndef MEMPLAN_RESULT_H_
#define MEMPLAN_RESULT_H_

#include <memory>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

#include "units.h"

namespace memplan {

// The codes of FORMAT.md's error table. The last group are the `kind`s of
// ExecuTorch's own failures and the codes of the verifier's findings.
enum class ErrorCode : uint8_t {
  kInvalidJson,
  kInvalidInput,
  kInvalidOption,
  kTooLarge,
  kOutOfMemory,
  kBadSubmodule,
  kPinsCollide,
  kUnsupported,
  kDoesNotFit,
  kNotFoundInTime,
  kExecutorch,  // an assertion of ExecuTorch's own planner: Error.kind says which
  kInternal,
};

// "INVALID_JSON" and so on: the stable spelling that JavaScript sees.
std::string_view ErrorCodeName(ErrorCode code);

// A buffer or tensor named in a report, with its bytes.
struct NamedBytes {
  std::string id;
  Bytes bytes = 0;
};

// Why a problem does not fit its capacity, at the step where most is missing.
struct FitDetails {
  MemId mem_id = 1;
  int64_t node = 0;                  // node index, or the time of an interval problem
  Bytes required = 0;                // bytes live at `node`, or of the smallest plan known
  Bytes available = 0;               // the capacity
  Bytes excess = 0;                  // required - available
  std::vector<NamedBytes> live;      // all that is live at `node`, largest first
  std::vector<NamedBytes> culprits;  // the three largest of them
};

struct Error {
  ErrorCode code = ErrorCode::kInternal;
  std::string message;
  std::string path;  // a JSON path ("tensors[3].nbytes"), or "line 3, column
                     // 7"; empty where there is none
  // The code as upstream spells it, where `code` alone does not say it
  // ("UNEXPECTED_TARGET"); else empty.
  std::string kind;
  std::shared_ptr<const FitDetails> details;
};

template <typename T>
using Result = tl::expected<T, Error>;
using Status = tl::expected<void, Error>;

inline tl::unexpected<Error> Fail(ErrorCode code, std::string message, std::string path = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(path), {}, nullptr});
}

}  // namespace memplan

#endif  // MEMPLAN_RESULT_H_
