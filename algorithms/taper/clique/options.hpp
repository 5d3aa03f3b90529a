// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <span>

namespace taper::clique {

/// A weight, or a sum of weights.
using Weight = std::int64_t;

/// How a node of the search bounds the cliques among its candidates.
enum class Bound {
  colouring,    ///< by greedy colour classes
  recolouring,  ///< also moves one vertex to another class if that makes room
  maxsat,       ///< by greedy colour classes, and conflicts of them that unit propagation finds
};

/// What another thread may read while solve() runs. `nodes` and `best` only rise.
struct Progress {
  static constexpr Weight unknown = -1;

  std::atomic<std::uint64_t> nodes{0};  ///< search nodes visited
  std::atomic<Weight> best{unknown};    ///< weight of the incumbent
};

/// How to solve. For the keys of files and commands, see fields.hpp.
struct Options {
  Bound bound = Bound::maxsat;              ///< the strongest bound is the fastest on most graphs
  double time_limit_s = 0;                  ///< seconds from the call; 0, or 1e9 and more: none
  std::atomic<bool> const* stop = nullptr;  ///< if set to true: solve() returns the incumbent soon
  Progress* progress = nullptr;             ///< if not null: updated during the run
  /// A clique to begin with: a mark per vertex, in host memory. Empty: none.
  std::span<std::uint8_t const> start = {};
};

constexpr auto enum_names(Bound) {
  return std::array{EnumName{"colouring", Bound::colouring},
                    EnumName{"recolouring", Bound::recolouring}, EnumName{"maxsat", Bound::maxsat}};
}

using taper::names;
using taper::parse;
using taper::to_string;

}  // namespace taper::clique
