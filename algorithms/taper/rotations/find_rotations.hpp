// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/preferences/mutual_lists.hpp>
#include <taper/rotations/market.hpp>
#include <taper/rotations/poset.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

// The order of this file is the order of the data flow: lists, shortened lists, rotations, poset.

namespace taper::rotations {
namespace detail {

using preferences::MutualLists;
using preferences::MutualSide;

/// The GS-lists: pairs that are between the man-optimal and the woman-optimal partner in the lists
/// of both. Every stable pair is among them.
struct GsLists {
  std::vector<StablePair> pairs;            ///< man by man, in his order
  std::vector<std::int64_t> first_pair;     ///< men + 1 entries
  JaggedRows<std::int64_t> pairs_of_woman;  ///< their numbers, in her order
};

/// Per agent of one side, the ranks from its own optimal partner to the other side's optimal one.
struct RankWindow {
  std::int32_t first = 0;
  std::int32_t end = 0;  ///< equal to `first` without a partner

  bool has(std::int32_t rank) const { return first <= rank && rank < end; }
};

/// The windows of one side, from its ranks in its own optimal matching, and the other side's ranks
/// in the other one. Both matchings match the same agents.
inline std::vector<RankWindow> windows_of(std::vector<std::int32_t> const& own_optimum,
                                          MutualSide const& other,
                                          std::vector<std::int32_t> const& other_optimum) {
  std::vector<RankWindow> windows(own_optimum.size());
  for (std::int32_t b = 0; b < other.agents(); ++b) {
    if (std::int32_t const rank = other_optimum[static_cast<std::size_t>(b)]; rank >= 0) {
      std::size_t const entry = other.begin(b) + static_cast<std::size_t>(rank);
      auto const a = static_cast<std::size_t>(other.ids[entry]);
      windows[a] = {own_optimum[a], other.ranks_there[entry] + 1};
    }
  }
  return windows;
}

inline GsLists gs_lists(MutualLists const& lists) {
  MutualSide const& men = lists.first;
  MutualSide const& women = lists.second;
  auto const man_optimum = optimal_ranks(men, women.agents());
  auto const woman_optimum = optimal_ranks(women, men.agents());
  auto const men_windows = windows_of(man_optimum, women, woman_optimum);
  auto const women_windows = windows_of(woman_optimum, men, man_optimum);

  GsLists result;
  result.first_pair.push_back(0);
  // Per rank of each woman's window: the number of the pair; -1 if it is in no man's window.
  std::vector<std::int64_t> window_begin{0};
  for (RankWindow const& window : women_windows) {
    window_begin.push_back(window_begin.back() + window.end - window.first);
  }
  std::vector<std::int64_t> slots(static_cast<std::size_t>(window_begin.back()), -1);
  for (std::int32_t man = 0; man < men.agents(); ++man) {
    RankWindow const& ranks = men_windows[static_cast<std::size_t>(man)];
    for (std::int32_t rank = ranks.first; rank < ranks.end; ++rank) {
      std::size_t const entry = men.begin(man) + static_cast<std::size_t>(rank);
      auto const woman = static_cast<std::size_t>(men.ids[entry]);
      std::int32_t const woman_rank = men.ranks_there[entry];
      if (women_windows[woman].has(woman_rank)) {
        auto const slot = window_begin[woman] + woman_rank - women_windows[woman].first;
        slots[static_cast<std::size_t>(slot)] = static_cast<std::int64_t>(result.pairs.size());
        result.pairs.push_back({man, men.ids[entry], rank, woman_rank});
      }
    }
    result.first_pair.push_back(static_cast<std::int64_t>(result.pairs.size()));
  }
  result.pairs_of_woman.entries.reserve(result.pairs.size());
  for (std::size_t woman = 0; woman < women_windows.size(); ++woman) {
    for (auto slot = window_begin[woman]; slot < window_begin[woman + 1]; ++slot) {
      if (slots[static_cast<std::size_t>(slot)] >= 0) {
        result.pairs_of_woman.entries.push_back(slots[static_cast<std::size_t>(slot)]);
      }
    }
    result.pairs_of_woman.end_row();
  }
  return result;
}

/// What a walk from the man-optimal to the woman-optimal matching does to the pairs of GS-lists.
struct WalkRecord {
  static constexpr std::int32_t none = -1;

  explicit WalkRecord(std::size_t pairs)
      : left_by(pairs, none), passed_by(pairs, none), stable(pairs, 0) {}

  JaggedRows<std::int64_t> moved;       ///< per rotation: the pairs that it breaks, in its order
  std::vector<std::int32_t> left_by;    ///< per pair: the rotation that breaks it
  std::vector<std::int32_t> passed_by;  ///< per pair: the rotation in which the woman moves from
                                        ///< below the man to above him
  std::vector<std::uint8_t> stable;     ///< per pair: some stable matching has it
};

/// Walks from the man-optimal to the woman-optimal matching and records each rotation on the way.
/// Every rotation is on every such walk.
///
/// Each man points at the next woman of his list that prefers him to her partner. A path from a man
/// to that woman's partner, and so on, ends in a cycle, which is a rotation. Pointers only advance,
/// since women's partners only improve. What is left of the path after an elimination stays valid:
/// only the last man's pointer led to a woman of the cycle.
/// Source: Gusfield, "Three fast algorithms for four problems in stable marriage", SIAM J. Comput.
///   16(1), 1987; Gusfield and Irving 1989, section 3.2.
/// Cost: O(entries of the GS-lists) time.
class RotationWalk {
 public:
  explicit RotationWalk(GsLists const& lists)
      : lists_(lists), record_(lists.pairs.size()),
        next_(lists.first_pair.begin(), lists.first_pair.end() - 1), at_(next_),
        partner_(static_cast<std::size_t>(lists.pairs_of_woman.rows()), none),
        held_(partner_.size(), 0), path_position_(at_.size(), none) {
    for (std::size_t man = 0; man < at_.size(); ++man) {
      if (lists.first_pair[man] != lists.first_pair[man + 1]) {
        StablePair const& pair = pair_at(at_[man]);
        auto const woman = static_cast<std::size_t>(pair.woman);
        partner_[woman] = pair.man;
        held_[woman] = static_cast<std::int64_t>(lists.pairs_of_woman.row(pair.woman).size()) - 1;
        record_.stable[static_cast<std::size_t>(at_[man])] = 1;
      }
    }
  }

  /// Requires: one call.
  WalkRecord run() {
    for (std::int32_t man = 0; man < static_cast<std::int32_t>(at_.size()); ++man) {
      walk_from(man);
    }
    return std::move(record_);
  }

 private:
  static constexpr std::int32_t none = WalkRecord::none;

  StablePair const& pair_at(std::int64_t pair) const {
    return lists_.pairs[static_cast<std::size_t>(pair)];
  }

  /// Eliminates rotations until `start` has his last stable partner.
  void walk_from(std::int32_t start) {
    while (can_move(start)) {
      if (path_.empty()) {
        push(start);
      }
      // He can move too: the woman-optimal matching would have a blocking pair, if he were in it
      // with her.
      std::int32_t const next = partner_[static_cast<std::size_t>(next_woman(path_.back()))];
      std::int32_t const position = path_position_[static_cast<std::size_t>(next)];
      if (position == none) {
        push(next);
      } else {
        eliminate_from(position);
      }
    }
  }

  void push(std::int32_t man) {
    path_position_[static_cast<std::size_t>(man)] = static_cast<std::int32_t>(path_.size());
    path_.push_back(man);
  }
  void pop() {
    path_position_[static_cast<std::size_t>(path_.back())] = none;
    path_.pop_back();
  }

  /// The woman-optimal partner is the last of the list.
  bool can_move(std::int32_t man) const {
    auto const m = static_cast<std::size_t>(man);
    return at_[m] + 1 < lists_.first_pair[m + 1];
  }

  /// The next woman in the man's list that prefers him to her partner. Requires: can_move().
  std::int32_t next_woman(std::int32_t man) {
    auto const m = static_cast<std::size_t>(man);
    std::int64_t next = std::max(next_[m], at_[m] + 1);
    while (pair_at(next).woman_rank > held_rank(pair_at(next).woman)) {
      ++next;  // ends at the latest with the woman-optimal partner: she prefers him to all others
    }
    next_[m] = next;
    return pair_at(next).woman;
  }

  std::int32_t held_rank(std::int32_t woman) const {
    auto const list = lists_.pairs_of_woman.row(woman);
    return pair_at(list[static_cast<std::size_t>(held_[static_cast<std::size_t>(woman)])])
        .woman_rank;
  }

  /// The path from `position` on is a cycle: makes it a rotation and removes it from the path.
  void eliminate_from(std::int32_t position) {
    if (record_.moved.rows() == std::numeric_limits<std::int32_t>::max()) {
      throw std::length_error("taper::rotations: more than 2^31 - 1 rotations");
    }
    auto const rotation = static_cast<std::int32_t>(record_.moved.rows());
    auto const begin = static_cast<std::size_t>(position);
    for (std::size_t i = begin; i < path_.size(); ++i) {
      auto const man = static_cast<std::size_t>(path_[i]);
      record_.moved.entries.push_back(at_[man]);
      record_.left_by[static_cast<std::size_t>(at_[man])] = rotation;
      at_[man] = next_[man];
      record_.stable[static_cast<std::size_t>(at_[man])] = 1;
      raise(pair_at(at_[man]).woman, path_[i], at_[man], rotation);
    }
    record_.moved.end_row();
    while (path_.size() > begin) {
      pop();
    }
  }

  /// Gives the woman of `pair` its man, and labels the pairs that she passes.
  void raise(std::int32_t woman, std::int32_t man, std::int64_t pair, std::int32_t rotation) {
    auto const w = static_cast<std::size_t>(woman);
    auto const list = lists_.pairs_of_woman.row(woman);
    partner_[w] = man;
    for (--held_[w]; list[static_cast<std::size_t>(held_[w])] != pair; --held_[w]) {
      auto const passed = list[static_cast<std::size_t>(held_[w])];
      record_.passed_by[static_cast<std::size_t>(passed)] = rotation;
    }
  }

  GsLists const& lists_;
  WalkRecord record_;
  std::vector<std::int64_t> next_;           // per man: no pair before it is his next one
  std::vector<std::int64_t> at_;             // per man: his pair
  std::vector<std::int32_t> partner_;        // per woman
  std::vector<std::int64_t> held_;           // per woman: the position of her partner in her list
  std::vector<std::int32_t> path_;           // men
  std::vector<std::int32_t> path_position_;  // per man: his position in path_
};

/// Calls edge(before, after) for pairs of rotations of which `before` must be eliminated first, at
/// most once per pair of the GS-lists. The closure of these edges is the order of the rotations.
///
/// A man can leave a woman only after he has come to her. He can pass a woman only after she has
/// found a better partner than him.
/// Source: Gusfield and Irving 1989, section 3.2 (rules 1 and 2).
template <class Edge>
void for_each_edge(GsLists const& lists, WalkRecord const& walk, Edge const& edge) {
  for (std::size_t man = 0; man + 1 < lists.first_pair.size(); ++man) {
    std::int32_t leaves = WalkRecord::none;  // the rotation that moves him from his partner
    for (auto pair = lists.first_pair[man]; pair < lists.first_pair[man + 1]; ++pair) {
      auto const i = static_cast<std::size_t>(pair);
      std::int32_t const before = walk.stable[i] != 0 ? leaves : walk.passed_by[i];
      leaves = walk.stable[i] != 0 ? walk.left_by[i] : leaves;
      if (before != WalkRecord::none && leaves != WalkRecord::none && before != leaves) {
        edge(before, leaves);
      }
    }
  }
}

/// The predecessors of each rotation, without duplicates.
inline JaggedRows<std::int32_t> predecessors_of(GsLists const& lists, WalkRecord const& walk) {
  auto const rotations = static_cast<std::size_t>(walk.moved.rows());
  JaggedRows<std::int32_t> all;
  all.offsets.assign(rotations + 1, 0);
  for_each_edge(lists, walk, [&](std::int32_t, std::int32_t after) {
    ++all.offsets[static_cast<std::size_t>(after) + 1];
  });
  for (std::size_t i = 1; i < all.offsets.size(); ++i) {
    all.offsets[i] += all.offsets[i - 1];
  }
  all.entries.resize(static_cast<std::size_t>(all.offsets.back()));
  std::vector<std::int64_t> next(all.offsets.begin(), all.offsets.end() - 1);
  for_each_edge(lists, walk, [&](std::int32_t before, std::int32_t after) {
    all.entries[static_cast<std::size_t>(next[static_cast<std::size_t>(after)]++)] = before;
  });
  JaggedRows<std::int32_t> result;
  std::vector<std::int32_t> last_row_with(rotations, WalkRecord::none);
  for (std::int32_t after = 0; after < static_cast<std::int32_t>(rotations); ++after) {
    for (std::int32_t const before : all.row(after)) {
      if (std::exchange(last_row_with[static_cast<std::size_t>(before)], after) != after) {
        result.entries.push_back(before);
      }
    }
    result.end_row();
  }
  return result;
}

/// The same edges from their other ends. Rows are sorted.
inline JaggedRows<std::int32_t> transposed(JaggedRows<std::int32_t> const& rows) {
  JaggedRows<std::int32_t> result;
  result.offsets.assign(rows.offsets.size(), 0);
  for (std::int32_t const entry : rows.entries) {
    ++result.offsets[static_cast<std::size_t>(entry) + 1];
  }
  for (std::size_t i = 1; i < result.offsets.size(); ++i) {
    result.offsets[i] += result.offsets[i - 1];
  }
  result.entries.resize(rows.entries.size());
  std::vector<std::int64_t> next(result.offsets.begin(), result.offsets.end() - 1);
  for (std::int32_t row = 0; row < static_cast<std::int32_t>(rows.rows()); ++row) {
    for (std::int32_t const entry : rows.row(row)) {
      result.entries[static_cast<std::size_t>(next[static_cast<std::size_t>(entry)]++)] = row;
    }
  }
  return result;
}

}  // namespace detail

/// Finds all rotations of a market and their order.
///
/// Requires: find_fault(market) finds none.
/// Throws: std::length_error if there are more than 2^31 - 1 rotations.
/// Cost: O(entries) time: one pass for the join of both sides' lists, and work in proportion to the
///   lists between the two optimal matchings. 24 bytes per entry of one side for the join, 40 if
///   some entries are one-sided, and then about 70 per pair between the optimal matchings.
/// Source: Gusfield and Irving, "The stable marriage problem", 1989, section 3.2.
inline RotationPoset find_rotations(Market const& market) {
  RotationPoset poset;
  poset.men = market.men.agents();
  poset.women = market.women.agents();
  detail::GsLists lists;
  {
    auto const mutual = preferences::join(market.men, market.women);
    poset.one_sided = mutual.one_sided;
    lists = detail::gs_lists(mutual);
  }
  detail::WalkRecord walk = detail::RotationWalk(lists).run();
  poset.predecessors = detail::predecessors_of(lists, walk);
  poset.successors = detail::transposed(poset.predecessors);

  std::vector<std::int64_t> number_of(lists.pairs.size(), 0);  // in poset.pairs, if it is stable
  poset.first_pair.push_back(0);
  for (std::size_t man = 0; man + 1 < lists.first_pair.size(); ++man) {
    for (auto pair = lists.first_pair[man]; pair < lists.first_pair[man + 1]; ++pair) {
      auto const i = static_cast<std::size_t>(pair);
      if (walk.stable[i] != 0) {
        number_of[i] = static_cast<std::int64_t>(poset.pairs.size());
        poset.pairs.push_back(lists.pairs[i]);
      }
    }
    poset.first_pair.push_back(static_cast<std::int64_t>(poset.pairs.size()));
  }
  poset.moved = std::move(walk.moved);
  for (std::int64_t& pair : poset.moved.entries) {
    pair = number_of[static_cast<std::size_t>(pair)];
  }
  return poset;
}

}  // namespace taper::rotations
