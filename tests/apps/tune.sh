# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Measures the machine as a user does, and runs with the profile and without. CTest sets $TAPER, $TAPER_SOURCE and an
# empty working directory.
# shellcheck source=tests/support/driver.sh
source "$TAPER_SOURCE/tests/support/driver.sh"

printf '1\n0\n0\n' >one.txt
printf 'name: c\nworkloads: [uniform]\nsizes: [20]\nengines: [GS-Seq-CPU, taper]\nrepetitions: 1\n' >c.yaml
expect 0 "verified: all" run c.yaml

# The machine profile is written, found in all three ways, and rejected if it is of another machine
keys=(host.launch_us host.proposal_us host.scan_candidates_per_us host.propagator.free_people "strassen, packed")
"$TAPER" info >out
grep -q " threads on " out && keys+=(min_proposers_per_thread)  # one thread leaves no choice
# Whether a choice is wrong depends on the machine's other work, so both statuses are right. What it prints must agree.
"$TAPER" tune --quick -o p/mine.yaml >out 2>err
tuned=$?
check test "$(grep -q '^wrong choice: ' err && echo 1 || echo 0)" = "$tuned"
check test "$(grep -q 'Repeat `taper tune` without --quick' err && echo 1 || echo 0)" = "$tuned"
check grep -q "^profile: p/mine.yaml" out
keys+=("check  *chosen / better" "host.propagator, all_free, groups of two, n = 700" "host.stable_marriage.lazy_ranks, uniform"
  "host.stable_marriage.tail, solo" "host.stable_marriage.tiers" "host.hospitals_residents.wide" "host.matmul.engine")
for key in "${keys[@]}"; do
  check grep -q "^  $key" out
done
expect 0 "profile   p/mine.yaml, made 2" info --profile p/mine.yaml
TAPER_PROFILE=p/mine.yaml expect 0 "profile   p/mine.yaml" info
mkdir -p config/taper && cp p/mine.yaml config/taper/profile.yaml
TAPER_PROFILE='' XDG_CONFIG_HOME=$PWD/config expect 0 "config/taper/profile.yaml, made 2" info
XDG_CONFIG_HOME=$PWD/config expect 0 "profile   none" info --profile none
expect 0 "verified: all" run c.yaml --profile p/mine.yaml output=tuned
expect 0 "verified: all" run "$TAPER_SOURCE/configs/tune.yaml" scale=0.002 repetitions=1 --profile p/mine.yaml
check grep -q '"scan_candidates_per_us"' tuned/results.json
check grep -q '"machine_profile":null' results/c/results.json
sed 's/"engine":"strassen","kernel":"ikj","threshold":[0-9]*/"engine":"strassen","kernel":"ikj","threshold":7/' \
  p/mine.yaml >seven.yaml
printf '%%%%MatrixMarket matrix array real general\n1 1\n2\n' >two.mtx
expect 0 "Strassen-IKJ (strassen/ikj/7)" multiply two.mtx two.mtx --engine Strassen-IKJ --profile seven.yaml
sed 's/^  cpu: .*/  cpu: "abacus"/' p/mine.yaml >other.yaml
expect 2 "other.yaml was measured with another CPU: abacus, here it is" match one.txt --base 0 --profile other.yaml && one_line
cp other.yaml config/taper/profile.yaml
TAPER_PROFILE='' XDG_CONFIG_HOME=$PWD/config expect 0 "note: profile ignored: $PWD/config/taper/profile.yaml was measured with another CPU" match one.txt
TAPER_PROFILE='' XDG_CONFIG_HOME=$PWD/config expect 0 "profile   none: $PWD/config/taper/profile.yaml was measured with another CPU" info
expect 2 "none-such.yaml: no such file" match one.txt --profile none-such.yaml && one_line

verdict
