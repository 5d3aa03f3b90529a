# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Functions for the scripts of this folder, which source this file. CTest sets $TAPER, and $MPIEXEC with its option for
# the number of processes.
# shellcheck source=tests/support/driver.sh
source "$TAPER_SOURCE/tests/support/driver.sh"

# array FILE NUMBER...: writes numbers below 256 as NumPy does.
array() {
  local file=$1 number
  shift
  {
    printf '\x93NUMPY\x01\x00\x76\x00'
    printf '%-117s\n' "{'descr': '|u1', 'fortran_order': False, 'shape': ($#,), }"
    for number; do printf "\\x$(printf %x "$number")"; done
  } >"$file"
}

# in_processes N STATUS WORDS ARGUMENTS...: as expect, by N processes.
in_processes() {
  local processes=$1 status=$2 words=$3
  shift 3
  # shellcheck disable=SC2086 # a command with its options
  timeout 20 $MPIEXEC "$processes" "$TAPER" "$@" --kokkos-num-threads=1 >out 2>&1 </dev/null
  local found=$?
  if [ "$found" != "$status" ] || ! grep -qF -- "$words" out; then
    echo "FAILED: $processes processes of taper $*"
    echo "  expected status $status and '$words'; found status $found and:"
    sed 's/^/    /' out
    failures=$((failures + 1))
  fi
}

# ends_by_signals COMMAND WORDS GRAPH: SIGINT and SIGTERM end 3 processes, and the best answer, which WORDS verify, is
# written.
ends_by_signals() {
  local command=$1 words=$2 graph=$3 signal
  for signal in INT TERM; do
    rm -f signal.answer
    # shellcheck disable=SC2086 # a command with its options
    $MPIEXEC 3 "$TAPER" "$command" "$graph" -o signal.answer >out 2>&1 </dev/null &
    sleep 2
    kill -s $signal $! # the launcher passes it on
    wait $!
    check grep -q "the best that was found" out
    expect 0 "$words" verify "$command" "$graph" signal.answer
  done
}

# The first line of a file of a set of vertices, such as 's vc N K'.
size_of() { head -n 1 "$1"; }

# 7 residents, of which one has an empty list, and 4 hospitals, of which one is closed.
write_market() {
  rm -rf market
  mkdir market
  array market/offsets.npy 0 3 5 5 8 10 12 13
  array market/hospitals.npy 0 1 2 0 3 1 0 2 0 1 3 0 0
  array market/keys.npy 5 1 7 4 0 3 9 2 8 4 1 0 2
  array market/seats.npy 2 1 1 0
}
