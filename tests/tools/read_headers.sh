#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
#
# Reads every header, and sources that instantiate the templates, with a compiler and a Kokkos. Warnings are errors. The
# compiler generates no code, so this takes about a minute per compiler. docs/compilers.md lists the runs.
usage='Usage: tests/tools/read_headers.sh [-s SPACE] KOKKOS_INCLUDE COMPILER [FLAG...]

KOKKOS_INCLUDE: the folder of Kokkos_Core.hpp. SPACE: a host backend of that Kokkos; default Serial.
ENTER, if set, is a command that runs the compiler elsewhere, such as "chroot FOLDER", in which the paths are the same.

Example: tests/tools/read_headers.sh -s OpenMP .deps/kokkos-openmp/include/kokkos clang++-19 -fopenmp'

space=Serial
if [[ ${1:-} == -s ]]; then
  space=$2
  shift 2
fi
if (($# < 2)); then
  echo "$usage" >&2
  exit 2
fi
kokkos=$1
compiler=("${@:2}")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
# Beside the sources, so that a folder in which ENTER shows them shows this one too.
scratch=$(mktemp -d "$root/build/read_headers.XXXXXX") || exit
trap 'rm -rf "$scratch"' EXIT

mkdir -p "$scratch/taper"
sed 's/@PROJECT_VERSION[A-Z_]*@/0/g' "$root/core/taper/version.hpp.in" >"$scratch/taper/version.hpp"
sed -n 's|^ *\(core\|algorithms\)/\(taper/.*\.hpp\)$|#include <\2>|p' "$root/CMakeLists.txt" >"$scratch/every_header.cpp"
for place in "Kokkos::$space" "Duo<Kokkos::$space, Kokkos::DefaultHostExecutionSpace>"; do
  for bits in 16 32; do
    sed "s/@place@/$place/; s/@bits@/$bits/" "$root/cmake/compiled/stable_marriage.cpp.in" \
      >"$scratch/stable_marriage_${bits}_${place%%[:<]*}.cpp"
  done
done
sed "s/@place@/Kokkos::$space/" "$root/cmake/compiled/vertex_cover.cpp.in" >"$scratch/vertex_cover.cpp"

sources=("$scratch"/*.cpp)
for test in answers/answers core/fork_join core/work_queues matmul/multiply tree_search/count; do
  sources+=("$root/tests/$test.cpp")
done
failed=0
for source in "${sources[@]}"; do
  # shellcheck disable=SC2086 # ENTER and a KOKKOS_INCLUDE of several folders are lists of words
  if ! ${ENTER:-} "${compiler[@]}" -std=c++20 -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
    -Wsign-conversion -Wnon-virtual-dtor -Woverloaded-virtual -Werror -DKOKKOS_DEPENDENCE '-DTAPER_ANSWERS=""' \
    -isystem ${kokkos} -I "$root/core" -I "$root/algorithms" -I "$root/tests" -I "$scratch" "$source"; then
    echo "${compiler[0]}: ${source##*/} has warnings or errors" >&2
    failed=1
  fi
done
((failed)) || echo "${compiler[0]}: ${#sources[@]} sources without a warning"
exit "$failed"
