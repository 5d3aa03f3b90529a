# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # root, deps, jobs and log are set by build.sh and log.sh
#
# Gets a Kokkos that fits a preset: one that CMake finds, a source folder, the upstream release, or the
# distribution's binary packages (debian.sh). What it builds or unpacks lies in .deps/kokkos-FLAVOUR.

: "${TAPER_KOKKOS_VERSION:=4.7.03}"
kokkos_upstream=https://github.com/kokkos/kokkos.git

# describe_preset PRESET: what the preset wants of Kokkos, and how Kokkos is built for it.
describe_preset() {
  flavour=$1 architecture=''
  case $1 in
    serial) backends=SERIAL build_options=() ;;
    openmp) backends=OPENMP build_options=(-DKokkos_ENABLE_OPENMP=ON) ;;
    dev-asan) flavour=openmp backends=OPENMP build_options=(-DKokkos_ENABLE_OPENMP=ON) ;;
    dev-tsan) # the thread sanitizer must see the backend's own barriers
      backends=THREADS
      build_options=(-DKokkos_ENABLE_THREADS=ON -DCMAKE_CXX_FLAGS=-fsanitize=thread)
      ;;
    cuda-*)
      backends='CUDA;OPENMP' architecture=${1#cuda-}
      architecture=${architecture^^}
      # Kokkos before 4.7 is broken with CUDA, C++20 and Views on mdspan; later ones do as well without.
      build_options=(-DKokkos_ENABLE_CUDA=ON -DKokkos_ENABLE_OPENMP=ON "-DKokkos_ARCH_$architecture=ON"
        -DKokkos_ENABLE_IMPL_MDSPAN=OFF)
      ;;
    *) die "there is no preset $1: see cmake --list-presets" ;;
  esac
}

# probe_kokkos [PREFIX [OPTION]]: whether CMake finds a Kokkos that fits, there or where it looks by itself;
# sets kokkos_dir, or else the reason.
probe_kokkos() {
  local build="$deps/probe/kokkos-$flavour" options=("${@:2}")
  [[ -n ${1:-} ]] && options+=("-DKokkos_ROOT=$1")
  rm -rf "$build"
  if logged "kokkos-probe-$flavour" cmake -G Ninja -S "$setup/probe/kokkos" -B "$build" "${options[@]}" \
    "-DTaper_REQUIRE_BACKENDS=$backends" "-DTaper_REQUIRE_ARCHITECTURE=$architecture"; then
    kokkos_dir=$(<"$build/found")
  else
    # The last error is the one that says it all. CMake wraps a message between the line that begins the error and
    # an empty one or its call stack; our own end with what to do, which is being done.
    reason=$(awk '/^CMake Error/ { on = 1; text = ""; next }
                  on && /^ / { text = text " " $0 }
                  on && text && !/^ / { on = 0 }
                  END { gsub(/ +/, " ", text); sub(/^ /, "", text); sub(/: run .\/check.*/, "", text); print text }' "$log")
    return 1
  fi
}

# build_kokkos SOURCE: builds and installs Kokkos into .deps.
build_kokkos() {
  local source=$1 build="$deps/build-kokkos-$flavour" prefix="$deps/kokkos-$flavour" options=()
  [[ -f $source/core/src/Kokkos_Core.hpp ]] || die "TAPER_KOKKOS_SOURCE=$source holds no Kokkos sources"
  [[ $flavour == cuda-* ]] && options=("-DCMAKE_CXX_COMPILER=$source/bin/nvcc_wrapper")
  note "building Kokkos for $flavour from $source (a few minutes)"
  rm -rf "$build" "$prefix"
  if ! { logged "kokkos-build-$flavour" cmake -G Ninja -S "$source" -B "$build" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_CXX_STANDARD=20 "-DCMAKE_INSTALL_PREFIX=$prefix" -DKokkos_ENABLE_SERIAL=ON \
    "${build_options[@]}" "${options[@]}" &&
    logged "kokkos-build-$flavour" cmake --build "$build" -j "$jobs" &&
    logged "kokkos-build-$flavour" cmake --install "$build"; }; then
    rm -rf "$prefix"
    die "Kokkos did not build from $source; see $log"
  fi
  rm -rf "$build"
}

# clone_kokkos: the upstream release, if the network lets us; sets kokkos_source.
clone_kokkos() {
  kokkos_source="$deps/kokkos-source-$TAPER_KOKKOS_VERSION"
  [[ -d $kokkos_source ]] && return
  [[ ${TAPER_KOKKOS_OFFLINE:-0} != 1 ]] && have git || return 1
  export GIT_TERMINAL_PROMPT=0
  note "asking upstream for Kokkos $TAPER_KOKKOS_VERSION"
  logged kokkos-clone timeout 10 git ls-remote --exit-code --tags "$kokkos_upstream" \
    "$TAPER_KOKKOS_VERSION" || return 1
  rm -rf "$kokkos_source.part"
  logged kokkos-clone timeout 600 git -c advice.detachedHead=false clone --depth 1 \
    --branch "$TAPER_KOKKOS_VERSION" "$kokkos_upstream" "$kokkos_source.part" &&
    mv "$kokkos_source.part" "$kokkos_source"
}

# get_kokkos: tries the ways in their order; sets kokkos_dir.
get_kokkos() {
  local prefix="$deps/kokkos-$flavour"
  probe_kokkos && return
  note "CMake by itself: $reason"
  if [[ -n ${TAPER_KOKKOS_SOURCE:-} ]]; then
    build_kokkos "$(realpath -m "$TAPER_KOKKOS_SOURCE")"
  elif [[ -d $prefix ]] && probe_kokkos "$prefix"; then
    return
  elif clone_kokkos; then
    build_kokkos "$kokkos_source"
  else
    note "upstream's release is out of reach"
    debian_kokkos && return
    die "no Kokkos with ${backends//;/ and } could be had: set Kokkos_ROOT to the prefix of one (4.6 to 5.x)," \
      "or TAPER_KOKKOS_SOURCE to a folder with its sources"
  fi
  probe_kokkos "$prefix" || die "the Kokkos just built does not fit: $reason"
}

# ensure_kokkos PRESET: sets kokkos_dir; what was found is remembered until the user asks for something else.
ensure_kokkos() {
  describe_preset "$1"
  local memory="$deps/kokkos-$flavour.found" wish found
  wish="$backends|$architecture|${Kokkos_ROOT:-}|${CMAKE_PREFIX_PATH:-}|${TAPER_KOKKOS_SOURCE:-}|${CXX:-}"
  if [[ -f $memory && $memory -nt $setup/kokkos.sh ]]; then
    { read -r found && read -r kokkos_dir; } <"$memory"
    [[ $found == "$wish" && -f $kokkos_dir/KokkosConfig.cmake ]] && return
  fi
  say "Looking for Kokkos with ${backends//;/ and }"
  get_kokkos
  note "using $kokkos_dir"
  printf '%s\n' "$wish" "$kokkos_dir" >"$memory"
}
