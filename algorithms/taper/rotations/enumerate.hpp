// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/rotations/closed_sets.hpp>
#include <taper/rotations/options.hpp>
#include <taper/rotations/poset.hpp>
#include <taper/stop.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace taper::rotations {

/// Calls visit(partner_of_man) with each stable matching. The argument is a std::span of const
/// std::int32_t, valid during the call. Stops after the first call that returns false, and then
/// returns false.
///
/// Order: the man-optimal matching is the first. A matching is the sorted numbers of the rotations
///   that lead to it from there; these come in lexicographic order.
/// Cost: per matching, O(men) at most, and in practice the size of one rotation.
template <class Visitor>
bool for_each_stable_matching(RotationPoset const& poset, Visitor&& visit) {
  Matching matching(poset);
  auto const show = [&] { return visit(std::span(matching.partner_of_man())); };
  if (!show()) {
    return false;
  }
  return detail::ClosedSets(poset).visit(
      detail::minimal_rotations(poset),
      [&](std::int32_t rotation) {
        matching.eliminate(rotation);
        return show() ? detail::Visit::children : detail::Visit::stop;
      },
      [&](std::int32_t rotation) { matching.restore(rotation); });
}

/// All stable matchings, one per call, in the order of for_each_stable_matching().
class StableMatchings {
 public:
  /// Requires: `poset` outlives this.
  explicit StableMatchings(RotationPoset const& poset)
      : matching_(poset), sets_(poset), starts_(detail::minimal_rotations(poset)) {}

  /// The next matching, valid until the next call; empty after the last, for ever.
  std::optional<std::span<std::int32_t const>> next() {
    if (state_ == State::within) {
      std::int32_t const added =
          sets_.next(starts_, [&](std::int32_t rotation) { matching_.restore(rotation); });
      if (added == detail::OrderedBits::none) {
        state_ = State::ended;
      } else {
        matching_.eliminate(added);
      }
    } else if (state_ == State::before) {
      state_ = State::within;
    }
    return state_ == State::ended ? std::nullopt
                                  : std::optional(std::span(matching_.partner_of_man()));
  }

 private:
  enum class State { before, within, ended };

  Matching matching_;
  detail::ClosedSets sets_;
  std::vector<std::int32_t> starts_;
  State state_ = State::before;
};

/// The number of stable matchings.
struct Count {
  std::uint64_t matchings = 0;
  bool exact = false;         ///< false: there are at least `matchings`
  std::uint64_t visited = 0;  ///< closed sets that were visited

  friend bool operator==(Count const&, Count const&) = default;
};

namespace detail {

/// The number of the component of each rotation, if the order's edges have no direction. Components
/// are numbered by their first rotations.
struct Components {
  explicit Components(RotationPoset const& poset)
      : of(static_cast<std::size_t>(poset.rotations()), -1) {
    std::vector<std::int32_t> pending;
    for (std::int32_t first = 0; first < poset.rotations(); ++first) {
      if (of[static_cast<std::size_t>(first)] >= 0) {
        continue;
      }
      auto const component = static_cast<std::int32_t>(sizes.size());
      sizes.push_back(0);
      auto const add = [&](std::int32_t rotation) {
        if (auto& found = of[static_cast<std::size_t>(rotation)]; found < 0) {
          found = component;
          ++sizes.back();
          pending.push_back(rotation);
        }
      };
      add(first);
      while (!pending.empty()) {
        std::int32_t const rotation = pending.back();
        pending.pop_back();
        std::ranges::for_each(poset.predecessors.row(rotation), add);
        std::ranges::for_each(poset.successors.row(rotation), add);
      }
    }
  }

  std::vector<std::int32_t> of;      ///< per rotation
  std::vector<std::uint64_t> sizes;  ///< per component: its rotations
};

/// a * b, or the largest number if that is less.
inline std::uint64_t saturating_product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return b != 0 && a > most / b ? most : a * b;
}

}  // namespace detail

/// Counts the stable matchings. The problem is #P-complete (Irving and Leather 1986). Rotations
/// that do not depend on each other, even indirectly, are counted apart. The counts are multiplied.
///
/// `limit`: the most closed sets to visit in all; 0: no limit. `stop`: if set to true, no more are
/// visited. If either ends the count, or the number does not fit into 64 bits, it is a lower bound.
/// Cost: time in proportion to the visited sets.
inline Count count_stable_matchings(RotationPoset const& poset, std::uint64_t limit = 0,
                                    std::atomic<bool> const* stop = nullptr) {
  detail::Components const components(poset);
  std::vector<std::vector<std::int32_t>> starts(components.sizes.size());
  for (std::int32_t const start : detail::minimal_rotations(poset)) {
    starts[static_cast<std::size_t>(components.of[static_cast<std::size_t>(start)])].push_back(
        start);
  }
  detail::ClosedSets closed_sets(poset);
  Count count{.matchings = 1, .exact = true, .visited = 1};
  for (std::size_t i = 0; i < starts.size(); ++i) {
    std::uint64_t sets = 1;  // the empty one
    bool const complete = closed_sets.visit(
        starts[i],
        [&](std::int32_t) {
          if ((limit != 0 && count.visited >= limit) || StopFlag{stop}.is_set()) {
            return detail::Visit::stop;
          }
          ++count.visited;
          ++sets;
          return detail::Visit::children;
        },
        [](std::int32_t) {});
    // The prefixes of a component's rotations are closed sets.
    sets = std::max(sets, components.sizes[i] + 1);
    std::uint64_t const product = detail::saturating_product(count.matchings, sets);
    count.exact = count.exact && complete && product / sets == count.matchings;
    count.matchings = product;
  }
  return count;
}

}  // namespace taper::rotations
