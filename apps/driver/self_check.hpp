// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// One pattern of parallel work on one backend, compared with a loop on the host.
struct SelfCheck {
  std::string_view backend;
  std::string_view what;
  bool passed = false;
  std::string detail;  ///< expected and found, where it failed
};

/// A reduction, a scan, team scratch and an atomic minimum on every backend of this build: what
/// Taper's algorithms stand on. Requires a started Runtime.
std::vector<SelfCheck> self_check();

}  // namespace taper::app
