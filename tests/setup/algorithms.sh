# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Tests the choice of algorithms: what ./quickstart adds to a build folder, and what CMake makes of it. CTest sets
# $TAPER_SOURCE and $KOKKOS_DIR, and gives an empty working directory.
scratch=$(mktemp -d "$PWD/scratch.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
root=$scratch
ln -s "$TAPER_SOURCE/cmake" "$root/cmake" || exit 1
# shellcheck source=cmake/setup/build.sh
source "$TAPER_SOURCE/cmake/setup/build.sh"
set +e
failures=0

# expect NAME EXPECTED FOUND
expect() {
  [[ $3 == "$2" ]] && return
  printf 'FAILED: %s\n  expected: %s\n  found:    %s\n' "$@"
  failures=$((failures + 1))
}

# expect_added CACHED EXPECTED NAME...: with CACHED in the build folder (-: no folder), these names must give EXPECTED.
expect_added() {
  rm -rf "$root/build/openmp"
  if [[ $1 != - ]]; then
    mkdir -p "$root/build/openmp"
    echo "Taper_ALGORITHMS:STRING=$1" >"$root/build/openmp/CMakeCache.txt"
  fi
  add_algorithms openmp "${@:3}"
  expect "$1 and ${*:3}" "$2" "$algorithms"
}

expect "without a choice" all "$algorithms"
expect_added - stable_marriage stable_marriage ''
expect_added - 'stable_marriage;matmul' stable_marriage matmul
expect_added - all all
expect_added stable_marriage stable_marriage stable_marriage ''
expect_added stable_marriage 'stable_marriage;vertex_cover' stable_marriage vertex_cover
expect_added 'stable_marriage;vertex_cover' 'stable_marriage;vertex_cover' vertex_cover
expect_added 'stable_marriage;vertex_cover' all all
expect_added all all stable_marriage matmul

# configured LIST: what CMake says to this Taper_ALGORITHMS.
configured() {
  cmake -G Ninja -S "$TAPER_SOURCE" -B "$scratch/build/cmake" "-DTaper_ALGORITHMS=$1" "-DKokkos_DIR=$KOKKOS_DIR" 2>&1
}

expect "an unknown name" 1 "$(configured 'stable_marriage;stable_mariage' | tr -s '\n ' ' ' |
  grep -c 'expected all or names of .*, found stable_mariage')"
expect "without stable marriage" 1 "$(configured matmul | tr -s '\n ' ' ' |
  grep -c 'expected stable_marriage among matmul')"
expect "clique without vertex cover" 1 "$(configured 'stable_marriage;clique' | tr -s '\n ' ' ' |
  grep -c 'expected vertex_cover beside clique, found stable_marriage;clique')"
configured 'stable_marriage;matmul' >"$scratch/log" || { cat "$scratch/log"; failures=$((failures + 1)); }
expect "the algorithms of the driver" '&stable_marriage_plugin(), &matmul_plugin(),' \
  "$(grep -o '&.*_plugin(),' "$scratch/build/cmake/apps/algorithms.cpp" | paste -sd ' ')"
expect "what is left out" 1 "$(grep -c 'names{"hospitals_residents", "rotations", "marriage_propagator", "vertex_cover", "clique", "tree_search"}' \
  "$scratch/build/cmake/apps/algorithms.cpp")"
expect "the compiled solvers" 0 "$(find "$scratch/build/cmake/compiled" -name "vertex_cover*" | wc -l)"

((failures == 0))
