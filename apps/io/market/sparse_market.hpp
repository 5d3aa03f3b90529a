// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace taper::io {

/// The agents of one side of a sparse market.
struct Agents {
  std::string title;               ///< "residents", or the key or column title of the file
  std::vector<std::string> names;  ///< in the order of the file; empty if agents have numbers
  std::size_t count = 0;
};

/// The entries that a reader has dropped: one agent lists another, which does not list it.
struct OneSidedEntries {
  std::uint64_t of_first = 0;   ///< in lists of the first side
  std::uint64_t of_second = 0;  ///< in lists of the second side
  std::string example;          ///< the first of them in words, with its file and line; else empty

  std::uint64_t count() const { return of_first + of_second; }
};

/// A two-sided market with lists of any length, ties, and seats. Each resident (agent of the first
/// side) has the entries offsets[r] to offsets[r + 1] - 1, the best first. Stable marriage with
/// incomplete lists is the case of one seat per hospital.
///
/// Ensures, from a reader: ids are below second.count, no list has a hospital twice, and both
/// agents of an entry accept each other. Empty lists, 0 seats, and agents without entries are
/// legal. Bytes: 8 per entry, 12 with ties of the residents.
/// Used by: taper match, taper verify, and the readers and writers of this folder.
struct SparseMarket {
  Agents first;   ///< the residents
  Agents second;  ///< the hospitals

  std::vector<std::int64_t> offsets{0};  ///< residents + 1
  std::vector<std::uint32_t> hospitals;  ///< per entry: the hospital's id, from 0
  /// Per entry: the resident's tie class from 0; it does not fall within a list. Empty: no ties.
  std::vector<std::uint32_t> resident_tiers;
  /// Per entry: the resident's place at the hospital. Lower is better; equal keys are a tie. Keys
  /// need not be consecutive.
  std::vector<std::uint32_t> keys;
  std::vector<std::uint32_t> seats;  ///< per hospital

  /// If the file has scores: the distinct ones, the best first. Then a key is an index of this.
  std::vector<double> scores;

  int id_base = 0;                 ///< 0 or 1: the file's first number; matchings use the same
  OneSidedEntries one_sided;       ///< what the reader has dropped
  std::vector<std::string> notes;  ///< one-line remarks about the reading, for the user

  /// Whether lower scores are better, as those of priorities are.
  bool lowest_score_first() const { return scores.size() > 1 && scores[0] < scores[1]; }

  std::size_t entries() const { return hospitals.size(); }
  bool has_resident_ties() const { return !resident_tiers.empty(); }

  /// The entries of a resident: from begin_of() to before end_of().
  std::size_t begin_of(std::size_t resident) const {
    return static_cast<std::size_t>(offsets[resident]);
  }
  std::size_t end_of(std::size_t resident) const {
    return static_cast<std::size_t>(offsets[resident + 1]);
  }

  /// The resident's tie class of an entry, from 0; `resident` is its owner.
  std::uint32_t tier(std::size_t resident, std::size_t entry) const {
    return resident_tiers.empty() ? static_cast<std::uint32_t>(entry - begin_of(resident))
                                  : resident_tiers[entry];
  }

  /// The name or number in the file of agent `id` (0-based) of `side`.
  std::string name_of(Agents const& side, std::uint32_t id) const {
    return side.names.empty() ? std::to_string(std::uint64_t{id} + static_cast<unsigned>(id_base))
                              : side.names[id];
  }
};

}  // namespace taper::io
