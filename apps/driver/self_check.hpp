// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// The result of one parallel pattern on one backend, compared with a serial loop on the host.
struct SelfCheck {
  std::string_view backend;
  std::string_view what;
  bool passed = false;
  std::string detail;  ///< expected and found values, if it failed
};

/// Checks a reduction, a scan, team scratch and an atomic minimum on every backend of this build.
/// Taper's algorithms rely on them. Requires a started Runtime.
std::vector<SelfCheck> self_check();

}  // namespace taper::app
