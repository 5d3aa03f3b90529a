// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/options.hpp>
#include <taper/preferences/instance.hpp>

#include <Kokkos_Core.hpp>
#include <gecode/int.hh>

#include <cstdint>

// The stable marriage constraint for Gecode. Kokkos must be initialised as long as any space that
// holds the constraint lives.

namespace taper::fzn {

/// Preference lists in the memory of the default execution space: n x n, row = person, best
/// candidate first, ids from 0.
using Lists = preferences::ConstTable<std::uint16_t, Kokkos::DefaultExecutionSpace::memory_space>;

/// Posts the constraint that `men` and `women` are one stable matching. Variable p of either side
/// is the place of p's partner on p's list. Places count from `base`, the best first.
///
/// The variables may have narrowed domains. Propagation reaches the fixpoint of
/// marriage_propagator.hpp. options.max_levels is ignored, since Gecode copies spaces. Works with
/// any search engine, recomputation, restarts and several search threads.
/// Throws: Gecode::Exception if the sides and the lists do not have the same size, if a list is not
///   a permutation (with options.check_lists), or if a variable has a value outside
///   base .. base + n - 1.
void stable_matching(Gecode::Home home, Gecode::IntVarArgs const& men,
                     Gecode::IntVarArgs const& women, Lists const& men_like,
                     Lists const& women_like, int base = 0,
                     marriage_propagator::Options const& options = {});

/// The same with flat lists of n * n ids, which also count from `base`. Always checks the lists.
void stable_matching(Gecode::Home home, Gecode::IntVarArgs const& men,
                     Gecode::IntVarArgs const& women, Gecode::IntArgs const& men_like,
                     Gecode::IntArgs const& women_like, int base = 0,
                     marriage_propagator::Options const& options = {});

}  // namespace taper::fzn
