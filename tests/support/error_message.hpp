// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>

#include <string>

namespace taper::testing {

/// The message of the taper::Error that call() throws.
template <class Call>
std::string message_of(Call const& call) {
  try {
    call();
  } catch (Error const& error) {
    return error.what();
  }
  return "no taper::Error was thrown";
}

}  // namespace taper::testing
