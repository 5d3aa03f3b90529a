# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # root, deps, jobs and log are set by build.sh and log.sh
#
# Kokkos from Debian's binary packages, unpacked into .deps without root. Suites with a recent Kokkos are newer than the
# machine's own suite, so apt-get gets a private configuration. If the packages need a newer C and C++ runtime, it is
# unpacked beside them, and executables are linked to it.

declare -A debian_packages=([openmp]=libkokkos-dev [serial]=libtrilinos-kokkos-dev)
# Kokkos Kernels of the same source package, thus of the same version. libkokkos-dev has none.
declare -A debian_kernels=([serial]=libtrilinos-kokkos-kernels-dev)
debian_suites=(unstable experimental)

# debian_mirrors: prints the package archives of the machine's configuration that may be Debian's, one per line. It
# lists what apt-get would fetch, without fetching anything. Suites with a dash in their names (updates, security) do
# not count. Archives called "debian" come first. Other distributions may use the same names, so the caller must check
# Debian's signature.
debian_mirrors() {
  apt-get update --print-uris 2>/dev/null |
    sed -n "s|^'\(.*\)/dists/\([^/]*\)/InRelease'.*|\1 \2|p" |
    awk '$2 ~ /-/ || $1 ~ /security/ || seen[$1]++ { next }
         $1 ~ /\/debian$/ { print $1; next }
         { others = others $1 "\n" }
         END { printf "%s", others }'
}

# private_apt TOOL ARGUMENTS...: runs apt-get or apt-cache with the private configuration.
private_apt() {
  "$1" -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
    -o Dir::Etc::Preferences=/dev/null -o Dir::Etc::PreferencesParts=/dev/null \
    -o Dir::State="$apt/state" -o Dir::State::Lists="$apt/lists" -o Dir::State::Status="$apt/status" \
    -o Dir::Cache="$apt/cache" -o APT::Sandbox::User="$(id -un)" -o APT::Default-Release= \
    -o Acquire::Languages=none -o Acquire::http::Timeout=30 -o Acquire::Retries=2 "${@:2}"
}

# update_private_apt: fetches the package lists of debian_suites, unless they are less than an hour old. Files leave
# these suites every day.
update_private_apt() {
  local mirrors mirror keyring
  [[ -n $(find "$apt/updated" -mmin -60 2>/dev/null) ]] && return
  mapfile -t mirrors < <(debian_mirrors)
  ((${#mirrors[@]} > 0)) || { note "apt-get has no Debian mirror configured"; return 1; }
  for keyring in /usr/share/keyrings/debian-archive-keyring.{pgp,gpg}; do
    [[ -f $keyring ]] && break
  done
  [[ -f $keyring ]] || { note "the package debian-archive-keyring is not installed"; return 1; }
  for mirror in "${mirrors[@]}"; do
    read_suites "$mirror" "$keyring" && touch "$apt/updated" && return
  done
  return 1
}

# read_suites MIRROR KEYRING: fetches the package lists of debian_suites from a mirror; they must be signed by Debian.
read_suites() {
  local mirror=$1 keyring=$2 suite
  rm -rf "$apt"
  mkdir -p "$apt"/{state,lists/partial,cache/archives/partial,packages}
  : >"$apt/status"
  for suite in "${debian_suites[@]}"; do
    echo "deb [signed-by=$keyring] $mirror $suite main"
  done >"$apt/sources.list"
  note "reading the package lists of ${debian_suites[*]}"
  if ! logged apt-private-update private_apt apt-get update --error-on=any; then
    # A snapshot mirror, for reproducible builds, has expired lists. They are still signed.
    if ! grep -q '^E:.* is expired' "$log" ||
      ! logged apt-private-update private_apt apt-get update --error-on=any -o Acquire::Check-Valid-Until=false; then
      note "apt-get: $(grep -m 1 '^[EW]:' "$log")"
      return 1
    fi
    note "the mirror has expired package lists (a snapshot); using them"
  fi
}

# package_versions PACKAGE: prints its versions in debian_suites, the newest first.
package_versions() {
  private_apt apt-cache madison "$1" | awk -F '|' '{ gsub(/ /, "", $2); print $2 }' | sort -Vru
}

# unpack FOLDER PACKAGE[=VERSION]...: fetches packages and unpacks them into FOLDER.
unpack() {
  local folder=$1 package
  rm -f "$apt"/packages/*.deb
  (cd "$apt/packages" && logged apt-download private_apt apt-get download "${@:2}") || return 1
  for package in "$apt"/packages/*.deb; do
    dpkg-deb -x "$package" "$folder" || return 1
  done
}

# repair_config CONFIG PREFIX: fixes the CMake files of Debian's package. They refer to /usr, and to archives that the
# package does not contain. These parts of Kokkos are header-only, so empty archives suffice.
repair_config() {
  local config=$1 prefix=$2 archive
  sed -i 's|"/usr/include|"${_IMPORT_PREFIX}/include|g' "$config/KokkosTargets.cmake"
  sed -n 's|.*IMPORTED_LOCATION.*"${_IMPORT_PREFIX}\(/.*\.a\)".*|\1|p' "$config"/KokkosTargets-*.cmake |
    while read -r archive; do
      [[ -f $prefix$archive ]] || ar rc "$prefix$archive"
    done
}

# add_runtime PREFIX LIB: unpacks the newer C and C++ runtime into PREFIX/runtime; extends link_options.
add_runtime() {
  local prefix=$1 lib=$2 loader
  loader=$(LC_ALL=C readelf -l "$BASH" | sed -n 's|.*interpreter: .*/\(.*\)]|\1|p')
  unpack "$prefix/runtime.part" libc6 libstdc++6 libgcc-s1 libgomp1 || return 1
  mv "$prefix/runtime.part/usr/lib/$lib" "$prefix/runtime"
  rm -rf "$prefix/runtime.part"
  [[ -e $prefix/runtime/$loader ]] || return 1
  # All libraries must use the same runtime. DT_RPATH also applies to the dependencies of libraries; DT_RUNPATH does
  # not.
  link_options+=('-Wl,--allow-shlib-undefined' '-Wl,--disable-new-dtags'
    "-Wl,-rpath,\${_IMPORT_PREFIX}/runtime" "-Wl,--dynamic-linker=\${_IMPORT_PREFIX}/runtime/$loader")
}

# add_link_options CONFIG: adds link_options to every program that links to this Kokkos. KokkosTargets.cmake includes
# all files KokkosTargets-*.cmake in its folder.
add_link_options() {
  {
    echo "# Written by Taper's set-up: link options for this private copy of Debian's Kokkos."
    echo 'set_property(TARGET Kokkos::kokkoscore APPEND PROPERTY INTERFACE_LINK_OPTIONS'
    printf '  "%s"\n' "${link_options[@]}"
    echo ')'
  } >"$1/KokkosTargets-private.cmake"
}

# runtime_packages PACKAGE=VERSION: prints the packages with the libraries that belong to these headers, such as
# "libkokkos5.2=5.2.2-2".
runtime_packages() {
  private_apt apt-cache show "$1" | grep -m 1 '^Depends:' |
    grep -oE 'lib[a-z-]*kokkos(-kernels)?-?[0-9.]+ \(= [^)]+\)' | sed 's/ (= \(.*\))/=\1/'
}

# write_kernels_config CONFIG LIBRARY: writes a CMake package for the unpacked Kokkos Kernels. Debian's own needs all of
# Trilinos. The target has upstream's name. A Kokkos of another folder does not fit to it.
write_kernels_config() {
  cat >"$1/KokkosKernelsConfig.cmake" <<END
# Written by Taper's set-up: this private copy of Debian's Kokkos Kernels.
get_filename_component(_kernels_prefix "\${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)
get_filename_component(_kernels_kokkos "\${CMAKE_CURRENT_LIST_DIR}/../Kokkos" REALPATH)
get_filename_component(_kernels_found "\${Kokkos_DIR}" REALPATH)
if(NOT _kernels_found STREQUAL _kernels_kokkos)
  set(KokkosKernels_FOUND FALSE)
  set(KokkosKernels_NOT_FOUND_MESSAGE "it was built with the Kokkos in \${_kernels_kokkos}, not \${_kernels_found}")
  return()
endif()
if(NOT TARGET Kokkos::kokkoskernels)
  add_library(Kokkos::kokkoskernels SHARED IMPORTED)
  set_target_properties(Kokkos::kokkoskernels PROPERTIES
    IMPORTED_LOCATION "\${_kernels_prefix}/lib/$2"
    INTERFACE_INCLUDE_DIRECTORIES "\${_kernels_prefix}/include/trilinos"
    INTERFACE_LINK_LIBRARIES Kokkos::kokkos)
endif()
END
}

# add_kernels PACKAGE VERSION FOLDER LIB: unpacks Kokkos Kernels into the same folder. It is optional: on failure a line
# says why, and the folder has none.
add_kernels() {
  local package=$1 version=$2 folder=$3 lib=$4 config library runtime missing
  config="$folder/usr/lib/$lib/cmake/KokkosKernels"
  library=libtrilinos_kokkoskernels.so
  runtime=$(runtime_packages "$package=$version")
  # shellcheck disable=SC2086 # one argument per package
  if [[ -z $runtime ]] || ! unpack "$folder" "$package=$version" $runtime; then
    note "continuing without Kokkos Kernels: $package=$version cannot be unpacked"
    rm -rf "$config"
    return
  fi
  missing=$(LC_ALL=C ldd "$folder/usr/lib/$lib/$library" 2>&1 |
    sed -n 's/^[[:space:]]*\(lib\(blas\|lapack\)\.so\.3\) => not found.*/\1/p' | tr '\n' ' ')
  if [[ -n $missing ]]; then
    note "continuing without Kokkos Kernels: it needs ${missing% } (Debian's package liblapack3)"
    rm -rf "$config"
    return
  fi
  rm -f "$config"/*
  write_kernels_config "$config" "$lib/$library"
}

# unpack_kokkos PACKAGE VERSION PREFIX: unpacks one version of Kokkos into PREFIX, ready for find_package.
unpack_kokkos() {
  local package=$1 version=$2 prefix=$3 folder="$3.part" lib runtime config link_options
  lib=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || "${CXX:-c++}" -print-multiarch)
  runtime=$(runtime_packages "$package=$version")
  [[ -n $runtime ]] || return 1

  note "fetching $package=$version $runtime"
  rm -rf "$folder" "$prefix"
  mkdir -p "$folder"
  # shellcheck disable=SC2086 # one argument per package
  unpack "$folder" "$package=$version" $runtime || return 1
  config="$folder/usr/lib/$lib/cmake/Kokkos"
  repair_config "$config" "$folder/usr" || return 1
  [[ -z ${debian_kernels[$variant]:-} ]] || add_kernels "${debian_kernels[$variant]}" "$version" "$folder" "$lib"
  link_options=("-Wl,-rpath,\${_IMPORT_PREFIX}/lib/$lib")
  if [[ $(LC_ALL=C ldd -r "$folder/usr/lib/$lib/libkokkoscore.so" 2>&1) == *'not found'* ]]; then
    note "it needs a newer C and C++ runtime than this machine has: unpacking one into .deps"
    add_runtime "$folder/usr" "$lib" || return 1
  fi
  add_link_options "$config"
  mv "$folder/usr" "$prefix"
  rm -rf "$folder"
}

# debian_kokkos: unpacks the newest version that works; sets kokkos_dir.
debian_kokkos() {
  local package=${debian_packages[$variant]:-} prefix="$deps/kokkos-$variant" version
  local apt="$deps/apt"
  [[ -n $package ]] && have apt-get && have dpkg-deb || return 1
  note "trying Debian's package $package"
  update_private_apt || return 1
  for version in $(package_versions "$package"); do
    unpack_kokkos "$package" "$version" "$prefix" || { note "$package $version cannot be unpacked; see $deps/log"; continue; }
    probe_kokkos "$prefix" -DRUN=ON && return
    note "$package $version: $reason"
  done
  rm -rf "$prefix"
  return 1
}
