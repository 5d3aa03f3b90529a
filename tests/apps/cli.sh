# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Runs the executable as a user does. CTest sets $TAPER, $TAPER_SOURCE and an empty working directory.
# shellcheck source=tests/support/driver.sh
source "$TAPER_SOURCE/tests/support/driver.sh"

# Help and usage
expect 0 "taper COMMAND --help" --help
expect 0 "taper 0." --version
for command in run match cover generate verify info tune plot table report; do
  expect 0 "Example" $command --help
done
# The example of `taper run --help`, with small sizes
ln -s "$TAPER_SOURCE/configs" configs
"$TAPER" run --help >out
read -r -a example <<<"$(sed -n 's/^  taper \(run .*\)/\1/p' out)"
expect 0 "verified: all" "${example[@]}" scale=0.01
# On a CPU, device and host are the same cores, and the migration shows all the same
for engine in "engine: Bamboo-SMP" "engine: taper, tail: host"; do
  expect 0 "verified: all" run configs/quickstart.yaml baseline=x "engines=[{name: x, $engine, backend: host}]" \
    'workloads=[solo]' 'sizes=[40]' repetitions=1 warmup=0
  check grep -q '"migrations":\[{"from":"device","to":"host","live":1,"bytes_moved":0}\]' results/quickstart/results.json
done
expect 2 "the engine Bamboo-SMP hands its last free proposer to the host" run configs/quickstart.yaml \
  'engines=[{name: x, engine: Bamboo-SMP, tail: device}]' && one_line
expect 0 "taper generate [OPTIONS] FAMILY N" generate --help
expect 2 "a command is missing" && one_line
expect 2 "unknown command 'mach'; did you mean 'match'?" mach && one_line
expect 2 "taper match: FILE is required" match && one_line
expect 2 "unknown option --bogus (see taper match --help)" match x --bogus && one_line
expect 2 "unknown option --proposr; did you mean '--proposer'?" match x --proposr=men && one_line
expect 2 "taper info: not expected: x y (see" info x y && one_line
expect 2 "taper info: unknown option --threads (see" info --threads 3 && one_line
expect 2 "FILE: expected at most 2, found 3" match x y z && one_line
expect 2 "--proposer: expected SIDE after it" match x --proposer && one_line
expect 2 "generate: N is required" generate solo && one_line
expect 2 "expected a decimal integer from 1 to 4096, found '010'" match x --threads 010 && one_line
expect 2 "4096 threads: the host backend of this build" generate solo 9 --threads 4096 && one_line
expect 2 "--kokkos-num-threads=many: expected a decimal integer" info --kokkos-num-threads=many && one_line
expect 2 "--kokkos-num-threads=4096: expected" info --kokkos-num-threads=4096 && one_line
for option in num-threads device-id map-device-id-by tools-libs; do
  expect 2 "--kokkos-$option: expected a value" info --kokkos-$option && one_line
done
expect 2 "--kokkos-num-threads=: expected a value" info --kokkos-num-threads= && one_line
expect 2 "unknown option --kokkos-num-thread; did you mean '--kokkos-num-threads'?" info --kokkos-num-thread=2 && one_line
expect 2 "expected one of true, false, yes, no, 1 and 0" info --kokkos-print-configuration=maybe && one_line
expect 2 "expected one of random and mpi_rank" info --kokkos-map-device-id-by=foo && one_line
expect 0 "backends" info --kokkos-tune-internals=No --kokkos-print-configuration
KOKKOS_NUM_THREADS=0 expect 2 "KOKKOS_NUM_THREADS=0: expected" info && one_line
KOKKOS_DEVICE_ID='' expect 2 "KOKKOS_DEVICE_ID=: expected a decimal integer" info && one_line
for variable in DISABLE_WARNINGS PRINT_CONFIGURATION TUNE_INTERNALS MAP_DEVICE_ID_BY; do
  export KOKKOS_$variable=foo
  expect 2 "KOKKOS_$variable=foo: expected one of" info && one_line
  unset KOKKOS_$variable
done

# A market with names gives a matching with names
cat >market.json <<'JSON'
{"residents": {"Ada": ["City", "Park"], "Bob": ["Park", "City"]},
 "hospitals": {"City": ["Bob", "Ada"], "Park": ["Ada", "Bob"]}}
JSON
expect 0 "Ada City" match market.json
expect 0 "no stable matching is better for any of the residents" match market.json
expect 0 "mean rank of the partner  residents 1.00, hospitals 2.00" match market.json
expect 0 "residents 2.00, hospitals 1.00" match market.json --proposer hospitals -o hospitals.json
check grep -q '"City": "Bob"' hospitals.json
expect 0 "Ada,City" match market.json --output-format csv
expect 0 "Ada City" match market.json -o -
check test ! -e -
expect 0 "" match market.json -o matching.yaml
check grep -q '"Ada": "City"' matching.yaml
expect 0 "stable: 2 pairs" verify market.json matching.yaml
for stdout in /dev/stdout /dev/fd/1 /proc/self/fd/1; do
  { echo head; "$TAPER" match market.json -o $stdout 2>/dev/null; echo tail; } >mixed
  check test "$(tr '\n' ' ' <mixed)" = "head Ada City Bob Park tail "
done
{ echo head; "$TAPER" match market.json -o /dev/fd/3 3>&1 2>/dev/null; echo tail; } >mixed
check test "$(tr '\n' ' ' <mixed)" = "head Ada City Bob Park tail "
check test "$("$TAPER" generate matrix uniform 2 2 -o /dev/stdout | head -c 14)" = "%%MatrixMarket"
expect 0 "stable: 2 pairs" verify market.json hospitals.json --proposer hospitals
"$TAPER" match market.json 2>/dev/null >matching.txt
expect 0 "stable: 2 pairs" verify market.json matching.txt
# The first side proposes, whatever its title is
printf 'Zoe: [Ada, Bea]\nYve: [Bea, Ada]\n' >women.yaml
printf 'Ada: [Yve, Zoe]\nBea: [Zoe, Yve]\n' >men.yaml
printf '{"women": {"Zoe": ["Ada", "Bea"], "Yve": ["Bea", "Ada"]},
 "men": {"Ada": ["Yve", "Zoe"], "Bea": ["Zoe", "Yve"]}}' >women_first.json
for market in "women.yaml men.yaml" women_first.json; do
  # shellcheck disable=SC2086  # one file or two
  {
    expect 0 "no stable matching is better for any of the women" match $market
    expect 0 "Zoe Ada" match $market --proposer women -o -
    expect 0 "no stable matching is better for any of the men" match $market --proposer men
  }
done
expect 0 "Ada Yve" match women.yaml men.yaml --proposer men
expect 2 "did you mean 'Bamboo-SMP'?" match market.json --engine bamboo-smp && one_line
expect 2 "no side has the title 'men of honour'" match market.json --proposer "men of honour" && one_line
expect 2 "this build has no backend 'abacus'; it has" match market.json --backend abacus && one_line
expect 2 "none.json" match none.json && one_line
expect 2 "nosuch/m.txt: cannot be written: No such file" match market.json -o nosuch/m.txt && one_line
expect 2 "nosuch/m.txt: cannot be written: No such file" generate random 9 -o nosuch/m.txt && one_line
cp market.json kept.json
expect 2 "would overwrite the input" match market.json -o ./market.json && one_line
check cmp -s market.json kept.json
expect 2 "market.json: --base is for numbered lists, and this file has names" match market.json --base 1 && one_line
printf 'm: {J\374rgen: [Zoe]}\nw: {Zoe: [J\374rgen]}\n' >latin1.yaml
expect 2 "latin1.yaml:1: expected UTF-8, found the byte 0xfc" match latin1.yaml && one_line
"$TAPER" match market.json >/dev/full 2>out
check test $? = 2
check grep -q "cannot write to the standard output" out
head -c 40 market.json >truncated.json
expect 2 "truncated.json" match truncated.json && one_line
head -c 4000 /dev/urandom >junk
expect 2 "junk" match junk && one_line
expect 2 "junk: expected YAML, found binary data" run junk && one_line
printf '\377\377' >bytes.json
expect 2 '\xff' match bytes.json && one_line
: >nothing.json
expect 2 "nothing.json: expected a mapping, found no entries" match nothing.json && one_line

# A matching that is not stable gets a certificate
cat >market.json <<'JSON'
{"men": {"a": ["x", "y"], "b": ["x", "y"]}, "women": {"x": ["b", "a"], "y": ["b", "a"]}}
JSON
echo '{"a": "x", "b": "y"}' >wrong.json
expect 2 "cannot both be the standard input" verify - - && one_line
expect 1 "not stable: 1 blocking pair" verify market.json wrong.json
expect 1 "b ranks x 1st and has y, 2nd; x ranks b 1st and has a, 2nd" verify market.json wrong.json
expect 1 "and 1 more" verify market.json wrong.json --limit 0
printf '2\n1 2\n1 2\n2 1\n2 1\n' >numbers.txt
printf '1 1\n2 2\n' >wrong.txt
expect 1 "man 2 ranks woman 1 1st and has woman 2, 2nd; woman 1 ranks man 2 1st and has man 1, 2nd" \
  verify numbers.txt wrong.txt
# A matching of numbers does not show which side comes first
printf '3\n3 1 2\n1 2 3\n2 3 1\n2 1 3\n3 2 1\n1 2 3\n' >three.txt
for form in json txt; do
  expect 0 "" match three.txt --proposer women -o by_women.$form
  expect 0 "stable: 3 pairs" verify three.txt by_women.$form --proposer women
  expect 1 "it is stable if the women come first in it: use --proposer women" verify three.txt by_women.$form
done
# Neither does a matching of names that both sides have
expect 0 "" generate uniform 8 --seed 5 -o same_names.json
expect 0 "" match same_names.json --proposer women -o by_women.json
expect 0 "stable: 8 pairs" verify same_names.json by_women.json --proposer women
expect 1 "it is stable if the women come first in it: use --proposer women" verify same_names.json by_women.json
check grep -q "of the men ranks .* of the women" out
printf 'a x\nb x\n' >twice.txt
expect 1 "not a perfect matching: twice.txt:2: 'x' of the" verify market.json twice.txt
printf 'a x\nb nobody\n' >unknown.txt
expect 2 "unknown.txt:2: 'nobody' is not among the" verify market.json unknown.txt

# Every engine finds the same matching of a generated market in every format
expect 0 "" generate random 60 --group-size 7 --seed 3 -o g.txt
expect 0 "" generate random 60 --group-size 7 --seed 3 -o g.npy
"$TAPER" match g.txt --engine GS-Seq-CPU >expected.txt 2>err
two=$("$TAPER" info | grep -q '^  openmp' && echo "--threads 2")
for choice in "--engine MW-Par-CPU" "--engine LA-Seq-CPU" "--engine Bamboo-SMP" "--engine taper" "--backend serial" \
  "--algorithm mcvitie_wilson --contention fetch_min --schedule parallel $two"; do
  if [ "$choice" = "--backend serial" ] && ! "$TAPER" info | grep -q '^  serial'; then
    continue
  fi
  # shellcheck disable=SC2086  # options, to be split
  "$TAPER" match g.npy $choice >found.txt 2>err || cat err
  check cmp -s expected.txt found.txt
done
expect 2 "taper generate: the family 'solo' needs N >= 4, found 3" generate solo 3 && one_line
expect 2 "--group-size: only the family 'random' has this option" generate solo 9 --group-size 2 && one_line
expect 2 "did you mean 'congested'?" generate congestd 9 && one_line
expect 2 "needs" generate uniform 2000000 -o huge.npy && one_line
check test ! -e huge.npy
echo 0 >empty.txt
expect 0 "matched   0 men" match empty.txt
printf '1\n0\n0\n' >one.txt
expect 0 "0 0" match one.txt --base 0

# Experiments
cat >c.yaml <<'YAML'
name: c
workloads: [perfect, {family: random, group_size: [1, 3]}]
sizes: [20, 40]
engines: [GS-Seq-CPU, Bamboo-SMP]
repetitions: 2
YAML
expect 0 "verified: all 12 matchings are perfect, stable and equal" run c.yaml
check grep -q '"complete": true' results/c/results.json
check test "$(wc -l <results/c/results.csv)" = 25
expect 0 "12 of 12 cases are complete already" run c.yaml --resume
expect 2 "its run had another 'seeds'" run c.yaml --resume seeds=[4] && one_line
expect 0 "verified: all 6 matchings" run c.yaml 'sizes=[30]' output=elsewhere
check test -s elsewhere/results.json
expect 2 "command line 'sizes=[010]'" run c.yaml 'sizes=[010]' && one_line
expect 2 "unknown key 'size'; did you mean 'sizes'?" run c.yaml size=3 && one_line
expect 2 "no such file" run none.yaml && one_line
mkdir -p folders/results.csv
expect 2 "folders/results.csv: cannot be written: Is a directory" run c.yaml output=folders && one_line
expect 2 "of memory for GS-Seq-CPU on backend" run c.yaml 'sizes=[2000000]' && one_line
expect 0 "verified: all" run "$TAPER_SOURCE/configs/smoke.yaml"
# The sweep of seeds with small sizes compares all engines with the serial one, also with tables in host memory and
# random tail thresholds
expect 0 "verified: all 360 matchings" run "$TAPER_SOURCE/configs/seeds.yaml" 'sizes=[120]' seeds=3
check test "$(grep -c ',solo,.*,pageable,1,.*,57840,fnv1a:' results/seeds/results.csv)" = 6
for config in "$TAPER_SOURCE"/configs/paper/*.yaml; do
  expect 0 "verified: all" run "$config" scale=0.002 repetitions=1 warmup=0
done

# Ctrl-C keeps the measured cases, and --resume continues
cat >long.yaml <<'YAML'
name: long
workloads: [uniform]
sizes: [300]
seeds: 60
engines: [GS-Seq-CPU, LA-Seq-CPU]
repetitions: 20
YAML
"$TAPER" run long.yaml >out 2>&1 &
run=$!
until [ -e results/long/results.json ] || ! kill -0 $run 2>/dev/null; do sleep 0.05; done
kill -INT $run
wait $run
check test $? = 1
check grep -q "ends after this repetition" out
check grep -q "interrupted after" out
check grep -q '"complete": false' results/long/results.json
expect 0 "of 120 cases are complete already" run long.yaml --resume 'repetitions=20'
check test "$(wc -l <results/long/results.csv)" = 2401

# Pictures
if command -v gnuplot >/dev/null; then
  expect 0 "results/c/phases.svg" plot results/c
  expect 0 "scaling.png" plot results/c/results.json --kind scaling -o scaling.png
  check test -s scaling.png
  expect 2 "nosuch/x.svg: cannot be written: No such file" plot results/c -o nosuch/x.svg && one_line
fi
mkdir bin
for tool in grep sed wc; do ln -s "$(command -v $tool)" bin/; done
PATH=$PWD/bin expect 2 "apt install gnuplot-nox" plot results/c && one_line
expect 2 "ends in .svg or .png" plot results/c -o picture.pdf && one_line
expect 2 "found other JSON" plot market.json && one_line

# The machine
expect 0 "backends" info --check
check grep -q "atomic minimum  right" out
check grep -q "profile   none" out

verdict
