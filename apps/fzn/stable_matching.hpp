// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/options.hpp>
#include <taper/stable_marriage/instance.hpp>

#include <Kokkos_Core.hpp>
#include <gecode/int.hh>

#include <cstdint>

// The stable marriage constraint for Gecode. Kokkos must be initialised while any space lives that
// holds it.

namespace taper::fzn {

/// Preference lists in the default execution space's memory: n x n, row = a person, entries ids
/// from 0.
using Lists =
    stable_marriage::ConstTable<std::uint16_t, Kokkos::DefaultExecutionSpace::memory_space>;

/// Posts the constraint that `men` and `women` are one stable matching: variable p of either side
/// is the place of p's partner on p's own list, counted from `base`, the best first.
///
/// Domains may have been narrowed before. Propagation is the fixpoint of marriage_propagator.hpp;
/// options.levels is of no use here, since Gecode copies spaces. Works under any search engine,
/// recomputation, restarts and several search threads.
/// Throws: Gecode::Exception where the sides or the lists do not fit each other, a list is no
/// permutation (options.check_lists), or a variable has a value that is no place, base to base + n - 1.
void stable_matching(Gecode::Home home, Gecode::IntVarArgs const& men,
                     Gecode::IntVarArgs const& women, Lists const& men_like,
                     Lists const& women_like, int base = 0,
                     marriage_propagator::Options const& options = {});

/// The same from flat lists of n * n ids, counted from `base` as well.
void stable_matching(Gecode::Home home, Gecode::IntVarArgs const& men,
                     Gecode::IntVarArgs const& women, Gecode::IntArgs const& men_like,
                     Gecode::IntArgs const& women_like, int base = 0,
                     marriage_propagator::Options const& options = {});

}  // namespace taper::fzn
