#include "result.h"

namespace memplan {

std::string_view ErrorCodeName(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalidJson:
      return "INVALID_JSON";
    case ErrorCode::kInvalidInput:
      return "INVALID_INPUT";
    case ErrorCode::kInvalidOption:
      return "INVALID_OPTION";
    case ErrorCode::kTooLarge:
      return "TOO_LARGE";
    case ErrorCode::kOutOfMemory:
      return "OUT_OF_MEMORY";
    case ErrorCode::kBadSubmodule:
      return "BAD_SUBMODULE";
    case ErrorCode::kPinsCollide:
      return "PINS_COLLIDE";
    case ErrorCode::kUnsupported:
      return "UNSUPPORTED";
    case ErrorCode::kDoesNotFit:
      return "DOES_NOT_FIT";
    case ErrorCode::kNotFoundInTime:
      return "NOT_FOUND_IN_TIME";
    case ErrorCode::kExecutorch:
      return "EXECUTORCH";
    case ErrorCode::kInternal:
      return "INTERNAL";
  }
  return "INTERNAL";
}

}  // namespace memplan
