# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Searches for covers and cliques that do not end well must end within 10 s in all processes, with an exit status that says so, and with
# one message. CTest sets $START, the command that starts 3 processes of the program.
set -u
failures=0

# expect MODE TEXT COUNT: the run in this mode must fail, and print TEXT on COUNT lines.
expect() {
  local output status=0 count
  # shellcheck disable=SC2086 # a command with its options
  output=$(timeout 10 $START "$1" 2>&1) || status=$?
  count=$(grep -cF "$2" <<<"$output")
  if ((status == 0 || status == 124 || count != $3)) || grep -q '^solved' <<<"$output"; then
    printf 'FAILED: %s: status %d, found on %d lines: %s\n%s\n' "$1" "$status" "$count" "$2" "$output"
    failures=$((failures + 1))
  fi
}

expect killed "process 1 ends at poll 300" 1
expect killed_first "process 0 ends at poll 300" 1
expect killed_in_clique "process 1 ends at poll 300" 1
expect killed_in_clique_first "process 0 ends at poll 300" 1
expect failing "no memory is left" 1

((failures == 0)) && echo "all checks passed"
exit $((failures > 0))
