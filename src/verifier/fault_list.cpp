#include "verifier/fault_list.h"

namespace memplan::verifier {

std::string Quoted(std::string_view name) {
  std::string text;
  text.reserve(name.size() + 2);
  return text.append(1, '"').append(name).append(1, '"');
}

std::string BytesOfPool(MemId pool, Bytes from, Bytes to) {
  return "bytes [" + std::to_string(from) + ", " + std::to_string(to) + ") of pool " +
         std::to_string(pool);
}

}  // namespace memplan::verifier
