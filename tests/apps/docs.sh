# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The generated tables of the docs are those that the executable prints. Links lead somewhere, and pages keep their
# limits. CTest gives $TAPER, $TAPER_SOURCE and an empty working directory.
# shellcheck source=tests/support/driver.sh
source "$TAPER_SOURCE/tests/support/driver.sh"

# update STATUS WORDS ARGUMENTS...: docs/update.sh must exit with STATUS, and its output must contain WORDS.
update() {
  local status=$1 words=$2
  shift 2
  bash "$TAPER_SOURCE/docs/update.sh" "$@" >out 2>&1
  local found=$?
  if [ "$found" != "$status" ] || { [ -n "$words" ] && ! grep -qF -- "$words" out; }; then
    echo "FAILED: docs/update.sh $*"
    echo "  expected status $status and '$words'; found status $found and:"
    sed 's/^/    /' out
    failures=$((failures + 1))
  fi
}

# The pages as they are
update 0 "" --check "$TAPER"

# A copy with a page more, which shows a summary. It is right after an update.
mkdir -p copy/docs/example
copy=$PWD/copy/docs
(cd "$TAPER_SOURCE/docs" && find . -path ./results -prune -o -name '*.md' -exec cp --parents -t "$copy" {} +)
ln -s "$TAPER_SOURCE/docs/results" copy/docs/results
summary=copy/docs/example/summary.csv page=copy/docs/example.md
cat >$summary <<'END'
subject,engine,backend,answer,count,median_s,lower_quartile_s,upper_quartile_s
"solo, n = 8",serial,openmp,,3,0.25,0.2,0.3
END
printf '%s\n' '# Example' '<!-- table: docs/example -->' 'old' '<!-- end -->' 'after' >$page
update 1 "example.md:4: <!-- table: docs/example -->: differs" --check "$TAPER" copy/docs
update 0 "updated: $copy/example.md" "$TAPER" copy/docs
update 0 "" --check "$TAPER" copy/docs
check grep -qF '| solo, n = 8 | 250 ms |' $page
check grep -qx 'after' $page
"$TAPER" table copy/docs/example --markdown >printed
check cmp -s printed <(sed -n '3,/^<!-- end/p' $page | sed '$d')

# wrong WORDS EDIT PAGE: after the edit of sed, the check must fail with WORDS. The page is restored.
wrong() {
  cp "copy/docs/$3" kept
  sed -i "$2" "copy/docs/$3"
  update 1 "$1" --check "$TAPER" copy/docs
  cp kept "copy/docs/$3"
}

# One changed cell, of each kind of table
block='/^<!-- fields: stable_marriage.report/,/^<!-- end/'
wrong "<!-- fields: stable_marriage.report -->: differs from what the taper command prints. To update it:" \
  "$block { /\`tiers\`/ s/ |\$/ changed |/ }" result_files.md
check grep -q '^result_files.md:[0-9]*: ' out
check grep -qF "docs/update.sh $TAPER" out
wrong "example.md:6: <!-- table: docs/example -->: differs" 's/250 ms/260 ms/' example.md

# Blocks that are missing, doubled, unknown or without an end
wrong "no page has the table 'stable_marriage.report'" "$block d" result_files.md
printf '%s\n' '<!-- fields: stable_marriage.report -->' '<!-- end -->' >copy/docs/second.md
update 1 "the table 'stable_marriage.report' stands more than once: result_files.md" --check "$TAPER" copy/docs
rm copy/docs/second.md
wrong "<!-- fields: nothing -->: the taper command has no such table" '2s/.*/<!-- fields: nothing -->/' example.md
wrong "<!-- table: docs/none -->: the taper command has no such table" '2s/.*/<!-- table: docs\/none -->/' example.md
wrong "example.md: no <!-- end --> after <!-- table: docs/example -->" '/end/d' example.md
wrong "example.md:5: <!-- end --> without" '2d' example.md

# An update writes every block and nothing else.
sed -i "$block { /\`tiers\`/ s/ |\$/ changed |/ }" copy/docs/result_files.md
update 0 "updated: $copy/result_files.md" "$TAPER" copy/docs
check cmp copy/docs/result_files.md "$TAPER_SOURCE/docs/result_files.md"

# The pages of docs/reports are those of the records
check bash "$TAPER_SOURCE/docs/reports.sh" --check "$TAPER"
check bash "$TAPER_SOURCE/docs/reports.sh" "$TAPER" reports >out
check test "$(grep -c '^updated: ' out)" = 4
check bash "$TAPER_SOURCE/docs/reports.sh" --check "$TAPER" reports
sed -i '0,/<td/ s/<td/<td /' reports/matmul.html
bash "$TAPER_SOURCE/docs/reports.sh" --check "$TAPER" reports >out 2>&1
check test $? = 1
check test "$(grep -c 'differs from what taper report writes' out)" = 1
check grep -q 'reports/matmul.html: differs' out

# prose PAGE: the page without its blocks of code.
prose() {
  sed '/^```/,/^```$/d' "$1"
}

# anchors PAGE: those of its headings.
anchors() {
  prose "$1" | sed -n 's/^##* //p' | tr '[:upper:] ' '[:lower:]-' | tr -cd 'a-z0-9_\n-'
}

# page_problems PAGE: what is too long, and links that lead nowhere.
page_problems() {
  local link target
  [ "$(wc -l <"$1")" -le 200 ] || echo "$1: expected at most 200 lines"
  awk '!/^\|/ && length > 120 { print FILENAME ":" FNR ": expected at most 120 columns" }' "$1"
  while IFS= read -r link; do
    target=$1
    [[ $link == '#'* ]] || target=$(dirname "$1")/${link%%#*}
    if [ ! -e "$target" ]; then
      echo "$1: no file: $link"
    elif [[ $link == *'#'* ]] && ! anchors "$target" | grep -qxF -- "${link#*#}"; then
      echo "$1: no heading: $link"
    fi
  done < <(prose "$1" | grep -o '](\([^)]*\))' | sed 's/^](//; s/)$//' | grep -v '^https*:')
}

for page in "$TAPER_SOURCE"/{README,CONTRIBUTING,configs/README,docs/*,docs/documents/*,docs/notes/*}.md; do
  check test "$(page_problems "$page" | tee found)" = "" || cat found
done
{
  printf '%s\n' '# One' '## Two, three' '[a](#two-three), [b](bad.md#one), [c](https://nowhere.invalid)'
  printf '%s\n' '[d](none.md)' '[e](#four) and [f](bad.md#five)' '```cpp' '[&](int) {}' '```'
  printf '%0121d\n' 0
  printf '| %0121d |\n' 0
  yes '' | head -n 191
} >bad.md
check test "$(page_problems bad.md)" = "bad.md: expected at most 200 lines
bad.md:9: expected at most 120 columns
bad.md: no file: none.md
bad.md: no heading: #four
bad.md: no heading: bad.md#five"
sed -i '$ d; 4,5 d; 9 d' bad.md
check test "$(page_problems bad.md)" = ""

# Usage
update 2 "expected TAPER [FOLDER]"
update 2 "no-taper: no such executable" no-taper
update 0 "Example: docs/update.sh" --help
verdict
