#!/usr/bin/env bash
# The README shows examples/quickstart.cpp as it is, the guide's search.toml is one, every file and folder that a
# document names exists, docs/settings.md is what the tool declares, and examples.py finds nothing wrong with the text
# and the examples.
#   check.sh SOURCE_DIR [TOOL]
set -euo pipefail
cd "$1"
tool=${2:-}
failed=0
fail() { echo "FAILED: $*"; failed=1; }

shown=$(awk '/^```cpp$/ {inside=1; next} /^```$/ {inside=0} inside' README.md)
[ "$shown" = "$(cat examples/quickstart.cpp)" ] || fail "the C++ block of README.md is not examples/quickstart.cpp"

for document in README.md CONTRIBUTING.md docs/*.md; do
  # paths in `quotes` that begin with a folder of ours
  folders='include|src|tests|script|docs|examples|bench|cmake'
  for path in $(grep -oE "\`($folders)/[A-Za-z0-9_./-]*\`" "$document" | tr -d '`' || true); do
    [ -e "$path" ] || fail "$document names $path, which does not exist"
  done
done

if [ -n "$tool" ]; then
  "$tool" manual --settings | cmp -s - docs/settings.md ||
    fail "docs/settings.md is not what the settings declare: arks manual --settings > docs/settings.md"
  folder=$(mktemp -d)
  trap 'rm -rf "$folder"' EXIT
  awk '/^# search.toml$/ {inside=1} /^```$/ {inside=0} inside' docs/guide.md >"$folder/search.toml"
  (cd "$folder" && "$tool" sweep search.toml --rule paper --dry-run >plan.txt) ||
    fail "the guide's search.toml is refused"
  [ "$(grep -c '^arks train' "$folder/plan.txt")" -eq 42 ] ||
    fail "the guide's search.toml is not 2 + 3 x 4 points of 3 seeds"
fi

/usr/bin/python3 tests/docs/examples.py . ${tool:+"$tool"} || failed=1
[ $failed -eq 0 ] && echo "README and documents agree with the tree"
exit $failed
