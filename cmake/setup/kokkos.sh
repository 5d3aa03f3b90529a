# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # root, deps, jobs and log are set by build.sh and log.sh
#
# Provides a Kokkos for a preset: one that CMake finds; else one built from a source folder or the upstream release;
# else the distribution's binary packages (debian.sh). Builds and unpacked packages lie in .deps/kokkos-VARIANT. Presets
# with the same requirements share a variant: mpi and dev-asan use that of openmp, and dev-fuzz that of serial.

: "${TAPER_KOKKOS_VERSION:=4.7.03}"
kokkos_upstream=https://github.com/kokkos/kokkos.git

# describe_preset PRESET: sets variant, backends, architecture and build_options, the preset's requirements for Kokkos.
describe_preset() {
  variant=$1 architecture=''
  case $1 in
    serial) backends=SERIAL build_options=() ;;
    dev-fuzz) variant=serial backends=SERIAL build_options=() ;;
    openmp) backends=OPENMP build_options=(-DKokkos_ENABLE_OPENMP=ON) ;;
    mpi | dev-asan) variant=openmp backends=OPENMP build_options=(-DKokkos_ENABLE_OPENMP=ON) ;;
    dev-tsan) # the thread sanitizer needs an instrumented backend
      backends=THREADS
      build_options=(-DKokkos_ENABLE_THREADS=ON -DCMAKE_CXX_FLAGS=-fsanitize=thread)
      ;;
    cuda-*)
      backends='CUDA;OPENMP' architecture=${1#cuda-}
      architecture=${architecture^^}
      # Kokkos before 4.7 computes wrong results with CUDA, C++20 and mdspan-based Views. Newer versions do not need
      # mdspan.
      build_options=(-DKokkos_ENABLE_CUDA=ON -DKokkos_ENABLE_OPENMP=ON "-DKokkos_ARCH_$architecture=ON"
        -DKokkos_ENABLE_IMPL_MDSPAN=OFF)
      ;;
    *) die "unknown preset $1; cmake --list-presets shows all" ;;
  esac
}

# probe_kokkos [PREFIX [OPTION]]: succeeds if CMake finds a suitable Kokkos in PREFIX, or without PREFIX in its default
# places. Sets kokkos_dir, or on failure the reason.
probe_kokkos() {
  local build="$deps/probe/kokkos-$variant" options=("${@:2}")
  [[ -n ${1:-} ]] && options+=("-DKokkos_ROOT=$1")
  rm -rf "$build"
  if logged "kokkos-probe-$variant" cmake -G Ninja -S "$setup/probe/kokkos" -B "$build" "${options[@]}" \
    "-DTaper_REQUIRE_BACKENDS=$backends" "-DTaper_REQUIRE_ARCHITECTURE=$architecture"; then
    kokkos_dir=$(<"$build/found")
  else
    # Extracts the last error from CMake's output. Its lines are indented and follow a line "CMake Error"; this joins
    # them and drops the advice ": run ./check ...", since this script is already running.
    reason=$(awk '/^CMake Error/ { on = 1; text = ""; next }
                  on && /^ / { text = text " " $0 }
                  on && text && !/^ / { on = 0 }
                  END { gsub(/ +/, " ", text); sub(/^ /, "", text); sub(/: run .\/check.*/, "", text); print text }' "$log")
    return 1
  fi
}

# build_kokkos SOURCE: builds Kokkos and installs it into .deps.
build_kokkos() {
  local source=$1 build="$deps/build-kokkos-$variant" prefix="$deps/kokkos-$variant" options=()
  [[ -f $source/core/src/Kokkos_Core.hpp ]] || die "TAPER_KOKKOS_SOURCE=$source contains no Kokkos sources"
  [[ $variant == cuda-* ]] && options=("-DCMAKE_CXX_COMPILER=$source/bin/nvcc_wrapper")
  note "building Kokkos for $variant from $source (a few minutes)"
  rm -rf "$build" "$prefix"
  if ! { logged "kokkos-build-$variant" cmake -G Ninja -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_STANDARD=20 -DCMAKE_POSITION_INDEPENDENT_CODE=ON "-DCMAKE_INSTALL_PREFIX=$prefix" \
    -DKokkos_ENABLE_SERIAL=ON \
    "${build_options[@]}" "${options[@]}" &&
    logged "kokkos-build-$variant" cmake --build "$build" -j "$jobs" &&
    logged "kokkos-build-$variant" cmake --install "$build"; }; then
    rm -rf "$prefix"
    die "the build of Kokkos from $source failed; see $log"
  fi
  rm -rf "$build"
}

# clone_kokkos: clones the upstream release if the network allows it; sets kokkos_source.
clone_kokkos() {
  kokkos_source="$deps/kokkos-source-$TAPER_KOKKOS_VERSION"
  [[ -d $kokkos_source ]] && return
  [[ ${TAPER_KOKKOS_OFFLINE:-0} != 1 ]] && have git || return 1
  export GIT_TERMINAL_PROMPT=0
  note "cloning Kokkos $TAPER_KOKKOS_VERSION from upstream"
  logged kokkos-clone timeout 10 git ls-remote --exit-code --tags "$kokkos_upstream" \
    "$TAPER_KOKKOS_VERSION" || return 1
  rm -rf "$kokkos_source.part"
  logged kokkos-clone timeout 600 git -c advice.detachedHead=false clone --depth 1 \
    --branch "$TAPER_KOKKOS_VERSION" "$kokkos_upstream" "$kokkos_source.part" &&
    mv "$kokkos_source.part" "$kokkos_source"
}

# get_kokkos: tries all sources of Kokkos in order; sets kokkos_dir.
get_kokkos() {
  local prefix="$deps/kokkos-$variant"
  probe_kokkos && return
  note "not found by CMake: $reason"
  if [[ -n ${TAPER_KOKKOS_SOURCE:-} ]]; then
    build_kokkos "$(realpath -m "$TAPER_KOKKOS_SOURCE")"
  elif [[ -d $prefix ]] && probe_kokkos "$prefix"; then
    return
  elif clone_kokkos; then
    build_kokkos "$kokkos_source"
  else
    note "the upstream release is not available"
    debian_kokkos && return
    die "no Kokkos with ${backends//;/ and } is available: set Kokkos_ROOT to the prefix of one (4.6 to 5.x)," \
      "or TAPER_KOKKOS_SOURCE to a folder with its sources"
  fi
  probe_kokkos "$prefix" || die "the new build of Kokkos is not suitable: $reason"
}

# ensure_kokkos PRESET: sets kokkos_dir. The result is cached until the requirements or the environment change.
ensure_kokkos() {
  describe_preset "$1"
  local cache="$deps/kokkos-$variant.found" request found
  request="$backends|$architecture|${Kokkos_ROOT:-}|${CMAKE_PREFIX_PATH:-}|${TAPER_KOKKOS_SOURCE:-}|${CXX:-}"
  if [[ -f $cache && $cache -nt $setup/kokkos.sh ]]; then
    { read -r found && read -r kokkos_dir; } <"$cache"
    [[ $found == "$request" && -f $kokkos_dir/KokkosConfig.cmake ]] && return
  fi
  say "Looking for Kokkos with ${backends//;/ and }"
  get_kokkos
  note "using $kokkos_dir"
  printf '%s\n' "$request" "$kokkos_dir" >"$cache"
}
