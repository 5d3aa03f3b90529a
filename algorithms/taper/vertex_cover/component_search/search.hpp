// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/arena.hpp>
#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/device_info.hpp>
#include <taper/vertex_cover/component_search/component_branches.hpp>
#include <taper/vertex_cover/component_search/components.hpp>
#include <taper/vertex_cover/component_search/index_pool.hpp>
#include <taper/vertex_cover/component_search/reductions.hpp>
#include <taper/vertex_cover/component_search/registry.hpp>
#include <taper/vertex_cover/component_search/search_node.hpp>
#include <taper/vertex_cover/component_search/search_state.hpp>
#include <taper/vertex_cover/component_search/small_graph.hpp>
#include <taper/vertex_cover/component_search/small_solve.hpp>
#include <taper/vertex_cover/component_search/team_graph.hpp>
#include <taper/vertex_cover/component_search/team_search.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/work_queues.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

// The search kernel, its number of teams, and its memory.

namespace taper::vertex_cover::component_search {

/// The number of teams of a search, and the sizes of what they share.
template <ExecutionSpace Exec>
struct SearchPlan {
  TeamShape<Exec> team;
  std::uint64_t teams;
  std::size_t scratch;        ///< bytes per team
  bool in_scratch;            ///< whether the arrays of a team lie in its scratch
  std::uint64_t slots;        ///< search nodes in storage
  std::uint64_t first_slots;  ///< search nodes in storage at the start
  std::uint64_t stack;        ///< search nodes in each team's own queue
  std::uint64_t queue;        ///< search nodes in the shared queue
  std::uint64_t entries;      ///< registry entries beside the roots
};

/// Bytes of a search node in storage. `vertices` is a multiple of 32.
template <class Degree>
constexpr std::size_t slot_bytes(std::size_t vertices) {
  return sizeof(NodeHead) + vertices * sizeof(Degree);
}
/// Bytes of a row of Registry::covers. `vertices` is a multiple of 32.
constexpr std::size_t row_bytes(std::size_t vertices) {
  return vertices / 8;
}

/// Bytes that every team has in scratch. Its arrays follow if they fit.
template <ExecutionSpace Exec, class Degree>
KOKKOS_FUNCTION constexpr std::size_t fixed_scratch_bytes() {
  return sizeof(TeamWorkspace) + TeamGraph<Exec, Degree>::lists_bytes() +
         sizeof(SmallGraph<small_words>);
}

/// The launch bounds of Search::Policy: threads per team, at most, and teams per
/// multiprocessor, at least.
inline constexpr unsigned max_team_lanes = 128;
inline constexpr unsigned min_resident_teams = 8;
/// Threads per multiprocessor for which the launch bounds leave enough registers.
inline constexpr std::uint64_t resident_lanes = std::uint64_t{max_team_lanes} * min_resident_teams;

/// Plans the number of teams and their memory, with as many stored nodes and registry entries per
/// team as measured searches needed. `vertices`: of the largest root, a multiple of 32. Everything
/// fits into three quarters of the free memory of a device, or into three sixteenths on a host,
/// which other programs share. If memory is short, there are fewer teams.
///
/// With FirstBranch::neighbours few nodes wait. Stored nodes then get at most an eighth of what the
/// teams leave. No graph of the paper's Table I fills that. With three quarters of it, the
/// allocation took most of a search of few, large nodes: SYNTHETICnew on an H100 took 26 ms instead
/// of 18 ms.
///
/// Few searches fill their storage, so it starts small and grows: see SearchRun::grow_storage().
///
/// With FirstBranch::vertex there are as many teams as have room for all nodes of a depth-first
/// search, as in the published program. So there are fewer teams the larger the graph is (Section
/// IV-A). If memory is short, stored nodes may get only three quarters of that room.
template <ExecutionSpace Exec, class Degree>
SearchPlan<Exec> make_plan(Exec const& where, Task const& task,
                           ComponentSearchOptions const& options, bool has_k,
                           std::uint32_t vertices) {
  constexpr std::size_t fixed = fixed_scratch_bytes<Exec, Degree>();
  std::size_t const slot = slot_bytes<Degree>(vertices);
  std::size_t const row = row_bytes(vertices);
  std::size_t const entry = sizeof(Entry) + row + (has_k ? sizeof(std::uint32_t) : 0);
  SearchPlan<Exec> plan{};
  plan.team = TeamShape<Exec>::of(vertices, task.graph.entries.size() / task.graph.vertices() + 1);
  auto const lanes = static_cast<std::uint64_t>(plan.team.threads * plan.team.lanes);
  std::size_t const arrays = TeamGraph<Exec, Degree>::arrays_bytes(vertices);
  plan.in_scratch =
      fixed + arrays + 64 <= max_scratch_bytes(where, max_team_lanes, min_resident_teams);
  plan.scratch = fixed + 16 + (plan.in_scratch ? arrays : 0);  // 16: for the alignment

  // A depth-first search from a node of n vertices leaves at most n nodes waiting. Each stored
  // branch, and each stored component, has at least one vertex less than its parent.
  plan.stack = options.stack_nodes != 0 ? options.stack_nodes : vertices + 1;
  bool const full_stacks = options.first_branch == FirstBranch::vertex;
  std::uint64_t const slots_per_team =
      options.stack_nodes != 0 || full_stacks ? plan.stack : plan.stack / 8 + 32;
  std::uint64_t const entries_per_team = vertices / 8 + 64;

  std::uint64_t const resident =
      resident_teams(where, lanes, fixed + (plan.in_scratch ? arrays : 0), resident_lanes);
  std::uint64_t const free_bytes = free_memory_bytes(where);
  std::uint64_t const allowed =
      (free_bytes == 0 ? std::uint64_t{1} << 30 : free_bytes) / (is_gpu<Exec> ? 4 : 16) * 3;
  std::uint64_t const for_roots = task.roots.size() * entry;
  std::uint64_t const memory = allowed - std::min(allowed / 2, for_roots);
  std::uint64_t const bytes_per_team = slot + row + vertices * sizeof(std::uint32_t) +
                                       std::bit_ceil(plan.stack) * sizeof(std::uint32_t) +
                                       (plan.in_scratch ? 0 : arrays);
  std::uint64_t const shared = slots_per_team * slot + entries_per_team * entry;
  std::uint64_t const wanted = options.teams == 0 ? resident
                               : is_gpu<Exec>     ? std::min(options.teams, resident)
                                                  : options.teams;
  // If memory is too short for all teams, half of it goes to what they share.
  plan.teams = std::clamp<std::uint64_t>(
      wanted, 1,
      std::max({std::uint64_t{1}, memory / (bytes_per_team + shared),
                full_stacks ? 0 : memory / 2 / (bytes_per_team + shared / 8)}));
  std::uint64_t const left = memory - std::min(memory / 2, plan.teams * bytes_per_team);
  plan.queue = options.queue_nodes != 0 ? options.queue_nodes : 2 * plan.teams;
  std::uint64_t const in_queue = options.balance == Balance::worklist ? options.queue_nodes : 0;
  plan.slots = std::clamp<std::uint64_t>(
      plan.teams * slots_per_team + in_queue, 1,
      std::max<std::uint64_t>(1, left / 8 * (full_stacks ? 6 : 1) / slot));
  std::uint64_t const first = options.first_stack_nodes != 0 ? options.first_stack_nodes : 128;
  plan.first_slots = first <= plan.slots / plan.teams ? plan.teams * first : plan.slots;
  plan.entries = options.registry_entries != 0
                     ? options.registry_entries
                     : std::min(plan.teams * entries_per_team, left / 4 / entry + 1);
  return plan;
}

/// Views in device memory that a search needs beside its registry and pools. The members are
/// described at Search and SearchGraph.
template <ExecutionSpace Exec>
struct SearchTables {
  using Memory = typename Exec::memory_space;
  template <class T>
  using List = Kokkos::View<T*, Memory>;
  template <class T>
  using Table = Kokkos::View<T**, Kokkos::LayoutRight, Memory>;
  using Bits = Kokkos::View<std::uint32_t**, Memory>;

  List<std::uint32_t> offsets;
  List<std::uint32_t> entries;
  Bits bits;
  List<RootComponent> roots;
  List<TeamState> teams;
  Kokkos::View<SearchControl, Memory> control;
  List<AtomicWord> histogram;
  Table<unsigned char> replay_start;
  Table<std::uint32_t> path;
  Table<unsigned char> arrays;
};

/// Whether the average row is long.
inline bool has_long_rows(Task const& task) {
  return task.graph.entries.size() >= 16 * task.graph.vertices();
}

/// Whether the rows are also stored as bits. Not if they would have more words than there are
/// edges.
template <ExecutionSpace Exec, class Degree>
bool has_bit_rows(Task const& task, std::uint32_t vertices) {
  std::size_t const words = vertices / 32;
  return has_long_rows(task) && task.graph.vertices() * words <= task.graph.entries.size() * 2 &&
         words <= TeamGraph<Exec, Degree>::max_bit_words;
}

/// Takes all tables from `arena`. `vertices`: of the largest root, a multiple of 32. `count`: with
/// a histogram.
template <ExecutionSpace Exec, class Degree>
SearchTables<Exec> allocate_tables(Arena<typename Exec::memory_space>& arena,
                                   SearchPlan<Exec> const& plan, Task const& task,
                                   std::uint32_t vertices, bool count) {
  using Tables = SearchTables<Exec>;
  using Numbers = typename Tables::template List<std::uint32_t>;
  using Bytes = typename Tables::template Table<unsigned char>;
  std::size_t const n = task.graph.vertices();
  std::size_t const words = has_bit_rows<Exec, Degree>(task, vertices) ? vertices / 32 : 0;
  std::size_t const slot = slot_bytes<Degree>(vertices);
  return {
      arena.template take<Numbers>(n + 1),
      arena.template take<Numbers>(task.graph.entries.size()),
      arena.template take<typename Tables::Bits>(words == 0 ? 0 : n, words),
      arena.template take<typename Tables::template List<RootComponent>>(task.roots.size()),
      arena.template take<typename Tables::template List<TeamState>>(plan.teams),
      arena.template take<Kokkos::View<SearchControl, typename Tables::Memory>>(),
      arena.template take<typename Tables::template List<AtomicWord>>(count ? histogram_bins : 0),
      arena.template take<Bytes>(plan.teams, slot),
      arena.template take<typename Tables::template Table<std::uint32_t>>(plan.teams, vertices + 1),
      arena.template take<Bytes>(
          plan.in_scratch ? 0 : plan.teams,
          plan.in_scratch ? 0 : TeamGraph<Exec, Degree>::arrays_bytes(vertices))};
}

/// Writes the task's graph and roots to the tables. A row's entries are counted from the first
/// vertex of its root.
template <ExecutionSpace Exec>
void write_tables(Exec const& where, SearchTables<Exec> const& tables, Task const& task) {
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  auto const copy_to = [&]<class T>(Kokkos::View<T*, typename Exec::memory_space> const& view,
                                    std::vector<T> const& values) {
    Kokkos::deep_copy(
        where, view,
        Kokkos::View<T const*, Kokkos::HostSpace, Unmanaged>(values.data(), values.size()));
  };
  std::vector<std::uint32_t> const offsets(task.graph.offsets.begin(), task.graph.offsets.end());
  std::vector<std::uint32_t> entries(task.graph.entries.begin(), task.graph.entries.end());
  for (RootComponent const& root : task.roots) {
    for (auto e = task.graph.offsets[root.base]; e < task.graph.offsets[root.base + root.size];
         ++e) {
      entries[e] -= root.base;
    }
  }
  auto const bits = Kokkos::create_mirror(tables.bits);
  for (std::size_t v = 0; v < bits.extent(0); ++v) {
    for (auto e = task.graph.offsets[v]; e < task.graph.offsets[v + 1]; ++e) {
      bits(v, entries[e] / 32) |= 1u << entries[e] % 32;
    }
  }
  copy_to(tables.offsets, offsets);
  copy_to(tables.entries, entries);
  copy_to(tables.roots, task.roots);
  Kokkos::deep_copy(where, tables.bits, bits);
  where.fence("taper::vertex_cover::component_search: wait for the copy of the graph");
}

/// The search kernel (Algorithm 2). Each team works on one node at a time, and puts the other nodes
/// into a work queue.
///
/// A launch ends with every unfinished node in storage or on a path, and the next launch continues
/// from there.
/// Equivalent to: the recursive program, with its calls made in any order. A node reads only one
///   result of other nodes: its component's Best. An outdated value is safe: it is greater, and
///   prunes less.
///
/// `Parameterized`: the search ends as soon as the covers of the roots reach `target_size`
/// together, even if they consist of nested components (Section III-E).
/// Used by: SearchRun.
template <ExecutionSpace Exec, class Degree, WorkQueue Balance, bool Parameterized>
struct Search {
  static constexpr bool parameterized = Parameterized;
  using Space = Exec;
  using Width = Degree;
  using Memory = typename Exec::memory_space;
  /// On a GPU: 64 registers per thread, so that 1024 threads fit into a multiprocessor's 64K
  /// registers.
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<max_team_lanes, min_resident_teams>>;
  using Member = typename Policy::member_type;
  using NodeGraph = TeamGraph<Exec, Degree>;
  using Small = SmallGraph<small_words>;
  static_assert(Small::capacity <= NodeGraph::take_capacity);
  template <class T>
  using List = Kokkos::View<T*, Memory>;
  template <class T>
  using Table = Kokkos::View<T**, Kokkos::LayoutRight, Memory>;

  KOKKOS_FUNCTION static constexpr std::size_t fixed_bytes() {
    return fixed_scratch_bytes<Exec, Degree>();
  }
  static_assert((sizeof(TeamWorkspace) + NodeGraph::lists_bytes()) % sizeof(std::uint64_t) == 0);

  SearchGraph<Memory> graph;
  List<RootComponent> roots;
  Registry<Memory, Parameterized> registry;
  Balance balance;
  IndexPool<Memory> free_slots;
  Table<unsigned char> slots;         ///< nodes in storage: a NodeHead and the degrees
  Table<unsigned char> replay_start;  ///< per team: the node from which it replays its path
  Table<std::uint32_t> path;          ///< per team: the decisions since the replay start
  Table<unsigned char> arrays;  ///< per team: its arrays, if they are not in scratch; else empty
  List<TeamState> teams;
  Kokkos::View<SearchControl, Memory> control;
  List<AtomicWord> histogram;
  std::uint32_t vertices;     ///< of the largest root, rounded up to a multiple of 32
  std::uint32_t target_size;  ///< stop once the roots' covers have this size together
  bool components;            ///< as in ComponentSearchOptions, like most of the next
  bool bounds;
  bool degree_bound;
  bool vertex_first;  ///< FirstBranch::vertex
  bool count;
  std::uint32_t small;  ///< SmallSearch handles graphs of at most this many vertices
  LaunchLimits limits;

  /// Places the team's workspace, small graph, lists and arrays, and runs its TeamSearch.
  KOKKOS_FUNCTION void operator()(Member const& member) const {
    bool const in_scratch = arrays.extent(0) == 0;
    auto* const fixed = static_cast<unsigned char*>(member.team_shmem().get_shmem_aligned(
        fixed_bytes() + (in_scratch ? NodeGraph::arrays_bytes(vertices) : 0), 16));
    auto const league_rank = static_cast<std::uint32_t>(member.league_rank());
    auto const league_size = static_cast<std::uint32_t>(member.league_size());
    std::uint32_t const team = (league_rank + limits.team_offset) % league_size;
    unsigned char* const own = in_scratch ? fixed + fixed_bytes() : &arrays(team, 0);
    auto* const small_graph = reinterpret_cast<Small*>(fixed + sizeof(TeamWorkspace));
    auto* const lists =
        reinterpret_cast<std::uint32_t*>(fixed + sizeof(TeamWorkspace) + sizeof(Small));
    auto* const visited = reinterpret_cast<std::uint32_t*>(own + vertices * sizeof(Degree));
    NodeGraph const team_graph{member,
                               graph,
                               *reinterpret_cast<TeamWorkspace*>(fixed),
                               reinterpret_cast<Degree*>(own),
                               lists,
                               lists + NodeGraph::take_capacity,
                               visited,
                               visited + vertices / 32};
    TeamSearch<Search>(*this, team_graph, *small_graph, team).run();
  }
};

}  // namespace taper::vertex_cover::component_search
