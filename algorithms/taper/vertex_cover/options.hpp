// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/spelling.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace taper::vertex_cover {

/// How to search. Spelled "default" and "paper": the first enumerator cannot have its own name.
enum class Mode {
  standard,  ///< every reduction and bound that pays, on one host core; dense kernels on all
  paper,     ///< the paper's rules alone, on every worker of the place
};

/// How the paper's mode spreads its search nodes over workers.
enum class Balance {
  none,      ///< each worker searches the part that it was given at the start
  worklist,  ///< own stacks and a bounded list that all share
  steal,     ///< own deques; whoever has nothing takes from another's
};

/// What a caller's thread may read while solve() runs. Every field only ever improves.
struct Progress {
  static constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

  std::atomic<std::uint64_t> nodes{0};        ///< search nodes visited
  std::atomic<std::uint64_t> best{unknown};   ///< vertices of the smallest cover so far
  std::atomic<std::uint64_t> lower_bound{0};  ///< no cover has fewer vertices
};

/// How to solve; spelled in YAML exactly as here.
struct Options {
  Mode mode = Mode::standard;
  std::int64_t k = -1;  ///< 0 or more: find a cover of at most k vertices, or prove that there is
                        ///< none; -1: find a minimum cover
  double time_limit_s = 0;                  ///< seconds, from the call; 0: none
  std::atomic<bool> const* stop = nullptr;  ///< where not null: raised to end soon with the best

  bool packing = true;  ///< mode default: what branches suppose decides vertices below them

  // The paper's switches (mode paper).
  bool components = true;  ///< solve components that fall apart on their own
  bool induce = true;      ///< search on the subgraph that the root's reductions leave
  bool bounds = true;      ///< look only at the range of vertices that are still there
  Balance balance = Balance::steal;
  bool count = false;  ///< histogram of components a branch, time in each activity; costs time

  // Limits of mode paper; 0: from the memory that is free.
  std::uint64_t teams = 0;             ///< workers
  std::uint64_t stack_nodes = 0;       ///< search nodes a worker
  std::uint64_t registry_entries = 0;  ///< branches on components that are open at a time
  std::uint64_t queue_nodes = 0;       ///< search nodes in the shared worklist
  /// Mode paper, with `bounds`: a graph of at most so many vertices, and no more than 128, is searched
  /// as sets of bits by one worker, who gives branches to those that are idle.
  std::uint32_t small_vertices = 128;

  Progress* progress = nullptr;  ///< where not null: kept up to date during the run
};

constexpr auto spellings(Mode) {
  return std::array{Spelling{"default", Mode::standard}, Spelling{"paper", Mode::paper}};
}

constexpr auto spellings(Balance) {
  return std::array{Spelling{"none", Balance::none}, Spelling{"worklist", Balance::worklist},
                    Spelling{"steal", Balance::steal}};
}

using taper::names;
using taper::parse;
using taper::to_string;

}  // namespace taper::vertex_cover
