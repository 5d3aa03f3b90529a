# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# taper match by several processes gives what one process gives, and an error of one process is one line.
# shellcheck source=tests/mpi/processes.sh
source "$TAPER_SOURCE/tests/mpi/processes.sh"

write_market
expect 0 "verified" match market -o one.txt
grep -v '^engine' out >one
for processes in 1 2 3 4; do
  in_processes $processes 0 "verified  no blocking pair" match market -o several.txt
  check cmp one.txt several.txt
  check cmp one <(grep -v -e '^engine' -e '^traffic' out)
done
in_processes 3 0 "engine    deferred acceptance in 3 processes, " match market
check test "$(grep -c '^6 ' out)" = 1 # the matching is printed once
expect 0 "verified" match market -o one.txt --proposer hospitals
in_processes 4 0 "verified" match market -o several.txt --proposer hospitals
check cmp one.txt several.txt
expect 0 "" match market -o one.csv --mechanism immediate_acceptance --lottery single
in_processes 3 0 "need not be stable" match market -o several.csv --mechanism immediate_acceptance --lottery single
check cmp one.csv several.csv

array market/resident_tiers.npy 0 0 1 0 1 0 1 2 0 0 0 1 0
expect 0 "ties in lists of the residents" match market -o one.txt
grep -v '^engine' out >one
in_processes 2 0 "ties in lists of the residents" match market -o several.txt
check cmp one.txt several.txt
check cmp one <(grep -v -e '^engine' -e '^traffic' out)

rm market/keys.npy
expect 0 "all residents tie" match market -o one.txt
in_processes 2 0 "all residents tie" match market -o several.txt
check cmp one.txt several.txt

# Scores: their order in the whole market counts. The notes of one process about ties are not compared.
array market/scores.npy 5 1 7 4 0 3 9 2 9 4 1 1 2
for options in "" "--scores lower" "--lottery single"; do
  # shellcheck disable=SC2086 # options
  expect 0 "verified" match market -o one.txt $options
  grep -v -e '^engine' -e '^note' out >one
  for processes in 2 3 4; do
    # shellcheck disable=SC2086 # options
    in_processes $processes 0 "verified" match market -o several.txt $options
    check cmp one.txt several.txt
    check cmp one <(grep -v -e '^engine' -e '^traffic' -e '^note' out)
  done
done
check grep -q "^cut-offs  0 [0-9]* (2 of 2)" one
mv market/scores.npy market/priorities.npy
expect 0 "verified" match market -o one.txt
in_processes 3 0 "verified" match market -o several.txt
check cmp one.txt several.txt
printf '0 2\n1 0\n3 1\n4 -\n6 0\n' >blocked.txt
expect 1 "0 of the hospitals scores 5 of the residents 1 and has" verify market blocked.txt
cp out one
in_processes 3 1 "not stable" verify market blocked.txt
check cmp one out

# More processes than agents.
rm -rf market
mkdir market
array market/offsets.npy 0 1
array market/hospitals.npy 0
array market/keys.npy 0
array market/seats.npy 1
expect 0 "verified" match market -o one.txt
for proposer in residents hospitals; do
  in_processes 4 0 "verified" match market -o several.txt --proposer $proposer
  check cmp one.txt several.txt
done

# One line for an error that all processes have, or one of them.
write_market
array market/hospitals.npy 0 1 2 0 3 1 0 2 0 1 3 9 0
in_processes 2 2 "taper match: process 1: market/hospitals.npy: entry 11: expected an id below 4, found 9" match market
one_line
array market/hospitals.npy 0 1 2 0 3 1 0 1 0 1 3 0 0
in_processes 2 2 "process 1: market/hospitals.npy: entry 7: 1 appears twice in the list of resident 3" match market
one_line
write_market
array market/offsets.npy 0 3 5 5 8 10 9 13
in_processes 3 2 "process 2: market/offsets.npy: entry 6 is 9, less than the entry before it" match market
one_line
array market/offsets.npy 0 3 5 5 8 10 12 12
in_processes 2 2 "market/offsets.npy: expected 13 at the end, the number of entries, found 12" match market
one_line
write_market
truncate -s -2 market/keys.npy
in_processes 2 2 "market/keys.npy: expected a file of 141 bytes, found 139" match market
one_line
write_market
in_processes 2 2 "taper match: /nowhere/out.txt: cannot be written" match market -o /nowhere/out.txt
one_line
in_processes 2 2 "taper match: nowhere: cannot be read: No such file or directory" match nowhere
one_line
in_processes 2 2 "market/keys.npy: expected shape (2, n, n), found shape (13)" \
  match market/keys.npy
one_line
# Reports for programs: those of one process, but for the place, the time and the traffic.
same_keys() { grep -v -e '"backend"' -e '"processes"' -e '"rounds"' -e '"traffic_bytes"' -e '"seconds"' "$1"; }
expect 0 '"mechanism": "deferred_acceptance"' match market -o one.txt --report json
same_keys out >one
in_processes 2 0 '"processes": 2' match market -o several.txt --report json
check cmp one.txt several.txt
check cmp one <(same_keys out)
in_processes 2 2 "with mechanism 'immediate_acceptance' residents propose" \
  match market --proposer hospitals --mechanism immediate_acceptance
one_line
in_processes 2 2 "mechanism 'top_trading_cycles' works in one process alone, not in 2" \
  match market --mechanism top_trading_cycles
one_line
for ties in largest strong super; do
  in_processes 2 2 "--ties $ties runs in one process" match market --ties $ties
  one_line
done
in_processes 2 2 "taper info: works in one process; mpirun has started 2. Several are for taper match" info
one_line
in_processes 2 2 "did you mean 'match'?" matc
one_line

verdict
