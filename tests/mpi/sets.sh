# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# taper clique and taper independent-set by several processes find sets of the size that one process finds, verified.
# shellcheck source=tests/mpi/processes.sh
source "$TAPER_SOURCE/tests/mpi/processes.sh"

# alike COMMAND WORDS GRAPH OPTIONS...: 1 to 4 processes find a maximum of the size of one, which WORDS verify.
alike() {
  local command=$1 words=$2 graph=$3 processes
  shift 3
  expect 0 "the maximum" "$command" "$graph" "$@" -o one.set
  for processes in 1 2 3 4; do
    rm -f several.set
    in_processes $processes 0 "the maximum" "$command" "$graph" "$@" -o several.set
    check test "$(size_of one.set)" = "$(size_of several.set)"
    check test "$(grep -c '^verified' out)" = 1
    expect 0 "$words" verify "$command" "$graph" several.set
  done
}

# Sparse, dense, and with an edge from a vertex to itself.
expect 0 "" generate graph random_regular 220 --degree 3 --seed 5 -o cubic.gr
expect 0 "" generate graph gnp 120 --degree 80 -o dense.gr
expect 0 "" generate graph gnp 1000 --degree 100 -o sparse.gr
printf '1 1\n1 2\n2 3\n3 4\n4 5\n5 2\n' >loop.txt
for graph in dense.gr sparse.gr loop.txt; do
  alike clique "a clique" $graph
done
alike clique "a clique" dense.gr --bound colouring
for graph in cubic.gr dense.gr loop.txt; do
  alike independent-set "an independent set" $graph
done

in_processes 3 0 "search    in 3 processes: " clique dense.gr
check grep -q '^nodes     [0-9,]*, [0-9,]*, [0-9,]* in the processes$' out
check grep -q '^traffic   .* messages in all, ' out
check test "$(grep -c '^s clique ' out)" = 1 # the set is printed once
in_processes 3 0 "search    for a vertex cover in 3 processes: " independent-set cubic.gr
check grep -q '^nodes     [0-9,]*, [0-9,]*, [0-9,]* in the processes$' out
check test "$(grep -c '^s is ' out)" = 1

# A set to begin with, which decides what a search without time has.
expect 0 "" clique dense.gr -o best.clique
expect 0 "" independent-set cubic.gr -o best.is
in_processes 2 0 "the maximum" clique dense.gr --start best.clique
in_processes 2 0 "the maximum" independent-set cubic.gr --start best.is
in_processes 2 1 "" independent-set cubic.gr --start best.is --heuristic -o several.set
check test "$(size_of best.is)" = "$(size_of several.set)"

# The end before the answer: the best set is written.
expect 0 "" generate graph gnp 500 --degree 450 -o hard.clq
expect 0 "" generate graph random_regular 500 --degree 6 -o hard.gr
in_processes 4 1 "the best that was found" clique hard.clq --time-limit 0.5 -o limit.set
expect 0 "a clique" verify clique hard.clq limit.set
in_processes 4 1 "the best that was found" independent-set hard.gr --time-limit 0.5 -o limit.set
expect 0 "an independent set" verify independent-set hard.gr limit.set
ends_by_signals clique "a clique" hard.clq

# One line for an error, whichever process has it.
for command in clique independent-set; do
  in_processes 2 2 "taper $command: nowhere.gr: cannot be opened" $command nowhere.gr
  one_line
  in_processes 2 2 "only one of 2 has the standard input" $command -
  one_line
  for option in "--all 3" "--weights file" "--threads 2"; do
    # shellcheck disable=SC2086 # an option and its value
    in_processes 2 2 "is for one process; mpirun has started 2" $command cubic.gr $option
    one_line
  done
  in_processes 2 2 "/nowhere/c.txt: cannot be written" $command cubic.gr -o /nowhere/c.txt
  one_line
  printf 's %s 220 2\n1\n1\n' ${command/independent-set/is} >bad.set
  in_processes 3 2 "bad.set" $command cubic.gr --start bad.set
  one_line
done
in_processes 2 2 "--maximal is for one process; mpirun has started 2" clique cubic.gr --maximal --count
one_line

verdict
