// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/options.hpp>

#include <array>
#include <cstdint>

// What a propagator can be asked, by name. Standard library only.

namespace taper::marriage_propagator {

/// The classes of calls in the paper's Section 5.
enum class Family {
  all_free,   ///< full domains: the first call, all men free
  missing,    ///< full domains, each value missing with a probability, on both
              ///< sides independently
  two_free,   ///< later in a search: a couple has been assigned
  none_free,  ///< after the first call: values above the men's minima and below
              ///< the women's maxima are gone (partially pruned domains)
  search      ///< all calls of a whole search for the first solution
};

constexpr auto spellings(Family) {
  return std::array{Spelling{"all_free", Family::all_free}, Spelling{"missing", Family::missing},
                    Spelling{"two_free", Family::two_free},
                    Spelling{"none_free", Family::none_free}, Spelling{"search", Family::search}};
}

/// A call, and what leads to it.
struct Question {
  Family family = Family::all_free;
  std::uint32_t one_in = 1024;  ///< missing: of so many values, one is
  std::uint32_t modified = 2;   ///< none_free: people whose domains have been narrowed
  double narrowed = 0;  ///< two_free, none_free: the share of people who were narrowed before that
  std::uint32_t decided = 0;  ///< two_free: couples that were assigned before that
  std::uint64_t seed = 1;

  friend bool operator==(Question const&, Question const&) = default;
};

}  // namespace taper::marriage_propagator
