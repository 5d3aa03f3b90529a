# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# docs/tapering.md shows apps/embed/tapering.cpp whole: its code blocks, one after another, are the program, apart from
# blank lines and comment lines. The program has at most 80 lines. CTest gives $TAPER_SOURCE.
# shellcheck source=tests/support/driver.sh
source "$TAPER_SOURCE/tests/support/driver.sh"

page="$TAPER_SOURCE/docs/tapering.md"
program="$TAPER_SOURCE/apps/embed/tapering.cpp"
awk '/^```/ { in_code = ($0 == "```cpp"); next } in_code && NF' "$page" >shown
awk 'NF && !/^\/\//' "$program" >expected
check test -s shown
check diff shown expected
check test "$(wc -l <"$program")" -le 80
verdict
