#include "options.h"

namespace memplan {

const char* RulesName(Rules rules) {
  switch (rules) {
    case Rules::kSound:
      return "sound";
    case Rules::kExecutorch2024:
      return "executorch-2024";
    case Rules::kExecutorch2026:
      return "executorch-2026";
  }
  return "sound";
}

}  // namespace memplan
