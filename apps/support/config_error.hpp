// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/text/strings.hpp>

#include <stdexcept>
#include <string_view>

namespace taper::app {

/// A configuration, an argument or a build does not allow the request. The message is one line:
/// where, what was expected, and the value at fault. main() prints it; the exit status is 2.
/// Control bytes of a quoted value are shown as \xNN.
class ConfigError : public std::runtime_error {
 public:
  explicit ConfigError(std::string_view message) : std::runtime_error(io::printable(message)) {}
};

}  // namespace taper::app
