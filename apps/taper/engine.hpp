// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/stable_marriage/options.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace taper::app {

/// One way to solve, under the name that tables and files give to it.
struct Engine {
  std::string name;
  stable_marriage::Options options;
  std::string backend = "widest";  ///< as requested: a backend's name, or host, device or widest
  /// How many devices share the instance, each with the lists of its people; 0: one place has all.
  std::uint32_t devices = 0;
};

/// The paper's engine of this name. Throws ConfigError with the nearest name.
Engine paper_engine(std::string_view name);

/// "locality_aware/fetch_min/hybrid", or without contention where the schedule is sequential.
std::string describe(stable_marriage::Options const& options);

}  // namespace taper::app
