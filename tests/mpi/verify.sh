# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# taper verify by several processes prints what one process prints, of right and of wrong matchings.
# shellcheck source=tests/mpi/processes.sh
source "$TAPER_SOURCE/tests/mpi/processes.sh"

# alike NUMBERS STATUS WORDS ARGUMENTS...: one process must exit with STATUS and print WORDS; each of these numbers of
# processes must do the same, and print the same.
alike() {
  local numbers=$1 status=$2 words=$3 number
  shift 3
  expect "$status" "$words" verify "$@"
  cp out one
  for number in $numbers; do
    in_processes "$number" "$status" "$words" verify "$@"
    check cmp one out
  done
}

write_market
expect 0 "verified" match market -o right.txt
alike "1 2 3 4" 0 "stable: 4 of 7 assigned, no blocking pair" market right.txt

# Blocking pairs: a hospital is full; it has a free seat; two of its residents have the worst key.
printf '0 2\n1 0\n3 1\n4 -\n6 0\n' >blocked.txt
alike "1 2 3 4" 1 "5 of the residents ranks 0 of the hospitals 2nd and is unassigned" market blocked.txt
alike 2 1 "more (--limit)" market blocked.txt --limit 1
printf '3 1\n' >free.txt
alike 3 1 "0 of the hospitals has a free seat" market free.txt
alike 3 1 "not strongly stable" market blocked.txt --stability strong
alike 4 1 "not super-stable" market blocked.txt --stability super
array market/resident_tiers.npy 0 0 1 0 1 0 1 2 0 0 0 1 0
array market/keys.npy 5 1 7 4 0 3 9 2 4 4 1 4 2
alike 2 1 "not stable" market blocked.txt
alike 3 1 "not super-stable" market blocked.txt --stability super

# What is no matching: the first fault of the file is named.
write_market
printf '0 2\n1 1\n6 1\n' >unlisted.txt
alike 4 1 "not a matching: unlisted.txt:2: '1' of the residents and '1' do not list each other" market unlisted.txt
printf '6 2\n0 3\n' >unlisted.txt
alike 2 1 "unlisted.txt:1: '6' of the residents and '2' do not list each other" market unlisted.txt
printf '{"6": "0", "0": "0", "1": "1", "5": "0"}\n' >twice.json
alike 3 1 "twice.json:1: '1' of the residents and '1' do not list each other" market twice.json
printf '{"6": "0", "0": "0", "5": "0", "1": "1"}\n' >overfull.json
alike 4 1 "overfull.json:1: '0' of the hospitals has more residents than seats, which are 2" market overfull.json
printf '0 0\n1 0\n3 3\n' >overfull.txt
alike 2 1 "overfull.txt:3: '3' of the residents and '3' do not list each other" market overfull.txt
printf '0 0\n0 1\n' >twice.txt
alike 3 1 "twice.txt:2: '0' of the residents appears twice (first on line 1)" market twice.txt

# What cannot be read.
printf '0 0\n7 1\n' >unknown.txt
alike 4 2 "taper verify: unknown.txt:2: '7' is not among the residents" market unknown.txt
printf '0 0\n1 4\n' >unknown.txt
alike 2 2 "taper verify: unknown.txt:2: '4' is not among the hospitals" market unknown.txt
one_line
printf '0 0 0\n' >words.txt
alike 3 2 "words.txt:1: expected two names" market words.txt
alike 4 2 "taper verify: nowhere.txt: cannot be opened: No such file or directory" market nowhere.txt
in_processes 3 2 "taper verify: nowhere: cannot be read: No such file or directory" verify nowhere right.txt
one_line
in_processes 2 2 "--base is for one process; mpirun has started 2" verify market right.txt --base 1
one_line

# A market with many blocking pairs, and a matching with a fault in its last line.
expect 0 "" generate residents uniform 300 30 --seats 270 --list-length 5 -o large
expect 0 "" match large -o large.csv --mechanism immediate_acceptance
alike 2 1 "not stable" large large.csv --limit 1000
sed -i '$d' large.csv
alike 3 1 "not stable" large large.csv --limit 3
printf '299,299\r\n' >>large.csv
alike 4 2 "is not among the hospitals" large large.csv

verdict
