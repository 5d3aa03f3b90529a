// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/duo.hpp>
#include <taper/large_view.hpp>
#include <taper/region.hpp>
#include <taper/report.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/gather_ranks.hpp>
#include <taper/stable_marriage/initialise.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/likeness.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/pace.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stable_marriage/tails.hpp>
#include <taper/stable_marriage/wide.hpp>
#include <taper/stable_marriage/workspace.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace taper::stable_marriage::detail {

/// Sum of the proposals that stand, or that parked chains have made.
template <class MemorySpace>
struct SumProposals {
  Kokkos::View<AtomicWord*, MemorySpace> best;
  Chain const* parked;
  std::uint64_t receivers;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& sum) const {
    if (i >= receivers) {
      sum += parked[i - receivers].position;
    } else if (best(i) != no_offer) {
      sum += Offer::get<offer_proposals>(best(i));
    }
  }
};

template <class Id, class MemorySpace>
struct RenewBars {
  Standing<Id, MemorySpace> standing;

  KOKKOS_FUNCTION void operator()(std::uint64_t receiver) const {
    AtomicWord const best = standing.best(receiver);
    if (best != no_offer) {
      standing.bar(receiver) = static_cast<Id>(Offer::get<offer_rank>(best));
    }
  }
};

struct EveryoneFree {
  template <class MemorySpace>
  struct Fill {
    Kokkos::View<Chain*, MemorySpace> waiting;
    std::uint32_t first;
    KOKKOS_FUNCTION void operator()(std::uint32_t i) const { waiting(i) = {first + i, 0}; }
  };

  /// The proposers from `first` on.
  template <ExecutionSpace Exec, class MemorySpace>
  static Frontier<Chain, MemorySpace> frontier(Exec const& where, std::uint64_t proposers,
                                               std::uint32_t first = 0) {
    Frontier<Chain, MemorySpace> all(where, "taper::stable_marriage::frontier", proposers);
    Kokkos::parallel_for(
        "taper::stable_marriage::everyone_free",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint32_t>>(where, 0, proposers),
        Fill<MemorySpace>{all.waiting, first});
    return all;
  }
};

/// The matching as it stands when an engine begins, the proposers who are free, and what was counted
/// on the way there.
template <class Id, class MemorySpace>
struct Beginning {
  Standing<Id, MemorySpace> standing;
  Frontier<Chain, MemorySpace> frontier;
  Tally tally = {};

  template <ExecutionSpace Exec>
  static Beginning of_all(Exec const& where, std::uint64_t n) {
    return {Standing<Id, MemorySpace>(where, n),
            EveryoneFree::frontier<Exec, MemorySpace>(where, n)};
  }
};

/// A run from the initialised state to the last proposal. Its tables live in the wide side's
/// memory.
template <Place P, class Lists>
struct Execution {
  using Device = DeviceOf<P>;
  using Memory = typename Lists::memory_space;
  using Id = typename Lists::non_const_value_type;
  using Candidates = Kokkos::View<CandidateWord<Id>**, Kokkos::LayoutRight, Memory>;
  static constexpr bool shared_memory = HostExecutionSpace<Device>;
  static constexpr std::uint32_t ahead = RowTeams<Device>::template ahead<Id>;

  P const& place;
  Options const& options;
  /// Of the proposers.
  Lists lists;
  /// Of the receivers; transposed where a second stage, or the PRMatrix, needs them so.
  Table<Id, Memory> ranks;
  /// The PRMatrix, in one table (candidates) or as what it adds to the lists (ordered); of no
  /// extent until somebody needs it.
  Candidates candidates;
  Table<Id, Memory> ordered;
  /// The proposers' own ranks of everybody, where a tail has use for them.
  Table<Id, Memory> positions;
  Workspace<Id, Memory>& workspace;
  Standing<Id, Memory> standing;
  Frontier<Chain, Memory> frontier;
  Kokkos::View<Tally*, Memory> counters;

  /// What the first stage has shown: everybody turns to the same few receivers. Whoever is next on
  /// the list is then contended, and only an offer tells; the lanes of a warp make it together.
  bool lists_are_alike = false;
  bool ranks_are_transposed = false;
  std::uint64_t taper_step = 0;
  std::uint64_t taper_live = 0;
  Side tail_side = Side::none;
  std::vector<Migration> migrations = {};

  Device const& device() const { return device_of(place); }
  std::uint32_t n() const { return static_cast<std::uint32_t>(lists.extent(0)); }
  Pace<Device> pace() const { return {device(), options, n(), AnyDuo<P>, sizeof(Id)}; }
  std::uint64_t wide_ends_at() const { return pace().wide_ends_at(lists_are_alike); }

  RankMatrixLookup<Id> by_rank_matrix() const { return {rows_of(lists), ranks_as_they_are()}; }
  ProposerRowsLookup<Id> by_proposer_rows() const { return {rows_of(lists), ranks_as_they_are()}; }
  OrderedRanksLookup<Id> by_ordered_ranks() const {
    return {rows_of(lists), rows_of(ConstTable<Id, Memory>(ordered))};
  }
  PRMatrixLookup<Id> by_pr_matrix() const {
    return {rows_of(typename Candidates::const_type(candidates))};
  }
  Rows<Id const> ranks_as_they_are() const { return rows_of(ConstTable<Id, Memory>(ranks)); }

  template <std::uint32_t ahead = 1, class Lookup, class Contention, class Counters>
  Propose<Lookup, Contention, Counters, ahead>
  step(Lookup const& lookup, Contention const& contention, Counters const& counts) const {
    return {lookup, contention, counts, n()};
  }

  /// A row of the rank matrix was a receiver's; from here on it is a proposer's.
  void transpose_ranks() {
    if (!ranks_are_transposed) {
      transpose<Device, Id, Memory>(device(), ranks);
      ranks_are_transposed = true;
    }
  }

  /// The PRMatrix.
  void build_candidates() {
    transpose_ranks();
    candidates =
        allocate_large<Candidates>(device(), "taper::stable_marriage::pr_matrix", n(), n());
    pair_candidates<Device, Lists, Id>(device(), lists, ranks, candidates);
  }

  /// What a hybrid run needs that has outlasted its first stage: while it is wide, the PRMatrix, as
  /// two tables; for a tail, which is one proposer's rows at a time, the transposed ranks, and for
  /// one that stays on a GPU, long if lanes have left it, positions in the room of the other table.
  void prepare_second_stage() {
    if (frontier.live > wide_ends_at()) {
      ordered = workspace.ordered_ranks(device());
      if (lists_are_alike) {
        return gather_ranks<Device, Lists, Id>(device(), lists, ranks, ordered);
      }
      transpose_ranks();
      order_ranks<Device, Lists, Id>(device(), lists, ranks, ordered);
    } else {
      transpose_ranks();
      if (is_gpu<Device> && pace().side_of_rest(frontier.live) == Side::device) {
        positions = workspace.ordered_ranks(device());
        build_rank_matrix(device(), lists, positions);
      }
    }
  }

  void run() {
    FencedRegion const region(device(), "taper::stable_marriage::execution");
    bool const ready = candidates.extent(0) != 0;
    switch (options.schedule) {
    case Schedule::sequential:
      return ready ? sequential(by_pr_matrix()) : sequential(by_rank_matrix());
    case Schedule::parallel:
      return ready ? parallel(by_pr_matrix()) : parallel(by_rank_matrix());
    case Schedule::hybrid:
      wide(by_rank_matrix(), first_stage_steps());
      lists_are_alike = pace().shows_lists_alike(frontier.live, ahead);
      first_tail();
      lanes_tail(by_rank_matrix());
    }
  }

  void run_second_stage() {
    FencedRegion const region(device(), "taper::stable_marriage::execution");
    if (ordered.extent(0) != 0) {
      wide(by_ordered_ranks(), unlimited);
      if (lists_are_alike) {
        renew_bars();
      }
      lanes_tail(by_ordered_ranks());
    }
    last_tail();
  }

  template <class Lookup>
  void sequential(Lookup const& lookup) {
    run_leg(device(), "taper::stable_marriage::sequential",
            step(lookup, Alone<Id, Memory>{standing}, counters), frontier,
            {.turn = pace().own_turn(), .workers = 1});
  }

  template <class Lookup>
  void parallel(Lookup const& lookup) {
    Leg const leg{.turn = pace().own_turn(),
                  .workers = options.algorithm == Algorithm::gale_shapley ? concurrency(device())
                                                                          : unlimited};
    if (options.contention == Contention::fetch_min) {
      run_leg(device(), "taper::stable_marriage::parallel",
              step(lookup, FetchMin<Id, Memory>{standing}, counters), frontier, leg);
    } else {
      run_leg(device(), "taper::stable_marriage::parallel",
              step(lookup, CompareExchange<Id, Memory>{standing}, counters), frontier, leg);
    }
  }

  /// On a host whose workers come equally far, a few of the receivers' ranks are looked up again and
  /// again where lists are alike, and stay in the cache: the rank matrix will do to the end.
  std::uint64_t first_stage_steps() const {
    if constexpr (shared_memory) {
      if (options.algorithm == Algorithm::locality_aware && are_alike(rows_of(lists), n())) {
        return unlimited;
      }
    }
    return pace().first_stage_steps();
  }

  /// Wide legs until the run tapers, or `steps` are up.
  template <class Lookup>
  void wide(Lookup const& lookup, std::uint64_t steps) {
    Leg leg = pace().wide_leg();
    leg.live = wide_ends_at();
    leg.rebalance = leg.workers != unlimited;
    // Who runs dry ends a leg, and the next one deals anew what is left.
    auto const legs = [&](auto const& propose) {
      std::uint64_t made = 0;
      std::uint64_t dry_after = 0;
      do {
        leg.steps = steps - made;
        dry_after = run_leg(device(), "taper::stable_marriage::wide", propose, frontier, leg);
        made += dry_after;
      } while (dry_after > 0 && made < steps && frontier.live > leg.live);
    };
    if constexpr (shared_memory) {
      if (leg.workers == 1) {
        return legs(step(lookup, Alone<Id, Memory>{standing}, counters));
      }
    }
    if (options.contention == Contention::compare_exchange) {
      using Filter = Filtered<CompareExchange<Id, Memory>, Id, Memory>;
      return legs(step<ahead>(lookup, Filter{{standing}}, counters));
    }
    with_wide_step<Device>(lookup, standing, counters, lists_are_alike, legs);
  }

  /// A tail that may be short: one worker, as long as transposing the ranks is not worth it. A
  /// GPU's single threads are too slow for it.
  void first_tail() {
    if constexpr (shared_memory) {
      if (has_tapered()) {
        note_taper();
        on_tail_side([&](auto const& where) {
          run_leg(where, "taper::stable_marriage::tail",
                  step(by_rank_matrix(), Alone<Id, Memory>{standing}, counters), frontier,
                  {.steps = pace().short_run(), .turn = pace().own_turn(), .workers = 1});
        });
      }
    }
  }

  /// A GPU's tail where runs of rejections are short: each chain by the lanes of a thread, the last
  /// few by a core of the host, if there is one. Those that want a team are left.
  template <class Lookup>
  void lanes_tail(Lookup const& lookup) {
    if constexpr (!shared_memory) {
      if (has_tapered() && pace().tail_plan().side == Side::device) {
        note_taper();
        if constexpr (AnyDuo<P>) {
          if (options.tail == Tail::automatic && pace().last_chains().chains > 0) {
            return lanes_and_host_tail(lookup);
          }
        }
        tail_by_lanes(device(), lookup, standing, counters, frontier);
      }
    }
  }

  template <class Lookup>
  void lanes_and_host_tail(Lookup const& lookup) {
    Kokkos::View<Tally*, Kokkos::HostSpace> const counts("taper::stable_marriage::counters",
                                                         counters.extent(0));
    if (auto const migration = tail_by_lanes_and_host(place, pace().last_chains(), lookup, standing,
                                                      workspace, counters, counts, frontier)) {
      migrations.push_back(*migration);
      tail_side = frontier.live == 0 ? Side::host : Side::device;
      merge_counts(counts);
    }
  }

  /// Whatever is left of a run, to its end.
  void last_tail() {
    if (frontier.live == 0) {
      return;
    }
    transpose_ranks();
    note_taper();
    if constexpr (shared_memory) {
      on_tail_side([&](auto const& where) {
        tail_by_teams(where, by_proposer_rows(), standing, counters, frontier);
      });
    } else {
      if constexpr (AnyDuo<P>) {
        tail_side = pace().side_of_rest(frontier.live);
        if (tail_side == Side::host) {
          return tail_by_rows();
        }
      }
      if (positions.extent(0) != 0) {
        return tail_by_ranks(device(), by_proposer_rows(),
                             rows_of(ConstTable<Id, Memory>(positions)), standing, counters,
                             frontier);
      }
      tail_by_teams(device(), by_proposer_rows(), standing, counters, frontier);
    }
  }

 private:
  /// Plain offers have left the bars as they were; a tail asks them.
  void renew_bars() {
    Kokkos::parallel_for(
        "taper::stable_marriage::renew_bars",
        Kokkos::RangePolicy<Device, Kokkos::IndexType<std::uint64_t>>(device(), 0, n()),
        RenewBars<Id, Memory>{standing});
  }

  bool has_tapered() const { return frontier.live > 0 && frontier.live <= wide_ends_at(); }

  /// Once a run: how far it had come when it tapered, and where the rest goes.
  void note_taper() {
    if (tail_side != Side::none) {
      return;
    }
    tail_side = pace().tail_plan().side;
    taper_live = frontier.live;
    Kokkos::parallel_reduce("taper::stable_marriage::taper_step",
                            Kokkos::RangePolicy<Device, Kokkos::IndexType<std::uint64_t>>(
                                device(), 0, n() + frontier.live),
                            SumProposals<Memory>{standing.best, frontier.waiting.data(), n()},
                            taper_step);
    device().fence("taper::stable_marriage: the proposals made before it tapered");
    if (tail_side == Side::host && shared_memory) {
      migrations.push_back({Side::device, Side::host, frontier.live, 0});
    }
  }

  template <class Use>
  void on_tail_side(Use const& use) const {
    if constexpr (AnyDuo<P>) {
      if (tail_side == Side::host) {
        return use(place.host);
      }
    }
    use(device());
  }

  /// The tail on a host whose memory is not the device's. The host takes over the standing offers
  /// and, for whoever is free, the two rows that a proposer reads; the tables stay where they are.
  void tail_by_rows() {
    using Host = HostOf<P>;
    using HostMemory = typename Host::memory_space;
    Host const& host = place.host;
    std::uint64_t const row_bytes = n() * sizeof(Id);
    std::pair<std::size_t, std::size_t> const people{0, n()};

    auto const [here, chain_bytes] =
        migrate(device(), host, "taper::stable_marriage::frontier", frontier);
    std::uint64_t bytes = chain_bytes;
    Standing<Id, HostMemory> const stands(host, n());
    Kokkos::View<Id*, HostMemory> const list(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "taper::stable_marriage::list"), n());
    Kokkos::View<Id*, HostMemory> const his_ranks(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "taper::stable_marriage::ranks"), n());
    Kokkos::View<Tally*, HostMemory> const counts("taper::stable_marriage::counters",
                                                  counters.extent(0));
    host.fence("taper::stable_marriage: the host's standing offers are initialised");
    Kokkos::deep_copy(device(), stands.best, standing.best);
    device().fence("taper::stable_marriage: the standing offers have arrived");
    bytes += n() * sizeof(std::uint64_t);

    auto const propose = step(ProposerRowsLookup<Id>{{list.data(), 0}, {his_ranks.data(), 0}},
                              Alone<Id, HostMemory>{stands}, counts);
    Tally tally{};
    for (std::uint64_t i = 0; i < here.live; ++i) {
      Chain chain = here.waiting(i);
      Outcome outcome = Outcome::handed_over;
      while (outcome != Outcome::retired) {
        if (outcome == Outcome::handed_over) {
          Kokkos::deep_copy(device(), list, Kokkos::subview(lists, chain.proposer, Kokkos::ALL));
          Kokkos::deep_copy(device(), his_ranks, Kokkos::subview(ranks, chain.proposer, people));
          device().fence("taper::stable_marriage: the free proposer's rows have arrived");
          bytes += 2 * row_bytes;
        }
        outcome = propose(chain, tally);
      }
    }
    propose.publish(tally);
    merge_counts(counts);

    Kokkos::deep_copy(device(), standing.best, stands.best);
    device().fence("taper::stable_marriage: the host's offers stand on the device");
    bytes += n() * sizeof(std::uint64_t);
    migrations.push_back({Side::device, Side::host, here.live, bytes});
    frontier.live = 0;
  }

  template <class HostCounts>
  void merge_counts(HostCounts const& counts) {
    if (counters.extent(0) == 0) {
      return;
    }
    auto const total = Kokkos::create_mirror_view(Kokkos::HostSpace{}, counters);
    Kokkos::deep_copy(device(), total, counters);
    device().fence("taper::stable_marriage: the device's counts have arrived");
    total(0).acceptances += counts(0).acceptances;
    total(0).atomic_operations += counts(0).atomic_operations;
    total(0).failed_compare_exchanges += counts(0).failed_compare_exchanges;
    Kokkos::deep_copy(device(), counters, total);
    device().fence("taper::stable_marriage: the counts are merged");
  }
};

}  // namespace taper::stable_marriage::detail
