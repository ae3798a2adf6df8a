#include "verifier/fault_list.h"

#include "message.h"

namespace memplan::verifier {

std::string Quoted(std::string_view name) {
  std::string text;
  text.reserve(name.size() + 2);
  return text.append(1, '"').append(name).append(1, '"');
}

std::string BytesOfPool(MemId pool, Bytes from, Bytes to) {
  return Message({"bytes [", from, ", ", to, ") of pool ", pool});
}

}  // namespace memplan::verifier
