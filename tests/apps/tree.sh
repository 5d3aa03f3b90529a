# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Tree search as a user meets it: the command, its verifier, an experiment, its table and picture.

# shellcheck source=tests/support/driver.sh
source "$TAPER_SOURCE/tests/support/driver.sh"

expect 0 "4112897 3599034 1572" tree T3 # the published size
expect 0 "right: " verify tree T3 4112897 3599034 1572
expect 1 "wrong: a serial search counts 4112897 nodes" verify tree T3 4112898 3599034 1572
expect 2 "taper tree: the options teams, store_nodes and queue_items do not apply to schedule 'pool'" \
  tree T3 --schedule pool --teams 3
expect 2 "T33" tree T33
expect 2 "--probability" tree T3 --probability 2

expect 0 "verified: " run "$TAPER_SOURCE/configs/tree_search/smoke.yaml" output=smoke
expect 0 "small geometric" table smoke
expect 0 "| small geometric |" table smoke --markdown
if command -v gnuplot >/dev/null; then
  expect 0 "rates.svg" plot smoke
fi
expect 2 "engines.0: " run "$TAPER_SOURCE/configs/tree_search/smoke.yaml" 'engines=[sequential]' output=smoke
check grep -q "present name of the value 'sequential' is 'serial'" out

# A list of threads or teams is an engine per value; its points are one line of the picture.
expect 0 "verified: all 4 counts" run "$TAPER_SOURCE/configs/tree_search/smoke.yaml" output=teams repetitions=1 \
  'engines=[serial, {name: lone, schedule: steal, teams: [1]}]'
check grep -q "lone x1 " out
if command -v gnuplot >/dev/null; then
  expect 0 "rates.svg" plot teams
  check grep -q ">lone<" teams/rates.svg
fi
expect 2 "engines.0.teams: only one of 'threads' and 'teams' can be a list" \
  run "$TAPER_SOURCE/configs/tree_search/smoke.yaml" 'engines=[{schedule: steal, threads: [1, 2], teams: [1, 2]}]' && one_line

# The other experiments, on smaller trees
for config in "$TAPER_SOURCE"/configs/tree_search/{uts,workers,large}.yaml; do
  expect 0 "verified: all" run "$config" 'trees=[{name: small, tree: T1, max_depth: 5}]' output=small repetitions=1 warmup=0
  if command -v gnuplot >/dev/null; then
    expect 0 "rates.svg" plot small
  fi
done
verdict
