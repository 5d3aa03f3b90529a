// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/hospitals_residents/verify.hpp>

#include <string>

namespace taper::app {

/// Why an assignment is no matching.
inline std::string fault_in_words(hospitals_residents::BadAssignment const& bad) {
  auto const agent = std::to_string(bad.agent);
  return bad.kind == hospitals_residents::BadAssignment::Kind::not_listed
             ? "resident " + agent + " has a hospital that is not in its list"
             : "hospital " + agent + " has more residents than seats";
}

}  // namespace taper::app
