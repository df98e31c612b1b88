#!/usr/bin/env bash
# Makes the Debian package, looks at what it says and holds, unpacks it, builds the examples against it with the
# system's own compiler, and runs everything.
#   run.sh BUILD_DIR SOURCE_DIR
set -euo pipefail
build=$(cd "$1" && pwd) source=$(cd "$2" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

(cd "$work" && cpack --config "$build/CPackConfig.cmake" -B "$work/cpack" >"$work/log" 2>&1) ||
  fail "$(cat "$work/log")"
package=$(ls "$work"/cpack/arks_*.deb)
depends=$(dpkg-deb --field "$package" Depends)
case "$depends" in *libtorch1*) ;; *) fail "the package depends on: $depends; libtorch was expected" ;; esac
case "$depends" in *mumps*) fail "arks depends on the solver of arks-sdp: $depends" ;; esac
dpkg-deb --extract "$package" "$work/root"
prefix="$work/root/usr"
for file in bin/arks include/arks/arks.h lib/cmake/arks/arksConfig.cmake lib/libarks.a share/man/man1/arks.1* \
  share/bash-completion/completions/arks share/zsh/vendor-completions/_arks share/fish/vendor_completions.d/arks.fish \
  share/doc/arks/copyright; do
  compgen -G "$prefix/$file" >/dev/null || fail "the package does not hold $file"
done
"$prefix/bin/arks" --version
bash -n "$prefix/share/bash-completion/completions/arks"

env -u CXX cmake -S "$source/examples" -B "$work/build" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$work/build"
"$work/build/quickstart"
# each prints what ordinary training and ARKS reach; ARKS must be the better one
"$work/build/own_module" | tee "$work/module"
awk '/error when/ {ordinary = $(NF - 7); robust = $(NF - 3)} END {exit !(robust < ordinary)}' "$work/module" ||
  fail "own_module: ARKS is not better under attack"
"$work/build/own_loss" | tee "$work/loss"
awk '/^erm/ {erm = $NF} /^arks/ {arks = $NF} END {exit !(arks < erm)}' "$work/loss" ||
  fail "own_loss: ARKS is not better when the returns shift"
