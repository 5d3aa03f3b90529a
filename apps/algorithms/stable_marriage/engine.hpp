// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/spelling.hpp>
#include <taper/stable_marriage/options.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace taper::app {

/// How an instance is cut: into `shards`, one at least for each of `devices`. No devices: one place
/// has it all.
struct Sharing {
  std::uint32_t devices = 0;
  std::uint32_t shards = 0;

  bool operator==(Sharing const&) const = default;
};

/// Where the preference lists lie before a solve: where the engine works, or in the host's memory,
/// page-locked or not, so that bringing them is a part of the solve.
enum class Tables { device, pinned, pageable };

constexpr auto spellings(Tables) {
  return std::array{Spelling{"device", Tables::device}, Spelling{"pinned", Tables::pinned},
                    Spelling{"pageable", Tables::pageable}};
}

/// One way to solve, under the name that tables and files give to it.
struct Engine {
  std::string name;
  stable_marriage::Options options;
  std::string backend = "widest";  ///< as requested: a backend's name, or host, device or widest
  Sharing sharing = {};
  Tables tables = Tables::device;
  bool tapers_anywhere = false;  ///< each run is given a taper_live of its own
};

/// The paper's engine of this name. Throws ConfigError with the nearest name.
Engine paper_engine(std::string_view name);

/// "locality_aware/fetch_min/hybrid", or without contention where the schedule is sequential.
std::string describe(stable_marriage::Options const& options);

}  // namespace taper::app
