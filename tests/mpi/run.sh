# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# taper run by several processes finds what one process finds, process 0 writes it, and results have the traffic.
# shellcheck source=tests/mpi/processes.sh
source "$TAPER_SOURCE/tests/mpi/processes.sh"

cat >c.yaml <<'END'
algorithm: hospitals_residents
name: c
markets:
  - {name: uniform, residents: 300, hospitals: 30, seats: 270}
  - {name: tiny, residents: 2, hospitals: 1, seats: 1}
  - {name: empty, residents: 0, hospitals: 0}
engines:
  - parallel
  - {name: immediate acceptance, mechanism: immediate_acceptance}
  - {name: hospitals propose, proposer: hospitals}
repetitions: 2
END

# found FOLDER: what each case has found.
found() {
  grep '^{"market"' "results/$1/results.json" |
    grep -oE '"(market|engine|assigned|proposals|verified|failure)":[^,}]*'
}

# total NAME: the sum of the values of this key in the traffic of all cases and rounds.
total() {
  grep -o '{"asking":[^}]*}' results/c/results.json | grep -o "\"$1\":[0-9]*" |
    awk -F: '{ sum += $2 } END { print sum + 0 }'
}

expect 0 "verified: 9 matchings" run c.yaml output=results/one
check test -z "$(grep traffic results/one/results.json)"
found one >alone
for processes in 2 3 4; do
  in_processes $processes 0 "verified: 9 matchings" run c.yaml
  check test "$(grep -c '^verified: ' out)" = 1
  found c >several
  check cmp alone several
  check grep -q "\"processes\":$processes" results/c/results.json
  rounds=$(grep -o '{"asking":' results/c/results.json | wc -l)
  check test "$(grep -o '"rounds":[0-9]*' results/c/results.json | awk -F: '{ n += $2 } END { print n }')" = "$rounds"
  started=3 # cases in which hospitals propose
  check test "$(total asking)" -gt 300
  check test "$(total bytes)" = $((16 * $(total entries) + 12 * $(total offers) +
    4 * $(total rejections) + (processes - 1) * (8 * $(total limits) + 32 * processes * rounds +
    16 * processes * started)))
done

# Complete lists. The bytes are those of docs/scaling.md.
cat >lists.yaml <<'END'
name: lists
workloads: [perfect, uniform, congested, solo]
sizes: [60]
engines:
  - taper
  - {name: women, engine: taper, proposer: women}
repetitions: 2
END
lists() {
  grep '^{"workload"' "results/$1/results.json" |
    grep -oE '"(workload|engine|proposals|matching_hash|verified|failure)":[^,}]*' | sort | uniq
}
sent() {
  grep -o '{"free":[^}]*}' results/lists/results.json | grep -o "\"$1\":[0-9]*" |
    awk -F: '{ sum += $2 } END { print sum + 0 }'
}
expect 0 "verified: all 8 matchings are perfect, stable" run lists.yaml output=results/one
check test -z "$(grep traffic results/one/results.json)"
lists one >alone
for processes in 2 3 4; do
  in_processes $processes 0 "verified: all 8 matchings are perfect, stable" run lists.yaml
  lists lists >several
  check cmp alone several
  rounds=$(grep -o '{"free":' results/lists/results.json | wc -l)
  check test "$(sent bytes)" = $((2 * $(sent ranks) + 12 * ($(sent offers) + $(sent candidates) +
    (processes - 1) * $(sent news)) + 16 * processes * (processes - 1) * rounds))
done
in_processes 2 0 "report: " run lists.yaml --report
in_processes 2 2 "engine 'GS-Seq-CPU' works in one process alone, not in 2" run lists.yaml engines.0=GS-Seq-CPU
one_line

# What is stored stays, and a run of other processes does not continue it.
in_processes 4 0 "9 of 9 cases are complete already" run c.yaml --resume
check test "$(grep -c seconds_median results/c/results.json)" = 9
cp results/c/results.json before.json
in_processes 2 2 "processes" run c.yaml --resume
one_line
check cmp before.json results/c/results.json
in_processes 2 0 "report: " run c.yaml --report
if command -v gnuplot >/dev/null; then
  check grep -q "bytes between processes in each round" results/c/report.html
fi

# One line for an error, whichever process has it.
in_processes 2 2 "taper run: nowhere.yaml" run nowhere.yaml
one_line
in_processes 2 2 "engine 'immediate acceptance': mechanism 'top_trading_cycles' works in one process" \
  run c.yaml engines.1.mechanism=top_trading_cycles
one_line
in_processes 2 2 "cannot create the folder of the results" run c.yaml output=/proc/none
one_line

in_processes 2 0 "verified: " run "$TAPER_SOURCE/configs/hospitals_residents/processes.yaml" repetitions=1 warmup=0 \
  markets.1.residents=5000 markets.2.residents=5000

verdict
