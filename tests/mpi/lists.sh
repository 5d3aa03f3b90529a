# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Complete lists: taper match and taper verify by several processes find and print what one process does.
# shellcheck source=tests/mpi/processes.sh
source "$TAPER_SOURCE/tests/mpi/processes.sh"

# table FILE N ID...: n x n ids below 256, or 2 x n x n, as NumPy writes them.
table() {
  local file=$1 n=$2 id shape="$2, $2"
  shift 2
  (($# > n * n)) && shape="2, $shape"
  {
    printf '\x93NUMPY\x01\x00\x76\x00'
    printf '%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': ($shape), }"
    for id; do printf "\\x$(printf %x "$id")"; done
  } >"$file"
}

# without FILE: what one process and several print alike.
without() { grep -v -e '^memory' -e '^engine' -e '^tail' -e '^traffic' "$1"; }

# alike MARKET OPTION... -- PROCESSES...: solves it in one process and in several.
alike() {
  local options=() processes
  # shellcheck disable=SC2086 # a family and a size
  expect 0 "" generate $1 -o m.npy
  shift
  while [[ $1 != -- ]]; do
    options+=("$1")
    shift
  done
  shift
  expect 0 "verified  every agent has a partner; no blocking pair" match m.npy -o one.txt "${options[@]}"
  without out >one
  for processes; do
    in_processes "$processes" 0 "verified  every" match m.npy -o several.txt "${options[@]}"
    check cmp one.txt several.txt
    check cmp one <(without out)
  done
}
alike "uniform 40" -- 1 2 3 4
in_processes 3 0 "stable: 40 pairs" verify m.npy one.txt
in_processes 3 0 "engine    taper in 3 processes, " match m.npy -o several.txt
check test "$(grep -c '^verified' out)" = 1 # process 0 alone prints
alike "uniform 41" --proposer women -- 3
in_processes 2 0 "stable: 41 pairs" verify m.npy one.txt --proposer women
alike "congested 30" -- 2 4
alike "solo 25" -- 3
alike "uniform 2" -- 4
alike "uniform 1" -- 3
alike "uniform 0" -- 2

# Two files, ids from 1 on, rows of ranks.
table men.npy 3 1 2 3 2 1 3 1 2 3
table women.npy 3 2 1 3 1 2 3 3 2 1
for options in "" "--preferences rank --base 1"; do
  # shellcheck disable=SC2086 # options
  expect 0 "verified" match men.npy women.npy -o one.csv $options
  without out >one
  # shellcheck disable=SC2086 # options
  in_processes 4 0 "verified" match men.npy women.npy -o several.csv $options
  check cmp one.csv several.csv
  check cmp one <(without out)
done

# Wrong matchings, with the proofs.
expect 0 "" generate uniform 30 -o m.npy
for i in $(seq 0 29); do echo "$i $(((i + 1) % 30))"; done >wrong.txt
for limit in 3 1000; do
  expect 1 "not stable: " verify m.npy wrong.txt --limit $limit
  cp out one
  for processes in 2 4; do
    in_processes $processes 1 "not stable: " verify m.npy wrong.txt --limit $limit
    check cmp one out
  done
done
printf '0 0\n1 0\n' >wrong.txt
in_processes 2 1 "not a perfect matching: wrong.txt:2" verify m.npy wrong.txt
in_processes 2 2 "taper verify: nowhere.txt: cannot be opened" verify m.npy nowhere.txt --base 0
one_line

# One line for an error that all processes have, or one of them.
table men.npy 3 0 1 2 1 0 2 0 1 2
table women.npy 3 1 0 2 0 1 2 2 2 0
in_processes 2 2 "taper match: process 1: women.npy: women, list 3, entry 2: 2 appears twice" match men.npy women.npy
one_line
table men.npy 3 0 1 2 1 0 2 1 2 3
table women.npy 3 1 0 2 0 1 2 3 1 2
in_processes 3 2 "some processes found ids from 0 on in their lists, others from 1 on" match men.npy women.npy
one_line
in_processes 3 2 "process 2: men.npy: men, list 3, entry 3: 3 is out of range 0..2" match men.npy women.npy --base 0
one_line
table men.npy 3 0 1 2 1 0 2 0 1 2
table women.npy 3 1 0 2 0 1 2 2 1 0
truncate -s -1 women.npy
in_processes 2 2 "women.npy: expected 9 bytes of numbers, found 8" match men.npy women.npy
one_line
in_processes 2 2 "men.npy: expected both tables, shape (2, n, n), or a second file" match men.npy
one_line
table women.npy 2 1 0 0 1
in_processes 2 2 "women.npy: has 2 lists, but men.npy has 3" match men.npy women.npy
one_line
in_processes 2 2 "taper match: nowhere.npy: cannot be opened" match nowhere.npy
one_line
in_processes 2 2 "engine 'GS-Seq-CPU' works in one process alone, not in 2" match m.npy --engine GS-Seq-CPU
one_line
in_processes 2 2 "--seats is not for complete lists in .npy" match m.npy --seats s.csv
one_line
in_processes 2 2 "--proposer: no side has the title 'x'" match m.npy --proposer x
one_line
in_processes 2 2 "/nowhere/out.txt: cannot be written" match m.npy -o /nowhere/out.txt
one_line
gzip -k m.npy
in_processes 2 2 "m.npy.gz: expected an array without compression" match m.npy.gz --format npy
one_line

verdict
