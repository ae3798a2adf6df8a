#include "dtype.h"

namespace memplan {
namespace {

struct Row {
  std::string_view name;
  Bytes size;
};

// The most frequent ones first.
constexpr Row kDtypes[] = {
    {"float32", 4},   {"int8", 1},      {"uint8", 1},       {"float16", 2},       {"int32", 4},
    {"int64", 8},     {"bfloat16", 2},  {"bool", 1},        {"int16", 2},         {"float64", 8},
    {"complex32", 4}, {"complex64", 8}, {"complex128", 16}, {"qint8", 1},         {"quint8", 1},
    {"qint32", 4},    {"quint4x2", 1},  {"float8_e5m2", 1}, {"float8_e4m3fn", 1}, {"uint16", 2},
    {"uint32", 4},    {"uint64", 8},
};

}  // namespace

Bytes DtypeSize(std::string_view name) {
  for (const Row& row : kDtypes) {
    if (row.name == name) return row.size;
  }
  return 0;
}

}  // namespace memplan
