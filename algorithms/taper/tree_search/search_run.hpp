// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/balance.hpp>
#include <taper/contract.hpp>
#include <taper/resources.hpp>
#include <taper/tree_search/offspring.hpp>
#include <taper/tree_search/options.hpp>
#include <taper/tree_search/workers.hpp>

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

/// Gives every team a larger store, in which its batches begin at the bottom.
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
    auto const ring = static_cast<std::uint32_t>(from.extent(1));
    Kokkos::parallel_for(
        Kokkos::TeamThreadRange(member, state.stored * batch),
        [&](std::uint32_t i) { to(team, i) = from(team, (state.bottom * batch + i) % ring); });
    member.team_barrier();
    Kokkos::single(Kokkos::PerTeam(member), [&]() { teams(team).bottom = 0; });
  }
};

/// Runs Search on a tree, in launches of bounded length.
template <ExecutionSpace Exec>
class Run {
 public:
  Run(Exec const& where, Tree const& tree, Options const& options)
      : where_(where), tree_(tree), options_(options), offspring_(offspring_of(tree)) {
    std::uint64_t const resident =
        resident_teams(where, Layout::lanes, Layout::scratch_bytes, resident_lanes);
    teams_ = options.teams != 0 ? options.teams : std::max<std::uint64_t>(1, resident / spare);
    // More teams than a GPU runs at a time would come when all is done.
    teams_ = is_gpu<Exec> ? std::min(teams_, resident) : teams_;
    TAPER_REQUIRE(teams_ <= most_teams, "taper::tree_search::count: " + std::to_string(teams_) +
                                            " teams, more than " + std::to_string(most_teams));
  }

  Report operator()() {
    std::string const label = "taper::tree_search::balance";
    std::uint64_t const own = Layout::slots;
    if (options_.schedule == Schedule::steal) {
      std::uint64_t const room = options_.queue_items != 0 ? options_.queue_items : own;
      return search(Stealing<Memory>(where_, label, teams_, room));
    }
    if (options_.schedule == Schedule::worklist) {
      std::uint64_t const room = options_.queue_items != 0 ? options_.queue_items : 2 * teams_;
      return search(SharedList<Memory>(where_, label, teams_, own, room));
    }
    return search(SharedList<Memory>(where_, label, teams_, own, 1, 0));  // none is ever shared
  }

 private:
  using Memory = typename Exec::memory_space;
  using Layout = Search<Exec, Stealing<Memory>>;  // its sizes are those of all
  template <class T>
  using List = Kokkos::View<T*, Memory>;
  template <class T>
  using Table = Kokkos::View<T**, Kokkos::LayoutRight, Memory>;

  /// The tree's first nodes in breadth: one a team, or as many as a short while finds.
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

  template <class Type>
  Type fresh(std::string const& name, std::uint64_t rows, std::uint64_t columns) const {
    return Type(
        Kokkos::view_alloc(where_, Kokkos::WithoutInitializing, "taper::tree_search::" + name),
        rows, columns);
  }
  template <class T>
  List<T> zeros(std::string const& name, std::uint64_t count) const {
    return List<T>(Kokkos::view_alloc(where_, "taper::tree_search::" + name), count);
  }

  template <class Balance>
  Report search(Balance const& balance) {
    using Search = detail::Search<Exec, Balance>;
    std::uint64_t const store =
        (options_.store_nodes != 0 ? options_.store_nodes : store_nodes) / Search::batch + 1;
    Search search{
        copy_to(where_, offspring_),
        balance,
        fresh<Table<Node>>("lent", teams_ * Search::slots, Search::batch),
        zeros<std::uint32_t>("in_use", teams_ * Search::slots),
        fresh<Table<Node>>("store", teams_, store * Search::batch),
        fresh<Table<Node>>("parked", teams_, Search::room),
        zeros<TeamState>("teams", teams_),
        Kokkos::View<Control, Memory>(Kokkos::view_alloc(where_, "taper::tree_search::control")),
        {}};
    Tally tally;
    std::uint64_t const at_work = deal(search, first_nodes(tally));
    launch_until_done(search, at_work);

    Report report{.workers = teams_, .moved = balance.moved(where_)};
    auto const teams = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, search.teams);
    Kokkos::deep_copy(where_, teams, search.teams);
    where_.fence("taper::tree_search: what the teams have counted");
    for (std::size_t t = 0; t < teams_; ++t) {
      tally.add(Tally{teams(t).nodes, teams(t).leaves, teams(t).depth});
    }
    report.nodes = tally.nodes;
    report.leaves = tally.leaves;
    report.depth = tally.depth;
    return report;
  }

  /// Gives each of the first teams one node; returns how many have got one.
  template <class Search>
  std::uint64_t deal(Search const& search, std::deque<Node> const& nodes) const {
    std::pair<std::size_t, std::size_t> const lucky{0, std::min<std::size_t>(nodes.size(), teams_)};
    List<Node> const firsts(
        Kokkos::view_alloc(where_, Kokkos::WithoutInitializing, "taper::tree_search::firsts"),
        lucky.second);
    auto const firsts_here = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, firsts);
    auto const teams = Kokkos::create_mirror_view(search.teams);
    for (std::size_t t = 0; t < lucky.second; ++t) {
      firsts_here(t) = nodes[t];
      teams(t).size = 1;
    }
    Kokkos::deep_copy(where_, firsts, firsts_here);
    Kokkos::deep_copy(where_, Kokkos::subview(search.parked, lucky, 0), firsts);
    Kokkos::deep_copy(where_, search.teams, teams);
    where_.fence("taper::tree_search: the host's first nodes may go");
    return lucky.second;
  }

  template <class Search>
  void launch_until_done(Search& search, std::uint64_t at_work) const {
    using Clock = std::chrono::steady_clock;
    typename Search::Policy policy(where_, static_cast<int>(teams_), 1, Search::lanes);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(Search::scratch_bytes + 64)));
    Control control{0, at_work, go_on};
    Kokkos::View<Control, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const here(
        &control);
    search.pace = {first_share, patience};
    AtomicWord heard = 0;
    for (std::uint64_t silent = 0; control.open > 0;) {
      control.stop = go_on;
      Kokkos::deep_copy(where_, search.control, here);
      auto const begin = Clock::now();
      Kokkos::parallel_for("taper::tree_search::search", policy, search);
      Kokkos::deep_copy(where_, here, search.control);
      where_.fence("taper::tree_search: how far the search has come");
      std::chrono::duration<double> const lasted = Clock::now() - begin;
      silent = control.heartbeat == heard ? silent + 1 : 0;
      heard = control.heartbeat;
      TAPER_REQUIRE(silent < most_silent,
                    "taper::tree_search::count: " + std::to_string(control.open) +
                        " parts are open, and nobody goes on with them");
      if (control.stop == store_full) {
        grow_stores(search);
      } else if (lasted.count() < 0.05) {
        search.pace.steps *= 2;  // a launch lasts about a tenth of a second
      } else if (lasted.count() > 0.2 && search.pace.steps > least_share) {
        search.pace.steps /= 2;
      }
    }
  }

  template <class Search>
  void grow_stores(Search& search) const {
    auto const larger = fresh<Table<Node>>("store", teams_, 2 * search.store.extent(1));
    Kokkos::parallel_for("taper::tree_search::move_stores",
                         Kokkos::TeamPolicy<Exec>(where_, static_cast<int>(teams_), Kokkos::AUTO),
                         MoveStores<Exec>{search.store, larger, search.teams, Search::batch});
    search.store = larger;
    where_.fence("taper::tree_search: the smaller stores may go");
  }

  static constexpr std::uint64_t resident_lanes = 512;  ///< Search::Policy's launch bounds
  /// Of the teams that a GPU can run at a time, one in so many: two for each of a processor's
  /// schedulers keep it busy, and the fewer teams, the more work each has.
  static constexpr std::uint64_t spare = is_gpu<Exec> ? 2 : 1;
  /// The number of a batch's last node is an item.
  static constexpr std::uint64_t most_teams =
      std::numeric_limits<std::uint32_t>::max() / (Layout::slots * Layout::batch) / 2;
  static constexpr std::uint64_t store_nodes = 2048;
  static constexpr std::uint64_t first_share = std::uint64_t{1} << 16;
  static constexpr std::uint64_t least_share = std::uint64_t{1} << 10;
  static constexpr std::uint64_t patience = std::uint64_t{1} << 14;
  static constexpr std::uint64_t most_silent = 1000;

  Exec const& where_;
  Tree const& tree_;
  Options const& options_;
  Offspring<Kokkos::HostSpace> offspring_;
  std::uint64_t teams_ = 1;
};

}  // namespace taper::tree_search::detail
