# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The page of a run as a user gets it: from one run, several runs, and a summary. tests/apps/report_page.cpp checks the
# structure of pages, tests/apps/report_browser.sh how they look.

# shellcheck source=tests/support/driver.sh
source "$TAPER_SOURCE/tests/support/driver.sh"

cat >c.yaml <<'END'
name: c
title: 'A <b>&"title"'
workloads: [perfect, {family: random, group_size: [2, 3]}]
sizes: [8, 16]
engines: [GS-Seq-CPU, {name: '<i>"x" & y', engine: GS-Seq-CPU}]
repetitions: 1
END

# shows WORDS...: the page must contain them all.
shows() {
  local words
  for words in "$@"; do
    check grep -qF -- "$words" page.html
  done
}

expect 0 "report: results/c/report.html" run c.yaml --report
check grep -q "verified: " out
cp results/c/report.html page.html
shows '<h1>A &lt;b&gt;&amp;&quot;title&quot;</h1>' 'data-name="&lt;i&gt;&quot;x&quot; &amp; y"' \
  '<th scope="row">random(3), n = 16</th>' '12 cases, 12 with a verified answer.' '<table class="times few">'
check test "$(grep -c '<section' page.html)" = 1
if command -v gnuplot >/dev/null; then
  shows '<figcaption>phases: ' '<figcaption>scaling: '
  check test "$(grep -c '<svg' page.html)" = 2
fi
check test "$(grep -ciE '<script|src=|https?://[^w]' page.html)" = 0

# Several runs, one of them a summary
mkdir summary
"$TAPER" table results/c --csv >summary/summary.csv
printf '{"format": "x", "cases": 6, "provenance": {"cpu": "A <CPU>"}, "configuration": {"name": "short"}}' \
  >summary/provenance.json
expect 0 "report: page.html" report results/c summary "$TAPER_SOURCE/docs/results/engines-2-cores" -o page.html \
  --title 'Three <runs>' --note 'A <note>'
shows '<h1>Three &lt;runs&gt;</h1>' '<p>A &lt;note&gt;</p>' '<section id="run-3">' 'From a summary' \
  '<a href="#run-2">short</a> <span class="soft"><code>summary</code> &middot; A &lt;CPU&gt;' 'All host engines' \
  'Factors are speedups over GS-Seq-CPU.'
expect 0 "<h1>short</h1>" report summary -o -
expect 0 "report: summary/report.html" report summary

# A wrong answer and a missing case are shown
cp -r results/c results/wrong
sed -i -e '0,/"verified":true/ s//"verified":false,"failure":"2 <blocking> pairs"/' \
  -e 's/"complete": true/"complete": false/' results/wrong/results.json
expect 0 "report: page.html" report results/wrong -o page.html
shows '12 cases, 11 with a verified answer.' 'was interrupted' \
  '<p class="fault">WRONG, case 1 of results.json: 2 &lt;blocking&gt; pairs</p>'

# A picture that the results do not have is named; without gnuplot the page has no pictures and says so
expect 0 "" run c.yaml workloads='[solo]' sizes='[8]' output=small --report
cp small/report.html page.html
mkdir bin
for tool in grep sed wc; do ln -s "$(command -v $tool)" bin/; done
PATH=$PWD/bin expect 0 "note: the report of results/c lacks pictures: gnuplot is not installed" \
  report results/c -o page.html
shows 'Pictures are missing: gnuplot is not installed' '<table class="times few">'
check test "$(grep -c '<svg' page.html)" = 0

# Bad input: one line, and no page
rm page.html
mkdir empty half
expect 2 "FOLDER" report && one_line
expect 2 "nosuch: expected a folder that \`taper run\` wrote" report nosuch -o page.html && one_line
expect 2 "results/c/results.json: expected a folder" report results/c/results.json -o page.html && one_line
expect 2 "empty: expected results.json of \`taper run\`, or summary.csv and provenance.json" report empty && one_line
expect 2 "empty: expected results.json or summary.csv in this folder" table empty && one_line
expect 2 "empty: expected results.json in this folder" plot empty && one_line
cp summary/summary.csv half
expect 2 "half/provenance.json: expected JSON with the key 'provenance'" report half -o page.html && one_line
echo '{"provenance": 1}' >half/provenance.json
expect 2 "half/provenance.json: expected JSON with the key 'provenance'" report half -o page.html && one_line
echo 'subject' >half/summary.csv
expect 2 "half/summary.csv:1: expected 'subject,engine" report summary half -o page.html && one_line
echo '{}' >empty/results.json
expect 2 "found other JSON" report empty -o page.html && one_line
printf '{"format": "taper-results-1", "provenance": {}, "configuration": {"name": "x", "title": ""}, "cases": [1]}' \
  >empty/results.json
expect 2 "empty/results.json: damaged results" report empty -o page.html && one_line
check test ! -e page.html

# The page appears whole or not at all, and overwrites no input
expect 2 "nosuch/page.html: cannot be written" report summary -o nosuch/page.html && one_line
expect 2 "-o summary/summary.csv: would overwrite the input" report summary -o summary/summary.csv && one_line
expect 2 "would overwrite the input" report results/c -o results/c/results.json && one_line
echo old >page.html
expect 2 "" report summary nosuch -o page.html
check test "$(cat page.html)" = old
check test "$(find . -name '*.tmp*' -o -name 'page.html?*' | wc -l)" = 0

# Without a result there is no page
expect 2 "unknown engine" run c.yaml 'engines=[nosuch]' output=none --report
check test ! -e none/report.html
verdict
