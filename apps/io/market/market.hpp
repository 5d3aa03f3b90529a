// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/id_table.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace taper::io {

/// One side of a market: its people and what each of them prefers on the other side.
struct Side {
  std::string title;  ///< "men", or the key that the file gives to this side
  std::vector<std::string>
      names;            ///< of the people, in the order of the file; empty where they are numbered
  IdTable preferences;  ///< order lists, 0-based, whatever the file held

  std::size_t people() const { return preferences.rows(); }
};

/// Two sides, each with a count of its own, though read_market() still refuses unequal ones. `men`
/// is the file's first side, which proposes unless told otherwise.
struct Market {
  Side men;
  Side women;
  int id_base = 0;  ///< 0 or 1: how the file numbers people; matchings are written alike
  std::vector<std::string> notes;  ///< one-line remarks about the reading, for the user

  /// People on each side, of a market that read_market() gives.
  std::size_t size() const { return men.people(); }
  bool named() const { return !men.names.empty(); }

  /// What the file calls person `id` (0-based) of `side`.
  std::string name_of(Side const& side, std::uint32_t id) const {
    return side.names.empty() ? std::to_string(std::uint64_t{id} + static_cast<unsigned>(id_base))
                              : side.names[id];
  }
};

}  // namespace taper::io
