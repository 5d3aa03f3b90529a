// SPDX-License-Identifier: Apache-2.0
#include <every_header.hpp>

char const* version_in_two();

int main() {
  return version_in_two() == taper::version ? 0 : 1;
}
