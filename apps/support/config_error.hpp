// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace taper::app {

/// A request that cannot be met as it stands: a configuration, an argument, a build that lacks
/// something. One line that says where, what, and what was expected.
class ConfigError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace taper::app
