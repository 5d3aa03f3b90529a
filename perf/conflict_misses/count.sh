#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Counts the cache misses of two loop orders (Figure 8.4) by simulation.
#   perf/conflict_misses/count.sh build/openmp/bin/perf_conflict_misses >misses.csv
#   gnuplot -e "csv='misses.csv'; svg='misses.svg'" perf/conflict_misses/draw.gp
# Options before the program:
#   --from N --to N --step N  sizes (497, 527, 1)
#   --rows N                  rows of the product to compute (64): each reads all of B, so a few rows suffice
#   --d1 SIZE,WAYS,LINE       first level for data (default: that of this machine)
#   --l2 SIZE,WAYS,LINE       second level (default: that of this machine)
set -euo pipefail

# shellcheck source=perf/cachegrind.sh
source "$(dirname "${BASH_SOURCE[0]}")/../cachegrind.sh"

from=497 to=527 step=1 rows=64 d1='' l2=''
while [[ ${1-} == --* ]]; do
  [[ $1 =~ ^--(from|to|step|rows|d1|l2)$ && -n ${2-} ]] || die "unknown option or no value: $1"
  [[ $1 =~ ^--(d1|l2)$ || $2 =~ ^[1-9][0-9]{0,4}$ ]] || die "$1 takes a number from 1 to 99999, not $2"
  declare "${1#--}=$2"
  shift 2
done
[[ $# == 1 && -x $1 ]] || die "expected one program: the path of perf_conflict_misses in a build"
start_cachegrind

program=$1
echo "order,n,rows,multiply_adds,reads,d1_read_misses,l2_read_misses"
for ((n = from; n <= to; n += step)); do
  computed=$((rows < n ? rows : n))
  for order in ijk ikj; do
    # A run without rows counts what comes before and after the product.
    read -r without_reads without_d1 without_l2 < <(count "$program" "$order" "$n" 0)
    read -r reads d1_misses l2_misses < <(count "$program" "$order" "$n" "$computed")
    echo "$order,$n,$computed,$((computed * n * n)),$((reads - without_reads)),$((d1_misses - without_d1)),$((l2_misses - without_l2))"
  done
done
