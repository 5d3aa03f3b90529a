# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# What the scripts in tests/apps share, to be sourced: they drive the executable $TAPER as a user does, in a directory
# that is theirs to empty.
set -u
failures=0

# expect STATUS WORDS ARGUMENTS...: taper exits so, and WORDS stand in its output, which is kept in `out`.
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

# one_line: the last output was a single line, as every error is.
one_line() {
  if [ "$(wc -l <out)" != 1 ]; then
    echo "FAILED: expected one line, found:"
    sed 's/^/    /' out
    failures=$((failures + 1))
  fi
}

check() {
  if ! "$@"; then
    echo "FAILED: $*"
    failures=$((failures + 1))
  fi
}

# verdict: the exit status of the whole script.
verdict() {
  [ $failures = 0 ] && echo "all as expected"
  return $((failures > 0))
}

rm -rf ./*
