# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# All stable matchings and stable roommates as a user meets them: commands, an experiment, its table and picture.

# shellcheck source=tests/support/driver.sh
source "$TAPER_SOURCE/tests/support/driver.sh"

# answer TEXT ARGUMENTS...: taper must print exactly TEXT on the standard output.
answer() {
  local text=$1
  shift
  "$TAPER" "$@" 2>errors >out </dev/null
  if [ "$(cat out)" != "$text" ]; then
    echo "FAILED: taper $*"
    diff <(printf '%s\n' "$text") out
    failures=$((failures + 1))
  fi
}

cat >market.json <<'END'
{"residents": {"Ada": ["City", "Park"], "Bob": ["Park", "City"], "Cy": ["Park"]},
 "hospitals": {"City": ["Bob", "Ada"], "Park": ["Ada", "Bob"]}}
END
first='Ada City
Bob Park
Cy -'
second='Ada Park
Bob City
Cy -'
answer 2 stable-matchings market.json
check grep -q "1 entry: the other does not list the agent" errors
answer 2 stable-matchings market.json --count
answer "$first

$second" stable-matchings market.json --list 10
check grep -q "all: 2" errors
answer "$first" stable-matchings market.json --list 1
check grep -q "there are more" errors
for objective in man-optimal egalitarian minimum-regret sex-equal; do
  answer "$first" stable-matchings market.json --$objective
  check grep -q "no blocking pair" errors
done
answer "$second" stable-matchings market.json --woman-optimal
answer '{
  "matchings": 2,
  "exact": true
}' stable-matchings market.json --json
expect 0 '"Cy": null' stable-matchings market.json --egalitarian --json
expect 0 '"complete": false' stable-matchings market.json --list 1 --json
expect 1 "a lower bound" stable-matchings market.json --limit 1
expect 0 "" stable-matchings market.json --egalitarian -o matching.txt
check test "$(cat matching.txt)" = "$first"

expect 2 "--count excludes --egalitarian" stable-matchings market.json --egalitarian --count && one_line
expect 2 "would overwrite the input" stable-matchings market.json -o market.json && one_line
expect 2 "none.json: cannot be opened" stable-matchings none.json && one_line
sed 's/"Park"\]/"Prk"]/' market.json >bad.json
expect 2 "bad.json:1: residents, list of 'Ada', entry 2: 'Prk' is not among the hospitals; did you mean 'Park'?" \
  stable-matchings bad.json && one_line

cat >students.yaml <<'END'
Ada: [Bob, Eve, Jim]
Bob: [Eve, Ada, Jim]
Eve: [Jim, Ada, Bob]
Jim: [Ada, Eve, Bob]
END
answer 'Ada Bob
Bob Ada
Eve Jim
Jim Eve' roommates students.yaml
check grep -q "no blocking pair" errors
expect 0 '"solvable": true' roommates students.yaml --json
"$TAPER" roommates students.yaml --json -o answer.json 2>errors
expect 0 "stable: no blocking pair" verify roommates students.yaml answer.json
sed 's/"Ada": "Bob"/"Ada": "Jim"/; s/"Bob": "Ada"/"Bob": "Eve"/; s/"Eve": "Jim"/"Eve": "Bob"/; s/"Jim": "Eve"/"Jim": "Ada"/' \
  answer.json >other.json
expect 1 "prefer each other" verify roommates students.yaml other.json
sed 's/"Ada": "Bob"/"Ada": null/; s/"Bob": "Ada"/"Bob": null/' answer.json >wrong.json
expect 1 "wrong: " verify roommates students.yaml wrong.json
sed 's/"Ada": "Bob"/"Ada": "Rob"/' answer.json >wrong.json
expect 2 "'Rob', the partner of 'Ada', is not among the agents" verify roommates students.yaml wrong.json && one_line
expect 2 "expected the JSON that taper roommates --json writes" verify roommates students.yaml students.yaml && one_line
sed -i 's/Bob: .*/Bob: [Eve, Ada]/; s/Eve: .*/Eve: [Ada, Bob]/; s/Jim: .*/Jim: []/' students.yaml
answer "" roommates students.yaml
check grep -q "party     Ada, Bob, Eve" errors
expect 1 '"Eve": "Ada"' roommates students.yaml --json
"$TAPER" roommates students.yaml --json -o answer.json 2>errors
expect 0 "right: a stable partition" verify roommates students.yaml answer.json
sed 's/"Ada": "Bob"/"Ada": "Eve"/; s/"Bob": "Eve"/"Bob": "Ada"/; s/"Eve": "Ada"/"Eve": "Bob"/' answer.json >wrong.json
expect 1 "wrong: Ada prefers its predecessor to its successor Eve" verify roommates students.yaml wrong.json
expect 1 "1 entry: the other does not list the agent" roommates students.yaml
expect 2 "expected another agent, found itself" roommates <(echo 'Ada: [Ada]') && one_line

smoke="$TAPER_SOURCE/configs/rotations/smoke.yaml"
expect 0 "verified: all 15 answers" run "$smoke" output=smoke
expect 0 "| uniform, n = 200 |" table smoke --markdown
expect 0 "15 of 15 cases are complete already" run "$smoke" output=smoke --resume
if command -v gnuplot >/dev/null; then
  expect 0 "times.svg" plot smoke
fi
expect 2 "engines.0: " run "$smoke" 'engines=[egal]' output=bad
expect 2 "markets.0.n: " run "$smoke" 'markets=[{n: 0}]' output=bad
expect 0 "verified: all 1 answers" run "$TAPER_SOURCE/configs/rotations/sizes.yaml" output=sizes repetitions=1 \
  'markets=[{family: uniform, n: 50}]' 'engines=[egalitarian]'
verdict
