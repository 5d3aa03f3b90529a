// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Assert.hpp>
#include <Kokkos_Macros.hpp>

#include <stdexcept>
#include <string>

namespace taper {

/// What a front door throws when its arguments do not fit; the message names the function and the
/// values at fault.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace taper

/// Host, always on. `message` is an expression convertible to std::string, evaluated only on
/// failure.
#define TAPER_REQUIRE(condition, message)                                                          \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      throw ::taper::Error(message);                                                               \
    }                                                                                              \
  } while (false)

/// Host and device, where NDEBUG is not defined.
#define TAPER_EXPECTS(condition) KOKKOS_ASSERT(condition)
