# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # root, deps, jobs and log are set by build.sh and log.sh
#
# Provides the compiler, the build tools and the libraries besides Kokkos. CMake looks for them, and the distribution's
# package manager installs those that are missing.

# Debian's names of the libraries. If CMake is installed, probe/packages finds out which are missing.
library_packages=(libyaml-cpp-dev libcli11-dev libfmt-dev nlohmann-json3-dev zlib1g-dev libgtest-dev
  libbenchmark-dev)
# Optional: the set-up continues without these.
optional_packages=(ccache gnuplot-nox libopenblas-pthread-dev libexpat1-dev)
# For the Python package, which is not built without these.
python_packages=(pybind11-dev python3-dev python3-numpy)
# For the tests of the constraint in Gecode and MiniZinc, and of the Python package, which are skipped without these.
test_packages=(libgecode-dev minizinc
  "${python_packages[@]}" python3-pytest python3-scipy python3-pandas python3-networkx)
# For the preset dev-fuzz, which is nothing without these: a compiler with libFuzzer.
fuzz_packages=(clang-19 libclang-rt-19-dev)
# For the preset mpi, which is nothing without an MPI. Any other that CMake finds will do.
mpi_packages=(mpich libmpich-dev)

have() { command -v "$1" >/dev/null; }

is_installed() { [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]; }

# find_missing_packages: sets missing.
find_missing_packages() {
  missing=()
  have "${CXX:-c++}" || missing+=(g++)
  have cmake || missing+=(cmake)
  have ninja || missing+=(ninja-build)
  if ((${#missing[@]})); then
    # CMake cannot look for libraries without these tools, so this asks the package manager.
    local package
    for package in "${library_packages[@]}"; do
      is_installed "$package" || missing+=("$package")
    done
    return
  fi
  require_cmake
  rm -rf "$deps/probe/packages"
  logged packages-probe cmake -G Ninja -S "$setup/probe/packages" -B "$deps/probe/packages" ||
    die "CMake cannot use this compiler; see $log"
  mapfile -t missing <"$deps/probe/packages/missing"
}

require_cmake() {
  local version
  version=$(cmake --version | awk 'NR == 1 { print $3 }')
  [[ $(printf '%s\n' 3.25 "$version" | sort -V | head -n 1) == 3.25 ]] ||
    die "CMake $version is too old: install 3.25 or newer and put it first in PATH"
}

# as_root COMMAND...: runs a command as root, by sudo if necessary; sudo must not ask for a password.
as_root() {
  if ((EUID == 0)); then "$@"; else sudo -n "$@"; fi
}

can_install() {
  have apt-get && { ((EUID == 0)) || { have sudo && sudo -n true 2>/dev/null; }; }
}

apt_install() {
  logged apt-install as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "$@"
}

# apt_install_updating PACKAGE...: as apt_install; if it fails, updates the package lists and tries again.
apt_install_updating() {
  apt_install "$@" || { logged apt-update as_root apt-get update && apt_install "$@"; }
}

ensure_packages() {
  local stamp="$deps/packages.stamp" missing
  [[ $stamp -nt $setup/packages.sh ]] && return

  say "Looking for the compiler, the build tools and the libraries"
  find_missing_packages
  if ((${#missing[@]})); then
    can_install || die "missing packages: ${missing[*]} (Debian's names). Installing them needs root." \
      "Run: apt-get install --no-install-recommends ${missing[*]}"
    note "installing ${missing[*]}"
    apt_install_updating "${missing[@]}" || die "apt-get could not install ${missing[*]}; see $log"
    apt_install "${optional_packages[@]}" || note "continuing without ${optional_packages[*]}"
    find_missing_packages
    ((${#missing[@]} == 0)) || die "still missing after apt-get install: ${missing[*]}"
  fi
  touch "$stamp"
}

# install_if_possible USE OTHERWISE PACKAGE...: installs those packages that are missing. If it cannot, it says what
# happens OTHERWISE. After ensure_packages: it touches the same stamp, so that every preset is configured again.
install_if_possible() {
  local use=$1 otherwise=$2 package missing=()
  for package in "${@:3}"; do
    is_installed "$package" || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if can_install; then
    say "Installing ${missing[*]} for $use"
    if apt_install_updating "${missing[@]}"; then
      touch "$deps/packages.stamp"
      return
    fi
  fi
  note "cannot install ${missing[*]}: $otherwise"
}

# ensure_python_packages: installs what the Python package needs, if possible.
ensure_python_packages() {
  install_if_possible 'the Python package' 'CMake looks for them elsewhere' "${python_packages[@]}"
}

# ensure_test_packages PRESET...: installs packages that only tests need, if possible. Without them CTest reports
# fzn.skipped or python.skipped, and CMake cannot configure dev-fuzz and mpi.
ensure_test_packages() {
  local wanted=("${test_packages[@]}")
  [[ " $* " == *' dev-fuzz '* ]] && wanted+=("${fuzz_packages[@]}")
  [[ " $* " == *' mpi '* ]] && ! have mpicxx && wanted+=("${mpi_packages[@]}")
  install_if_possible 'their tests' 'if CMake does not find them elsewhere, their tests are skipped' "${wanted[@]}"
}
