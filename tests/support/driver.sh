# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Functions for the scripts in tests/apps, which source this file. They run the executable $TAPER as a user does, in a
# new folder below the working directory, which the end of the script removes.
set -u
scratch=$(mktemp -d "$PWD/scratch.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0

# expect STATUS WORDS ARGUMENTS...: runs taper; it must exit with STATUS, and its output must contain WORDS. The output
# stays in the file `out`.
expect() {
  local status=$1 words=$2
  shift 2
  "$TAPER" "$@" >out 2>&1 </dev/null
  local found=$?
  if [ "$found" != "$status" ] || { [ -n "$words" ] && ! grep -qF -- "$words" out; }; then
    echo "FAILED: taper $*"
    echo "  expected status $status and '$words'; found status $found and:"
    sed 's/^/    /' out
    failures=$((failures + 1))
  fi
}

# one_line: the last output must be a single line, as every error is.
one_line() {
  if [ "$(wc -l <out)" != 1 ]; then
    echo "FAILED: expected one line, found:"
    sed 's/^/    /' out
    failures=$((failures + 1))
  fi
}

# check COMMAND...: the command must succeed.
check() {
  if ! "$@"; then
    echo "FAILED: $*"
    failures=$((failures + 1))
  fi
}

# verdict: the exit status of the script.
verdict() {
  [ $failures = 0 ] && echo "all checks passed"
  return $((failures > 0))
}
