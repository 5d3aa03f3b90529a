# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Computes, verifies and measures matrix products as a user does. CTest sets $TAPER, $TAPER_SOURCE and an empty working
# directory.
# shellcheck source=tests/support/driver.sh
source "$TAPER_SOURCE/tests/support/driver.sh"

# array M N NUMBERS...: a Matrix Market array with its numbers by columns.
array() {
  printf '%%%%MatrixMarket matrix array real general\n%s %s\n' "$1" "$2"
  shift 2
  [ $# = 0 ] || printf '%s\n' "$@"
}

# Help and usage
for command in "multiply" "verify product" "generate matrix"; do
  # shellcheck disable=SC2086  # words, to be split
  expect 0 "Example" $command --help
done
expect 2 "taper multiply: B is required" multiply a && one_line
expect 2 "taper verify product: RESULT is required" verify product a b && one_line
expect 2 "taper generate matrix: COLUMNS is required" generate matrix uniform 3 && one_line
expect 2 "unknown value 'packd'; did you mean 'packed'?" multiply a b --kernel packd && one_line
expect 2 "did you mean 'ForkJoin-IKJ'?" multiply a b --engine forkjoin-ikj && one_line
expect 2 "present name of the engine 'sequential' is 'serial'" multiply a b --engine sequential && one_line
expect 2 "expected a decimal integer from 1" multiply a b --engine fork_join --threshold 0 && one_line
expect 2 "--threshold: the engine 'packed' has no such option" multiply a b --engine packed --threshold 8 && one_line
expect 2 "--block: the engine 'rows' has no such option" multiply a b --engine rows --block 8 && one_line
expect 2 "this build has no backend 'abacus'; it has" multiply a b --backend abacus && one_line
expect 2 "none.npy: cannot be opened: No such file or directory" multiply none.npy b && one_line

# [1 2 3; 4 5 6] [1 0; 0 1; 1 1] = [4 5; 10 11], by hand, for every format and engine
array 2 3 1 4 2 5 3 6 >a.mtx
array 3 2 1 0 1 0 1 1 >b.mtx
array 2 2 4 10 5 11 >expected.mtx
gzip -c a.mtx >a.mtx.gz
printf '%%%%MatrixMarket matrix coordinate integer general\n3 2 4\n1 1 1\n2 2 1\n3 1 1\n3 2 1\n' >b.coordinate
for engine in IJK IJK+Kahan IJK+Neumaier IJK+Pairwise IKJ Vanilla Tiled ForkJoin-IKJ Strassen-IKJ Winograd-IKJ Packed \
  "fork_join --kernel ijk --scheduler serial --threshold 1" "tiled --block 1" "automatic"; do
  for type in float32 float64; do
    # shellcheck disable=SC2086  # options, to be split
    "$TAPER" multiply a.mtx.gz b.coordinate --engine $engine --type $type --verify >c.mtx 2>err || cat err
    check cmp -s expected.mtx c.mtx
    check grep -qF "verified  scaled residual 0" err
  done
done
expect 0 "matrices  A 2 x 3, B 3 x 2, float64" multiply a.mtx b.mtx -o c.npy
expect 0 "the product: scaled residual 0" verify product a.mtx b.mtx c.npy
expect 0 "the product" verify product a.mtx b.mtx expected.mtx
"$TAPER" multiply - b.mtx <a.mtx >c.mtx 2>err
check cmp -s expected.mtx c.mtx
array 2 2 1 1 1 1 >ones.mtx
array 2 2 9 21 11 23 >expected.mtx # twice the product and 1
"$TAPER" multiply a.mtx b.mtx --alpha 2 --c ones.mtx >c.mtx 2>err
check cmp -s expected.mtx c.mtx
expect 0 "the product" verify product a.mtx b.mtx c.mtx --alpha 2 --c ones.mtx --beta 1
array 2 2 5 7 6 8 >other.mtx
"$TAPER" multiply a.mtx b.mtx -o c.npy 2>err
"$TAPER" multiply a.mtx b.mtx --c other.mtx -o d.npy 2>err
printf '%%%%MatrixMarket matrix array real general\n2 2\n9\n17\n11\n19\n' >expected.mtx
expect 0 "the product" verify product a.mtx b.mtx d.npy --c other.mtx
expect 0 "the product" verify product a.mtx b.mtx expected.mtx --c other.mtx
expect 0 "" multiply c.npy c.npy --c other.mtx -o e.npy
expect 0 "the product" verify product c.npy c.npy e.npy --c other.mtx
expect 1 "not the product: scaled residual" verify product a.mtx b.mtx c.mtx
expect 1 "not the product: a.mtx is 2 x 3, the product is 2 x 2" verify product a.mtx b.mtx a.mtx
expect 2 "--beta needs --c" multiply a.mtx b.mtx --beta 2 && one_line

# Extents and types that do not match
expect 2 "a.mtx is 2 x 3, a.mtx is 2 x 3: expected as many rows in the second as the 3 columns of the first, found 2" \
  multiply a.mtx a.mtx && one_line
expect 2 "ones.mtx is 2 x 2; the product is 3 x 3" multiply b.mtx a.mtx --c ones.mtx && one_line
expect 0 "" generate matrix uniform 4 4 --type float32 -o single.npy
expect 0 "" generate matrix uniform 4 4 --type float64 -o double.npy
expect 2 "single.npy holds float32, double.npy holds float64; convert with --type float32 or float64" \
  multiply single.npy double.npy && one_line
expect 0 "A 4 x 4, B 4 x 4, float32" multiply single.npy double.npy --type float32 -o c.npy
array 4 1 1 0 0 0 >first.mtx
expect 0 "A 4 x 4, B 4 x 1, float32" multiply single.npy first.mtx -o c.npy

# Zero extents; NaN and infinity as in IEEE arithmetic; C is not read if beta is 0
array 0 3 >none_a.mtx
array 3 0 >none_b.mtx
expect 0 "0 0" multiply none_a.mtx none_b.mtx
expect 0 "3 3" multiply none_b.mtx none_a.mtx --verify
check test "$(grep -cx 0 out)" = 9
expect 0 "0 2" multiply none_a.mtx b.mtx
array 2 2 nan 1 1 1 >nan.mtx
array 2 2 1 0 0 1 >identity.mtx
expect 0 "nan" multiply nan.mtx identity.mtx
array 2 2 0 0 0 0 >zero.mtx # as in the BLAS, A and B are not read
"$TAPER" multiply nan.mtx identity.mtx --alpha 0 >c.mtx 2>err
check cmp -s zero.mtx c.mtx
expect 0 "unchecked the matrices contain NaN or infinity" multiply nan.mtx identity.mtx --verify
expect 2 "so there is no residual" verify product nan.mtx identity.mtx nan.mtx && one_line
"$TAPER" multiply identity.mtx identity.mtx --c nan.mtx --beta 0 >c.mtx 2>err
check cmp -s identity.mtx c.mtx

# An error in the input gives the place and the reason
: >empty
expect 2 "empty: expected a matrix, .npy or Matrix Market, found a file that is empty" multiply empty b.mtx && one_line
head -c 4000 /dev/urandom >junk
expect 2 "junk: this looks like binary data" multiply junk b.mtx && one_line
head -c 150 double.npy >cut.npy
expect 2 "cut.npy: the table is cut short: expected 128 bytes of data, found 22" multiply cut.npy b.mtx && one_line
gzip -c double.npy | head -c 60 >cut.npy.gz
expect 2 "cut.npy.gz: the compressed data are cut short" multiply cut.npy.gz b.mtx && one_line
array 2 2 1 2 x 4 >bad.mtx
expect 2 "bad.mtx:5: expected a number, found 'x'" multiply bad.mtx bad.mtx && one_line
array 2 2 1 2 3 >bad.mtx
expect 2 "bad.mtx:2: a general matrix of 2 x 2 has 4 entries, the file lists 3" multiply bad.mtx bad.mtx && one_line
printf '%%%%MatrixMarket matrix array real general\n3000000 3000000\n' >huge.mtx
expect 2 "huge.mtx:2: a matrix of 3,000,000 x 3,000,000 float64 needs" multiply huge.mtx b.mtx && one_line

# A failed write is reported, before the work if possible
expect 2 "none/c.npy: cannot be written" multiply a.mtx b.mtx -o none/c.npy && one_line
if [ -e /dev/full ]; then
  "$TAPER" multiply a.mtx b.mtx >/dev/full 2>err
  check test $? = 2
  check grep -qF "cannot write to the standard output" err
fi
check test -z "$(find . -name '.*tmp')"

# The same seed gives the same matrix in every format
expect 0 "" generate matrix uniform 70 30 --seed 5 -o a.npy.gz
expect 0 "" generate matrix uniform 70 30 --seed 5 -o a.mtx
expect 0 "" generate matrix uniform 30 90 --seed 6 -o b.npy
"$TAPER" multiply a.npy.gz b.npy --engine IJK -o c.mtx --verify 2>err || cat err
"$TAPER" multiply a.mtx b.npy --engine IJK -o d.mtx 2>err
check cmp -s c.mtx d.mtx
expect 0 "the product" verify product a.mtx b.npy c.mtx
sed -i '100s/.*/1e3/' c.mtx
expect 1 "not the product" verify product a.mtx b.npy c.mtx

# For integers with exact sums every engine finds the same product
expect 0 "" generate matrix integers 100 70 --seed 3 -o a.npy
expect 0 "" generate matrix integers 70 90 --seed 3 --factor b -o b.npy
"$TAPER" multiply a.npy b.npy --engine IJK -o expected.npy 2>err || cat err
for engine in Vanilla Packed "fork_join --threshold 8 --threads 1" "strassen --kernel ijk --threshold 9" Winograd-IKJ; do
  # shellcheck disable=SC2086  # options, to be split
  expect 0 "verified" multiply a.npy b.npy --engine $engine --verify -o c.npy
  check cmp -s expected.npy c.npy
done
expect 2 "--condition: only the family 'ill_conditioned' has this option" \
  generate matrix integers 3 3 --condition 10 && one_line

# Experiments
expect 0 "verified: all" run "$TAPER_SOURCE/configs/matmul/smoke.yaml"
check grep -q '"complete": true' results/matmul_smoke/results.json
# Each figure ends with a table and a picture, with or without a GPU.
figure() { # NUMBER KIND OVERRIDES...
  expect 0 "verified: all" run "$TAPER_SOURCE/configs/matmul/figure8_$1.yaml" "${@:3}" repetitions=1 warmup=0 output="$1"
  check grep -q "median" out
  if command -v gnuplot >/dev/null; then
    expect 0 "$1/$2.svg" plot "$1" --kind "$2"
  fi
}
figure 4 scaling 'sizes=[31,32,33]'
figure 5 speedup 'sizes=[[1,32],[1,1000]]'
figure 6 speedup 'sizes=[8,32]'
figure 7 thresholds 'sizes=[8,32]'
for number in 8 9 10; do
  figure $number speedup 'sizes=[8,32]'
done
for number in 11 12; do
  figure $number speedup max_n=64
done
cat >c.yaml <<'YAML'
algorithm: matmul
name: c
sizes: [16, [8, 4, 32]]
types: [float32, float64]
engines: [IKJ, {engine: fork_join, kernel: ikj, threshold: [4, 16]}]
repetitions: 2
YAML
expect 0 "verified: all 12 results have residuals within their bounds" run c.yaml
check test "$(wc -l <results/c/results.csv)" = 25
expect 0 "m = 8, n = 4, k = 32, float32" run c.yaml --resume
expect 0 "12 of 12 cases are complete already" run c.yaml --resume
expect 2 "its run had another 'seed'" run c.yaml --resume seed=4 && one_line
expect 2 "unknown key 'size'; did you mean 'sizes'?" run c.yaml size=3 && one_line
expect 2 "engines.0.threshold: the engine 'rows' has no such key" run c.yaml 'engines=[{engine: rows, threshold: 3}]' && one_line
expect 2 "engines.0.threshold.1: expected a decimal integer from 1" \
  run c.yaml 'engines=[{engine: fork_join, threshold: [3, 0]}]' && one_line
expect 2 "cannot run on 4000 threads here" run c.yaml 'engines=[{engine: IKJ, threads: 4000}]' && one_line
expect 2 "the matrices of n = 10,000,000, float32, need" run c.yaml sizes=10000000 && one_line

# Pictures
if command -v gnuplot >/dev/null; then
  for kind in scaling speedup gflops thresholds; do
    expect 0 "results/c/$kind.svg" plot results/c --kind $kind
    check test -s results/c/$kind.svg
  done
  check grep -q "float64" results/c/thresholds.svg
fi
expect 2 "can be drawn as scaling, speedup, gflops and thresholds" plot results/c --kind phases && one_line

verdict
