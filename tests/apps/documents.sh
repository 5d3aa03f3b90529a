# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The pages of docs/documents are right: each row names a way to run its item and a record that exist, and each quick
# run ends with verified answers, a table and its picture. Wrong rows and runs are refused.

# shellcheck source=tests/support/driver.sh
source "$TAPER_SOURCE/tests/support/driver.sh"

cat "$TAPER_SOURCE"/docs/documents/*.md >page
page=$PWD/page # all of them
ln -s "$TAPER_SOURCE/configs" configs
has_gnuplot=$(command -v gnuplot)

# quick_runs PAGE: its commands, one per line, each with the kind of picture behind '#'.
quick_runs() {
  sed -n '/^## Quick runs$/,/^# /p' "$1" | sed -n '/^```sh$/,/^```$/p' | grep -v -e '^```' -e '^$'
}

# words_in TEXT: what stands in backticks, one per line.
words_in() {
  grep -o '`[^`]*`' <<<"$1" | tr -d '`'
}

# exists_test FOLDER.FILE: whether tests/FOLDER/FILE is a test.
exists_test() {
  local file=$TAPER_SOURCE/tests/${1/.//}
  [ -f "$file.cpp" ] || [ -f "${file}_test.cpp" ] || [ -f "$file.sh" ]
}

# run_problems TEXT PREFIX: what is wrong with a cell 'how to run'.
run_problems() {
  local word found=''
  [[ $1 == *'not yet'* || $1 == *'nothing to run'* || $1 == *'`minizinc`'* ]] && found=1
  while IFS= read -r word; do
    case $word in
      *.yaml)
        found=1
        [ -f "$TAPER_SOURCE/$2$word" ] || echo "no file $2$word"
        grep -qF "$2$word " quick || echo "no quick run of $2$word"
        ;;
      */*) # a file of the repository
        found=1
        [ -f "$TAPER_SOURCE/$word" ] || echo "no file $word"
        ;;
      *[a-z].[a-z]*)
        found=1
        exists_test "$word" || echo "no test $word"
        ;;
    esac
  done < <(words_in "$1")
  [ -n "$found" ] || echo "no way to run it, and not 'not yet' or 'nothing to run'"
}

# record_problems TEXT PREFIX: what is wrong with a cell 'record'.
record_problems() {
  local name
  [[ $1 == - || $1 == 'none yet' ]] && return
  [ -n "$(words_in "$1")" ] || echo "expected '-', 'none yet' or the names of records"
  while IFS= read -r name; do
    [ -f "$TAPER_SOURCE/$2$name/summary.csv" ] || [ -f "$TAPER_SOURCE/$2$name" ] || echo "no record $2$name"
  done < <(words_in "$1")
}

# problems PAGE: what is wrong with its rows, a line each.
problems() {
  local line files='' records='' item run record rest config
  quick_runs "$1" >quick
  while IFS= read -r line; do
    if [[ $line =~ ^Files:\ \`(.*)\`,\ records:\ \`(.*)\`\.$ ]]; then
      files=${BASH_REMATCH[1]} records=${BASH_REMATCH[2]}
    elif [[ $line == '| '* && $line != '| item | how to run | record |' ]]; then
      IFS='|' read -r rest item run record rest <<<"$line"
      item=${item# } record=${record# }
      { run_problems "$run" "$files"; record_problems "${record% }" "$records"; } | sed "s|^|$item: |"
    fi
  done <"$1"
  for config in "$TAPER_SOURCE"/configs/{paper,tree_search}/*.yaml "$TAPER_SOURCE"/configs/*/{figure,table}*.yaml; do
    config=${config#"$TAPER_SOURCE/"}
    grep -qF "$config" quick || echo "no quick run of $config"
    grep -qF "${config#configs/}" "$1" || echo "no row names $config"
  done
}

# quick_problems LINE: runs it, and says what is wrong.
quick_problems() {
  local picture=${1##*# } report
  rm -rf quick_run
  taper() { "$TAPER" "$@" output=quick_run; }
  if ! eval "${1%%#*}" >out 2>&1 </dev/null; then
    # A machine with GPUs, but fewer than the file wants. Without any, the shards are on the host.
    grep -q 'devices: expected at most' out && echo "not run: $1: $(tail -1 out)" >>not_run && return
    echo "it failed: $(tail -1 out)"
    return
  fi
  report=quick_run/report.html
  grep -q '^verified: ' out || echo "no verified answer"
  [ -f $report ] || { echo "no page; the command lacks --report" && return; }
  grep -q '<th scope="row">' <(sed -n '/<table class="times/,/<\/table>/p' $report) || echo "no table"
  [ -z "$has_gnuplot" ] || grep -q "<figcaption>$picture: " $report || echo "no picture '$picture'"
}

# all_quick_problems PAGE: runs every line, and says what is wrong.
all_quick_problems() {
  local line
  while IFS= read -r line; do
    if [[ $line == 'taper run '* ]]; then
      quick_problems "$line" | sed "s|^|$line: |"
    else
      eval "$line"
    fi
  done < <(quick_runs "$1")
}

# refused WORDS TEXT: the problems must contain the words.
refused() {
  if ! grep -qF -- "$1" <<<"$2"; then
    echo "FAILED: expected a problem '$1', found: $2"
    failures=$((failures + 1))
  fi
}

# The pages as they are
for file in "$TAPER_SOURCE"/docs/documents/*.md; do
  check grep -qF "](documents/${file##*/})" "$TAPER_SOURCE/docs/documents.md"
done
check test "$(problems "$page" | tee found)" = "" || cat found
check test "$(quick_runs "$page" | grep -c '^taper run ')" -ge 30
check test "$(all_quick_problems "$page" | tee found)" = "" || cat found
[ ! -e not_run ] || cat not_run
[ -n "$has_gnuplot" ] || echo "pictures were not checked: gnuplot was not found"

# wrong WORDS EDIT: after the edit of sed, the pages must have this problem.
wrong() {
  sed "$2" "$page" >wrong.md
  refused "$1" "$(problems wrong.md)"
}
wrong "no file configs/paper/nosuch.yaml" '/^| Table I: five/ s|table1|nosuch|'
wrong "no test stable_marriage.nosuch" "/^| Theorem IX.7/ s|solve|nosuch|"
wrong "no way to run it" "/^| Theorem IX.7/ s/test .stable_marriage.solve.//"
wrong "no record docs/results/vertex-cover-nosuch" 's|`table6-2-cores`|`nosuch`|'
wrong "expected '-', 'none yet'" '/^| Crown rule/ s/.smoke-h200./soon/'
wrong "no quick run of configs/matmul/figure8_8.yaml" '/^taper run configs.matmul.figure8_8/ d'
wrong "no row names configs/vertex_cover/table6.yaml" 's/table6\.yaml/x.yaml/'

# refuse_run WORDS SETTING...: a quick run with these settings must be refused in these words.
refuse_run() {
  local words=$1
  shift
  refused "$words" "$(quick_problems "taper run configs/matmul/figure8_8.yaml max_n=8 repetitions=1 $*")"
}
refuse_run "it failed: " "nosuch=1 --report # scaling"
refuse_run "no engine is left that can run here" \
  "'engines=[{name: x, engine: Vanilla, backend: threads}]' baseline=x skip_missing_backends=true --report # scaling"
refuse_run "no verified answer" "verify=false --report # scaling"
refuse_run "no page" "# scaling"
[ -z "$has_gnuplot" ] || refuse_run "no picture 'thresholds'" "--report # thresholds"
verdict
