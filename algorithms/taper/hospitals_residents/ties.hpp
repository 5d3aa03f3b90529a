// SPDX-License-Identifier: Apache-2.0
#pragma once

// Markets with ties on both sides: large weakly stable matchings, strongly stable and super-stable
// ones. Sequential programs on a host.

#include <taper/hospitals_residents/ties/kiraly.hpp>
#include <taper/hospitals_residents/ties/market_with_ties.hpp>
#include <taper/hospitals_residents/ties/strongly_stable.hpp>
#include <taper/hospitals_residents/ties/super_stable.hpp>
#include <taper/region.hpp>

#include <string>

namespace taper::hospitals_residents {

/// Writes a weakly stable matching that has at least two thirds of the residents of a largest one.
/// To find a largest one is NP-hard. hospital_of(r) becomes the hospital of resident r, or
/// `unassigned`.
///
/// Equivalent to: Király's algorithm on the market in which each seat is a hospital of its own, and
///   residents are indifferent to the seats of a hospital.
/// Requires: a market as its type says; hospital_of is a rank-1 View of std::uint32_t in host memory.
/// Cost: one worker. Each resident asks each hospital of its list at most twice, and once more per
///   tie in which it loses its seat while another hospital has a free one. A full hospital looks at
///   all that it holds, and at their tie classes.
/// Throws: taper::Error if extents disagree.
/// Source: Király, "Linear time local approximation algorithm for maximum stable marriage",
///   Algorithms 6, 2013.
template <class Assignment>
void approximate_largest(MarketWithTies const& ties, Assignment const& hospital_of) {
  std::string const function = "taper::hospitals_residents::approximate_largest";
  detail::require_ties(function, ties, hospital_of.extent(0));
  Region const region(function);
  detail::Kiraly(ties).run(hospital_of);
}

/// Finds a super-stable matching: no resident and hospital exist that would lose nothing by each
/// other. Returns false if there is none; then hospital_of is left as it was. Each resident gets the
/// best hospital that it has in any super-stable matching.
///
/// Requires, Throws: as approximate_largest().
/// Cost: one worker, O(entries) after a sort of each hospital's list.
/// Source: Irving, Manlove and Scott, "The hospitals/residents problem with ties", SWAT 2000.
template <class Assignment>
bool find_super_stable(MarketWithTies const& ties, Assignment const& hospital_of) {
  std::string const function = "taper::hospitals_residents::find_super_stable";
  detail::require_ties(function, ties, hospital_of.extent(0));
  Region const region(function);
  return detail::SuperStable(ties).run(hospital_of);
}

/// Finds a strongly stable matching: no resident and hospital exist of which one would gain by the
/// other, and the other would not lose. Returns false if there is none; then hospital_of is left as
/// it was. Each resident gets a hospital as good as the best that it has in any strongly stable
/// matching.
///
/// Requires, Throws: as approximate_largest().
/// Cost: one worker. As find_super_stable(), and per round of critical sets a bipartite matching by
///   augmenting paths: O(residents * entries) at worst.
/// Source: Irving, Manlove and Scott, "Strong stability in the hospitals/residents problem", STACS
///   2003.
template <class Assignment>
bool find_strongly_stable(MarketWithTies const& ties, Assignment const& hospital_of) {
  std::string const function = "taper::hospitals_residents::find_strongly_stable";
  detail::require_ties(function, ties, hospital_of.extent(0));
  Region const region(function);
  return detail::StronglyStable(ties).run(hospital_of);
}

}  // namespace taper::hospitals_residents
