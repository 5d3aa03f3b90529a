# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Cliques and independent sets as a user meets them: the commands, their verifiers, weights, an experiment.

# shellcheck source=tests/support/driver.sh
source "$TAPER_SOURCE/tests/support/driver.sh"

# Two triangles that share an edge, and a path behind them: 1 2 3 4, 4 5, 5 6.
printf '1 2\n2 3\n3 1\n3 4\n4 2\n4 5\n5 6\n' >kite.txt

# The maximum clique, and its check
expect 0 "clique    3 vertices, the maximum" clique kite.txt -o kite.clique
check grep -qF "verified  each two of its vertices are adjacent" out
check grep -qx "s clique 6 3" kite.clique
expect 0 "a clique: 3 of 6 vertices; each two of its vertices are adjacent" verify clique kite.txt kite.clique
for bound in colouring recolouring maxsat; do
  expect 0 "s clique 6 3" clique kite.txt --bound $bound --threads 1
done
printf '1\n2\n4\n5\n' >wrong.clique
expect 1 "not a clique: it has 3 pairs that are not adjacent" verify clique kite.txt wrong.clique
check grep -qx "  1 - 4" out
expect 1 "and 2 more (--limit)" verify clique kite.txt wrong.clique --limit 1
printf 's is 6 2\n1\n5\n' >other.set
expect 2 "other.set:1: 's' is not a vertex of kite.txt" verify clique kite.txt other.set && one_line

# The maximum independent set is all but a minimum cover
expect 0 "set       3 vertices, the maximum" independent-set kite.txt -o kite.set
check grep -qx "s is 6 3" kite.set
expect 0 "an independent set: 3 of 6 vertices; no two of its vertices are adjacent" verify independent-set kite.txt kite.set
expect 0 "cover     3 vertices, the minimum" cover kite.txt
expect 1 "not an independent set: it has 3 pairs that are adjacent" verify independent-set kite.txt wrong.clique
check grep -qx "  1 - 2" out

# A vertex with an edge to itself is in no independent set, and in cliques like others
printf '1 1\n1 2\n2 3\n' >loop.txt
expect 0 "s is 3 1" independent-set loop.txt
expect 0 "s is 3 2" independent-set loop.txt --self-loops drop
expect 2 "loop.txt:1: an edge from a vertex to itself" independent-set loop.txt --self-loops error && one_line
printf '1\n' >one.set
expect 1 "  1 - 1" verify independent-set loop.txt one.set
expect 0 "a vertex has an edge to itself (the first in this line): ignored (a clique does not depend on it)" clique loop.txt

# Weights in the graph's file and in another one
printf 'p edge 4 3\nn 1 5\nn 4 9\ne 1 2\ne 2 3\ne 3 4\n' >path.clq
expect 0 "clique    2 vertices of weight 10, the maximum" clique path.clq --weights file
expect 0 "set       2 vertices of weight 14, the maximum" independent-set path.clq --weights file -o path.set
expect 0 "an independent set: 2 of 4 vertices, weight 14;" verify independent-set path.clq path.set --weights file
printf '4 2 10\n7 2\n0 1 3\n0 2 4\n30 3\n' >path.metis
expect 2 "path.metis" clique path.metis --weights file
printf '4 3 10\n7 2\n0 1 3\n0 2 4\n30 3\n' >path.metis
expect 0 "clique    1 vertex of weight 30, the maximum" clique path.metis --weights file
printf '# weights\n3 4\n2\t0\n1 100\n4 0\n' >weights.txt
expect 0 "clique    1 vertex of weight 100, the maximum" clique path.clq --weights weights.txt
printf '1 0\n2 0\n3 0\n4 0\n' >zeros.txt
expect 0 "clique    0 vertices of weight 0, the maximum" clique path.clq --weights zeros.txt

# What cannot be a weight, in one line
printf '1 2\n2 3\n3 4\n' >path.txt
# refuse WORDS WEIGHTS: the file of weights must be refused with these words.
refuse() {
  printf %b "$2" >bad.txt
  expect 2 "$1" clique path.txt --weights bad.txt && one_line
}
refuse "bad.txt: the weight of vertex '2' is -3; allowed are whole numbers from 0" '1 1\n2 -3\n3 1\n4 1\n'
refuse "bad.txt: the weights have a sum above 9223372036854775807" '1 9223372036854775807\n2 1\n3 1\n4 1\n'
refuse "bad.txt:1: expected the weight of a vertex, a whole number below 2^63, found '2.5'" '1 2.5\n'
refuse "bad.txt:1: expected the weight of a vertex, a whole number below 2^63, found '9223372036854775808'" \
  '1 9223372036854775808\n'
refuse "bad.txt:2: vertex '1' appears twice" '1 1\n1 1\n'
refuse "bad.txt:1: expected a vertex and its weight; '5' is not a vertex of path.txt" '5 1\n'
refuse "bad.txt: expected a weight of each vertex; 3 of 4 have none, first '2'" '1 1\n'
refuse "bad.txt:1: expected the end of the line after the weight, found '7'" '1 1 7\n'
printf 'p edge 2 1\nn 1 -1\ne 1 2\n' >negative.clq
expect 2 "negative.clq: the weight of vertex '1' is -1" clique negative.clq --weights file && one_line
printf 'p edge 2 1\nn 3 1\ne 1 2\n' >outside.clq
expect 2 "outside.clq:2: vertex 3 is out of range" clique outside.clq --weights file && one_line
expect 0 "note: outside.clq: lines about single vertices" clique outside.clq
expect 2 "--weights file: kite.txt (an edge list) has no weights of vertices" clique kite.txt --weights file && one_line
expect 2 "only one of the files that are read can be '-'" clique - --weights - && one_line
expect 2 "only one of the files that are read can be '-'" verify clique - - && one_line
expect 2 "would overwrite the input" clique path.txt --weights weights.txt -o weights.txt && one_line
expect 2 "missing.txt" clique kite.txt --weights missing.txt && one_line
expect 0 "s clique 0 0" clique <(printf 'p edge 0 0\n')
seq -f '%g 5000' 4999 >star.txt
expect 0 "s is 5000 4999" independent-set star.txt
seq -f '%g 1' 4999 >star.weights
echo '5000 5000' >>star.weights
expect 0 "set       1 vertex of weight 5,000, the maximum" independent-set star.txt --weights star.weights
check grep -qF "reduced graph of 0 vertices and 0 edges in 0 components" out

# Names of vertices
printf 'anna bob\nbob carl\ncarl anna\ncarl dora\n' >names.txt
printf 'anna 1\nbob 1\ncarl 5\ndora 9\n' >ages.txt
expect 0 "clique    2 vertices of weight 14, the maximum" clique names.txt --weights ages.txt -o names.clique
check grep -qx dora names.clique
expect 0 "a clique: 2 of 4 vertices, weight 14;" verify clique names.txt names.clique --weights ages.txt

# A set to begin with is checked, and the answer is at least as good
expect 0 "clique    3 vertices, the maximum" clique kite.txt --start kite.clique
expect 0 "set       3 vertices, the maximum" independent-set kite.txt --start kite.set
expect 0 "clique    2 vertices of weight 10, the maximum" clique path.clq --weights file --start <(printf '1\n')
expect 0 "set       2 vertices of weight 14, the maximum" independent-set path.clq --weights file --start <(echo 2)
expect 2 "--start wrong.clique: not a clique: 1 and 4 are not adjacent, the first of 3 such pairs" \
  clique kite.txt --start wrong.clique && one_line
expect 2 "--start wrong.clique: not an independent set: 1 and 2 are adjacent, the first of 3 such pairs" \
  independent-set kite.txt --start wrong.clique && one_line
expect 2 "--start one.set: not an independent set: 1 has an edge to itself" \
  independent-set loop.txt --self-loops force --start one.set
expect 2 "missing.set" clique kite.txt --start missing.set && one_line
expect 2 "only one of the files that are read can be '-'" independent-set - --start - && one_line
expect 2 "would overwrite the input" clique kite.txt --start kite.clique -o kite.clique && one_line
expect 2 "are for the maximum clique" clique kite.txt --maximal --count --start kite.clique && one_line

# All maximum sets, each once
expect 0 "listed    all: 2" clique kite.txt --all 2 -o all.cliques
check test "$(tr '\n' ' ' <all.cliques)" = "s clique 6 3 1 2 3  s clique 6 3 2 3 4 "
expect 0 "listed    1, the limit: there are more" clique kite.txt --all 1
expect 0 "listed    all: 1" independent-set kite.txt --all 100
expect 0 "listed    all: 3" independent-set path.txt --all 100 -o all.sets
check test "$(tr '\n' ' ' <all.sets)" = "s is 4 2 1 3  s is 4 2 1 4  s is 4 2 2 4 "
expect 0 "listed    all: 2" independent-set loop.txt --all 100
expect 0 "listed    all: 1" clique path.clq --weights file --all 5
printf '1 0\n2 3\n3 3\n4 0\n' >pair.weights
expect 0 "listed    all: 2" independent-set path.txt --weights pair.weights --all 5 -o all.sets
check test "$(tr '\n' ' ' <all.sets)" = "s is 4 1 2  s is 4 1 3 "
expect 2 "--all: expected a decimal integer from 1 to 1000000" clique kite.txt --all 0 && one_line
expect 2 "are for the maximum clique" clique kite.txt --maximal --count --all 3 && one_line

# A heuristic says what it does not prove
"$TAPER" generate graph gnp 400 --degree 40 -o wide.gr >/dev/null 2>&1
expect 1 "heuristic local search, which proves nothing: a better one may exist" \
  independent-set wide.gr --heuristic --time-limit 0.2
expect 1 "heuristic local search, which proves nothing: a better one may exist" \
  independent-set wide.gr --heuristic --weights <(seq -f '%g 3' 400) -o wide.set
expect 0 "an independent set: " verify independent-set wide.gr wide.set
expect 0 "heuristic the reductions leave nothing open: this is proved" independent-set kite.txt --heuristic

# Maximal cliques
expect 0 "maximal   4 cliques; the largest have 3 vertices: 2" clique kite.txt --maximal --count
check grep -qx 4 out
expect 2 "--maximal and --count belong together" clique kite.txt --count && one_line
expect 2 "are for the maximum clique" clique kite.txt --maximal --count --weights file && one_line

# A time limit gives a clique and a bound
"$TAPER" generate graph gnp 400 --degree 360 -o hard.clq >/dev/null 2>&1
expect 1 "the best that was found; the maximum is at most" clique hard.clq --time-limit 0.2 -o hard.clique
expect 0 "a clique: " verify clique hard.clq hard.clique
expect 1 "stopped after" clique hard.clq --maximal --count --time-limit 0.2
"$TAPER" generate graph gnp 400 --degree 40 -o sparse.gr >/dev/null 2>&1
expect 1 " %)" independent-set sparse.gr --time-limit 0.2 --weights <(seq -f '%g 3' 400) -o sparse.set
check grep -qF "the best that was found; the maximum is at most" out
expect 0 "an independent set: " verify independent-set sparse.gr sparse.set
size=$(sed -n 's/^s is 400 //p' sparse.set)
expect 1 "the best that was found" independent-set sparse.gr --time-limit 0.001 --start sparse.set -o again.set
check test "$(sed -n 's/^s is 400 //p' again.set)" -ge "$size"
expect 1 "the maximum is at most" independent-set sparse.gr --time-limit 0.2

# An experiment
smoke="$TAPER_SOURCE/configs/clique/smoke.yaml"
expect 0 "verified: all 28 answers" run "$smoke" output=smoke
expect 0 "hamming 6, distance 2" table smoke
expect 0 "| steiner 2 |" table smoke --markdown
if command -v gnuplot >/dev/null; then
  expect 0 "cliques.svg" plot smoke
fi
expect 0 "verified: all 1 answers" run "$smoke" output=files data=. repetitions=1 \
  'graphs=[{file: path.clq, weights: file, maximum: 10}]' 'engines=[maxsat]'
expect 1 "the known maximum is 11" run "$smoke" output=wrong data=. repetitions=1 \
  'graphs=[{file: path.clq, weights: file, maximum: 11}]' 'engines=[maxsat]'
expect 0 "verified: all 1 answers" run "$smoke" output=other data=. repetitions=1 \
  'graphs=[{file: path.clq, weights: weights.txt, maximum: 100}]' 'engines=[maxsat]'
expect 2 "graph 'path, weights none.txt': no file ./none.txt; " run "$smoke" output=none data=. \
  'graphs=[{file: path.clq, weights: none.txt}]' && one_line
expect 2 "a generated graph has weights 'unit' or 'cyclic', found 'file'" run "$smoke" output=none \
  'graphs=[{family: steiner, n: 2, weights: file}]' && one_line
expect 2 "graph 'none': no file none.clq" run "$smoke" output=none 'graphs=[none.clq]' && one_line
expect 2 "the clique is too large to be hidden" run "$smoke" output=none \
  'graphs=[{family: hidden_clique, n: 20, density: 0.1, clique: 19}]' && one_line
expect 0 "verified: all 2 answers" run "$TAPER_SOURCE/configs/clique/dimacs.yaml" output=dimacs \
  'graphs=[{family: steiner, n: 2}]' 'engines=[maxsat, colouring]'
verdict
