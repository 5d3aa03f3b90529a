# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Runs the experiments of the stable marriage constraint as a user does. CTest sets $TAPER, $TAPER_SOURCE and an empty
# working directory.
# shellcheck source=tests/support/driver.sh
source "$TAPER_SOURCE/tests/support/driver.sh"

configs="$TAPER_SOURCE/configs/marriage_propagator"
expect 0 "verified: all" run "$configs/smoke.yaml"
check grep -q '"complete": true' results/marriage_propagator_smoke/results.json
expect 0 "480 of 480 cases are complete already" run "$configs/smoke.yaml" --resume
for config in "$configs"/{figure{2,3,4,5},search}.yaml; do
  expect 0 "verified: all" run "$config" sizes=[60] instances=2
done
expect 2 "--kind speedup: results of format taper-marriage-propagator-results-1 can be drawn as classes, calls" \
  plot results/marriage_propagator_smoke --kind speedup
if command -v gnuplot >gnuplot.path; then
  expect 0 "figure2/classes.svg" plot results/marriage_propagator_figure2
  expect 0 "search/classes.svg" plot results/marriage_propagator_search
  expect 0 "figure3/calls.svg" plot results/marriage_propagator_figure3 --kind calls
  expect 0 "figure4/modified.svg" plot results/marriage_propagator_figure4 --kind modified
  expect 0 "figure5/domain.svg" plot results/marriage_propagator_figure5 --kind domain
fi
expect 2 "classes.modified: the class 'two_free' has no such key" run "$configs/smoke.yaml" \
  'classes={class: two_free, modified: 3}' && one_line
expect 2 "needs" run "$configs/smoke.yaml" sizes=60000 instances=1 && one_line
verdict
