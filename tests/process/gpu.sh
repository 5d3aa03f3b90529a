# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# A crowded GPU: two processes on one GPU, and a GPU with 90 % of its memory taken. CTest sets $TAPER, $TAPER_SOURCE and
# $TAPER_HOLD_MEMORY, which takes memory of the GPU until its standard input ends. By hand:
#   TAPER=build/cuda-hopper90/bin/taper TAPER_SOURCE=$PWD \
#     TAPER_HOLD_MEMORY=build/cuda-hopper90/tests/bin/taper_hold_gpu_memory bash tests/process/gpu.sh
TAPER=$(realpath "$TAPER")
TAPER_HOLD_MEMORY=$(realpath "$TAPER_HOLD_MEMORY")
# shellcheck source=tests/support/driver.sh
source "$TAPER_SOURCE/tests/support/driver.sh"
export TAPER_PROFILE=none

# experiment NAME SIZE: an experiment of one case on the GPU, which verifies its matching.
experiment() {
  printf 'name: %s\noutput: %s\nworkloads: [random(5)]\nsizes: [%s]\nengines: [taper]\nbaseline: taper\n' "$1" "$1" "$2"
  printf 'repetitions: 3\nwarmup: 1\n'
}

# both COMMAND...: two processes at the same time; both must succeed.
both() {
  "$TAPER" "$@" -o first >first.out 2>&1 &
  local first=$!
  "$TAPER" "$@" -o second >second.out 2>&1
  local status=$?
  wait $first && [ $status = 0 ]
}

expect 0 "" generate random 3000 -o market.npy
expect 0 "" generate graph random_regular 150 --degree 5 -o graph.gr
check both match market.npy --backend device
check cmp -s first second
expect 0 "stable" verify market.npy first
check both cover graph.gr --backend device --mode published
for cover in first second; do
  expect 0 "a vertex cover" verify cover graph.gr $cover
done
"$TAPER" info >out
whole=$(sed -n 's/^ *cuda .*n up to \([0-9,]*\) .*/\1/p' out | tr -d ,)

# The holder prints a line when it has the memory.
mkfifo until
"$TAPER_HOLD_MEMORY" 0.9 <until >held 2>&1 &
exec 4>until
until [ -s held ]; do sleep 0.1; done
check grep "^holds" held
"$TAPER" info >out
left=$(sed -n 's/^ *cuda .*n up to \([0-9,]*\) .*/\1/p' out | tr -d ,)
echo "largest market with the whole GPU: n = $whole; with a tenth: n = $left"
check test "$left" -lt $((whole / 2))
experiment large $((whole * 9 / 10)) >large.yaml
expect 2 "free" run large.yaml && one_line
check test ! -e large/results.json
experiment small $((left / 2)) >small.yaml
expect 0 "verified" run small.yaml
expect 0 "verified" match market.npy --backend device -o first
for mode in published component_search yamout; do
  expect 0 "the minimum" cover graph.gr --backend device --mode $mode -o cover
  expect 0 "a vertex cover" verify cover graph.gr cover
done
expect 0 "" generate matrix uniform 2000 2000 -o a.npy
expect 0 "verified" multiply a.npy a.npy --backend device --verify -o c.npy
exec 4>&-
wait
verdict
