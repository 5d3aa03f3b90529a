# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Looks at report pages in headless Chromium, without a network: on a phone, a tablet and a desktop, light and dark.

# shellcheck source=tests/support/driver.sh
source "$TAPER_SOURCE/tests/support/driver.sh"

for program in chromium gnuplot; do
  command -v $program >/dev/null || { echo "SKIPPED: $program was not found"; exit; }
done

# frame NAME PAGE WIDTH SCHEME: a page at this width, to be looked at.
frame() {
  printf '<iframe data-name="%s" src="%s" data-scheme="%s" ' "$1" "$2" "$4" >>look.html
  printf 'style="width:%spx;height:844px;color-scheme:%s"></iframe>\n' "$3" "$4" >>look.html
}

# look: what Chromium sees in the frames, as lines "NAME: ...", in the file `seen`.
look() {
  local head='<!DOCTYPE html><meta charset="utf-8"><pre></pre><script src="look_at_pages.js"></script>'
  { echo "$head"; cat look.html; } >all.html
  timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-background-networking \
    --disable-component-update --disable-sync --user-data-dir="$PWD/profile" --allow-file-access-from-files \
    --host-resolver-rules='MAP * ~NOTFOUND' --window-size=1400,900 --dump-dom "file://$PWD/all.html" >dom 2>messages
  sed -n '/<pre>/,/<\/pre>/p' dom | grep -v 'pre>' | sed 's/&lt;/</g; s/&gt;/>/g' >seen
  check test -s seen || sed 's/^/    /' messages
  rm look.html
}

cp "$TAPER_SOURCE/tests/support/look_at_pages.js" .
cat >c.yaml <<'END'
name: c
title: 'A title with <marks> & "quotes" that is long enough to need two lines on a phone'
workloads: [perfect, solo, congested, {family: random, group_size: [2, 3]}, uniform]
sizes: [8, 16]
engines: [GS-Seq-CPU, MW-Seq-CPU, LA-Seq-CPU, GS-Par-CPU, {name: another with a long name, engine: MW-Par-CPU}]
repetitions: 1
END
expect 0 "report: " run c.yaml --report
expect 0 "verified: " run c.yaml 'engines=[GS-Seq-CPU, MW-Seq-CPU]' output=few
mapfile -t records < <(find "$TAPER_SOURCE/docs/results" -name summary.csv -printf '%h\n' | sort)
expect 0 "report: page.html" report results/c few "${records[@]}" -o page.html
tables=$((2 + ${#records[@]}))
pictures=$(grep -o '<svg ' page.html | wc -l)
check test "$pictures" -ge 4
for width in 390 800 1280; do
  for scheme in light dark; do
    frame "$width $scheme" page.html $width $scheme
  done
done
look
for view in 390 800 1280; do
  for scheme in light dark; do
    check test "$(grep "^$view $scheme: " seen)" = "$view $scheme: $tables tables, $pictures pictures"
  done
done
[ $failures = 0 ] || head -40 seen

# wrong WORDS EDIT: after the edit of sed, the page must be seen to be wrong in these words.
edits=0
wrong() {
  edits=$((edits + 1))
  sed "$2" results/c/report.html >"wrong$edits.html"
  check test "$(cmp -s results/c/report.html "wrong$edits.html" && echo same)" = ""
  frame "wrong$edits" "wrong$edits.html" 390 "${3-light}"
  echo "wrong$edits: $1" >>expected
}
wrong 'the page is ' 's|<h3>Times|<div style="width:500px">x</div>&|'
wrong 'reaches from ' 's|<h3>Times|<p style="margin-left:-20px">x</p>&|'
wrong 'narrower than its content' \
  's|<h3>Times|<p style="width:20px;white-space:nowrap;overflow:hidden">a long word</p>&|'
wrong 'has a contrast of 1.' 's|--soft: #a3adb8|--soft: #161b22|' dark
wrong 'the page is light' 's|(prefers-color-scheme: dark)|(prefers-color-scheme: none)|' dark
wrong 'breaks its text into letters' 's|\.few caption|.few none|g; s|\.many caption|.many none|g'
wrong '0 tables' 's|</style>|.times{display:none}&|'
wrong '0 pictures' 's|</style>|figure{display:none}&|'
wrong 'no legible text' 's|</style>|.scroll svg{min-width:0!important}&|'
look
while IFS= read -r line; do
  check grep -qF -- "${line#*: }" <(grep "^${line%%: *}: " seen)
done <expected
[ $failures = 0 ] || cat seen
verdict
