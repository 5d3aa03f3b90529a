#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

if [[ $# -lt 4 || $1 == -h || $1 == --help ]]; then
  cat <<'END'
Usage: run.sh BIN_FOLDER SECONDS JOBS OUT_FOLDER [TARGET ...]

Runs fuzz targets, executables in BIN_FOLDER, for SECONDS in JOBS processes at a time; without TARGET: all of them.
Starts from the folders seeds/TARGET beside this script. Writes to OUT_FOLDER: corpus/TARGET, the inputs that reach new
code; faults/TARGET, the inputs that break a promise, take more than 10 s or too much memory; log. Prints a table of
executions and faults. Exit status: 1 if there are faults.

To repeat a fault: BIN_FOLDER/TARGET OUT_FOLDER/faults/TARGET/FILE
END
  exit 2
fi
bin=$1 seconds=$2 jobs=$3 out=$4
shift 4
targets=("$@")
if ((${#targets[@]} == 0)); then
  for file in "$bin"/*; do [[ -f $file && -x $file && -d $here/seeds/${file##*/} ]] && targets+=("${file##*/}"); done
fi
((${#targets[@]})) || { echo "run.sh: no targets in $bin" >&2; exit 2; }

# The most bytes of an input. Short inputs are fast, and the readers' forms fit.
max_bytes() {
  case $1 in
    profiles) echo 800 ;;
    results) echo 700 ;;
    experiments) echo 300 ;;
    graphs | markets | matrices) echo 120 ;;
    *) echo 40 ;;
  esac
}

# These targets are fast, so more of the processes run them.
slots=("${targets[@]}")
for target in "${targets[@]}"; do
  case $target in graphs | markets | matmul | matrices) slots+=("$target" "$target") ;; esac
done

# fuzz TARGET SECONDS PROCESS: runs a target, and again after each fault.
fuzz() {
  local end=$((SECONDS + $2)) round left options
  options=("-max_len=$(max_bytes "$1")" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -verbosity=1
    "-artifact_prefix=$out/faults/$1/")
  [[ ${bin##*/} == fast ]] && options+=(-entropic=0) # no search for rare code, which takes a sixth of the time
  # Gecode's reader does not free a model that it refuses.
  [[ $1 == flatzinc ]] && local -x ASAN_OPTIONS=detect_leaks=0
  [[ -f $here/seeds/$1.dict ]] && options+=("-dict=$here/seeds/$1.dict")
  for ((round = 0; round < 50; ++round)); do
    left=$((end - SECONDS))
    ((left > 0)) || break
    "$bin/$1" "${options[@]}" "-max_total_time=$left" "-seed=$(($3 * 1000 + round + 1))" "$out/corpus/$1" \
      "$here/seeds/$1" >"$out/log/$1.$3.$round" 2>&1
  done
}

for target in "${targets[@]}"; do mkdir -p "$out"/{corpus,faults}/"$target"; done
mkdir -p "$out/log"
rm -f "$out"/log/*
if ((jobs >= ${#slots[@]})); then
  for ((job = 0; job < jobs; ++job)); do fuzz "${slots[job % ${#slots[@]}]}" "$seconds" "$job" & done
else # one after another
  slots=("${targets[@]}")
  share=$((seconds * jobs / ${#slots[@]}))
  ((share < seconds)) || share=$seconds
  for ((job = 0; job < jobs; ++job)); do
    for ((slot = job; slot < ${#slots[@]}; slot += jobs)); do fuzz "${slots[slot]}" $((share > 0 ? share : 1)) "$slot"; done &
  done
fi
wait

status=0
printf '%-16s %14s %12s %8s\n' target executions per_second faults
sum=0
for target in "${targets[@]}"; do
  read -r executions rate < <(cat "$out"/log/"$target".* | awk '
    /^stat::number_of_executed_units/ { sum += $2 } /^stat::average_exec_per_sec/ { rate += $2; ++count }
    END { printf "%d %d\n", sum, count ? rate / count : 0 }')
  faults=$(find "$out/faults/$target" -type f | wc -l)
  ((sum += executions, faults > 0)) && status=1
  ((executions > 0)) || { echo "run.sh: $target ran no input; see $out/log" >&2; status=1; }
  printf '%-16s %14d %12d %8d\n' "$target" "$executions" "$rate" "$faults"
done
printf '%-16s %14d\n' all "$sum"
exit $status
