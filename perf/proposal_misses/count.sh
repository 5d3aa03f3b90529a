#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Counts the cache misses of the proposals of serial engines (Figure 6, top row) by simulation.
#   perf/proposal_misses/count.sh build/openmp/bin/perf_proposal_misses >misses.csv
# Options before the program:
#   --n N                     people per side (2000)
#   --d1 SIZE,WAYS,LINE       first level for data (default: that of this machine)
#   --l2 SIZE,WAYS,LINE       second level (default: that of this machine)
# The share of misses is that of reads which miss both levels.
set -euo pipefail
# shellcheck source=perf/cachegrind.sh
source "$(dirname "${BASH_SOURCE[0]}")/../cachegrind.sh"

n=2000 d1='' l2=''
while [[ ${1-} == --* ]]; do
  [[ $1 =~ ^--(n|d1|l2)$ && -n ${2-} ]] || die "unknown option or no value: $1"
  [[ $1 != --n || $2 =~ ^[1-9][0-9]{0,4}$ ]] || die "$1 takes a number from 1 to 99999, not $2"
  declare "${1#--}=$2"
  shift 2
done
[[ $# == 1 && -x $1 ]] || die "expected one program: the path of perf_proposal_misses in a build"
export OMP_NUM_THREADS=1 OMP_PROC_BIND=false
start_cachegrind

program=$1
echo "workload,engine,n,reads,d1_read_misses,l2_read_misses,share_of_misses"
for family in solo congested random; do
  for engine in GS-Seq-CPU MW-Seq-CPU LA-Seq-CPU; do
    # A run without proposals counts the market and the tables.
    read -r without_reads without_d1 without_l2 < <(count "$program" "$engine" "$family" "$n" initialise)
    read -r reads d1_misses l2_misses < <(count "$program" "$engine" "$family" "$n" all)
    reads=$((reads - without_reads)) d1_misses=$((d1_misses - without_d1)) l2_misses=$((l2_misses - without_l2))
    echo "$family,$engine,$n,$reads,$d1_misses,$l2_misses,$(awk "BEGIN { printf \"%.4f\", $l2_misses / $reads }")"
  done
done
