#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Models through MiniZinc, as a user runs them: $MINIZINC, $TAPER_MSC the solver configuration, $TAPER_SOURCE.
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
plain() { "$MINIZINC" --solver org.gecode.gecode -I "$models/decomposition" "$@" 2>/dev/null; }
solutions() { grep -c '^-----' || true; }
matchings() { grep '^wife' | sort; }

# A market of $1 people a side: lists shuffled by a generator of $2.
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

# Of Knuth's ten, those without a pair and with another.
pairs='forbidden = [| 1,1 |]; forced = [| 2,1 |];'
expect "forbidden and forced pairs" \
  "$(plain -a "$models/forbidden_and_forced.mzn" "$models/knuth_4x4.dzn" -D "$pairs" | matchings)" \
  "$(taper -a "$models/forbidden_and_forced.mzn" "$models/knuth_4x4.dzn" -D "$pairs" | matchings)"

# Every annotation is understood, and changes no answer.
for annotation in serial uniud gpu hybrid symmetric 'gpu ::symmetric'; do
  sed "s/::gpu/::$annotation/" "$models/paper_5x5.mzn" >"$scratch/annotated.mzn"
  expect "::$annotation" "$(plain -a "$models/paper_5x5.mzn" | sort)" \
    "$(taper -a "$scratch/annotated.mzn" | sort)"
done

# Bad input: a line that names the argument.
bad() { # bad WHAT PATTERN MODEL-TEXT
  printf '%s\n' "$3" >"$scratch/bad.mzn"
  if taper "$scratch/bad.mzn" >"$scratch/stdout"; then
    grep -q "ERROR" "$scratch/stdout" || expect "$1: fails" "an error" "$(cat "$scratch/stdout")"
  fi
  grep -q -- "$2" "$scratch/stderr" "$scratch/stdout" ||
    expect "$1: message" "$2" "$(cat "$scratch/stderr" "$scratch/stdout")"
}
two='array[1..2] of var 0..1: m; array[1..2] of var 0..1: w; '
bad "unequal sides" "men has 2 variables and women 1" \
  'array[1..2] of var 0..1: m; array[1..1] of var 0..1: w; constraint stable_matching(m, w, [|0,1|1,0|], [|0,1|1,0|]);'
bad "too few entries" "pw has 1 rows of 2 entries" "$two constraint stable_matching(m, w, [|0,1|1,0|], [|0,1|]);"
bad "another shape" "pm has 4 rows of 1 entries" \
  "$two constraint stable_matching(m, w, [|0|1|1|0|], [|0,1|1,0|]);"
bad "no permutation" "pw (the women's lists): entry 1 of row 1 .* is 1, which is there before" \
  "$two constraint stable_matching(m, w, [|0,1|1,0|], [|0,1|1,1|]);"
bad "id out of range" "pm (the men's lists): entry 0 of row 1" \
  "$two constraint stable_matching(m, w, [|0,1|5,0|], [|0,1|1,0|]);"

printf 'array[1..2] of var 3..4: m; array[1..2] of var 0..1: w; %s\n' \
  'constraint stable_matching(m, w, [|0,1|1,0|], [|0,1|1,0|]);' >"$scratch/outside.mzn"
expect "domains outside" "=====UNSATISFIABLE=====" "$(taper "$scratch/outside.mzn")"
printf 'array[int] of var 0..1: m = []; constraint stable_matching(m, m, array2d(1..0, 1..0, []), array2d(1..0, 1..0, []));\n' \
  >"$scratch/nobody.mzn"
expect "nobody" 1 "$(taper -a "$scratch/nobody.mzn" | solutions)"

exit $((failures > 0))
