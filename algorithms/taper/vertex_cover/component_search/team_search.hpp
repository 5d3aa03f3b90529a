// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/vertex_cover/component_search/registry.hpp>
#include <taper/vertex_cover/component_search/search_state.hpp>
#include <taper/vertex_cover/component_search/team_graph.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::vertex_cover::component_search {

/// The search of one team: its main loop, and its exchange with the other teams. All lanes call
/// each member together, unless stated otherwise.
/// Defined in: this file, search_node.hpp, small_solve.hpp, component_branches.hpp.
/// Used by: Search.
template <class Search>
class TeamSearch {
 public:
  using Exec = typename Search::Space;
  using Degree = typename Search::Width;
  using Memory = typename Search::Memory;
  using NodeGraph = typename Search::NodeGraph;
  using Small = typename Search::Small;

  KOKKOS_FUNCTION TeamSearch(Search const& its_search, NodeGraph const& its_graph, Small& its_small,
                             std::uint32_t number)
      : search(its_search), graph(its_graph), small(its_small), state(its_search.teams(number)),
        team(number) {}

  KOKKOS_FUNCTION void run();

 private:
  /// The state of a reduced node: cut off by the bound, without edges, or to be searched further.
  enum class Verdict { pruned, covered, open };
  /// The result of split_components().
  enum class Split { connected, component, solved, finished };
  struct Peers;  ///< in small_solve.hpp
  /// What an idle team has last seen of the others.
  struct Observation {
    AtomicWord heartbeat;  ///< the last value
    std::uint64_t at;      ///< the time at which it changed, in ticks
    std::uint32_t idle;    ///< number of idle teams at that time
  };

  static constexpr std::uint32_t no_more_items = nothing - 1;
  /// The maximum number of nodes for a small component that is searched at once.
  static constexpr std::uint32_t inline_node_limit = 64;
  static constexpr std::uint64_t polls_per_check = 16;
  static constexpr std::uint32_t sleep_per_idle_team_ns = 4;
  static constexpr std::uint32_t first_branch_bit = 1u << 31;  ///< the second branch still waits

  KOKKOS_FUNCTION SearchControl& control() const { return search.control(); }
  KOKKOS_FUNCTION NodeHead& node() const { return graph.workspace.node; }
  KOKKOS_FUNCTION std::uint32_t slots() const {
    return static_cast<std::uint32_t>(search.slots.extent(0));
  }
  KOKKOS_FUNCTION void stop(StopReason why) const {
    Kokkos::atomic_max(&control().stop, std::uint32_t{why});  // relaxed: polled
  }
  KOKKOS_FUNCTION bool stopped() const { return relaxed_load(control().stop) != keep_running; }

  /// Adds the time since the last call to the current activity, and starts the next one.
  KOKKOS_FUNCTION void enter(Activity next) {
    if (search.count) {
      graph.leader([&]() {
        std::uint64_t const now = ticks();
        state.time[static_cast<unsigned>(activity)] += now - activity_begin;
        activity_begin = now;
        activity = next;
      });
    }
  }

  KOKKOS_FUNCTION void advance_heartbeat() const {
    Kokkos::atomic_add(&control().heartbeat, AtomicWord{1});  // relaxed: polled
  }
  KOKKOS_FUNCTION void count_nodes(std::uint32_t more) {
    std::uint64_t const before = nodes;
    nodes += more;
    if (nodes / 16 != before / 16) {
      advance_heartbeat();
    }
    if (nodes >= search.limits.nodes) {
      stop(quota_reached);
    }
  }
  /// Called by the leader.
  KOKKOS_FUNCTION void count_branch(std::uint32_t found) const {
    ++state.component_branches;
    count_components(found);
  }
  /// Counts a node with several components of which at most one is `left` to search. That is a call
  /// of Algorithm 2.
  KOKKOS_FUNCTION void count_if_split(std::uint32_t found, std::uint32_t left) {
    if (found > 1) {
      graph.leader([&]() {
        count_branch(found);
        count_nodes(left);
      });
    }
  }
  KOKKOS_FUNCTION void count_components(std::uint32_t found) const {
    if (search.count) {
      Kokkos::atomic_add(&search.histogram(Kokkos::min(found, histogram_bins - 1)),
                         AtomicWord{1});  // relaxed: a counter
    }
  }

  // The next node: this file

  KOKKOS_FUNCTION std::uint32_t next_item(std::uint64_t attempt);
  KOKKOS_FUNCTION std::uint32_t find_item(std::uint64_t attempt);
  KOKKOS_FUNCTION void wait(std::uint64_t polls, Observation& last) const;

  // Nodes to and from storage: search_node.hpp

  KOKKOS_FUNCTION static NodeHead& head_of(unsigned char* slot) {
    return *reinterpret_cast<NodeHead*>(slot);
  }
  KOKKOS_FUNCTION static Degree* degrees_of(unsigned char* slot) {
    return reinterpret_cast<Degree*>(slot + sizeof(NodeHead));
  }
  KOKKOS_FUNCTION void load(std::uint32_t item);
  KOKKOS_FUNCTION void load_root(std::uint32_t index);
  KOKKOS_FUNCTION void load_slot(unsigned char* slot) const;
  KOKKOS_FUNCTION void store_slot(unsigned char* slot, Action action, std::uint32_t vertex) const;
  KOKKOS_FUNCTION void apply(Action action, std::uint32_t vertex);
  KOKKOS_FUNCTION bool store_node(Action action, std::uint32_t vertex);
  KOKKOS_FUNCTION bool enqueue(std::uint32_t slot, std::uint32_t entry);
  KOKKOS_FUNCTION bool enqueue_as_leader(std::uint32_t slot, std::uint32_t entry);
  KOKKOS_FUNCTION void finish_node();
  KOKKOS_FUNCTION void report_finished();

  // Visiting a node: search_node.hpp

  KOKKOS_FUNCTION void visit();
  KOKKOS_FUNCTION Verdict reduce(DegreeStats& stats) const;
  KOKKOS_FUNCTION void branch(std::uint32_t vertex, bool replaying);
  /// What the first or the second branch of a vertex takes.
  KOKKOS_FUNCTION Action branch_action(bool first) const {
    return first == search.vertex_first ? Action::take_vertex : Action::take_neighbours;
  }

  // Small graphs: small_solve.hpp

  KOKKOS_FUNCTION bool solve_small(std::uint32_t live, std::uint32_t best, bool whole);
  KOKKOS_FUNCTION bool store_branch(std::uint32_t lane, std::uint32_t live,
                                    typename Small::Branch const& branch,
                                    typename Small::Set const& taken);
  KOKKOS_FUNCTION TAPER_NOINLINE void publish_cover(std::uint32_t lane, std::uint32_t live,
                                                    typename Small::Set const& cover) const;

  // Branching without storage: search_node.hpp

  KOKKOS_FUNCTION void branch_on_path(std::uint32_t vertex, bool replaying);
  KOKKOS_FUNCTION bool replay_next();
  KOKKOS_FUNCTION bool has_path() const;

  // Branching on components: component_branches.hpp

  KOKKOS_FUNCTION Split split_components(DegreeStats& left);
  KOKKOS_FUNCTION bool solve_directly(DegreeStats const& component, bool only);
  KOKKOS_FUNCTION bool open_branch(std::uint32_t& branch, std::uint32_t& last_entry,
                                   std::uint32_t cover_before, std::uint32_t all) const;
  KOKKOS_FUNCTION void write_taken(std::uint32_t branch) const;
  KOKKOS_FUNCTION std::uint32_t initial_best(std::uint32_t branch, std::uint32_t cover_before,
                                             std::uint32_t size) const;
  template <class Predicate>
  KOKKOS_FUNCTION void open_component(std::uint32_t entry, std::uint32_t branch,
                                      std::uint32_t cover_before, DegreeStats const& component,
                                      Predicate const& is_in) const;
  KOKKOS_FUNCTION bool store_component(std::uint32_t branch, std::uint32_t cover_before,
                                       DegreeStats const& component);
  KOKKOS_FUNCTION void continue_as_component(std::uint32_t branch, std::uint32_t last_entry,
                                             std::uint32_t cover_before,
                                             DegreeStats const& component, std::uint32_t unopened,
                                             std::uint32_t found);
  KOKKOS_FUNCTION Split finish_branch(std::uint32_t branch, std::uint32_t last_entry,
                                      std::uint32_t cover_before, std::uint32_t unopened,
                                      std::uint32_t found);
  KOKKOS_FUNCTION void add_taken(std::uint32_t branch, std::uint32_t cover_before,
                                 std::uint32_t excess) const;
  /// The range of a component's vertices in the degree array, as multiples of 32.
  KOKKOS_FUNCTION std::uint32_t first_of(DegreeStats const& component) const {
    return search.bounds ? component.low / 32 * 32 : node().first;
  }
  KOKKOS_FUNCTION std::uint32_t end_of(DegreeStats const& component) const {
    return search.bounds ? (component.high + 31) / 32 * 32 : node().end;
  }

  // Recording covers, completing components: component_branches.hpp

  KOKKOS_FUNCTION void record_cover() const;
  KOKKOS_FUNCTION void improve(std::uint32_t component, std::uint32_t size,
                               std::uint32_t& row) const;
  KOKKOS_FUNCTION void reduce_best_sum(std::uint32_t gain) const;
  template <class Bits>
  KOKKOS_FUNCTION void merge(std::uint32_t* into, Bits const& bits, std::uint32_t first,
                             std::uint32_t end) const;
  KOKKOS_FUNCTION void complete_component(std::uint32_t component);
  KOKKOS_FUNCTION std::uint32_t leave_branch(std::uint32_t branch, std::uint32_t count);

  Search const& search;
  NodeGraph const graph;
  Small& small;  ///< in scratch
  TeamState& state;
  std::uint32_t const team;
  // Used by the leader only.
  bool roots_are_left = true;
  std::uint64_t nodes = 0;
  std::uint64_t activity_begin = 0;
  Activity activity = Activity::idle;
  /// Complete nodes of `unreported_component` that its registry entry still counts as pending. See
  /// finish_node().
  std::uint32_t unreported = 0;
  std::uint32_t unreported_component = nothing;
};

/// The main loop: takes a node, visits it, until the launch ends.
template <class Search>
KOKKOS_INLINE_FUNCTION void TeamSearch<Search>::run() {
  activity_begin = search.count ? ticks() : 0;
  graph.leader([&]() {
    graph.workspace.cover_row = state.cover_row;
    graph.workspace.take_count = 0;
    graph.workspace.candidate_count = 0;
  });
  bool resumed = state.path_length != 0;  // all lanes read it before one changes it
  graph.barrier();
  std::uint64_t polls = 0;
  Observation observation{};
  for (;;) {
    std::uint32_t item = nothing;
    if (!resumed) {
      enter(Activity::storage);
      item = graph.from_leader([&]() { return next_item(polls); });
      if (item == no_more_items) {
        break;
      }
    }
    if (resumed || item != nothing) {
      if (!resumed) {
        load(item);
      }
      if (!resumed || replay_next()) {
        visit();
      }
      resumed = false;
      polls = 0;
      continue;
    }
    report_finished();
    enter(Activity::idle);
    graph.leader([&]() { wait(++polls, observation); });
  }
  report_finished();
  enter(Activity::idle);
  graph.leader([&]() {
    state.cover_row = graph.workspace.cover_row;
    state.nodes += nodes;
    if (nodes > 0) {
      advance_heartbeat();
    }
  });
}

// Called by the leader:

/// The next node: a slot in storage; or slots() + a root's index; `nothing` if there is none now;
/// no_more_items at the launch's end.
template <class Search>
KOKKOS_INLINE_FUNCTION std::uint32_t TeamSearch<Search>::next_item(std::uint64_t attempt) {
  std::uint32_t const item = find_item(attempt);
  if (item != nothing && attempt > 0) {
    Kokkos::atomic_sub(&control().idle, 1u);  // relaxed: polled
  }
  return item;
}

/// Tries to steal from a few victims per call. Trying 32 victims at once, one per lane, was no
/// faster: on an H100, qc324 took 9.9 ms instead of 8.5 ms, and other graphs took as long as
/// before.
template <class Search>
KOKKOS_INLINE_FUNCTION std::uint32_t TeamSearch<Search>::find_item(std::uint64_t attempt) {
  if (stopped()) {
    return no_more_items;
  }
  std::uint32_t const item = search.balance.take(team, attempt);
  if (item != nothing) {
    return item;
  }
  if (roots_are_left) {
    auto const roots = static_cast<std::uint32_t>(search.roots.extent(0));
    // relaxed: it saves an atomic when no root is left, since the number only rises.
    if (relaxed_load(control().next_root) < roots) {
      std::uint32_t const root = Kokkos::atomic_fetch_add(&control().next_root, 1u);  // relaxed
      if (root < roots) {
        return slots() + root;
      }
    }
    roots_are_left = false;
  }
  return nothing;
}

/// One poll of an idle team, with the watchdog: a launch ends if no team has advanced the heartbeat
/// for LaunchLimits::patience. Only the launch ends, not the search: a working team may be slow,
/// and the team that holds the work may not be resident. The watchdog uses the clock, not a count
/// of polls: on an overloaded host a single poll may last arbitrarily long.
///
/// The more teams are idle, the longer each sleeps. Thousands of polling teams would slow down the
/// memory accesses of the working ones.
template <class Search>
KOKKOS_INLINE_FUNCTION void TeamSearch<Search>::wait(std::uint64_t polls, Observation& last) const {
  if (polls == 1) {
    last.idle = Kokkos::atomic_fetch_add(&control().idle, 1u);  // relaxed: polled
  }
  if (polls % polls_per_check == 1) {
    AtomicWord const heartbeat = relaxed_load(control().heartbeat);  // relaxed: polled
    std::uint64_t const now = ticks();
    if (polls == 1 || heartbeat != last.heartbeat) {
      last = {heartbeat, now, relaxed_load(control().idle)};
    } else if (now - last.at >= search.limits.patience) {
      stop(stalled);
    }
  }
  taper::pause(Kokkos::min(200 + sleep_per_idle_team_ns * last.idle, 50'000u));
}

}  // namespace taper::vertex_cover::component_search
