#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Counts the cache misses of the proposal kernels of a GPU (Figure 6, top row) with Nsight Compute.
#   perf/proposal_misses/count_gpu.sh build/cuda-hopper90/bin/taper >misses.csv
# Options before the program:
#   --n N                     people per side (30000)
# The unit is a sector of 32 bytes. The share of misses is that of sectors which miss the first and the second level,
# among those that the kernels read.
set -euo pipefail

die() {
  echo "count_gpu.sh: $*" >&2
  exit 2
}

n=30000
while [[ ${1-} == --* ]]; do
  [[ $1 == --n && ${2-} =~ ^[1-9][0-9]{0,4}$ ]] || die "expected --n and a number from 1 to 99999, not $1 ${2-}"
  n=$2
  shift 2
done
[[ $# == 1 && -x $1 ]] || die "expected one program: the path of taper in a CUDA build"
command -v ncu >/dev/null || die "ncu (Nsight Compute) is not installed"
taper=$1
config=$(dirname "${BASH_SOURCE[0]}")/../../configs/paper/figure6.yaml
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The kernels of parallel legs are instances of LegWorker. The clocks stay as they are: counts do not depend on them.
count() {
  ncu --csv --clock-control none --kernel-name-base demangled --kernel-name regex:LegWorker --metrics \
    l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum,l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_hit.sum,lts__t_sectors_op_read.sum,lts__t_sectors_op_read_lookup_miss.sum,lts__t_sectors_op_atom.sum \
    "$taper" run "$config" "workloads=[$1]" "engines=[$2]" "baseline=$2" "sizes=[$n]" repetitions=1 warmup=0 \
    output="$scratch/$1-$2" >"$scratch/$1-$2.csv" 2>"$scratch/log" ||
    die "$1, $2: $(tail -n 1 "$scratch/$1-$2.csv") $(tail -n 1 "$scratch/log")"
  python3 - "$scratch/$1-$2.csv" <<'END'
import csv, sys
lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
start = next(i for i, line in enumerate(lines) if line.startswith('"ID"'))
sums, kernels = {}, set()
for row in csv.DictReader(lines[start:]):
    kernels.add(row["ID"])
    sums[row["Metric Name"]] = sums.get(row["Metric Name"], 0) + int(row["Metric Value"].replace(",", ""))
l1 = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld"
read, l1_missed = sums[l1 + ".sum"], sums[l1 + ".sum"] - sums[l1 + "_lookup_hit.sum"]
l2_read, l2_missed = sums["lts__t_sectors_op_read.sum"], sums["lts__t_sectors_op_read_lookup_miss.sum"]
print(len(kernels), read, l1_missed, l2_read, l2_missed, sums["lts__t_sectors_op_atom.sum"], f"{l2_missed / read:.4f}",
      sep=",")
END
}

echo "workload,engine,n,kernels,sectors_read,l1_misses,l2_sectors_read,l2_misses,l2_sectors_atomic,share_of_misses"
for family in congested random; do
  for engine in MW-Par-GPU-CAS LA-Par-GPU-CAS; do
    echo "$family,$engine,$n,$(count "$family" "$engine")"
  done
done
