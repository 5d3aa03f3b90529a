// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Assert.hpp>
#include <Kokkos_Macros.hpp>

#include <stdexcept>
#include <string>

namespace taper {

/// What a front door throws if its arguments violate its requirements. The message names the
/// function and the values at fault.
/// Used by: all algorithms.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace taper

/// Throws taper::Error(message) if the condition is false. Host only, active in all builds.
/// `message` is an expression convertible to std::string; it is evaluated only on failure.
#define TAPER_REQUIRE(condition, message)                                                          \
  do {                                                                                             \
    if (!(condition)) {                                                                            \
      throw ::taper::Error(message);                                                               \
    }                                                                                              \
  } while (false)

/// Asserts a precondition on host and device. Active if NDEBUG is not defined.
#define TAPER_EXPECTS(condition) KOKKOS_ASSERT(condition)
