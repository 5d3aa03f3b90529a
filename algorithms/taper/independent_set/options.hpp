// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/weights.hpp>

#include <atomic>
#include <cstdint>
#include <span>

namespace taper::independent_set {

using clique::HostGraph;
using clique::Vertex;
using clique::Weight;

/// What another thread may read while solve() runs. `best` and `upper_bound` are unknown until the
/// reductions end. `nodes` and `best` only rise, `upper_bound` only falls.
struct Progress {
  static constexpr Weight unknown = -1;

  std::atomic<std::uint64_t> nodes{0};       ///< search nodes visited
  std::atomic<Weight> best{unknown};         ///< weight of the incumbent
  std::atomic<Weight> upper_bound{unknown};  ///< no set is heavier
};

/// How to solve.
struct Options {
  double time_limit_s = 0;                  ///< seconds from the call; 0, or 1e9 and more: none
  std::atomic<bool> const* stop = nullptr;  ///< if set to true: solve() returns the incumbent soon
  Progress* progress = nullptr;             ///< if not null: updated during the run
  /// An independent set to begin with, a mark per vertex in host memory; empty: none.
  std::span<std::uint8_t const> start = {};
  /// After the reductions, only local search. It runs to the time limit, of which the reductions
  /// get a third. Without a limit it ends when it has read the reduced graph a hundred times
  /// without finding a heavier set. Its upper bound is weak.
  bool heuristic = false;
};

}  // namespace taper::independent_set
