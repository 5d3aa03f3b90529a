// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/bounded_search.hpp>
#include <taper/device_info.hpp>
#include <taper/error.hpp>
#include <taper/tree_search/offspring.hpp>
#include <taper/tree_search/options.hpp>
#include <taper/tree_search/search.hpp>
#include <taper/work_queues.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <utility>

namespace taper::tree_search::detail {

/// Copies every team's store to a larger one, with the oldest batch at position 0.
template <class Exec>
struct MoveStores {
  using Memory = typename Exec::memory_space;
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Table = Kokkos::View<Node**, Kokkos::LayoutRight, Memory>;

  Table from;
  Table to;
  Kokkos::View<TeamState*, Memory> teams;
  std::uint32_t batch;

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    auto const team = static_cast<std::size_t>(member.league_rank());
    TeamState const state = teams(team);
    auto const capacity = static_cast<std::uint32_t>(from.extent(1));
    Kokkos::parallel_for(
        Kokkos::TeamThreadRange(member, state.stored * batch),
        [&](std::uint32_t i) { to(team, i) = from(team, (state.bottom * batch + i) % capacity); });
    member.team_barrier();
    Kokkos::single(Kokkos::PerTeam(member), [&]() { teams(team).bottom = 0; });
  }
};

/// Runs Search on a tree, as a bounded search.
/// Used by: count(), for the schedules none, worklist and steal.
template <ExecutionSpace Exec>
class SearchRun {
 public:
  SearchRun(Exec const& where, Tree const& tree, Options const& options)
      : where_(where), tree_(tree), options_(options), offspring_(offspring_of(tree)) {
    std::uint64_t const resident =
        resident_teams(where, Layout::lanes, Layout::scratch_bytes, resident_lanes);
    teams_ = options.teams != 0 ? options.teams
                                : std::max<std::uint64_t>(1, resident / resident_per_team);
    // With more teams than a GPU runs at a time, the others would start when all work is done.
    teams_ = is_gpu<Exec> ? std::min(teams_, resident) : teams_;
    TAPER_REQUIRE(teams_ <= max_teams, "taper::tree_search::count: expected at most " +
                                           std::to_string(max_teams) + " teams, got " +
                                           std::to_string(teams_));
  }

  Report operator()() {
    std::string const label = "taper::tree_search::balance";
    std::uint64_t const own = Layout::slots;
    if (options_.schedule == Schedule::steal) {
      std::uint64_t const items = options_.queue_items != 0 ? options_.queue_items : own;
      return search(StealingDeques<Memory>(where_, label, teams_, items));
    }
    if (options_.schedule == Schedule::worklist) {
      std::uint64_t const items = options_.queue_items != 0 ? options_.queue_items : 2 * teams_;
      return search(SharedQueue<Memory>(where_, label, teams_, own, items));
    }
    return search(SharedQueue<Memory>(where_, label, teams_, own, 1, 0));  // shares nothing
  }

 private:
  using Memory = typename Exec::memory_space;
  using Layout = Search<Exec, StealingDeques<Memory>>;  // sizes do not depend on the queue
  template <class T>
  using List = Kokkos::View<T*, Memory>;
  template <class T>
  using Table = Kokkos::View<T**, Kokkos::LayoutRight, Memory>;

  /// The tree's first nodes with children in breadth-first order: one per team, or fewer if 8 nodes
  /// per team are not enough to find them.
  std::deque<Node> first_nodes(Tally& tally) const {
    std::deque<Node> nodes;
    Node const root = root_of(tree_, offspring_);
    tally.add(0, root.children == 0);
    if (root.children > 0) {
      nodes.push_back(root);
    }
    while (!nodes.empty() && nodes.size() < teams_ && tally.nodes < 8 * teams_) {
      Node const child = next_child(nodes.front(), offspring_);
      tally.add(child.depth, child.children == 0);
      if (nodes.front().next == nodes.front().children) {
        nodes.pop_front();
      }
      if (child.children > 0) {
        nodes.push_back(child);
      }
    }
    return nodes;
  }

  /// A table of the device, with the label taper::tree_search::name.
  template <class Type>
  Type uninitialised(std::string const& name, std::uint64_t rows, std::uint64_t columns) const {
    return Type(
        Kokkos::view_alloc(where_, Kokkos::WithoutInitializing, "taper::tree_search::" + name),
        rows, columns);
  }
  template <class T>
  List<T> zeros(std::string const& name, std::uint64_t count) const {
    return List<T>(Kokkos::view_alloc(where_, "taper::tree_search::" + name), count);
  }

  /// Searches with this work queue.
  template <class Queue>
  Report search(Queue const& queue) {
    using Search = detail::Search<Exec, Queue>;
    std::uint64_t const store =
        (options_.store_nodes != 0 ? options_.store_nodes : store_nodes) / Search::batch + 1;
    Search search{
        copy_to(where_, offspring_),
        queue,
        uninitialised<Table<Node>>("shared", teams_ * Search::slots, Search::batch),
        zeros<std::uint32_t>("in_use", teams_ * Search::slots),
        uninitialised<Table<Node>>("store", teams_, store * Search::batch),
        uninitialised<Table<Node>>("parked", teams_, Search::capacity),
        zeros<TeamState>("teams", teams_),
        Kokkos::View<Control, Memory>(Kokkos::view_alloc(where_, "taper::tree_search::control")),
        {}};
    Tally tally;
    std::uint64_t const open = distribute(search, first_nodes(tally));
    launch_until_done(search, open);

    Report report{.workers = teams_, .moved = queue.moved(where_)};
    auto const teams = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, search.teams);
    Kokkos::deep_copy(where_, teams, search.teams);
    where_.fence("taper::tree_search: wait for the teams' counters");
    for (std::size_t t = 0; t < teams_; ++t) {
      tally.add(Tally{teams(t).nodes, teams(t).leaves, teams(t).depth});
    }
    report.nodes = tally.nodes;
    report.leaves = tally.leaves;
    report.depth = tally.depth;
    return report;
  }

  /// Gives one node to each of the first teams. Returns the number of teams that have one.
  template <class Search>
  std::uint64_t distribute(Search const& search, std::deque<Node> const& nodes) const {
    std::pair<std::size_t, std::size_t> const first_teams{
        0, std::min<std::size_t>(nodes.size(), teams_)};
    List<Node> const firsts(
        Kokkos::view_alloc(where_, Kokkos::WithoutInitializing, "taper::tree_search::firsts"),
        first_teams.second);
    auto const firsts_here = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, firsts);
    auto const teams = Kokkos::create_mirror_view(search.teams);
    for (std::size_t t = 0; t < first_teams.second; ++t) {
      firsts_here(t) = nodes[t];
      teams(t).size = 1;
    }
    Kokkos::deep_copy(where_, firsts, firsts_here);
    Kokkos::deep_copy(where_, Kokkos::subview(search.parked, first_teams, 0), firsts);
    Kokkos::deep_copy(where_, search.teams, teams);
    where_.fence("taper::tree_search: copy of the first nodes");
    return first_teams.second;
  }

  /// Runs the search to its end. `open`: the number of teams with a node.
  template <class Search>
  void launch_until_done(Search& search, std::uint64_t open) const {
    if (open == 0) {
      return;
    }
    typename Search::Policy policy(where_, static_cast<int>(teams_), 1, Search::lanes);
    policy.set_scratch_size(0, Kokkos::PerTeam(Search::scratch_bytes + 64));
    Control control{0, open, keep_running};
    search.limits = {first_quota, patience};
    SearchEnd const end = run_bounded_search(
        where_, "taper::tree_search", control, search.control, {},
        [&] { Kokkos::parallel_for("taper::tree_search::search", policy, search); },
        [&](std::chrono::duration<double> duration) {
          if (control.stop == store_full) {
            grow_stores(search);
          } else {
            search.limits.steps = next_quota(search.limits.steps, min_quota, duration, true);
          }
          return control.open == 0;
        });
    TAPER_REQUIRE(end == SearchEnd::finished, "taper::tree_search::count: no progress with " +
                                                  std::to_string(control.open) +
                                                  " open parts; this is an error in Taper");
  }

  /// Doubles the capacity of all stores.
  template <class Search>
  void grow_stores(Search& search) const {
    auto const larger = uninitialised<Table<Node>>("store", teams_, 2 * search.store.extent(1));
    Kokkos::parallel_for("taper::tree_search::move_stores",
                         Kokkos::TeamPolicy<Exec>(where_, static_cast<int>(teams_), Kokkos::AUTO),
                         MoveStores<Exec>{search.store, larger, search.teams, Search::batch});
    search.store = larger;
    where_.fence("taper::tree_search: move of the stores");
  }

  static constexpr std::uint64_t resident_lanes = 512;  ///< by the launch bounds of Search::Policy
  /// The search uses half of the teams that a GPU can run at a time. Two teams per scheduler of a
  /// processor keep it busy, and with fewer teams each has more work.
  static constexpr std::uint64_t resident_per_team = is_gpu<Exec> ? 2 : 1;
  /// An item is the number of a batch's last node, and must fit into 32 bits.
  static constexpr std::uint64_t max_teams =
      std::numeric_limits<std::uint32_t>::max() / (Layout::slots * Layout::batch) / 2;
  static constexpr std::uint64_t store_nodes = 2048;
  static constexpr std::uint64_t first_quota = std::uint64_t{1} << 16;
  static constexpr std::uint64_t min_quota = std::uint64_t{1} << 10;
  /// In ticks: about 17 ms of GPU cycles, 4 ms on a host in nanoseconds.
  static constexpr std::uint64_t patience = std::uint64_t{1} << (is_gpu<Exec> ? 25 : 22);

  Exec const& where_;
  Tree const& tree_;
  Options const& options_;
  Offspring<Kokkos::HostSpace> offspring_;
  std::uint64_t teams_ = 1;
};

}  // namespace taper::tree_search::detail
