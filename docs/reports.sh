#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Writes the pages docs/reports/*.html, one for each of the four documents, from the summaries in docs/results.
set -euo pipefail
export LC_ALL=C # the order of the records

usage() {
  cat <<'END'
Usage: docs/reports.sh [--check] TAPER [FOLDER]

Writes FOLDER/NAME.html (default: docs/reports) for each document with `TAPER report`, from the folders of
docs/results.

--check  writes nothing, and names the pages that would change.

Exit status: 0 if all pages are right, or written; 1 if --check finds a page to write; 2 for bad usage, or if TAPER
fails.

Example: docs/reports.sh build/openmp/bin/taper
END
}

die() {
  echo "reports.sh: $*" >&2
  exit 2
}

check=0
while [[ ${1-} == -* ]]; do
  case $1 in
    -h | --help) usage && exit ;;
    --check) check=1 ;;
    *) die "not expected: $1 (see docs/reports.sh --help)" ;;
  esac
  shift
done
(($# == 1 || $# == 2)) || die "expected TAPER [FOLDER] (see docs/reports.sh --help)"
taper=$(command -v -- "$1") || die "$1: no such executable"
taper=$(realpath "$taper")
pages=$(realpath -m "${2:-$(dirname "${BASH_SOURCE[0]}")/reports}")
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

stale=0
# page NAME TITLE RECORD...: writes FOLDER/NAME.html, or compares it.
page() {
  local file=$pages/$1.html
  "$taper" report "${@:3}" --title "$2" -o "$scratch/page.html" >"$scratch/output" || die "taper report failed"
  if cmp -s "$scratch/page.html" "$file"; then
    return
  elif ((check)); then
    echo "$file: differs from what taper report writes. To update it: docs/reports.sh TAPER" >&2
    stale=1
  else
    mkdir -p "$pages"
    cp "$scratch/page.html" "$file"
    echo "updated: $file"
  fi
}

# The records of each document, by the beginnings of their names. Those of stable marriage have none.
marriage=() constraint=() product=() cover=()
for summary in docs/results/*/summary.csv; do
  record=${summary%/*}
  case ${record##*/} in
    marriage-propagator-*) constraint+=("$record") ;;
    matmul-* | tree-search-*) product+=("$record") ;;
    vertex-cover-*) cover+=("$record") ;;
    *) marriage+=("$record") ;;
  esac
done

page stable_marriage "Stable marriage: all records" "${marriage[@]}"
page constraint "The stable marriage constraint: all records" "${constraint[@]}"
page matmul "Matrix product and tree search: all records" "${product[@]}"
page vertex_cover "Vertex cover: all records" "${cover[@]}"
exit $stale
