# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Counts cache misses by simulation, for machines without `perf stat`: cachegrind of valgrind simulates two levels, here
# the first and the second. Sourced by the count.sh of the folders beside it, which set $d1 and $l2, or leave them empty
# for the caches of this machine.

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

# start_cachegrind: checks what count() needs.
start_cachegrind() {
  command -v valgrind >/dev/null || die "valgrind is not installed"
  d1=${d1:-$(cache_of_machine 1_DCACHE)}
  l2=${l2:-$(cache_of_machine 2_CACHE)}
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
}

# count PROGRAM ARGUMENTS...: prints all reads, the misses in the first level, and the misses in the second.
count() {
  valgrind --tool=cachegrind --cache-sim=yes --D1="$d1" --LL="$l2" --cachegrind-out-file="$scratch/out" \
    "$@" >/dev/null 2>"$scratch/log" || die "$* failed in valgrind: $(tail -n 1 "$scratch/log")"
  awk '$1 == "events:" { for (i = 2; i <= NF; ++i) place[$i] = i }
    $1 == "summary:" { print $(place["Dr"]), $(place["D1mr"]), $(place["DLmr"]) }' "$scratch/out"
}
