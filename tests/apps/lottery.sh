# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# `taper lottery`, and the mechanisms of `taper match` for markets with ties. CTest gives $TAPER, $TAPER_SOURCE and an
# empty working directory.
# shellcheck source=tests/support/driver.sh
source "$TAPER_SOURCE/tests/support/driver.sh"

cat >schools.json <<'END'
{"students": {"Ada": ["North", "South"], "Ben": ["North"], "Chloe": ["North"], "Dan": ["South"]},
 "schools": {"North": [["Ada", "Ben", "Chloe"]], "South": [["Ada", "Dan"]]},
 "capacities": {"North": 1, "South": 1}}
END

# North takes one of three, with probability 1/3 each. If it is not Ada, Ada draws against Dan for South.
for lottery in single multiple; do
  "$TAPER" lottery schools.json --draws 9000 --lottery $lottery -o drawn.csv 2>report
  check grep -q '^drawn     9,000 lotteries on ' report
  check grep -q '^assigned  2.00 of 4 students per draw$' report
  tr -d '\r' <drawn.csv >lines
  check grep -qx 'students,schools,choice,probability,standard_error' lines
  # near NAME SCHOOL LOW HIGH: the probability of this outcome is between the two.
  near() {
    awk -F, -v name="$1" -v school="$2" -v low="$3" -v high="$4" \
      '$1 == name && $2 == school && $4 > low && $4 < high { found = 1 } END { exit !found }' lines
  }
  check near Ada North 0.31 0.355
  check near Ben North 0.31 0.355
  check near Chloe "" 0.64 0.69
  # If the schools draw apart, Ada gets South with probability 2/3 * 1/2. With one order of all, a student that is not
  # first at North is more often behind Dan: 1/2 - 1/4.
  if [ $lottery = multiple ]; then
    check near Ada South 0.31 0.355
  else
    check near Ada South 0.21 0.29
  fi
done
"$TAPER" lottery schools.json --draws 9000 --seed 1 -o again.csv 2>/dev/null
"$TAPER" lottery schools.json --draws 9000 --seed 1 2>/dev/null | cmp - again.csv
check test $? = 0 # the last command of the pipe

# Top trading cycles: South ranks Ada first and Ada wants North; North ranks Dan first and Dan wants South.
cat >trade.json <<'END'
{"students": {"Ada": ["North", "South"], "Dan": ["South", "North"], "Eve": ["North", "South"]},
 "schools": {"North": ["Dan", "Eve", "Ada"], "South": ["Ada", "Eve", "Dan"]}}
END
"$TAPER" match trade.json --mechanism top_trading_cycles 2>report >matching
printf 'Ada North\nDan South\nEve -\n' | cmp - matching
check test $? = 0
check grep -q 'engine    top trading cycles on ' report

# Ties as ties. Weakly stable matchings of `seats` have one or two residents; the larger one takes Ada to North. In
# `alike` each student may take the other's place: it gains, and West does not lose.
cat >seats.json <<'END'
{"students": {"Ada": [["South", "North"]], "Bob": ["South"]},
 "schools": {"South": [["Ada", "Bob"]], "North": ["Ada"]}}
END
printf '{"students": {"Di": ["West"], "Eve": ["West"]}, "schools": {"West": [["Di", "Eve"]]}}' >alike.json
expect 0 "assigned  2 of 2" match seats.json --ties largest -o largest.txt
printf 'Ada North\nBob South\n' | cmp - largest.txt
check test $? = 0
expect 0 "engine    HRT-Strong-Res on one thread" match seats.json --ties strong -o strong.txt
check cmp largest.txt strong.txt
expect 0 "strongly stable: 2 of 2 assigned" verify seats.json strong.txt --stability strong
expect 1 "none      no matching of this market is super-stable" match seats.json --ties super -o never.txt
expect 1 "none      no matching of this market is strongly stable" match alike.json --ties strong -o never.txt
check test ! -e never.txt
expect 1 '"exists": false' match alike.json --ties super --report json
printf 'Di West\nEve -\n' >one.txt
expect 0 "stable: 1 of 2 assigned" verify alike.json one.txt
expect 1 "not strongly stable: 1 of 2 assigned, 1 blocking pair" verify alike.json one.txt --stability strong
expect 2 "--lottery has no meaning with --ties strong" match alike.json --ties strong --lottery single
expect 2 "the first side proposes" match alike.json --ties strong --proposer schools

# What cannot be
printf '{"men": {"a": ["b"]}, "women": {"b": ["a"]}}' >complete.json
expect 2 "a lottery has nothing to decide" lottery complete.json --draws 3
expect 2 "--draws is required" lottery schools.json
expect 2 "--mechanism" lottery schools.json --draws 3 --mechanism top_trading_cycles
expect 2 "residents propose" match trade.json --mechanism top_trading_cycles --proposer schools
verdict
