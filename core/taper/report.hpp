// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>
#include <taper/fields.hpp>

#include <array>
#include <cstdint>

// What the reports of several front doors have in common.
// Used by: stable marriage, vertex cover.

namespace taper {

/// How a front door's run ended. Invalid arguments are no status: they throw taper::Error.
enum class Status { solved, stopped };

/// One of the two parts of a Place. A plain execution space instance counts as `device`.
enum class Location { none, device, host };

constexpr auto enum_names(Location) {
  return std::array{EnumName{"none", Location::none}, EnumName{"device", Location::device},
                    EnumName{"host", Location::host}};
}

/// One migration of a hybrid run.
struct Migration {
  Location from = Location::none;
  Location to = Location::none;
  std::uint64_t live = 0;  ///< chains that moved
  /// Bytes copied between memory spaces, in both directions; 0 if both use the same memory.
  std::uint64_t bytes_moved = 0;
};

template <FieldsOf<Migration> Aggregate, class Visitor>
constexpr void fields(Aggregate& migration, Visitor&& visit) {
  visit(Field{.name = "from", .help = "where the chains were"}, migration.from);
  visit(Field{.name = "to", .help = "where they continued"}, migration.to);
  visit(Field{.name = "live", .help = "chains that moved"}, migration.live);
  visit(Field{.name = "bytes_moved", .help = "copied between memory spaces", .unit = "bytes"},
        migration.bytes_moved);
}

}  // namespace taper
