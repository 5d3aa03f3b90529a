// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/stable_marriage/instance.hpp>

#include <cstddef>
#include <type_traits>

namespace taper::stable_marriage {

/// The part of an instance that one process of MPI holds: the lists of a block of men and of a
/// block of women. A block may be empty.
///
/// The men of all processes, in the order of the processes, are the men of the instance. The same
/// holds for women. Lists have ids of the whole instance.
///
/// Requires: each row is a permutation of 0 .. n-1. find_bad_row() checks this, solve() does not.
template <class Preferences>
struct Shard {
  using Id = typename Instance<Preferences>::Id;
  using MemorySpace = typename Instance<Preferences>::MemorySpace;

  Preferences men;    ///< men of this process x n
  Preferences women;  ///< women of this process x n

  /// n; 0 if this process has neither men nor women.
  std::size_t columns() const { return men.extent(0) > 0 ? men.extent(1) : women.extent(1); }
};

template <class Men, class Women>
Shard(Men, Women) -> Shard<Men>;

}  // namespace taper::stable_marriage
