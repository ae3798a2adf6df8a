#!/usr/bin/env bash
# Makes a machine ready to build and test memplan: system packages on Debian,
# then node_modules from the lock file. Quick when nothing is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

node -e 'process.exit(Number(process.versions.node.split(".")[0]) >= 20 ? 0 : 1)' || {
  echo "memplan needs Node 20 or newer, found $(node --version)" >&2
  exit 2
}

packages=(cmake ninja-build g++ googletest rapidjson-dev libexpected-dev clang-format chromium flatbuffers-compiler
  clang libclang-rt-dev)
# A newer SDK is used where there is one; Debian's Emscripten needs node-acorn
# for links at -O2 and up.
if [[ -z "${EMSDK:-}" ]] && { ! command -v emcc >/dev/null || [[ "$(command -v emcc)" == /usr/bin/emcc ]]; }; then
  packages+=(emscripten node-acorn)
fi

if command -v dpkg-query >/dev/null; then
  missing=()
  for package in "${packages[@]}"; do
    status="$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)"
    [[ "$status" == installed ]] || missing+=("$package")
  done
  if ((${#missing[@]})); then
    as_root=()
    [[ "$(id -u)" == 0 ]] || as_root=(sudo)
    echo "Installing ${missing[*]}" >&2
    "${as_root[@]}" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  fi
else
  for tool in cmake ninja g++ clang++ clang-format emcc flatc; do
    command -v "$tool" >/dev/null || echo "No $tool here: install the equivalents of ${packages[*]}" >&2
  done
fi

# npm writes this file last, so it is older than the lock only when the lock
# changed since.
if [[ ! -f node_modules/.package-lock.json || package-lock.json -nt node_modules/.package-lock.json ]]; then
  npm ci --no-audit --no-fund --loglevel=error
  touch node_modules/.package-lock.json
fi
