# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # root, deps, jobs and log are set by build.sh and log.sh
#
# Output of the set-up: steps on stderr, the output of long commands in log files, and one line for a failure.

if [[ -t 2 && -z ${CI:-} && -z ${NO_COLOR:-} ]]; then
  bold=$'\e[1m' red=$'\e[31m' plain=$'\e[0m'
else
  bold='' red='' plain=''
fi

say() { printf '%s==> %s%s\n' "$bold" "$*" "$plain" >&2; }
note() { printf '    %s\n' "$*" >&2; }
die() {
  printf '%s%s: %s%s\n' "$red" "${0##*/}" "$*" "$plain" >&2
  exit 1
}

# logged NAME COMMAND...: runs a command with its output in .deps/log/NAME.log. Sets log, and returns the command's
# status.
logged() {
  log="$deps/log/$1.log"
  mkdir -p "$deps/log"
  "${@:2}" >"$log" 2>&1 </dev/null
}
