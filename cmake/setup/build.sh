# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # root, deps, jobs and log are set by build.sh and log.sh
#
# The common part of ./check and ./quickstart, which source this file. Expects $root, the folder of the sources.

set -euo pipefail
setup="$root/cmake/setup"
deps="$root/.deps"
jobs=$(nproc)
mkdir -p "$deps"
# shellcheck source=/dev/null
for part in log packages kokkos debian; do source "$setup/$part.sh"; done

# What a build folder that is configured now gets as CMake's Taper_ALGORITHMS.
algorithms=all

# add_algorithms PRESET NAME...: lets configure() and build() add algorithms to those of the build folder, if any. The
# name all adds all; an empty name adds nothing.
add_algorithms() {
  local name
  algorithms=$(sed -n 's/^Taper_ALGORITHMS:STRING=//p' "$root/build/$1/CMakeCache.txt" 2>/dev/null) || true
  for name in "${@:2}"; do
    [[ $name ]] || continue
    case ";$algorithms;" in
      ';all;' | *";$name;"*) ;;
      *) [[ $name == all ]] && algorithms=all || algorithms+="${algorithms:+;}$name" ;;
    esac
  done
}

# configure PRESET: configures if the build folder does not exist, if presets or installed packages have changed, or if
# another Kokkos or other algorithms are used. Ninja handles all other changes.
configure() {
  local build="$root/build/$1" stamp="$root/build/$1/kokkos.stamp" compiler=()
  if [[ $1 == cuda-* ]]; then
    export NVCC_WRAPPER_DEFAULT_COMPILER="${NVCC_WRAPPER_DEFAULT_COMPILER:-${CXX:-g++}}"
    compiler=("-DCMAKE_CXX_COMPILER=${kokkos_dir%/lib*/cmake/Kokkos}/bin/nvcc_wrapper")
  fi
  [[ -f $build/build.ninja && -f $stamp && $(<"$stamp") == "$kokkos_dir $algorithms" ]] &&
    [[ -z $(find "$root/CMakePresets.json" "$root/cmake/presets" "$deps/packages.stamp" -newer "$stamp") ]] && return
  say "Configuring $1"
  logged "configure-$1" cmake --fresh --preset "$1" -S "$root" "-DKokkos_DIR=$kokkos_dir" \
    "-DTaper_ALGORITHMS=$algorithms" "${compiler[@]}" || {
    sed -n '/^CMake Error/,$p' "$log" | head -n 20 >&2
    die "CMake could not configure $1; see $log"
  }
  printf '%s\n' "$kokkos_dir $algorithms" >"$stamp"
}

# build PRESET [TARGET]: configures if necessary, and builds.
build() {
  configure "$1"
  say "Building $1"
  # Lets clones in different folders share ccache results.
  export CCACHE_BASEDIR=$root CCACHE_NOHASHDIR=true
  cmake --build "$root/build/$1" -j "$jobs" ${2:+--target "$2"} ||
    die "the build of $1 failed; see the first error above"
}
