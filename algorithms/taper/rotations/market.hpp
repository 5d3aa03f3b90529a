// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/preferences/lists.hpp>
#include <taper/preferences/mutual_lists.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace taper::rotations {

using preferences::JaggedRows;
using preferences::ListFault;
using preferences::Lists;
using preferences::no_partner;

/// A one-to-one market: the lists of men are ids of women, and those of women ids of men. The sides
/// may have different sizes, and lists any length. A pair can be matched only if both list each
/// other. Other entries are dropped, and ranks count what is left.
struct Market {
  Lists men;
  Lists women;
};

/// The first fault of the men's lists, else of the women's; none if both are valid.
inline std::optional<ListFault> find_fault(Market const& market) {
  auto const fault = preferences::find_fault(market.men, market.women.agents());
  return fault ? fault : preferences::find_fault(market.women, market.men.agents());
}

namespace detail {

/// The rank that each proposer gives its partner in the proposer-optimal stable matching; -1
/// without a partner.
///
/// Source: Gale and Shapley, "College admissions and the stability of marriage", 1962.
/// Cost: one comparison per proposal.
inline std::vector<std::int32_t> optimal_ranks(preferences::MutualSide const& proposers,
                                               std::int32_t receivers) {
  constexpr std::int32_t none = -1;
  struct Held {
    std::int32_t rank = 0x7FFF'FFFF;
    std::int32_t proposer = none;
  };
  std::vector<Held> held(static_cast<std::size_t>(receivers));
  std::vector<std::int32_t> next(static_cast<std::size_t>(proposers.agents()), 0);
  for (std::int32_t start = 0; start < proposers.agents(); ++start) {
    std::int32_t free = start;
    while (free != none && next[static_cast<std::size_t>(free)] < proposers.length(free)) {
      std::int32_t& rank = next[static_cast<std::size_t>(free)];
      std::size_t const entry = proposers.begin(free) + static_cast<std::size_t>(rank);
      Held& best = held[static_cast<std::size_t>(proposers.ids[entry])];
      if (proposers.ranks_there[entry] < best.rank) {
        best.rank = proposers.ranks_there[entry];
        std::swap(best.proposer, free);
      }
      if (free != none) {  // rejected, or displaced by this proposal
        ++next[static_cast<std::size_t>(free)];
      }
    }
  }
  for (std::int32_t p = 0; p < proposers.agents(); ++p) {
    if (next[static_cast<std::size_t>(p)] == proposers.length(p)) {
      next[static_cast<std::size_t>(p)] = none;
    }
  }
  return next;
}

}  // namespace detail

}  // namespace taper::rotations
