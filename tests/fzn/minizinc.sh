#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Runs models through MiniZinc, as a user does. Reads $MINIZINC, $TAPER_MSC (the solver configuration), $TAPER_SOURCE
# and $TAPER_GPU (1 if the build is for a GPU, else 0).
set -u
models="$TAPER_SOURCE/configs/minizinc"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# expect WHAT WANTED GOT
expect() {
  if [[ "$2" != "$3" ]]; then
    printf 'FAILED %s\n  wanted: %s\n  got:    %s\n' "$1" "$2" "$3"
    failures=$((failures + 1))
  fi
}
taper() { "$MINIZINC" --solver "$TAPER_MSC" "$@" 2>"$scratch/stderr"; }
plain() { "$MINIZINC" --solver org.gecode.gecode -I "$models/decomposition" "$@" 2>"$scratch/stderr"; }
solutions() { grep -c '^-----' || true; }
matchings() { grep '^wife' | sort; }

# Prints a market of $1 people per side. Its lists are shuffled with seed $2.
market() {
  awk -v n="$1" -v seed="$2" 'BEGIN {
    srand(seed)
    printf "n = %d;\n", n
    for (side = 0; side < 2; ++side) {
      printf "%s = [", side ? "pw" : "pm"
      for (p = 1; p <= n; ++p) {
        for (i = 1; i <= n; ++i) list[i] = i
        for (i = n; i > 1; --i) { j = 1 + int(rand() * i); t = list[i]; list[i] = list[j]; list[j] = t }
        printf "|"
        for (i = 1; i <= n; ++i) printf "%d%s", list[i], i < n ? "," : ""
      }
      printf "|];\n"
    }
  }'
}

expect "the paper's instance, first solution" \
  "man 0 woman 3 man 1 woman 0 man 2 woman 4 man 3 woman 2 man 4 woman 1" \
  "$(taper "$models/paper_5x5.mzn" | grep man | xargs)"
expect "the paper's instance, all solutions" \
  "$(plain -a "$models/paper_5x5.mzn" | solutions)" "$(taper -a "$models/paper_5x5.mzn" | solutions)"

orders=(all all_by_women all_by_worst two_constraints)
for order in "${orders[@]}"; do
  expect "Knuth's ten, $order" 10 "$(taper -a "$models/$order.mzn" "$models/knuth_4x4.dzn" | solutions)"
done

for n in 1 2 3 5 7 8; do
  market "$n" "$((n * 17))" >"$scratch/market.dzn"
  wanted=$(plain -a "$models/all.mzn" "$scratch/market.dzn" | matchings)
  for order in "${orders[@]}"; do
    expect "all of a market of $n, $order" "$wanted" \
      "$(taper -a "$models/$order.mzn" "$scratch/market.dzn" | matchings)"
  done
  for model in egalitarian minimum_regret sex_equal; do
    expect "$model of a market of $n" \
      "$(plain "$models/$model.mzn" "$scratch/market.dzn" | grep cost | tail -1)" \
      "$(taper "$models/$model.mzn" "$scratch/market.dzn" | grep cost | tail -1)"
  done
done

# Of Knuth's ten matchings, those without one pair and with another.
pairs='forbidden = [| 1,1 |]; forced = [| 2,1 |];'
expect "forbidden and forced pairs" \
  "$(plain -a "$models/forbidden_and_forced.mzn" "$models/knuth_4x4.dzn" -D "$pairs" | matchings)" \
  "$(taper -a "$models/forbidden_and_forced.mzn" "$models/knuth_4x4.dzn" -D "$pairs" | matchings)"

# Every annotation is understood, and changes no answer.
for annotation in serial uniud gpu hybrid symmetric 'gpu ::symmetric' 'engage(false)' 'serial ::engage(true)' \
  published_serial 'published_serial ::engage(false)' published_parallel; do
  sed "s/::gpu/::$annotation/" "$models/paper_5x5.mzn" >"$scratch/annotated.mzn"
  expect "::$annotation" "$(plain -a "$models/paper_5x5.mzn" | sort)" \
    "$(taper -a "$scratch/annotated.mzn" | sort)"
done

# A published propagator is one algorithm in one place: what contradicts it is an error of one line.
refused() { # refused ANNOTATIONS MESSAGE
  sed "s/::gpu/::$1/" "$models/paper_5x5.mzn" >"$scratch/annotated.mzn"
  taper "$scratch/annotated.mzn" >"$scratch/stdout"
  expect "::$1 is an error" "1 of 1" \
    "$(cat "$scratch/stderr" "$scratch/stdout" | grep -c -- "$2") of $(grep -c 'fzn-taper' "$scratch/stderr")"
}
refused 'published_parallel ::engage(true)' '::published_parallel binds no partners'
refused 'published_serial ::symmetric' '::published_serial with ::symmetric: in Algorithm 2 only men propose'
refused 'published_parallel ::symmetric' '::published_parallel with ::symmetric: in Algorithm 3 only men propose'
refused 'published_serial ::gpu' '::published_serial with ::gpu: Algorithm 2 runs on the calling thread'
refused 'gpu ::published_serial' '::published_serial with ::gpu: Algorithm 2 runs on the calling thread'
refused 'published_serial ::hybrid' '::published_serial with ::hybrid'
refused 'published_serial ::published_parallel' 'these are two algorithms'
refused 'published_parallel ::serial' 'Algorithm 3 runs in parallel'
refused 'uniud ::published_parallel' 'Algorithm 3 runs in parallel'
refused 'published_parallel ::hybrid' '::published_parallel with ::hybrid'

# ::gpu without a GPU: one warning, even if several constraints request it; with --require-gpu an error.
sed 's/^constraint.*/&\n&/' "$models/paper_5x5.mzn" >"$scratch/twice.mzn"
taper "$scratch/twice.mzn" >"$scratch/stdout"
if [[ $TAPER_GPU == 0 ]]; then
  expect "::gpu warns once" 1 "$(grep -c 'warning: ::gpu' "$scratch/stderr")"
  taper --require-gpu "$models/paper_5x5.mzn" >"$scratch/stdout"
  expect "--require-gpu" 1 "$(cat "$scratch/stderr" "$scratch/stdout" | grep -c -- '::gpu, but this fzn-taper has no GPU')"
else
  expect "::gpu has no warning" 0 "$(grep -c 'warning: ::gpu' "$scratch/stderr")"
  # A build for a GPU without one: the same answers, and one line.
  lonely() { CUDA_VISIBLE_DEVICES=-1 taper "$@"; }
  expect "no GPU, all solutions" "$(plain -a "$models/paper_5x5.mzn" | sort)" "$(lonely -a "$scratch/twice.mzn" | sort)"
  expect "no GPU, one line" "1 of 1" \
    "$(grep -c 'warning: this build needs a GPU, and none was found' "$scratch/stderr") of $(wc -l <"$scratch/stderr")"
  lonely --require-gpu "$models/paper_5x5.mzn" >"$scratch/stdout"
  expect "no GPU, --require-gpu" 1 \
    "$(cat "$scratch/stderr" "$scratch/stdout" | grep -c -- '::gpu with --require-gpu, but this build needs a GPU')"
  sed 's/::gpu/::published_serial/' "$models/paper_5x5.mzn" >"$scratch/annotated.mzn"
  lonely "$scratch/annotated.mzn" >"$scratch/stdout"
  expect "no GPU, ::published_serial" 1 \
    "$(cat "$scratch/stderr" "$scratch/stdout" | grep -c '::published_serial, but this build needs a GPU')"
fi

# In a reified context: the same answers as the decomposition, whose lines name men, women and truth.
reified() { # reified WHAT CONSTRAINTS
  printf '%s\n' 'include "stable_matching.mzn"; int: n; array[1..n,1..n] of int: pm; array[1..n,1..n] of int: pw;' \
    'array[1..n] of var 1..n: m; array[1..n] of var 1..n: w; var bool: b; var bool: c;' "$2" 'solve satisfy;' \
    'output ["wife \(m) \(w) \(b) \(c)\n"];' >"$scratch/reified.mzn"
  local wanted
  wanted=$(plain -a "$scratch/reified.mzn" "$scratch/market.dzn" | matchings)
  expect "reified, $1: is not trivial" yes "$([[ $(wc -l <<<"$wanted") -gt 1 ]] && echo yes)"
  expect "reified, $1" "$wanted" "$(taper -a "$scratch/reified.mzn" "$scratch/market.dzn" | matchings)"
}
printf 'n = 2; pm = [|1,2|2,1|]; pw = [|2,1|1,2|];\n' >"$scratch/market.dzn"  # has two stable matchings
stable='stable_matching(m, w, pm, pw)'
reified 'b -> ...' "constraint b -> $stable; constraint c = b;"
reified 'b <-> ...' "constraint b <-> $stable; constraint c = not b;"
reified 'not' "constraint not $stable; constraint b = c;"
reified 'or' "constraint b \\/ $stable; constraint c = (m[1] = 1);"
reified 'either of two' "constraint $stable xor stable_matching(w, m, pw, pm) xor b; constraint c <-> $stable;"
reified 'with annotations' "constraint b <-> ($stable :: symmetric :: serial); constraint c;"
# There a propagator cannot be had: a warning or an error of one line says so.
reified '::gpu' "constraint b <-> ($stable :: gpu); constraint c;"
expect "reified ::gpu warns once" 1 "$(grep -c 'warning: ::gpu has no effect: a reified stable_matching' "$scratch/stderr")"
for annotation in published_serial published_parallel; do
  sed "s/:: gpu/::$annotation/" "$scratch/reified.mzn" >"$scratch/annotated.mzn"
  taper "$scratch/annotated.mzn" "$scratch/market.dzn" >"$scratch/stdout"
  expect "reified ::$annotation is an error" 1 \
    "$(cat "$scratch/stderr" "$scratch/stdout" | grep -c "::$annotation, but a reified stable_matching is decomposed")"
done
taper --require-gpu "$scratch/reified.mzn" "$scratch/market.dzn" >"$scratch/stdout"
expect "reified, --require-gpu" 1 \
  "$(cat "$scratch/stderr" "$scratch/stdout" | grep -c -- '::gpu with --require-gpu, but a reified stable_matching')"

# Search threads, and restarts.
expect "Knuth's ten, three threads" 10 "$(taper -a -p 3 "$models/all.mzn" "$models/knuth_4x4.dzn" | solutions)"
expect "minimum regret, restarts" "$(plain "$models/minimum_regret.mzn" "$models/knuth_4x4.dzn" | grep cost | tail -1)" \
  "$(taper --restart luby --restart-scale 2 -p 2 "$models/minimum_regret.mzn" "$models/knuth_4x4.dzn" | grep cost | tail -1)"

# Gecode's own library still works. This model needs its redefinitions.
cat >"$scratch/distribute.mzn" <<'END'
include "distribute.mzn";
array[1..2] of var 0..3: card; array[1..2] of var 1..2: value; array[1..3] of var 1..2: base;
constraint distribute(card, value, base);
solve satisfy;
END
expect "distribute" 1 "$(taper "$scratch/distribute.mzn" | solutions)"

# The empty market, in every model.
for model in "${orders[@]}" egalitarian minimum_regret sex_equal; do
  expect "$model of an empty market" 1 \
    "$(taper "$models/$model.mzn" -D 'n = 0; pm = array2d(1..0, 1..0, []); pw = array2d(1..0, 1..0, []);' | solutions)"
done

# Bad input: both the constraint and the decomposition print a line that names the argument.
bad() { # bad WHAT PATTERN PLAIN-PATTERN MODEL-TEXT
  local by
  printf '%s\n' "$4" >"$scratch/bad.mzn"
  for by in taper plain; do
    local pattern=$2
    [[ $by == plain ]] && pattern=$3
    if "$by" "$scratch/bad.mzn" >"$scratch/stdout"; then
      grep -q "ERROR" "$scratch/stdout" || expect "$1, $by: fails" "an error" "$(cat "$scratch/stdout")"
    fi
    grep -q -- "$pattern" "$scratch/stderr" "$scratch/stdout" ||
      expect "$1, $by: message" "$pattern" "$(cat "$scratch/stderr" "$scratch/stdout")"
  done
}
# The decomposition needs the include. The constraint accepts it.
two='include "stable_matching.mzn"; array[1..2] of var 0..1: m; array[1..2] of var 0..1: w; '
unequal="men has 2 variables and women 1"
bad "unequal sides" "$unequal" "$unequal" \
  'include "stable_matching.mzn"; array[1..2] of var 0..1: m; array[1..1] of var 0..1: w; constraint stable_matching(m, w, [|0,1|1,0|], [|0,1|1,0|]);'
bad "too few entries" "pw has 1 rows of 2 entries" "pw has 1 rows of 2 entries" \
  "$two constraint stable_matching(m, w, [|0,1|1,0|], [|0,1|]);"
bad "another shape" "pm has 4 rows of 1 entries" "pm has 4 rows of 1 entries" \
  "$two constraint stable_matching(m, w, [|0|1|1|0|], [|0,1|1,0|]);"
bad "no permutation" "pw (the women's lists): entry 1 of row 1 .* is 1, which is repeated" \
  "pw: row 2 (from 1) is no permutation of 0..1" \
  "$two constraint stable_matching(m, w, [|0,1|1,0|], [|0,1|1,1|]);"
bad "id out of range" "pm (the men's lists): entry 0 of row 1" "pm: row 2 (from 1) is no permutation" \
  "$two constraint stable_matching(m, w, [|0,1|5,0|], [|0,1|1,0|]);"
bad "lists from two bases" "pw (the women's lists): entry 1 of row 0" "pw: row 1 (from 1) is no permutation" \
  "$two constraint stable_matching(m, w, [|0,1|1,0|], [|1,2|2,1|]);"
outside='men\[1\] may be 3..4, but a place is one of 0..1'
bad "domains outside" "$outside" "$outside" \
  'include "stable_matching.mzn"; array[1..2] of var 3..4: m; array[1..2] of var 0..1: w; constraint stable_matching(m, w, [|0,1|1,0|], [|0,1|1,0|]);'
below='women\[2\] may be 0..1, but a place is one of 1..2'
bad "places from 0, people from 1" "$below" "$below" \
  'include "stable_matching.mzn"; array[1..2] of var 1..2: m; array[1..2] of var int: w; constraint w[1] = 1; constraint w[2] in 0..1; constraint stable_matching(m, w, [|1,2|2,1|], [|1,2|2,1|]);'

printf 'array[int] of var 0..1: m = []; constraint stable_matching(m, m, array2d(1..0, 1..0, []), array2d(1..0, 1..0, []));\n' \
  >"$scratch/empty.mzn"
expect "empty market" 1 "$(taper -a "$scratch/empty.mzn" | solutions)"

# A file of -o that cannot be written is an error, before the search and in it.
fzn=$(sed -n 's/.*"executable": *"\(.*\)".*/\1/p' "$TAPER_MSC")
printf 'var 0..1: x :: output_var;\nsolve satisfy;\n' >"$scratch/x.fzn"
expect "-o FILE" "x = 0;" "$("$fzn" -o "$scratch/answer" "$scratch/x.fzn" && head -1 "$scratch/answer")"
expect "-o in no folder" "fzn-taper: $scratch/none/answer: cannot be written: No such file or directory, status 2" \
  "$("$fzn" -o "$scratch/none/answer" "$scratch/x.fzn" 2>&1 | tr -d '\n'; printf ', status %s' "${PIPESTATUS[0]}")"
if [[ -e /dev/full ]]; then
  expect "-o on a full disk" "fzn-taper: /dev/full: cannot be written: No space left on device, status 2" \
    "$("$fzn" -o /dev/full "$scratch/x.fzn" 2>&1 | tr -d '\n'; printf ', status %s' "${PIPESTATUS[0]}")"
fi

exit $((failures > 0))
