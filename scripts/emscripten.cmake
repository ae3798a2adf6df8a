# Toolchain file of the wasm preset: takes Emscripten from $EMSDK, else from the
# emcc on PATH (Debian's lives in /usr/share/emscripten).
if(DEFINED ENV{EMSDK})
  set(_root "$ENV{EMSDK}/upstream/emscripten")
else()
  find_program(_emcc emcc REQUIRED)
  file(REAL_PATH "${_emcc}" _emcc)
  cmake_path(GET _emcc PARENT_PATH _root)
endif()
include("${_root}/cmake/Modules/Platform/Emscripten.cmake")
