# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Finds, verifies and measures vertex covers as a user does. CTest sets $TAPER, $TAPER_SOURCE and an empty working
# directory.
# shellcheck source=tests/support/driver.sh
source "$TAPER_SOURCE/tests/support/driver.sh"

# Help and usage
for command in "cover" "verify cover" "generate graph"; do
  # shellcheck disable=SC2086  # words, to be split
  expect 0 "Example" $command --help
done
expect 2 "taper cover: GRAPH is required" cover && one_line
expect 2 "taper verify cover: COVER is required" verify cover g && one_line
expect 2 "taper generate graph: N is required" generate graph gnp && one_line
expect 2 "taper verify: FILE is required" verify && one_line
expect 2 "taper generate: FAMILY is required" generate && one_line
expect 2 "unknown value 'publshed'; did you mean 'published'?" cover g --mode publshed && one_line
expect 2 "the mode 'default' is now called 'taper'" cover g --mode default && one_line
expect 2 "--crown: the mode 'taper' does not have this option" cover g --crown off && one_line
expect 2 "--packing: the mode 'yamout' does not have this option" cover g --mode yamout --packing false && one_line
expect 2 "expected a decimal integer from 0" cover g --k -1 && one_line
expect 2 "this build has no backend 'abacus'; it has" cover g --backend abacus && one_line
expect 2 "none.gr: cannot be opened: No such file or directory" cover none.gr && one_line

# A path in every format has the same cover, in the names of its file
printf 'p td 5 4\n1 2\n2 3\n3 4\n4 5\n' >path.gr
printf 'c\np edge 5 4\ne 1 2\ne 2 3\ne 3 4\ne 4 5\n' >path.clq
printf '%%%%MatrixMarket matrix coordinate pattern symmetric\n5 5 4\n2 1\n3 2\n4 3\n5 4\n' >path.mtx
printf '5 4\n2\n1 3\n2 4\n3 5\n4\n' >path.graph
printf '1 2\n2 3\n3 4\n4 5\n' >path.edges
printf '5 4\r\n1 2\r\n2 3\r\n3 4\r\n4 5\r\n' >path.txt
printf 's vc 5 2\n2\n4\n' >expected
for format in gr clq mtx graph edges txt; do
  for mode in taper component_search published yamout; do
    "$TAPER" cover path.$format --mode $mode >found 2>err || cat err
    check cmp -s expected found
  done
  expect 0 "a vertex cover: 2 of 5 vertices cover all 4 edges" \
    verify cover path.$format expected
done
gzip -c path.gr >path.gr.gz
expect 0 "cover     2 vertices, the minimum" cover path.gr.gz -o cover.gz
expect 0 "a vertex cover" verify cover path.gr.gz cover.gz
"$TAPER" cover - <path.gr >found 2>err
check cmp -s expected found
printf '# friends\nAda Ben\nBen Cy\nCy Di\nDi Eve\n' >names
expect 0 "Ben" cover names
"$TAPER" cover names 2>/dev/null >cover
expect 0 "a vertex cover: 2 of 5" verify cover names cover
printf '5 4\n0 1\n1 2\n2 3\n3 4\n' >zero.txt
expect 0 "c vertices are numbered from 0" cover zero.txt
printf '6 4\n1 2\n2 3\n3 4\n4 5\n' >one_too_many.txt
expect 0 "s vc 6 2" cover one_too_many.txt

# A set of vertices that is no cover
printf 's vc 5 1\n2\n' >wrong
expect 1 "not a vertex cover: it misses 2 edges" verify cover path.gr wrong
check grep -qF "  3 - 4" out
expect 1 "and 1 more (--limit)" verify cover path.gr wrong --limit 1
printf 'c\n2\n4\n' >good
expect 0 "a vertex cover" verify cover path.gr good
expect 2 "only one of the files that are read can be '-', the standard input" verify cover - - && one_line
printf '2\n7\n' >wrong
expect 2 "wrong:2: '7' is not a vertex of path.gr" verify cover path.gr wrong && one_line
printf 's vc 5 3\n2\n4\n' >wrong
expect 2 "wrong:1: the header announces 3 vertices, the file lists 2" verify cover path.gr wrong && one_line

# Self-loops, repeated edges, components, empty graphs
printf '1 2\n2 1\n2 3\n3 3\n' >loops
expect 0 "loops:4: a vertex has an edge to itself (the first in this line): in every cover" cover loops
check grep -qF "loops: 1 of the listed edges are repetitions" out
"$TAPER" cover loops 2>/dev/null >cover
check grep -qx 3 cover
expect 0 "a vertex cover: 2 of 3 vertices cover all 3 edges" verify cover loops cover
expect 0 "s vc 3 1" cover loops --self-loops drop
"$TAPER" cover loops --self-loops drop 2>/dev/null >cover
expect 1 "  3 - 3" verify cover loops cover
expect 0 "cover all 2 edges" verify cover loops cover --self-loops drop
expect 2 "loops:4: an edge from a vertex to itself" cover loops --self-loops error && one_line
expect 1 "search    none: vertices in every cover: 1" cover loops --k 0
expect 1 "cover     none of at most 1 vertex" cover loops --k 1
expect 0 "cover     2 vertices, at most k = 2" cover loops --k 2
for text in 'p td 0 0' 'p td 9 0' '0 0' '3 0'; do
  echo "$text" >edgeless
  expect 0 "cover     0 vertices, the minimum" cover edgeless
  expect 0 "cover     0 vertices, the minimum" cover edgeless --mode published
  expect 0 "at most k = 0" cover edgeless --k 0
done
expect 0 "" generate graph many_components 20000 --degree 2.5 --component-size 5 -o parts.gr.gz
expect 0 "the minimum" cover parts.gr.gz -o cover
expect 0 "a vertex cover" verify cover parts.gr.gz cover

# An error in the input gives the place and the reason
: >empty
expect 2 "empty: expected a graph, found no edges and no header" cover empty && one_line
head -c 4000 /dev/urandom >junk
expect 2 "junk" cover junk && one_line
printf 'p td 3 2\n1 2\n2 x\n' >bad.gr
expect 2 "bad.gr:3: expected a vertex, a number from 1 to 3, found 'x'" cover bad.gr && one_line
printf 'p td 3 2\n1 2\n2 4\n' >bad.gr
expect 2 "bad.gr:3: vertex 4 is out of range" cover bad.gr && one_line
printf 'p td 3 3\n1 2\n2 3\n' >bad.gr
expect 2 "bad.gr:1: the header announces 3 edges, the file lists 2" cover bad.gr && one_line
printf -- '-1 2\n2 3\n' >bad
expect 2 "bad:1: expected two vertices, as numbers, found '-1'" cover bad && one_line
printf 'e 1 2\ne 2 3\n' >bad
expect 2 "bad:1: expected a line 'p td VERTICES EDGES'" cover bad && one_line
printf '# Nodes: 10 Edges: 30\n1 2\n2 3\n' >bad
expect 0 "bad:1: announces 30 edges, the file lists 2" cover bad
printf '1 2\n3\n' >bad
expect 2 "bad:2: expected two vertices" cover bad && one_line
printf '5 4\n0 1\n1 2\n2 3\n' >bad
expect 2 "set --header yes or no" cover bad && one_line
expect 0 "cover     3 vertices" cover bad --header no
gzip -c path.gr | head -c 30 >cut.gr.gz
expect 2 "cut.gr.gz: the compressed data are cut short" cover cut.gr.gz && one_line

# Covers of minimum weight: the rest of a heaviest independent set
printf '1 2\n2 3\n3 1\n3 4\n4 2\n4 5\n5 6\n' >kite.txt
printf '1 1\n2 1\n3 1\n4 9\n5 2\n6 0\n' >kite.weights
expect 0 "cover     3 vertices of weight 4, the minimum" cover kite.txt --weights kite.weights -o kite.cover
check grep -qF "verified  the cover covers every edge of the file; the weights sum up" out
check grep -qx "s vc 6 3" kite.cover
expect 0 "a vertex cover: 3 of 6 vertices, weight 4, cover all 7 edges" \
  verify cover kite.txt kite.cover --weights kite.weights
expect 0 "set       2 vertices of weight 10, the maximum" independent-set kite.txt --weights kite.weights
printf 'p edge 4 3\nn 2 5\nn 3 0\ne 1 2\ne 2 3\ne 3 4\n' >path.clq
expect 0 "cover     2 vertices of weight 1, the minimum" cover path.clq --weights file
printf '1 0\n2 0\n3 5\n' >loops.weights
expect 0 "cover     2 vertices of weight 5, the minimum" cover loops --weights loops.weights
expect 0 "cover     1 vertex of weight 0, the minimum" cover loops --weights loops.weights --self-loops drop
expect 2 "--k: a search with --weights does not have this option" cover path.clq --weights file --k 2 && one_line
expect 2 "--mode: a search with --weights does not have this option" cover path.clq --weights file --mode yamout && one_line
expect 2 "--packing: a search with --weights does not have this option" cover path.clq --weights file --packing false && one_line
expect 2 "kite.txt (an edge list) has no weights of vertices" cover kite.txt --weights file && one_line
expect 2 "kite.txt (an edge list) has no weights" verify cover kite.txt kite.cover --weights file && one_line
printf '1 1\n2 1\n3 -1\n4 9\n5 2\n6 0\n' >bad.weights
expect 2 "bad.weights: the weight of vertex '3' is -1; allowed are whole numbers from 0" \
  cover kite.txt --weights bad.weights && one_line
expect 2 "would overwrite the input" cover kite.txt --weights kite.weights -o kite.weights && one_line
"$TAPER" generate graph gnp 700 --degree 14 -o heavy.gr >/dev/null 2>&1
seq 700 | sed 's/$/ 3/' >heavy.weights
expect 1 " %)" cover heavy.gr --weights heavy.weights --time-limit 0.1 -o heavy.cover
check grep -qF "the best that was found; the minimum is at least" out
expect 0 "a vertex cover: " verify cover heavy.gr heavy.cover --weights heavy.weights

# A failed write is reported, before the search if possible
expect 2 "none/c: cannot be written" cover path.gr -o none/c && one_line
if [ -e /dev/full ]; then
  "$TAPER" cover path.gr >/dev/full 2>err
  check test $? = 2
  check grep -qF "cannot write to the standard output" err
fi
check test -z "$(find . -name '.*tmp')"

two=$("$TAPER" info | grep -q '^  openmp' && echo "--threads 2")
# The same seed gives the same graph, and every mode and backend finds the same minimum
for family in "gnp 60 --degree 4" "random_regular 40 --degree 4" "geometric 100 --degree 5" \
  "power_law 200 --degree 4" "grid 64" "planted_cover 50 --cover 15 --degree 4" "many_components 90"; do
  # shellcheck disable=SC2086  # options, to be split
  expect 0 "" generate graph $family --seed 5 -o a.gr
  # shellcheck disable=SC2086
  expect 0 "" generate graph $family --seed 5 -o b.mtx
  "$TAPER" cover a.gr 2>err | head -1 >expected || cat err
  for choice in "--mode published" "--mode component_search $two" "--backend host" "--packing false" \
    "--mode published --crown off --balance none --degree-bits 32 --first-branch neighbours --split-root true" \
    "--mode component_search --small-vertices 0 --lower-bound-stop false --degree-bound false" \
    "--backend serial --mode published"; do
    if [[ "$choice" = *serial* ]] && ! "$TAPER" info | grep -q '^  serial'; then
      continue
    fi
    # shellcheck disable=SC2086
    "$TAPER" cover b.mtx $choice 2>err >cover || cat err
    head -1 cover >found
    check cmp -s expected found
  done
done
expect 2 "--cover: only the family 'planted_cover' has this option" generate graph gnp 9 --cover 2 && one_line
expect 2 "the family 'planted_cover' needs --cover" generate graph planted_cover 9 && one_line
expect 2 "--degree: expected less than the 10 vertices, found 100" generate graph gnp 10 --degree 100 && one_line
expect 2 "did you mean 'power_law'?" generate graph powerlaw 9 && one_line
expect 2 "degree = 3 and n = 5" generate graph random_regular 5 --degree 3 && one_line
expect 2 "a graph of 4,000,000,000 vertices and degree 900 needs" generate graph gnp 4000000000 --degree 900 && one_line
"$TAPER" generate graph grid 9 >grid.gr
expect 0 "cover     4 vertices, the minimum" cover grid.gr

# k below, at and above the minimum
expect 0 "" generate graph planted_cover 100 --cover 30 --degree 5 -o planted.gr
for mode in taper published; do
  expect 1 "cover     none of at most 29 vertices: every cover is larger" cover planted.gr --k 29 --mode $mode
  check test "$(grep -c '^s vc' out)" = 0
  expect 0 "at most k = 30" cover planted.gr --k 30 --mode $mode
  expect 0 "at most k = 31" cover planted.gr --k 31 --mode $mode
  expect 0 "at most k = 1,000,000,000,000" cover planted.gr --k 1000000000000 --mode $mode
done

# A signal while the graph is read ends the program at once, by the signal
mkfifo slow.gr
for signal in INT TERM HUP; do
  "$TAPER" cover slow.gr -o slow.cover >out 2>&1 &
  run=$!
  exec 3<>slow.gr
  echo "p td 3 2" >&3
  sleep 0.5
  kill -$signal $run
  wait $run
  check test $? = $((128 + $(kill -l $signal)))
  exec 3>&-
  check grep -qxF "taper: interrupted; nothing was written" out
  check test ! -e slow.cover
done

# A time limit and Ctrl-C give the best cover and a lower bound
expect 0 "" generate graph random_regular 600 --degree 6 -o hard.gr
for mode in taper published; do
  expect 1 "the best that was found; the minimum is at least" cover hard.gr --mode $mode --time-limit 0.5 -o cover
  expect 0 "a vertex cover" verify cover hard.gr cover
  for signal in INT TERM; do
    rm cover
    "$TAPER" cover hard.gr --mode $mode -o cover >out 2>&1 &
    run=$!
    sleep 1.5
    kill -$signal $run
    wait $run
    check test $? = 1
    check grep -qF "the best that was found; the minimum is at least" out
    expect 0 "a vertex cover" verify cover hard.gr cover
  done
done

# So does a time limit during the reductions of the root, which take seconds here
expect 0 "" generate graph gnp 1000000 --degree 3 -o big.gr
for mode in taper published; do
  expect 1 "the best that was found; the minimum is at least" cover big.gr --mode $mode --time-limit 0.2 -o cover
  check grep -qF ", 0 nodes in" out
  expect 0 "a vertex cover" verify cover big.gr cover
done

# Experiments
expect 0 "the answers agree" run "$TAPER_SOURCE/configs/vertex_cover/smoke.yaml"
check grep -q '"complete": true' results/vertex_cover_smoke/results.json
for config in "$TAPER_SOURCE"/configs/vertex_cover/{table*,figure4}.yaml; do
  # A solver without its backend is skipped, with a line of its own.
  expect 2 "no file nowhere/" run "$config" data=nowhere && sed -i '/^skipped: /d' out && one_line
done
printf '3 4\n4 1\n' >>path.edges # 1-2-3-4-5, 3-4 again, and 4-1
cat >c.yaml <<'YAML'
algorithm: vertex_cover
name: c
graphs:
  - path.gr
  - {file: path.edges, name: more, minimum: 2, k: [known-1, known, minimum]}
  - {family: gnp, n: [30, 40], degree: 3, seeds: 2}
solvers: [taper, published]
repetitions: 2
YAML
expect 0 "verified: all 16 covers cover every edge of their files, and the answers agree" run c.yaml
check test "$(wc -l <results/c/results.csv)" = 33
expect 0 "16 of 16 cases are complete already" run c.yaml --resume
expect 0 "loops:4: a vertex has an edge to itself (the first in this line): in every cover (self_loops: drop ignores" \
  run c.yaml 'graphs=[loops]' output=notes
check grep -qxF "note: loops: 1 of the listed edges are repetitions" out
expect 0 "over taper" table results/c --details
expect 0 "sequential: 1 thread of " run c.yaml output=one 'solvers=[{name: sequential, mode: published, backend: host,
  threads: 1}]'
expect 2 "its run had another 'repetitions'" run c.yaml --resume repetitions=1 && one_line
expect 1 "the known minimum is 3" run c.yaml graphs.1.minimum=3 output=answers
check grep -qF "answers are WRONG" out
expect 2 "unknown key 'graph'; did you mean 'graphs'?" run c.yaml graph=3 && one_line
expect 2 "graphs.1: a second graph with the name 'path'" run c.yaml 'graphs=[path.gr, path.txt]' && one_line
expect 2 "the mode 'taper' does not have this key" run c.yaml 'solvers=[{components: false}]' && one_line
expect 2 "of format taper-cover-results-1 can be drawn as covers, nodes and activities" plot results/c --kind phases &&
  one_line
if command -v gnuplot >gnuplot.path; then
  expect 0 "results/c/covers.svg" plot results/c
  expect 0 "results/c/nodes.svg" plot results/c --kind nodes
  expect 2 "no case has counted its activities; count=true does" plot results/c --kind activities && one_line
  expect 0 "results/vertex_cover_smoke/activities.svg" plot results/vertex_cover_smoke --kind activities
fi
expect 0 ">" run c.yaml 'graphs=[hard.gr]' solvers=[taper] time_limit_s=0.3 output=stopped
check grep -qF "the time limit stopped 1" out

# A cover to begin with is checked, and the answer is at least as good
printf '1\n2\n3\n4\n' >all.cover
printf '1\n' >few.cover
printf '1 5\n2 6\n3 5\n4 9\n5 7\n' >path.weights
expect 0 "cover     2 vertices, the minimum" cover path.gr --start all.cover
expect 0 "cover     2 vertices of weight 15, the minimum" cover path.gr --start all.cover --weights path.weights
expect 2 "--start few.cover: not a vertex cover: it misses 3 edges, first 2 - 3" \
  cover path.gr --start few.cover && one_line
expect 2 "--start: the mode 'published' does not have this option" cover path.gr --mode published --start all.cover && one_line
expect 2 "would overwrite the input" cover path.gr --start all.cover -o all.cover && one_line

# All minimum covers, each once
printf '1 2\n2 3\n3 4\n4 1\n' >ring.txt
expect 0 "listed    all: 2" cover ring.txt --all 10 -o all.covers
check test "$(tr '\n' ' ' <all.covers)" = "s vc 4 2 2 4  s vc 4 2 1 3 "
expect 0 "listed    1, the limit: there are more" cover ring.txt --all 1
printf '1 1\n2 1\n3 1\n4 0\n' >ring.weights
expect 0 "listed    all: 1" cover ring.txt --weights ring.weights --all 10 -o all.covers
check test "$(tr '\n' ' ' <all.covers)" = "s vc 4 2 2 4 "
expect 0 "listed    all: 2" cover loops --all 10
expect 2 "--all writes minimum covers, --k asks for any" cover ring.txt --all 2 --k 3 && one_line
expect 1 "the best that was found" cover hard.gr --all 5 --time-limit 0.2

# A heuristic says what it does not prove
expect 1 "heuristic local search, which proves nothing: a better one may exist" cover hard.gr --heuristic --time-limit 0.3 -o h
expect 0 "a vertex cover" verify cover hard.gr h
expect 0 "heuristic the reductions leave nothing open: this is proved" cover path.gr --heuristic
expect 0 "heuristic the reductions leave nothing open" cover path.gr --heuristic --weights path.weights
expect 2 "--heuristic: the mode 'published' does not have this option" cover path.gr --mode published --heuristic && one_line
expect 2 "--heuristic" cover path.gr --all 3 --heuristic && one_line

# An experiment with weights. A star of weight 3 around a centre of weight 7, and an edge of 9 and 4: a cover of 3 + 4.
printf '5 1\n5 2\n5 3\n6 7\n' >star.txt
printf '1 1\n2 1\n3 1\n5 7\n6 9\n7 4\n' >star.weights
printf 'p edge 3 2\nn 2 9\ne 1 2\ne 2 3\n' >path.clq
cat >w.yaml <<'YAML'
algorithm: vertex_cover
name: w
graphs:
  - {file: star.txt, weights: star.weights, minimum: 7}
  - {file: path.clq, weights: file, minimum: 2}
  - {file: loops, weights: cyclic, name: forced}
  - {family: planted_cover, n: 30, degree: 3, cover: 8, weights: cyclic}
  - {file: star.txt, minimum: 2}
solvers: [taper, {name: one, mode: taper, threads: 1}]
YAML
expect 0 "verified: all 10 covers" run w.yaml repetitions=1
check grep -qE "^  star, weights star.weights +minimum +6 +4 +7 " out
check grep -q '"cover_weight":7,"weight_bound":7,' results/w/results.json
check grep -q '^w,"star, weights star.weights",6,4,,taper,.*,false,7,7,true,' results/w/results.csv
check grep -q '^w,star,6,4,,taper,.*,false,,,true,' results/w/results.csv
expect 0 "10 of 10 cases are complete already" run w.yaml repetitions=1 --resume
expect 1 "the known minimum is 6" run w.yaml graphs.0.minimum=6 output=answers repetitions=1
expect 2 "with weights the only question is the minimum" run w.yaml k=3 && one_line
expect 2 "the solver 'published' does not take weights, only 'taper' does" run w.yaml 'solvers=[published]' && one_line
expect 2 "graph 'star, weights none': no file none; " run w.yaml 'graphs=[{file: star.txt, weights: none}]' && one_line
expect 2 "star.txt: it has no weights of vertices (weights: file)" \
  run w.yaml 'graphs=[{file: star.txt, weights: file}]' && one_line
expect 2 "a generated graph has weights 'unit' or 'cyclic', found 'file'" \
  run w.yaml 'graphs=[{family: grid, n: 9, weights: file}]' && one_line
expect 0 "verified: all 8 covers" run "$TAPER_SOURCE/configs/vertex_cover/weights.yaml" output=weights

"$TAPER" run c.yaml 'graphs=[hard.gr]' 'solvers=[taper]' output=long >out 2>&1 &
run=$!
sleep 1.5
kill -INT $run
wait $run
check test $? = 1
check grep -qF "interrupted before the first measurement" out

# Ctrl-C while a graph is read keeps the measured cases
"$TAPER" run c.yaml 'graphs=[path.gr, slow.gr]' 'solvers=[taper]' output=slow >out 2>&1 &
run=$!
exec 3<>slow.gr
echo "p td 3 2" >&3
sleep 1
kill -INT $run
wait $run
check test $? = 1
exec 3>&-
check grep -qF "interrupted after 1 of 2 cases" out
check grep -q '"complete": false' slow/results.json

verdict
