// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/report.hpp>
#include <taper/vertex_cover/host_graph.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

// The data that the host and the teams of a search share, and what describes a search node.

namespace taper::vertex_cover::component_search {

/// The number of threads of a team, and of vector lanes per thread.
template <ExecutionSpace Exec>
struct TeamShape {
  /// On a host a team is one thread. It needs neither barriers nor atomics within the team.
  static constexpr bool single_thread = !is_gpu<Exec>;

  int threads;  ///< per team
  int lanes;    ///< vector lanes per thread

  /// A thread reads one row of the graph at a time. It gets about as many lanes as a row has
  /// entries.
  static TeamShape of(std::uint64_t vertices, std::uint64_t degree) {
    if constexpr (single_thread) {
      return {1, 1};
    } else {
      int const all = vertices <= 2048 ? 32 : vertices <= 8192 ? 64 : 128;
      auto const lanes = static_cast<int>(std::clamp<std::uint64_t>(std::bit_ceil(degree), 4, 32));
      return {all / lanes, lanes};
    }
  }
};

/// The graph that the search starts from, in device memory. Rows are sorted. Entries are counted
/// from `base`, the first vertex of their root component, so that a component's arrays start at 0.
template <class MemorySpace>
struct SearchGraph {
  Kokkos::View<std::uint32_t const*, MemorySpace> offsets;
  Kokkos::View<std::uint32_t const*, MemorySpace> entries;
  bool long_rows;  ///< 16 entries or more on average
  /// The same rows as bits: words of 32 vertices, counted from `base`. Empty if bits take more
  /// memory than entries. On a GPU, the same words of successive rows are adjacent in memory.
  Kokkos::View<std::uint32_t const**, MemorySpace> bits;

  KOKKOS_FUNCTION bool has_bits() const { return bits.extent(0) != 0; }
};

/// A row of the adjacency matrix as bits.
struct BitRow {
  std::uint32_t const* at;  ///< the first word
  std::size_t stride;

  /// The neighbours among the vertices 32 * i .. 32 * i + 31.
  KOKKOS_FUNCTION std::uint32_t word(std::uint32_t i) const { return at[i * stride]; }
};

/// What a team does first to a node that it has loaded.
enum class Action : std::uint32_t {
  none,             ///< nothing: the node is already reduced
  examine,          ///< apply the reduction rules to every vertex
  take_vertex,      ///< the branch with the vertex in the cover
  take_neighbours,  ///< the branch with its neighbours in the cover
};

/// The header of a search node. Its degree array follows.
struct NodeHead {
  std::uint32_t entry;  ///< registry entry of the component that the node belongs to
  std::uint32_t cover;  ///< vertices of that component in the cover so far
  std::uint32_t base;   ///< first vertex of the root component
  std::uint32_t first;  ///< vertices first .. end-1, counted from `base`; both multiples of 32
  std::uint32_t end;
  Action action;
  std::uint32_t vertex;     ///< operand of the action
  std::uint32_t connected;  ///< 1: the graph is known to be connected
};
static_assert(sizeof(NodeHead) == 32);

/// Variables that all lanes of a team share, in scratch.
struct TeamWorkspace {
  NodeHead node;
  std::uint32_t low;  ///< all live vertices lie in low .. high-1 (Section IV-C of the paper)
  std::uint32_t high;
  std::uint32_t take_count;       ///< vertices in the take list; may exceed its capacity
  std::uint32_t candidate_count;  ///< vertices whose degree fell to 2 or 1; may exceed the capacity
  std::uint32_t reached;          ///< vertices that visit_component() has reached
  std::uint32_t changed;          ///< 1: the last sweep has reached a vertex
  std::uint32_t broadcast;        ///< a value from the leader for all lanes
  std::uint32_t cover_row;        ///< the row of Registry::covers that the team owns
};

/// Statistics of the degree array.
struct DegreeStats {
  std::uint64_t top;      ///< greatest degree << 32 | ~v, for the first such vertex v
  std::uint64_t degrees;  ///< sum of the degrees: twice the number of edges
  std::uint32_t live;     ///< vertices with an edge
  std::uint32_t low;      ///< the first live vertex
  std::uint32_t high;     ///< one past the last live vertex

  KOKKOS_FUNCTION std::uint32_t top_degree() const { return static_cast<std::uint32_t>(top >> 32); }
  KOKKOS_FUNCTION std::uint32_t top_vertex() const { return ~static_cast<std::uint32_t>(top); }
  /// Requires: a connected graph.
  KOKKOS_FUNCTION bool is_clique() const { return degrees == std::uint64_t{live} * (live - 1); }
  /// Whether the graph is a chordless cycle. Requires: it is connected, and every degree is at
  /// least 2.
  KOKKOS_FUNCTION bool is_cycle() const { return degrees == std::uint64_t{live} * 2; }
};

/// A Kokkos reducer that combines the statistics of disjoint vertex ranges.
struct JoinDegreeStats {
  using reducer = JoinDegreeStats;
  using value_type = DegreeStats;
  using result_view_type =
      Kokkos::View<DegreeStats, Kokkos::AnonymousSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  DegreeStats& result;

  KOKKOS_FUNCTION void join(DegreeStats& into, DegreeStats const& other) const {
    into.top = Kokkos::max(into.top, other.top);
    into.degrees += other.degrees;
    into.live += other.live;
    into.low = Kokkos::min(into.low, other.low);
    into.high = Kokkos::max(into.high, other.high);
  }
  KOKKOS_FUNCTION void init(DegreeStats& value) const { value = {0, 0, 0, nothing, 0}; }
  KOKKOS_FUNCTION DegreeStats& reference() const { return result; }
  KOKKOS_FUNCTION result_view_type view() const { return result_view_type(&result); }
  KOKKOS_FUNCTION bool references_scalar() const { return true; }
};

/// What a team spends its time on (Figure 4).
enum class Activity : unsigned { idle, storage, branching, reducing, components, covers, small };
inline constexpr std::size_t activities = 7;
inline constexpr std::array<std::string_view, activities> activity_names{
    "idle", "storage", "branching", "reducing", "components", "covers", "small graphs"};

/// Words of 64 bits per set of vertices of a small graph.
inline constexpr unsigned small_words = 2;

/// Why a launch ends. Of several reasons, the greatest counts.
enum StopReason : std::uint32_t {
  keep_running,
  stalled,        ///< an idle team has seen no heartbeat for LaunchLimits::patience
  quota_reached,  ///< a team has visited its quota of nodes
  answered,       ///< the best covers of all roots have at most `target_size` vertices
  exhausted,      ///< every root is solved
};

/// Variables that all teams share: a LaunchControl of run_bounded_search().
struct SearchControl {
  alignas(64) AtomicWord heartbeat;  ///< increases while teams visit nodes
  alignas(64) std::uint32_t stop;    ///< a StopReason
  std::uint32_t idle;                ///< teams without work
  std::uint32_t next_root;           ///< the next root that no team has loaded
  std::uint32_t open_roots;          ///< unsolved roots
  std::uint32_t best_sum;            ///< sum of the roots' best sizes, or bounds
};

/// What a team keeps between launches, and its counters.
struct TeamState {
  std::uint32_t cover_row;  ///< the row of Registry::covers that the team owns
  /// Decisions since the replay start, see search_node.hpp; 0: no replay.
  std::uint32_t path_length;
  std::uint32_t path_paused;  ///< 1: the node at the path's end has not been visited yet
  AtomicWord nodes;
  AtomicWord component_branches;
  AtomicWord storage_full;      ///< branches that found no room in storage
  AtomicWord registry_full;     ///< branches on components that found no room in the registry
  AtomicWord time[activities];  ///< in ticks, if counted
};

/// A root: one component of the task's graph, or several small ones. Vertices: base .. base+size-1.
struct RootComponent {
  std::uint32_t base;
  std::uint32_t size;
  Action action;  ///< `none` if the host has reduced it, else `examine`
};

/// Limits of one launch.
struct LaunchLimits {
  std::uint64_t nodes;     ///< quota per team
  std::uint64_t patience;  ///< ticks without work and without a heartbeat after which a team ends
                           ///< the launch
  std::uint32_t team_offset;  ///< rotates team numbers between launches, so that no team is
                              ///< always among those that are not resident
};

inline constexpr std::uint32_t histogram_bins = 4096;

/// The graph to search, in host memory, and the bounds from which the search starts.
struct Task {
  HostGraph graph;                   ///< rows sorted
  std::vector<RootComponent> roots;  ///< disjoint vertex ranges without edges between them
  /// Per root: the search looks for covers with fewer vertices than this.
  std::vector<std::uint32_t> bounds;
  std::uint32_t target_size = 0;  ///< stop once the roots' covers have at most this many vertices
  // About the whole input:
  std::uint64_t taken = 0;  ///< vertices that the root's reductions have put into the cover
  std::uint64_t below = 0;  ///< the search looks for covers with fewer vertices than this
};

/// The result of run_search().
struct SearchResult {
  /// solved: no root has a cover smaller than the one here, or than its bound; or the covers reach
  /// `target_size`.
  Status status = Status::solved;
  std::vector<std::uint32_t> sizes;    ///< per root: the size of its best cover, or its bound
  std::vector<std::uint8_t> improved;  ///< per root: 1 if `in_cover` holds a cover of that size
  std::vector<std::uint8_t> in_cover;  ///< per vertex; valid in the roots that improved
};

}  // namespace taper::vertex_cover::component_search
