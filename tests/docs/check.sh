#!/usr/bin/env bash
# The README shows examples/quickstart.cpp as it is, its search.toml is one, the tool has every command and flag that a document types, every file
# and folder that a document names exists, and every header of the library is in <arks/arks.h>.
#   check.sh SOURCE_DIR [TOOL]
set -euo pipefail
cd "$1"
tool=${2:-}
failed=0
fail() { echo "FAILED: $*"; failed=1; }

shown=$(awk '/^```cpp$/ {inside=1; next} /^```$/ {inside=0} inside' README.md)
[ "$shown" = "$(cat examples/quickstart.cpp)" ] || fail "the C++ block of README.md is not examples/quickstart.cpp"

for document in README.md CONTRIBUTING.md docs/*.md; do
  # links, and paths in `quotes` that begin with a folder of ours
  for path in $(grep -oE '\]\([^)#]+\)' "$document" | sed -E 's/^\]\(|\)$//g' | grep -v '://' || true); do
    [ -e "$(dirname "$document")/$path" ] || fail "$document links to $path, which does not exist"
  done
  for path in $(grep -oE '`(include|src|tests|script|docs|examples|bench|cmake)/[A-Za-z0-9_./-]*`' "$document" | tr -d '`' || true); do
    [ -e "$path" ] || fail "$document names $path, which does not exist"
  done
done

if [ -n "$tool" ]; then
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  awk '/^# search.toml$/ {inside=1} /^```$/ {inside=0} inside' README.md >"$folder/search.toml"
  (cd "$folder" && "$tool" sweep search.toml --rule paper --dry-run >plan.txt) || fail "README's search.toml is refused"
  [ "$(grep -c '^arks train' "$folder/plan.txt")" -eq 42 ] || fail "README's search.toml is not 2 + 3 x 4 points of 3 seeds"
  while read -r command flags; do
    help=$("$tool" "$command" --help) || fail "the documents call arks $command, which does not exist"
    for flag in $flags; do
      grep -qE -- "(^|[ ,])$flag([ ,]|$)" <<<"$help" || fail "the documents call arks $command $flag, which does not exist"
    done
  done < <(grep -hoE '^(build/release/)?arks +[a-z]+ .*' README.md CONTRIBUTING.md docs/*.md | sed -E 's/#.*//' |
    awk '{printf "%s", $2; for (i = 3; i <= NF; i++) if ($i ~ /^--/) {sub(/=.*/, "", $i); printf " %s", $i}; print ""}')
fi

while read -r header; do
  grep -qF "#include <${header#include/}>" include/arks/arks.h || fail "$header is not in include/arks/arks.h"
done < <(find include/arks -mindepth 2 -name '*.h')

[ $failed -eq 0 ] && echo "README, documents and arks.h agree with the tree"
exit $failed
