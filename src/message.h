// Error messages put together from pieces.
#ifndef MEMPLAN_MESSAGE_H_
#define MEMPLAN_MESSAGE_H_

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace memplan {

// Text or a whole number. Made out of line: there are hundreds of them.
class MessagePiece {
 public:
  MessagePiece(std::string_view text);    // NOLINT: meant to convert
  MessagePiece(const char* text);         // NOLINT
  MessagePiece(const std::string& text);  // NOLINT
  MessagePiece(int64_t number);           // NOLINT
  template <std::integral Number>
  MessagePiece(Number number) : MessagePiece(static_cast<int64_t>(number)) {}  // NOLINT

  void AppendTo(std::string* message) const;

 private:
  const char* text_ = nullptr;  // null: the number
  int64_t size_or_number_ = 0;
};

// One function instead of a chain of operator+, each of which is code of its own.
std::string Message(std::initializer_list<MessagePiece> pieces);

}  // namespace memplan

#endif  // MEMPLAN_MESSAGE_H_
