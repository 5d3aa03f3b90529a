// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gecode/int.hh>

// The stable marriage constraint through propagators of Gecode. Needs no Kokkos.

namespace taper::fzn {

/// Posts: `holds` is true if and only if `men` and `women` are one stable matching. The variables
/// and the lists are those of taper::fzn::stable_matching().
///
/// Where `holds` is true already, bounds alone reach the GS-lists, as with Options::symmetric.
/// Otherwise the lists follow once it becomes true. It becomes false with the first pair that
/// cannot be right, and true with the last pair.
/// Equivalent to: the decomposition of configs/minizinc, without or with reification.
/// Cost: 2 n^2 reified bounds, and 4 constraints per pair of a man and a woman; 5 if `holds` is
///   open, and then a conjunction of 3 n^2 variables.
/// Throws: Gecode::Exception if the sides and the lists do not have the same size, if a list is not
///   a permutation, or if a variable has a value outside base .. base + n - 1.
void decompose_stable_matching(Gecode::Home home, Gecode::IntVarArgs const& men,
                               Gecode::IntVarArgs const& women, Gecode::IntArgs const& men_like,
                               Gecode::IntArgs const& women_like, int base, Gecode::BoolVar holds);

}  // namespace taper::fzn
