#include "json_mutation.h"

#include <rapidjson/document.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include <iterator>
#include <random>
#include <vector>

namespace memplan {
namespace {

using rapidjson::SizeType;
using rapidjson::Value;

// What the formats' fields can hold, and where their ranges end.
constexpr std::string_view kWords[] = {"",
                                       "t0",
                                       "x",
                                       "cond",
                                       "while",
                                       "map",
                                       "scan",
                                       "out",
                                       "inplace",
                                       "functional",
                                       "memory.view",
                                       "memory.alloc",
                                       "placeholder",
                                       "output",
                                       "call_function",
                                       "get_attr",
                                       "static",
                                       "dynamic_bound",
                                       "dynamic_unbound",
                                       "float32",
                                       "quint4x2",
                                       "aten::relu.out",
                                       "aten::add_.Tensor",
                                       "executorch_call_delegate",
                                       "XnnpackBackend",
                                       "operator.getitem",
                                       "memory.free",
                                       "sound",
                                       "executorch-2026",
                                       "cuda:0"};
constexpr std::string_view kKeys[] = {"args",
                                      "specs",
                                      "submodules",
                                      "carried",
                                      "mapped",
                                      "scratch",
                                      "mem_id",
                                      "inplace_base",
                                      "storage_base",
                                      "storage_base_offset",
                                      "nbytes",
                                      "const",
                                      "dynamism",
                                      "variant",
                                      "pools",
                                      "signature",
                                      "methods",
                                      "input_mem_buffer_sizes",
                                      "gaps",
                                      "conflicts",
                                      "offset",
                                      "capacity",
                                      "alignment",
                                      "device",
                                      "backend_id",
                                      "lifetime",
                                      "mem_obj_id",
                                      "mem_offset",
                                      "buffer_sizes",
                                      "frees",
                                      "weight_has_gradient",
                                      "shape",
                                      "cost",
                                      "target",
                                      "version"};
constexpr double kNumbers[] = {0,
                               1,
                               2,
                               3,
                               15,
                               16,
                               17,
                               64,
                               65535,
                               65536,
                               65537,
                               2147483647,
                               2147483648,
                               4294967296,
                               9007199254740991,
                               9007199254740992,
                               -1,
                               0.5};

class Mutation {
 public:
  Mutation(rapidjson::Document* document, uint32_t seed)
      : document_(*document), allocator_(document->GetAllocator()), random_(seed) {}

  void Run() {
    for (size_t left = 1 + Below(3); left > 0; --left) {
      Collect();
      Once();
    }
  }

 private:
  size_t Below(size_t n) { return random_() % n; }

  void Collect() {
    all_.assign(1, &document_);
    for (size_t at = 0; at < all_.size(); ++at) {
      Value& value = *all_[at];
      if (value.IsArray()) {
        for (Value& element : value.GetArray()) all_.push_back(&element);
      } else if (value.IsObject()) {
        for (SizeType i = 0; i < value.MemberCount(); ++i) {
          all_.push_back(&(value.MemberBegin() + i)->value);
        }
      }
    }
  }

  Value Copy(const Value& value) { return Value(value, allocator_); }

  Value Word(std::string_view text) {
    return Value(text.data(), static_cast<SizeType>(text.size()), allocator_);
  }

  // One of the text, of the same kind if there is one nearby; or one from the lists.
  Value Another(const Value& value) {
    if (value.IsNumber() && Below(2) == 0) {
      const double number = kNumbers[Below(std::size(kNumbers))];
      if (number == static_cast<double>(static_cast<int64_t>(number))) {
        return Value(static_cast<int64_t>(number));
      }
      return Value(number);
    }
    if (value.IsNumber() && value.IsInt64() && Below(2) == 0) {
      return Value(value.GetInt64() / 2 + static_cast<int64_t>(Below(3)));
    }
    if (value.IsString() && Below(3) == 0) return Word(kWords[Below(std::size(kWords))]);
    for (int tries = 0; tries < 16; ++tries) {
      const Value& other = *all_[Below(all_.size())];
      if (other.GetType() == value.GetType()) return Copy(other);
    }
    return Copy(*all_[Below(all_.size())]);
  }

  void AlterArray(Value& list) {
    const auto size = list.Size();
    if (size == 0) {
      list.PushBack(Copy(*all_[Below(all_.size())]), allocator_);
      return;
    }
    const auto at = static_cast<SizeType>(Below(size)), other = static_cast<SizeType>(Below(size));
    switch (Below(4)) {
      case 0:
        list.Erase(list.Begin() + at);
        break;
      case 1:
        list[at].Swap(list[other]);
        break;
      case 2:
        list.PushBack(Copy(list[at]), allocator_);
        list[size].Swap(list[other]);
        break;
      default:
        list[at] = Another(list[other]);
    }
  }

  void AlterObject(Value& object) {
    const bool is_empty = object.MemberCount() == 0;
    if (is_empty || Below(3) == 0) {
      Value key = Word(kKeys[Below(std::size(kKeys))]);
      if (object.HasMember(key)) object.EraseMember(key);
      object.AddMember(key, Copy(*all_[Below(all_.size())]), allocator_);
      return;
    }
    const auto member = object.MemberBegin() + static_cast<SizeType>(Below(object.MemberCount()));
    if (Below(2) == 0) {
      object.EraseMember(member);
    } else {
      member->value = Another(member->value);
    }
  }

  void Once() {
    Value& value = *all_[Below(all_.size())];
    if (value.IsArray()) return AlterArray(value);
    if (value.IsObject()) return AlterObject(value);
    value = Another(value);
  }

  Value& document_;
  rapidjson::Document::AllocatorType& allocator_;
  std::minstd_rand random_;
  std::vector<Value*> all_;
};

}  // namespace

std::string MutatedJson(std::string_view text, uint32_t seed) {
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(text.data(), text.size());
  if (document.HasParseError()) return {};
  Mutation(&document, seed).Run();
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  document.Accept(writer);
  return std::string(buffer.GetString(), buffer.GetSize());
}

}  // namespace memplan
