#!/usr/bin/env bash
# Installs the build into a prefix, builds a project against it with the system's own compiler, runs it.
#   run.sh BUILD_DIR SOURCE_DIR
set -euo pipefail
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$build" --prefix "$work/prefix" >/dev/null
"$work/prefix/bin/arks" --version
env -u CXX cmake -S "$source/tests/consumer" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$work/prefix" \
  -DEXAMPLE="$source/examples/quickstart.cpp" >/dev/null
cmake --build "$work/build"
"$work/build/quickstart"
