// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace taper::vertex_cover {

/// How to search. In files and on the command line `standard` is "default", a keyword of C++.
enum class Mode {
  standard,  ///< branch and reduce, clause learning, clique search; on the host
  /// Component search on all workers of the place, with only the rules of the paper that
  /// component_search.hpp cites.
  paper,
};

/// How component search distributes its search nodes over workers.
enum class Balance {
  none,      ///< each worker searches the nodes that it got at the start
  worklist,  ///< own stacks, and one bounded queue that all workers share
  steal,     ///< own deques; a worker without nodes steals
};

/// What another thread may read while solve() runs. `nodes` and `lower_bound` only rise, `best`
/// only falls.
struct Progress {
  static constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

  std::atomic<std::uint64_t> nodes{0};        ///< search nodes visited
  std::atomic<std::uint64_t> best{unknown};   ///< vertices of the incumbent
  std::atomic<std::uint64_t> lower_bound{0};  ///< vertices that every cover has at least
};

/// Options of Mode::paper. The YAML keys have the same names, without nesting; `count` is a key of
/// the experiment.
/// Used by: component_search/.
struct ComponentSearchOptions {
  bool components = true;            ///< search each connected component on its own
  bool induce = true;                ///< reduce at the root, and search the induced subgraph
  bool bounds = true;                ///< scan only the range of vertices that are still alive
  Balance balance = Balance::steal;  ///< distribution of nodes; stealing needs no tuning
  bool count = false;                ///< fill the report's histogram and activities; costs time

  // Sizes. 0, the default: as many as the free memory holds.
  std::uint64_t teams = 0;             ///< workers; a GPU caps them at what is resident
  std::uint64_t stack_nodes = 0;       ///< search nodes per worker
  std::uint64_t registry_entries = 0;  ///< branches and components that are open at a time
  std::uint64_t queue_nodes = 0;       ///< search nodes in the queue of Balance::worklist

  /// 0 to 128 vertices; counts as 0 without `bounds`. One worker searches a graph of at most this
  /// size as bit sets, and gives branches to idle workers. 128: the widest bit set that is
  /// compiled.
  std::uint32_t small_vertices = 128;
};

/// How to solve. For the keys of files and commands, see fields.hpp.
struct Options {
  Mode mode = Mode::standard;  ///< standard solves most graphs fastest, on the host
  std::int64_t k = -1;         ///< >= 0: a cover of at most k vertices; -1: a minimum cover
  double time_limit_s = 0;     ///< seconds from the call; 0, or 1e9 and more: none
  std::atomic<bool> const* stop = nullptr;  ///< if set to true: solve() returns the incumbent soon
  Progress* progress = nullptr;             ///< if not null: updated during the run

  bool packing = true;  ///< Mode::standard: use packing constraints of earlier branches

  ComponentSearchOptions component_search;  ///< read in Mode::paper only
};

constexpr auto enum_names(Mode) {
  return std::array{EnumName{"default", Mode::standard}, EnumName{"paper", Mode::paper}};
}

constexpr auto enum_names(Balance) {
  return std::array{EnumName{"none", Balance::none}, EnumName{"worklist", Balance::worklist},
                    EnumName{"steal", Balance::steal}};
}

using taper::names;
using taper::parse;
using taper::to_string;

}  // namespace taper::vertex_cover
