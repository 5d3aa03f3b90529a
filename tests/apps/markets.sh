# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# taper match and taper verify of markets with short lists, ties and seats. CTest sets $TAPER, $TAPER_SOURCE and an
# empty working directory.
# shellcheck source=tests/support/driver.sh
source "$TAPER_SOURCE/tests/support/driver.sh"

cat >hospitals.json <<'JSON'
{"residents":  {"Ada": ["City", "Mercy"], "Ben": ["City", "North", "Mercy"], "Chloe": ["Mercy", "City"],
                "Dan": ["City"]},
 "hospitals":  {"City": ["Chloe", "Ben", ["Ada", "Dan"]], "Mercy": ["Ada", "Chloe"], "North": ["Ben"]},
 "capacities": {"City": 2}}
JSON
"$TAPER" match hospitals.json >matching 2>err
check test "$(cat matching)" = $'Ada City\nBen City\nChloe Mercy\nDan -'
check grep -qF "note: 1 entry is one-sided and dropped" err
check grep -qF "assigned  3 of 4 (residents); unassigned: Dan" err
check grep -qF "cut-offs  City 3rd (2 of 2), Mercy 2nd (1 of 1), North - (0 of 1)" err
check grep -qF "verified  no blocking pair" err
check grep -qF "broken by the order of the file (set --lottery single or multiple)" err
expect 2 "'Ben' of the residents lists 'Mercy', which does not list 'Ben'" match hospitals.json --strict && one_line
expect 0 '"mean_choice": 1.0' match hospitals.json --report json -o report.csv
check test "$(tr -d '\r' <report.csv)" = $'residents,hospitals\nAda,City\nBen,City\nChloe,Mercy\nDan,'
for form in txt csv json yaml; do
  expect 0 "" match hospitals.json --proposer hospitals -o "m.$form"
  expect 0 "stable: 3 of 4 assigned, no blocking pair" verify hospitals.json "m.$form"
done
printf 'Ada Mercy\nBen North\nDan City\n' >mine.txt
expect 1 "not stable: 3 of 4 assigned, 3 blocking pairs" verify hospitals.json mine.txt
check grep -qF "Ben ranks City 1st and has North, 2nd; City has a free seat" out
expect 1 "and 2 more (--limit)" verify hospitals.json mine.txt --limit 1
printf 'Ada City\nBen City\nDan City\n' >full.txt
expect 1 "not a matching: full.txt:3: 'City' of the hospitals has more residents than seats, which are 2" \
  verify hospitals.json full.txt
printf 'Ada North\n' >bad.txt
expect 1 "not a matching: bad.txt:1: 'Ada' of the residents and 'North' do not list each other" \
  verify hospitals.json bad.txt
expect 2 "--proposer is for complete lists" verify hospitals.json mine.txt --proposer hospitals

# A school district in tables; a lottery is the same for each seed
cat >students.csv <<'CSV'
student,choice1,choice2,choice3
Ana,Harbour,Hill,Park
Bo,Harbour,Park,
Cai,Harbour,Hill,
Dee,Hill,Harbour,
Eli,Harbour,,
CSV
printf 'school,seats\nHarbour,2\nHill,1\nPark,1\n' >schools.csv
expect 0 "no column is a score or a priority: all tie at each school" match students.csv schools.csv
for lottery in single multiple; do
  expect 0 "verified  no blocking pair" match students.csv --seats schools.csv --lottery $lottery --seed 7 -o a.txt
  expect 0 "" match students.csv schools.csv --lottery $lottery --seed 7 --schedule serial -o b.txt
  check cmp -s a.txt b.txt
  expect 0 "stable: " verify students.csv schools.csv a.txt
done
expect 0 "immediate_acceptance need not be stable" match students.csv schools.csv --mechanism immediate_acceptance
expect 0 "Ana" match students.csv schools.csv --columns resident=student,seats=seats
expect 2 "--columns: expected ROLE=TITLE with one of" match students.csv --columns student && one_line
expect 2 "--columns: no table has the title 'x'" match students.csv --columns seats=x && one_line

# Generated markets: the same seed is the same market, in every form
generate="generate residents popularity 300 20 --seats 250 --list-length 5 --seed 3"
expect 0 "" $generate -o market
expect 0 "verified  no blocking pair" match market -o a.txt
for file in market.json market.yaml market.csv; do
  expect 0 "" $generate --threads 1 -o $file
  expect 0 "assigned  " match $file -o b.txt
  check cmp a.txt b.txt
done
$TAPER $generate >printed.csv
check cmp printed.csv market.csv
expect 0 "of 300 (residents)" match market -o b.txt
expect 2 "market: expected a new folder, but it exists and is not empty" $generate -o market && one_line
expect 0 "" generate residents uniform 9 3 -o seats.json # as many seats as residents
expect 0 "seats     9 of 9 filled" match seats.json
expect 2 "takes 149,011.6 GiB" generate residents uniform 4000000000 4000 --list-length 2500 -o huge && one_line
expect 2 "are free" generate residents uniform 1073741824 1073741824 --list-length 1073741824 -o huge && one_line
check test ! -e huge

# Options of complete markets and of others
expect 2 "--engine is for complete lists" match hospitals.json --engine taper && one_line
expect 2 "--tiers is for complete lists" match hospitals.json --tiers false && one_line
expect 2 "'bamboo' is for complete lists" match hospitals.json --schedule bamboo && one_line
expect 2 "no side has the title 'men of honour'" match hospitals.json --proposer "men of honour" && one_line
echo '{"a": {"x": ["y"]}, "b": {"y": ["x"]}}' >complete.json
expect 2 "--lottery is for markets with short lists" match complete.json --lottery single && one_line
verdict
