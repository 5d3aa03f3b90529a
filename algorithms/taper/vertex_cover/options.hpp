// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace taper::vertex_cover {

/// How to search. A published name runs the published rules and no others.
enum class Mode {
  taper,             ///< branch and reduce, clause learning, clique search; on the host
  component_search,  ///< component search with Taper's additions, on all workers of the place
  /// Component search as Amro, Fakhri, Mouawad and El Hajj published it; see component_search.hpp.
  published,
  /// The GPU search before that: P. Yamout, K. Barada, A. Jaljuli, A. Mouawad and I. El Hajj,
  /// "Parallel Vertex Cover Algorithms on GPUs", IPDPS 2022. It knows no components.
  yamout,
};

/// The crown rule at the root.
enum class Crown {
  off,
  published,  ///< crowns among the vertices that a greedy matching leaves unmatched
  complete,   ///< all crowns, by a matching of the bipartite double cover
};

/// The bits per degree of the degree array.
enum class DegreeBits {
  automatic,       ///< the least of 8, 16 and 32 that hold the greatest degree
  short_integers,  ///< 16 if they hold the greatest degree, else 32, as the published program
  bits_8,          ///< these three: taper::Error if they do not hold the greatest degree
  bits_16,
  bits_32,
};

/// The branch that a worker searches first. The other one waits, where any worker may take it.
enum class FirstBranch {
  vertex,      ///< takes the vertex of greatest degree (Algorithm 2, line 12)
  neighbours,  ///< takes its neighbours; that graph is smaller, so that fewer nodes wait
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

/// Options of component search. The initializers are those of Mode::component_search;
/// component_search_options() has those of the other modes. The YAML keys have the same names,
/// without nesting; `count` is a key of the experiment.
/// Used by: component_search/.
struct ComponentSearchOptions {
  bool components = true;         ///< search each connected component on its own
  bool induce = true;             ///< reduce at the root, and search the induced subgraph
  bool bounds = true;             ///< scan only the range of vertices that are still alive
  Crown crown = Crown::complete;  ///< with `induce`: the crown rule
  /// With `induce`: the host splits the reduced graph into components, and numbers the vertices of
  /// each in the order of a breadth-first search. Else the search starts from one node, and the
  /// vertices keep their order.
  bool split_root = true;
  /// Edges without common ends give a lower bound. Stop at a cover of this size, and use it to
  /// limit the covers of components.
  bool lower_bound_stop = true;
  /// A node's budget is the number of vertices that its cover may still take. Also prune a node
  /// with more edges than the budget times the greatest degree. Algorithm 2 has only the square of
  /// the budget.
  bool degree_bound = true;
  FirstBranch first_branch = FirstBranch::neighbours;  ///< which branch does not wait
  DegreeBits degree_bits = DegreeBits::automatic;      ///< bits per entry of the degree array
  Balance balance = Balance::steal;  ///< distribution of nodes; stealing needs no tuning
  bool count = false;                ///< fill the report's histogram and activities; costs time

  // Sizes. 0, the default: as many as the free memory holds, unless a comment says otherwise.
  std::uint64_t teams = 0;              ///< workers; a GPU caps them at what is resident
  std::uint64_t stack_nodes = 0;        ///< search nodes per worker
  std::uint64_t first_stack_nodes = 0;  ///< of these, with memory at the start; 0: 128
  std::uint64_t registry_entries = 0;   ///< branches and components that are open at a time
  std::uint64_t queue_nodes = 0;        ///< in the queue of Balance::worklist; 0: two per worker

  /// 0 to 128 vertices; counts as 0 without `bounds`. One worker searches a graph of at most this
  /// size as bit sets, and gives branches to idle workers. That search always has `degree_bound`,
  /// and FirstBranch::neighbours. 128: the widest bit set that is compiled.
  std::uint32_t small_vertices = 128;
};

/// The options of a mode of component search.
constexpr ComponentSearchOptions component_search_options(Mode mode) {
  ComponentSearchOptions options;
  if (mode == Mode::published || mode == Mode::yamout) {
    options.crown = Crown::published;
    options.split_root = false;
    options.lower_bound_stop = false;
    options.degree_bound = false;
    options.first_branch = FirstBranch::vertex;
    options.degree_bits = DegreeBits::short_integers;
    options.balance = Balance::worklist;
    options.small_vertices = 0;
  }
  if (mode == Mode::yamout) {
    options.components = false;
    options.induce = false;
    options.bounds = false;
    options.crown = Crown::off;
    options.degree_bits = DegreeBits::bits_32;
  }
  return options;
}

/// How to solve. For the keys of files and commands, see fields.hpp.
struct Options {
  Mode mode = Mode::taper;  ///< taper solves most graphs fastest, on the host
  std::int64_t k = -1;      ///< >= 0: a cover of at most k vertices; -1: a minimum cover
  double time_limit_s = 0;  ///< seconds from the call; 0, or 1e9 and more: none
  std::atomic<bool> const* stop = nullptr;  ///< if set to true: solve() returns the incumbent soon
  Progress* progress = nullptr;             ///< if not null: updated during the run
  /// Mode::taper: a cover to begin with, a mark per vertex in host memory; empty: none.
  std::span<std::uint8_t const> start = {};

  /// Mode::taper: after the reductions, local search alone. It goes on to the time limit, of which
  /// reductions have a third; without one, until it has read the reduced graph a hundred times
  /// without a smaller cover. It proves nothing beyond the bound of the linear relaxation.
  bool heuristic = false;

  bool packing = true;  ///< Mode::taper: use packing constraints of earlier branches

  /// Mode::taper ignores it. Not set: component_search_options(mode).
  std::optional<ComponentSearchOptions> component_search = std::nullopt;
};

/// How a component search searches.
constexpr ComponentSearchOptions search_options(Options const& options) {
  return options.component_search.value_or(component_search_options(options.mode));
}

constexpr auto enum_names(Mode) {
  return std::array{EnumName{"taper", Mode::taper},
                    EnumName{"component_search", Mode::component_search},
                    EnumName{"published", Mode::published}, EnumName{"yamout", Mode::yamout}};
}

constexpr auto enum_names(Crown) {
  return std::array{EnumName{"off", Crown::off}, EnumName{"published", Crown::published},
                    EnumName{"complete", Crown::complete}};
}

constexpr auto enum_names(DegreeBits) {
  return std::array{EnumName{"automatic", DegreeBits::automatic},
                    EnumName{"short", DegreeBits::short_integers},
                    EnumName{"8", DegreeBits::bits_8}, EnumName{"16", DegreeBits::bits_16},
                    EnumName{"32", DegreeBits::bits_32}};
}

constexpr auto enum_names(FirstBranch) {
  return std::array{EnumName{"vertex", FirstBranch::vertex},
                    EnumName{"neighbours", FirstBranch::neighbours}};
}

constexpr auto enum_names(Balance) {
  return std::array{EnumName{"none", Balance::none}, EnumName{"worklist", Balance::worklist},
                    EnumName{"steal", Balance::steal}};
}

using taper::names;
using taper::parse;
using taper::to_string;

}  // namespace taper::vertex_cover
