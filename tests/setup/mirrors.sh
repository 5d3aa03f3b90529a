# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Tests which package archives the set-up recognises as Debian's. It uses the real apt-get, with its own configuration
# and empty package lists. CTest sets $TAPER_SOURCE and gives an empty working directory.
set -u
if ! command -v apt-get >/dev/null; then
  echo "SKIPPED: apt-get not found"
  exit 0
fi
# shellcheck source=cmake/setup/debian.sh
source "$TAPER_SOURCE/cmake/setup/debian.sh"

scratch=$(mktemp -d "$PWD/scratch.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
mkdir -p lists/partial
export APT_CONFIG=$PWD/apt.conf
printf '%s "%s";\n' Dir::Etc::SourceList "$PWD/sources.list" Dir::Etc::SourceParts /dev/null \
  Dir::State::Lists "$PWD/lists" >apt.conf
failures=0

# expect MIRRORS SOURCE...: with these sources, debian_mirrors must list these archives in this order.
expect() {
  local found
  printf 'deb [trusted=yes] %s main\n' "${@:2}" >sources.list
  found=$(debian_mirrors | tr '\n' ' ')
  if [[ $found != "$1" ]]; then
    printf 'FAILED: of %s\n  expected: %s\n  found:    %s\n' "${*:2}" "$1" "$found"
    failures=$((failures + 1))
  fi
}

expect "http://one.invalid/debian " "http://one.invalid/debian bookworm" "http://one.invalid/debian bookworm-updates" \
  "http://one.invalid/debian-security bookworm-security" "http://one.invalid/debian sid"
expect "http://one.invalid/debian http://others.invalid/deb " "http://others.invalid/deb bookworm" \
  "http://one.invalid/debian bookworm"
expect "http://local.invalid/mirror " "http://local.invalid/mirror bookworm"
expect "" "http://one.invalid/debian-security bookworm-security"

[[ $failures == 0 ]] && echo "all checks passed"
exit $((failures > 0))
