// Error messages put together from pieces.
#ifndef MEMPLAN_MESSAGE_H_
#define MEMPLAN_MESSAGE_H_

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace memplan {

// Text or a whole number.
class MessagePiece {
 public:
  MessagePiece(std::string_view text) : text_(text) {}                 // NOLINT: meant to convert
  MessagePiece(const char* text) : text_(text) {}                      // NOLINT
  MessagePiece(const std::string& text) : text_(text) {}               // NOLINT
  MessagePiece(int64_t number) : number_(number), is_number_(true) {}  // NOLINT

  void AppendTo(std::string* message) const;

 private:
  std::string_view text_;
  int64_t number_ = 0;
  bool is_number_ = false;
};

// One function instead of a chain of operator+, each of which is code of its own.
std::string Message(std::initializer_list<MessagePiece> pieces);

}  // namespace memplan

#endif  // MEMPLAN_MESSAGE_H_
