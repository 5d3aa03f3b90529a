// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/id_table.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace taper::io {

/// One side of a stable marriage instance as its file has it: people and their preference lists.
struct Side {
  std::string title;               ///< "men", or the key that the file gives to this side
  std::vector<std::string> names;  ///< in the order of the file; empty if people have numbers
  IdTable preferences;             ///< order lists, 0-based, for every file format

  std::size_t people() const { return preferences.rows(); }
};

/// A stable marriage instance ("market") as its file has it. `men` is the file's first side, which
/// proposes by default. The type allows sides of different sizes, but read_market() refuses them.
/// Used by: taper match, taper verify, taper generate and the experiments.
struct Market {
  Side men;
  Side women;
  int id_base = 0;                 ///< 0 or 1: the file's first number; matchings use the same
  std::vector<std::string> notes;  ///< one-line remarks about the reading, for the user

  /// The number of people per side. Requires: equal sides, as from read_market().
  std::size_t size() const { return men.people(); }
  bool named() const { return !men.names.empty(); }

  /// The name or number in the file of person `id` (0-based) of `side`.
  std::string name_of(Side const& side, std::uint32_t id) const {
    return side.names.empty() ? std::to_string(std::uint64_t{id} + static_cast<unsigned>(id_base))
                              : side.names[id];
  }
};

}  // namespace taper::io
