// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/rotations/market.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace taper::rotations {

/// A pair of some stable matching, and the rank that each of the two gives the other.
struct StablePair {
  std::int32_t man;
  std::int32_t woman;
  std::int32_t man_rank;    ///< of the woman in the man's list
  std::int32_t woman_rank;  ///< of the man in the woman's list

  friend bool operator==(StablePair const&, StablePair const&) = default;
};

/// All stable matchings of a market in compact form.
///
/// A rotation is a cycle of pairs that are together in a stable matching. To eliminate it moves
/// each of its men to the woman of the next pair, and gives another stable matching. Men get worse
/// partners and women better ones. A rotation can be eliminated after its predecessors. The sets of
/// rotations that contain the predecessors of each member are the closed sets. Each closed set
/// stands for one stable matching: the man-optimal matching after its rotations. Every stable
/// matching has its closed set.
///
/// Rotations are numbered so that predecessors have lower numbers.
/// Source: Gusfield and Irving, "The stable marriage problem", 1989, chapters 2 and 3.
struct RotationPoset {
  std::int32_t men = 0;
  std::int32_t women = 0;
  std::int64_t one_sided = 0;  ///< entries that were dropped: the other does not list the agent

  /// Man by man, the best partner first. A man's stable partners become his in this order.
  std::vector<StablePair> pairs;
  std::vector<std::int64_t> first_pair;  ///< men + 1 entries: the range of each man in `pairs`

  /// Per rotation: the numbers of the pairs that it breaks. The man of pair i moves to pair i + 1,
  /// whose woman is the one of the next pair of the row.
  JaggedRows<std::int64_t> moved;
  /// Per rotation: immediate predecessors and some others. Their closure is the order.
  JaggedRows<std::int32_t> predecessors;
  JaggedRows<std::int32_t> successors;  ///< the same edges from their other end

  std::int32_t rotations() const { return static_cast<std::int32_t>(moved.rows()); }
  std::int64_t edges() const { return static_cast<std::int64_t>(predecessors.entries.size()); }
  std::span<StablePair const> pairs_of(std::int32_t man) const {
    auto const m = static_cast<std::size_t>(man);
    return {pairs.data() + first_pair[m], pairs.data() + first_pair[m + 1]};
  }
};

/// The partner of each man in a stable matching, and changes of it.
class Matching {
 public:
  /// Starts with the man-optimal matching.
  explicit Matching(RotationPoset const& poset)
      : poset_(&poset), partner_of_man_(static_cast<std::size_t>(poset.men), no_partner) {
    for (std::int32_t man = 0; man < poset.men; ++man) {
      if (auto const pairs = poset.pairs_of(man); !pairs.empty()) {
        partner_of_man_[static_cast<std::size_t>(man)] = pairs.front().woman;
      }
    }
  }

  std::vector<std::int32_t> const& partner_of_man() const { return partner_of_man_; }

  /// Requires: the predecessors are eliminated, and `rotation` is not.
  void eliminate(std::int32_t rotation) { move(rotation, 1); }
  /// Undoes eliminate(). Requires: no successor is eliminated.
  void restore(std::int32_t rotation) { move(rotation, 0); }

 private:
  void move(std::int32_t rotation, std::int64_t step) {
    for (std::int64_t const pair : poset_->moved.row(rotation)) {
      StablePair const& next = poset_->pairs[static_cast<std::size_t>(pair + step)];
      partner_of_man_[static_cast<std::size_t>(next.man)] = next.woman;
    }
  }

  RotationPoset const* poset_;
  std::vector<std::int32_t> partner_of_man_;
};

}  // namespace taper::rotations
