# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# taper cover by several processes finds a cover of the size that one process finds, verified, and ends in all of them.
# shellcheck source=tests/mpi/processes.sh
source "$TAPER_SOURCE/tests/mpi/processes.sh"

expect 0 "" generate graph random_regular 220 --degree 3 --seed 5 -o cubic.gr
printf '1 1\n1 2\n2 3\n3 4\n4 5\n5 2\n' >loop.txt
for graph in cubic.gr loop.txt; do
  expect 0 "the minimum" cover $graph -o one.cover
  for processes in 1 2 3 4; do
    rm -f several.cover
    in_processes $processes 0 "the minimum" cover $graph -o several.cover
    check test "$(size_of one.cover)" = "$(size_of several.cover)"
    check test "$(grep -c '^verified' out)" = 1
    expect 0 "a vertex cover" verify cover $graph several.cover
  done
done
in_processes 3 0 "search    mode taper in 3 processes: " cover cubic.gr
check grep -q '^nodes     [0-9,]*, [0-9,]*, [0-9,]* in the processes$' out
check grep -q '^traffic   .* messages in all, ' out
check test "$(grep -c '^s vc ' out)" = 1 # the cover is printed once

# Covers of at most K vertices, and one to begin with.
expect 0 "" cover cubic.gr -o one.cover
size=$(size_of one.cover | cut -d ' ' -f 4)
in_processes 2 0 "at most k = $size" cover cubic.gr --k "$size"
in_processes 3 1 "every cover is larger" cover cubic.gr --k $((size - 1))
in_processes 2 0 "$size vertices, the minimum" cover cubic.gr --start one.cover
in_processes 2 1 "$size vertices" cover cubic.gr --start one.cover --heuristic

# The end before the answer: the best cover is written.
expect 0 "" generate graph random_regular 500 --degree 6 -o hard.gr
in_processes 4 1 "the best that was found" cover hard.gr --time-limit 0.5 -o limit.cover
expect 0 "a vertex cover" verify cover hard.gr limit.cover
ends_by_signals cover "a vertex cover" hard.gr

# One line for an error, whichever process has it.
in_processes 2 2 "taper cover: nowhere.gr: cannot be opened" cover nowhere.gr
one_line
in_processes 2 2 "only one of 2 has the standard input" cover -
one_line
in_processes 3 2 "mode 'component_search' works in one process; mpirun has started 3" \
  cover cubic.gr --mode component_search
one_line
for option in "--all 3" "--weights degree" "--backend host" "--threads 2"; do
  # shellcheck disable=SC2086 # an option and its value
  in_processes 2 2 "is for one process; mpirun has started 2" cover cubic.gr $option
  one_line
done
in_processes 2 2 "/nowhere/c.txt: cannot be written" cover cubic.gr -o /nowhere/c.txt
one_line

verdict
