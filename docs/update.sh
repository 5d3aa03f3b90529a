#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Writes the tables that the taper command prints into the pages of this folder. The test apps.docs uses --check.
set -euo pipefail

usage() {
  cat <<'END'
Usage: docs/update.sh [--check] TAPER [FOLDER]

Rewrites the generated blocks of all pages in FOLDER (default: this one) with what the executable TAPER prints:
  <!-- fields: NAME -->  the table NAME of `taper info --fields`
  <!-- table: PATH -->   `taper table PATH --markdown`; PATH begins in the folder above FOLDER
A block ends with the line <!-- end -->. Each table of `taper info --fields` must stand in exactly one page.

--check  changes no page, and shows the blocks that would change.

Exit status: 0 if all blocks are right, or written; 1 if a page must be changed by hand, or at all with --check;
2 for bad usage, or if TAPER fails.

Example: docs/update.sh build/openmp/bin/taper
END
}

die() {
  echo "update.sh: $*" >&2
  exit 2
}

check=0
while [[ ${1-} == -* ]]; do
  case $1 in
    -h | --help) usage && exit ;;
    --check) check=1 ;;
    *) die "not expected: $1 (see docs/update.sh --help)" ;;
  esac
  shift
done
(($# == 1 || $# == 2)) || die "expected TAPER [FOLDER] (see docs/update.sh --help)"
taper=$(command -v -- "$1") || die "$1: no such executable"
[[ $taper == /* ]] || taper=$PWD/$taper
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${2:-$here}
[[ -d $folder ]] || die "$folder: no such folder"
folder=$(cd "$folder" && pwd)
root=$(dirname "$folder")
command="$here/update.sh $1${2:+ $2}"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/fields" "$scratch/pages"

problems=0
# problem WORDS...: a fault of a page that only its author can correct, or with --check any.
problem() {
  echo "$*" >&2
  problems=1
}

# Each table of `taper info --fields` goes to the file fields/NAME.
"$taper" info --fields >"$scratch/output" || die "$taper info --fields failed"
awk -v folder="$scratch/fields" '
  /^<!-- fields: .* -->$/ { file = folder "/" $3; printf "" >file; next }
  $0 == "<!-- end -->" { close(file); file = ""; next }
  file == "" { print "update.sh: taper info --fields: line " NR " is in no block: " $0 >"/dev/stderr"; exit 1 }
  { print >file }' "$scratch/output" || exit 2
[[ -n $(ls "$scratch/fields") ]] || die "$taper info --fields printed no block"

# contents KIND NAME: writes the lines of a block to the file `block`. Fails if there is no such table.
contents() {
  if [[ $1 == fields ]]; then
    [[ -f $scratch/fields/$2 ]] && cp "$scratch/fields/$2" "$scratch/block"
  else
    (cd "$root" && "$taper" table "$2" --markdown) >"$scratch/block"
  fi
}

# update PAGE: writes the page with its new blocks to the file `page`, and its fields' names to the file pages/NAME.
update() {
  local page=$1 line number=0 marker='' kind name
  : >"$scratch/page"
  while IFS= read -r line || [[ -n $line ]]; do
    number=$((number + 1))
    if [[ $line =~ ^'<!-- '(fields|table)': '([^ ]+)' -->'$ ]]; then
      kind=${BASH_REMATCH[1]} name=${BASH_REMATCH[2]}
      [[ -z $marker ]] || problem "$page:$number: no <!-- end --> after $marker"
      marker=$line
      : >"$scratch/found"
      [[ $kind == table ]] || echo "$page:$number" >>"$scratch/pages/$name"
      printf '%s\n' "$line" >>"$scratch/page"
    elif [[ $line == '<!-- end -->' ]]; then
      if [[ -z $marker ]]; then
        problem "$page:$number: <!-- end --> without <!-- fields: NAME --> or <!-- table: PATH -->"
      elif ! contents "$kind" "$name"; then
        problem "$page:$number: $marker: the taper command has no such table"
        cp "$scratch/found" "$scratch/block"
      elif ((check)) && ! cmp -s "$scratch/found" "$scratch/block"; then
        problem "$page:$number: $marker: differs from what the taper command prints. To update it: $command"
        diff "$scratch/found" "$scratch/block" >&2 || true
      fi
      [[ -z $marker ]] || cat "$scratch/block" >>"$scratch/page"
      marker=''
      printf '%s\n' "$line" >>"$scratch/page"
    elif [[ -n $marker ]]; then
      printf '%s\n' "$line" >>"$scratch/found"
    else
      printf '%s\n' "$line" >>"$scratch/page"
    fi
  done <"$folder/$page"
  if [[ -n $marker ]]; then
    problem "$page: no <!-- end --> after $marker"
    cat "$scratch/found" >>"$scratch/page"
  fi
}

while IFS= read -r page; do
  grep -q '^<!-- \(fields: \|table: \|end -->\)' "$folder/$page" || continue
  update "$page"
  if ! ((check)) && ! cmp -s "$scratch/page" "$folder/$page"; then
    cat "$scratch/page" >"$folder/$page"
    echo "updated: $folder/$page"
  fi
done < <(cd "$folder" && find . -name '*.md' | sed 's|^\./||' | sort)

for file in "$scratch/fields"/*; do
  name=${file##*/}
  if [[ ! -f $scratch/pages/$name ]]; then
    problem "no page has the table '$name'. Write the lines <!-- fields: $name --> and <!-- end --> into one," \
      "then run: $command"
  elif (($(wc -l <"$scratch/pages/$name") > 1)); then
    problem "the table '$name' stands more than once: $(tr '\n' ' ' <"$scratch/pages/$name")"
  fi
done
exit $problems
