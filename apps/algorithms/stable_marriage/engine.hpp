// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>
#include <taper/stable_marriage/options.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// The division of an instance into `shards`, at least one per device. 0 devices: no division.
struct Sharding {
  std::uint32_t devices = 0;
  std::uint32_t shards = 0;

  bool operator==(Sharding const&) const = default;
};

/// The memory of the preference lists before a solve: the memory that the engine works on, or host
/// memory, page-locked or not. From host memory the copy is a part of the solve.
enum class Tables { device, pinned, pageable };

constexpr auto enum_names(Tables) {
  return std::array{EnumName{"device", Tables::device}, EnumName{"pinned", Tables::pinned},
                    EnumName{"pageable", Tables::pageable}};
}

/// A named way to solve. Tables and result files use the name.
struct Engine {
  std::string name;
  stable_marriage::Options options;
  std::string backend = "widest";  ///< as requested: a backend's name, or host, device or widest
  Sharding sharding = {};
  Tables tables = Tables::device;
  bool random_threshold = false;  ///< each run draws its own tail_threshold
};

/// Throws ConfigError if an engine does not work in several processes: they know the rounds of
/// `taper` on hosts alone.
void require_rounds(Engine const& engine);

/// The names of the paper's engines, and `taper`.
std::vector<std::string_view> engine_names();

/// The engine with this name. Throws ConfigError with the nearest name.
Engine engine_named(std::string_view name);

/// "locality_aware/fetch_min/hybrid"; "locality_aware/serial" for the serial schedule.
std::string describe(stable_marriage::Options const& options);

}  // namespace taper::app
