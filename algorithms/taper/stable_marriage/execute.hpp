// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/duo.hpp>
#include <taper/large_view.hpp>
#include <taper/region.hpp>
#include <taper/report.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/follow_by_lanes.hpp>
#include <taper/stable_marriage/follow_by_teams.hpp>
#include <taper/stable_marriage/initialise.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/next_candidates.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stable_marriage/workspace.hpp>
#include <taper/tail_policy.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace taper::stable_marriage::detail {

/// Sum of the proposals that stand, or that parked chains have made.
template <class MemorySpace>
struct SumProposals {
  Kokkos::View<AtomicWord*, MemorySpace> best;
  Kokkos::View<Chain*, MemorySpace> parked;
  std::uint64_t receivers;

  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& sum) const {
    if (i >= receivers) {
      sum += parked(i - receivers).position;
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
    KOKKOS_FUNCTION void operator()(std::uint32_t proposer) const {
      waiting(proposer) = {proposer, 0};
    }
  };

  template <ExecutionSpace Exec, class MemorySpace>
  static Frontier<Chain, MemorySpace> frontier(Exec const& where, std::uint64_t n) {
    Frontier<Chain, MemorySpace> all(where, "taper::stable_marriage::frontier", n);
    Kokkos::parallel_for("taper::stable_marriage::everyone_free",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint32_t>>(where, 0, n),
                         Fill<MemorySpace>{all.waiting});
    return all;
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
  /// Of a hybrid run: receivers who are somebody's first choice.
  std::uint64_t first_choices;
  /// Of the proposers.
  Lists lists;
  /// Of the receivers; transposed where a second stage, or the PRMatrix, needs them so.
  Table<Id, Memory> ranks;
  /// The PRMatrix, in one table (candidates) or as what it adds to the lists (ordered); of no
  /// extent until somebody needs it.
  Candidates candidates;
  Table<Id, Memory> ordered;
  Workspace<Id, Memory>& workspace;
  Standing<Id, Memory> standing;
  Frontier<Chain, Memory> frontier;
  Kokkos::View<Tally*, Memory> counters;

  /// What the first stage has shown: everybody turns to the same few receivers. Whoever is next on
  /// the list is then contended, and only an offer tells; the lanes of a warp make it together.
  bool lists_are_alike = false;
  std::uint64_t taper_step = 0;
  std::uint64_t taper_live = 0;
  Side tail_side = Side::none;
  std::vector<Migration> migrations = {};

  Device const& device() const { return device_of(place); }
  std::uint32_t n() const { return static_cast<std::uint32_t>(lists.extent(0)); }

  RankMatrixLookup<Id> by_rank_matrix() const { return {rows_of(lists), ranks_as_they_are()}; }
  ProposerRowsLookup<Id> by_proposer_rows() const { return {rows_of(lists), ranks_as_they_are()}; }
  OrderedRanksLookup<Id> by_ordered_ranks() const {
    return {rows_of(lists), {ordered.data(), static_cast<std::size_t>(ordered.stride(0))}};
  }
  PRMatrixLookup<Id> by_pr_matrix() const {
    return {{candidates.data(), static_cast<std::size_t>(candidates.stride(0))}};
  }
  Rows<Id const> ranks_as_they_are() const {
    return {ranks.data(), static_cast<std::size_t>(ranks.stride(0))};
  }

  template <std::uint32_t ahead = 1, class Lookup, class Contention, class Counters>
  Propose<Lookup, Contention, Counters, ahead>
  step(Lookup const& lookup, Contention const& contention, Counters const& counts) const {
    return {lookup, contention, counts, n()};
  }

  /// The PRMatrix; from here on `ranks` is transposed.
  void build_candidates() {
    transpose<Device, Id, Memory>(device(), ranks);
    candidates =
        allocate_large<Candidates>(device(), "taper::stable_marriage::pr_matrix", n(), n());
    pair_candidates<Device, Lists, Id>(device(), lists, ranks, candidates);
  }

  /// What a hybrid run needs that has outlasted its first stage: while it is wide, the PRMatrix, as
  /// two tables; for a tail, which is one proposer's rows at a time, the transposed ranks will do.
  void prepare_second_stage() {
    transpose<Device, Id, Memory>(device(), ranks);
    if (frontier.live > wide_ends_at()) {
      ordered = workspace.ordered_ranks(device(), n());
      order_ranks<Device, Lists, Id>(device(), lists, ranks, ordered);
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
      // Of one common list, all who have looked at t candidates have settled t at most. A stage
      // that tapered, or a host's, shows nothing of the kind.
      lists_are_alike = is_gpu<Device> && frontier.live > wide_ends_at() &&
                        n() - frontier.live <= 2 * ahead * first_stage_steps();
      first_tail();
      tail_by_lanes(by_rank_matrix());
    }
  }

  /// Runs after the ranks have been transposed.
  void run_second_stage() {
    FencedRegion const region(device(), "taper::stable_marriage::execution");
    if (ordered.extent(0) != 0) {
      wide(by_ordered_ranks(), unlimited);
      if (lists_are_alike) {
        renew_bars();
      }
      tail_by_lanes(by_ordered_ranks());
    }
    last_tail();
  }

  template <class Lookup>
  void sequential(Lookup const& lookup) {
    run_leg(device(), "taper::stable_marriage::sequential",
            step(lookup, Alone<Id, Memory>{standing}, counters), frontier,
            {.turn = own_turn(), .workers = 1});
  }

  template <class Lookup>
  void parallel(Lookup const& lookup) {
    Leg const leg{.turn = own_turn(),
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

  /// Wide legs until the run tapers, or `steps` are up.
  template <class Lookup>
  void wide(Lookup const& lookup, std::uint64_t steps) {
    Leg leg = wide_leg();
    leg.live = wide_ends_at();
    leg.steps = steps;
    // A leg with a limit may end above `live`; one without goes on when a worker that ran dry has
    // stopped it.
    leg.rebalance = steps == unlimited && leg.workers != unlimited;
    auto const legs = [&](auto const& propose) {
      do {
        run_leg(device(), "taper::stable_marriage::wide", propose, frontier, leg);
      } while (leg.rebalance && frontier.live > leg.live);
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
    if constexpr (!shared_memory) {
      if (lists_are_alike) {
        return legs(step(lookup, FetchMin<Id, Memory>{standing}, counters));
      }
    }
    using Filter = Filtered<FetchMin<Id, Memory>, Id, Memory>;
    legs(step<ahead>(lookup, Filter{{standing}}, counters));
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
                  {.steps = short_run(), .turn = own_turn(), .workers = 1});
        });
      }
    }
  }

  /// A GPU's tail where runs of rejections are short: each chain by the lanes of a thread. Those
  /// that want a team are left.
  template <class Lookup>
  void tail_by_lanes(Lookup const& lookup) {
    if constexpr (!shared_memory) {
      if (has_tapered() && tail_plan().side == Side::device) {
        note_taper();
        auto const next = gather_next_candidates(device(), lookup, standing.best, frontier.waiting,
                                                 frontier.live);
        using Contention = Filtered<FetchMin<Id, Memory>, Id, Memory>;
        if (frontier.live > 1) {
          follow_by_lanes(device(), "taper::stable_marriage::tail_by_lanes",
                          step(next, Contention{{standing}}, counters), frontier, 1);
        }
        if (frontier.live == 1) {
          follow_by_lanes(device(), "taper::stable_marriage::tail_by_lanes",
                          step(next, Alone<Id, Memory>{standing}, counters), frontier, 0);
        }
      }
    }
  }

  /// Whatever is left of a run, to its end.
  void last_tail() {
    if (frontier.live == 0) {
      return;
    }
    note_taper();
    if constexpr (shared_memory) {
      on_tail_side([&](auto const& where) {
        follow_by_teams(where, "taper::stable_marriage::tail",
                        step(by_proposer_rows(), Alone<Id, Memory>{standing}, counters), frontier,
                        1);
      });
    } else {
      if constexpr (AnyDuo<P>) {
        if (tail_side == Side::host) {
          return tail_by_rows();
        }
      }
      if (frontier.live == 1) {
        return follow_by_teams(device(), "taper::stable_marriage::tail",
                               step(by_proposer_rows(), Alone<Id, Memory>{standing}, counters),
                               frontier, 1);
      }
      using Contention = Filtered<FetchMin<Id, Memory>, Id, Memory>;
      follow_by_teams(device(), "taper::stable_marriage::tail",
                      step(by_proposer_rows(), Contention{{standing}}, counters), frontier,
                      frontier.live);
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

  /// The paper's algorithms differ in who proposes next: the head of a queue, or whoever was just
  /// displaced.
  std::uint64_t own_turn() const {
    return options.algorithm == Algorithm::gale_shapley ? 1 : unlimited;
  }

  /// Workers of a host's wide legs. A leg of less than 4,096 proposers a worker is over before
  /// another one pays, and where the first choices are few, workers are after the same receivers:
  /// each fills them with his own proposers' order of merit, into which the others' then come one
  /// by one, displacing all who are behind them.
  std::uint64_t host_workers() const {
    return std::clamp<std::uint64_t>(std::min<std::uint64_t>(n() / 4096, first_choices / 64), 1,
                                     concurrency(device()));
  }

  /// On a host backend a worker has a block of proposers and gives each a turn: their rows are
  /// independent, so the next ones can be fetched while one proposes. Following one chain instead
  /// waits for memory at each acceptance. A turn takes a proposer to the end of 16 positions, so
  /// that all have come equally far and nobody finds a receiver engaged to one who is yet to be
  /// displaced by those behind him. Whoever was displaced had until then been preferred to all who
  /// asked: he goes first in the next pass, and those after him are turned away. Where lists are
  /// alike a queue makes an acceptance of every second proposal, n * n / 4 in all; this way it is
  /// some n ln n.
  Leg wide_leg() const {
    if constexpr (shared_memory) {
      if (options.algorithm == Algorithm::locality_aware) {
        return {.turn = 16, .order = Order::displaced_first, .workers = host_workers()};
      }
      bool const follows_chains = options.algorithm == Algorithm::mcvitie_wilson;
      return {.turn = own_turn(), .workers = follows_chains ? unlimited : host_workers()};
    } else {
      return {.turn = own_turn()};
    }
  }

  /// Uniform lists take about ln n proposals a proposer, and hardly ever twice as many (Wilson
  /// 1972, Knuth 1976); a run that is not over by then is of another kind, and will mostly need n/4
  /// and more. Only that is worth n * n ids more.
  std::uint64_t short_run() const {
    return static_cast<std::uint64_t>(2 * n() * std::log(static_cast<double>(n())));
  }

  /// Steps a worker before the second stage. A GPU's workers have a chain each: of uniform lists,
  /// n/t chains are still live after t proposals each, so a run that has not tapered then is of
  /// another kind.
  std::uint64_t first_stage_steps() const {
    if (options.algorithm != Algorithm::locality_aware) {
      return unlimited;
    }
    return shared_memory ? short_run() / host_workers() + 1 : 64;
  }

  TailPlan tail_plan() const {
    TailPlan plan = plan_tail(
        {shared_memory ? host_workers() : concurrency(device()), is_gpu<Device>, AnyDuo<P>});
    if (!shared_memory && options.tail == Tail::host) {
      plan.live = 1;  // the paper's rule: a host has no lanes to look with
    }
    if (options.taper_live >= 0) {
      plan.live = static_cast<std::uint64_t>(options.taper_live);
    }
    if (options.tail != Tail::automatic) {
      plan.side = options.tail == Tail::host ? Side::host : Side::device;
    }
    return plan;
  }

  /// Where lists are alike a chain that is left has all others' receivers before it: the wide leg,
  /// whose steps are cheaper there than a warp's, goes on until it is a matter of a warp.
  static constexpr std::uint64_t most_contended = 32;
  std::uint64_t wide_ends_at() const {
    std::uint64_t const live = tail_plan().live;
    return lists_are_alike && options.taper_live < 0 ? std::min(live, most_contended) : live;
  }

  bool has_tapered() const { return frontier.live > 0 && frontier.live <= wide_ends_at(); }

  /// Once a run: how far it had come when it tapered, and where the rest goes.
  void note_taper() {
    if (tail_side != Side::none) {
      return;
    }
    tail_side = tail_plan().side;
    taper_live = frontier.live;
    Kokkos::parallel_reduce("taper::stable_marriage::taper_step",
                            Kokkos::RangePolicy<Device, Kokkos::IndexType<std::uint64_t>>(
                                device(), 0, n() + frontier.live),
                            SumProposals<Memory>{standing.best, frontier.waiting, n()}, taper_step);
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
  /// Runs after the ranks have been transposed, so that a proposer's ranks are a row.
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
