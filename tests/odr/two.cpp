// SPDX-License-Identifier: Apache-2.0
#include <every_header.hpp>

char const* version_in_two();

char const* version_in_two() {
  return taper::version;
}
