#include "message.h"

namespace memplan {

void MessagePiece::AppendTo(std::string* message) const {
  if (is_number_) {
    message->append(std::to_string(number_));
  } else {
    message->append(text_);
  }
}

std::string Message(std::initializer_list<MessagePiece> pieces) {
  std::string message;
  for (const MessagePiece& piece : pieces) piece.AppendTo(&message);
  return message;
}

}  // namespace memplan
