#include "message.h"

namespace memplan {

MessagePiece::MessagePiece(std::string_view text)
    : text_(text.empty() ? "" : text.data()), size_or_number_(static_cast<int64_t>(text.size())) {}

MessagePiece::MessagePiece(const char* text) : MessagePiece(std::string_view(text)) {}

MessagePiece::MessagePiece(const std::string& text) : MessagePiece(std::string_view(text)) {}

MessagePiece::MessagePiece(int64_t number) : size_or_number_(number) {}

void MessagePiece::AppendTo(std::string* message) const {
  if (text_ == nullptr) {
    message->append(std::to_string(size_or_number_));
  } else {
    message->append(text_, static_cast<size_t>(size_or_number_));
  }
}

std::string Message(std::initializer_list<MessagePiece> pieces) {
  std::string message;
  for (const MessagePiece& piece : pieces) piece.AppendTo(&message);
  return message;
}

}  // namespace memplan
