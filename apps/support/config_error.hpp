// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace taper::app {

/// A configuration, an argument or a build does not allow the request. The message is one line:
/// where, what was expected, and the value at fault. main() prints it; the exit status is 2.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace taper::app
