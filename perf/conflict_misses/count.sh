#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Counts the cache misses of two loop orders (Figure 8.4) by simulation, for machines without `perf stat`. It uses
# cachegrind of valgrind, which simulates two levels: here the first and the second.
#   perf/conflict_misses/count.sh build/openmp/bin/perf_conflict_misses >misses.csv
#   gnuplot -e "csv='misses.csv'; svg='misses.svg'" perf/conflict_misses/draw.gp
# Options before the program:
#   --from N --to N --step N  sizes (497, 527, 1)
#   --rows N                  rows of the product to compute (64): each reads all of B, so a few rows suffice
#   --d1 SIZE,WAYS,LINE       first level for data (default: that of this machine)
#   --l2 SIZE,WAYS,LINE       second level (default: that of this machine)
set -euo pipefail

die() {
  echo "count.sh: $*" >&2
  exit 2
}

# cache_of_machine LEVEL: size, ways and line of a cache of this machine, in the format of cachegrind.
cache_of_machine() {
  local values
  values=$(getconf "LEVEL$1_SIZE"),$(getconf "LEVEL$1_ASSOC"),$(getconf "LEVEL$1_LINESIZE")
  [[ $values =~ ^[1-9][0-9]*,[1-9][0-9]*,[1-9][0-9]*$ ]] ||
    die "this system does not report its caches: give --d1 and --l2, such as 32768,8,64 and 1048576,8,64"
  echo "$values"
}

from=497 to=527 step=1 rows=64 d1='' l2=''
while [[ ${1-} == --* ]]; do
  [[ $1 =~ ^--(from|to|step|rows|d1|l2)$ && -n ${2-} ]] || die "unknown option or no value: $1"
  [[ $1 =~ ^--(d1|l2)$ || $2 =~ ^[1-9][0-9]{0,4}$ ]] || die "$1 takes a number from 1 to 99999, not $2"
  declare "${1#--}=$2"
  shift 2
done
[[ $# == 1 && -x $1 ]] || die "expected one program: the path of perf_conflict_misses in a build"
command -v valgrind >/dev/null || die "valgrind is not installed"
d1=${d1:-$(cache_of_machine 1_DCACHE)}
l2=${l2:-$(cache_of_machine 2_CACHE)}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# count ORDER N ROWS: prints all reads, the misses in the first level, and the misses in the second.
count() {
  valgrind --tool=cachegrind --cache-sim=yes --D1="$d1" --LL="$l2" --cachegrind-out-file="$scratch/out" \
    "$program" "$@" 2>"$scratch/log" || die "$program $* failed in valgrind: $(tail -n 1 "$scratch/log")"
  awk '$1 == "events:" { for (i = 2; i <= NF; ++i) place[$i] = i }
    $1 == "summary:" { print $(place["Dr"]), $(place["D1mr"]), $(place["DLmr"]) }' "$scratch/out"
}

program=$1
echo "order,n,rows,multiply_adds,reads,d1_read_misses,l2_read_misses"
for ((n = from; n <= to; n += step)); do
  computed=$((rows < n ? rows : n))
  for order in ijk ikj; do
    # A run without rows counts what comes before and after the product.
    read -r without_reads without_d1 without_l2 < <(count "$order" "$n" 0)
    read -r reads d1_misses l2_misses < <(count "$order" "$n" "$computed")
    echo "$order,$n,$computed,$((computed * n * n)),$((reads - without_reads)),$((d1_misses - without_d1)),$((l2_misses - without_l2))"
  done
done
