// The types that the functions of bindings/memplan.cpp take and give, in place of Emscripten's own
// table of them. That one registers forty, with strings, views and values, whose code is in the
// glue then, and printf in the wasm: 6 KB of gzip in all.
#include <emscripten/bind.h>
#include <emscripten/emscripten.h>

#include <cstdint>
#include <cstdlib>
#include <limits>

namespace {

template <typename T>
void RegisterInteger(const char* name) {
  emscripten::internal::_embind_register_integer(emscripten::internal::TypeID<T>::get(), name,
                                                 sizeof(T), std::numeric_limits<T>::min(),
                                                 std::numeric_limits<T>::max());
}

struct NumberTypes {
  NumberTypes() {
    using emscripten::internal::TypeID;
    emscripten::internal::_embind_register_void(TypeID<void>::get(), "void");
    RegisterInteger<int32_t>("int");
    RegisterInteger<uint32_t>("unsigned int");
    emscripten::internal::_embind_register_float(TypeID<double>::get(), "double", sizeof(double));
  }
} number_types;

}  // namespace

// The name of a type that is not registered, for a message; the glue frees it.
extern "C" EMSCRIPTEN_KEEPALIVE const char* __getTypeName(const void*) {
  return static_cast<const char*>(std::calloc(1, 1));
}
