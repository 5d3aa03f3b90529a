// SPDX-License-Identifier: Apache-2.0
//
// The readers' targets have no runtime: result files and profiles that they write do not say where
// they come from.
#include <support/runtime.hpp>

namespace taper::app {

std::vector<std::pair<std::string, std::string>> provenance() {
  return {};
}

std::vector<std::string> kokkos_configuration() {
  return {};
}

}  // namespace taper::app
