// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/place.hpp>
#include <taper/region.hpp>
#include <taper/stable_marriage/hybrid_plan.hpp>
#include <taper/stable_marriage/lazy_ranks/first_columns.hpp>
#include <taper/stable_marriage/lazy_ranks/propose.hpp>
#include <taper/stable_marriage/lazy_ranks/scan_lists.hpp>
#include <taper/stable_marriage/receiver_queues.hpp>
#include <taper/stable_marriage/stages/start_state.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stop.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace taper::stable_marriage::detail {

/// A run on a host with lazy ranks, for instances that need few proposals: it has no rank matrix,
/// and determines a rank only when a decision needs it.
///
/// Uniform lists take about n ln n proposals. A rank matrix costs n * n writes for 11 n look-ups of
/// ranks. Here a receiver with several proposers in its queue scans its list, up to the first of
/// them. The best of j proposers is near position n / (j + 1). Any proposer behind it is rejected
/// without another scan.
///
/// A scan may wait, since any order of proposals ends in the same matching. The longer the queue,
/// the shorter the scan. So each round first lets all free proposers propose until each of them is
/// in a queue. Then the receivers with the longest queues scan, and the rejected proposers go on. A
/// receiver that only one proposer asks never scans.
///
/// Used by: run_with_lazy_ranks() below, which phases.hpp calls.
template <ExecutionSpace Exec, class Id, class Lists>
class LazyRankRun {
 public:
  using Memory = typename Exec::memory_space;
  static_assert(HostExecutionSpace<Exec>);

  /// Requires: cells n * columns of the first columns fit 32 bits.
  LazyRankRun(Exec const& where, Lists const& proposers, Lists const& receivers, std::uint64_t n,
              std::uint64_t workers)
      : where_(where), n_(static_cast<std::uint32_t>(n)),
        workers_(workers), propose_{build_first_columns<Exec, Id>(where, proposers, n, workers),
                                    proposers,
                                    receivers,
                                    StandingOffers<Id, Memory>(where, n),
                                    ReceiverQueues<Memory>(where, n),
                                    Counters(Kokkos::view_alloc(
                                        where, "taper::stable_marriage::lazy_rank_counters")),
                                    n_},
        frontier_(AllProposersFree::frontier<Exec, Memory>(where, n)),
        scanning_(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                     "taper::stable_marriage::scanning_receivers"),
                  n),
        marks_(Kokkos::view_alloc(where, "taper::stable_marriage::marks"), workers, n),
        counts_(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                   "taper::stable_marriage::scan_counts")) {}

  /// True if all proposals are made. False if the run gives up: it needs more than `max_proposals`,
  /// or makes more searches or rounds than a rank matrix is worth.
  /// Cost: three launches per round. Each receiver that scans reads its list once, up to the first
  /// proposer in its queue.
  /// Throws: Stopped, between rounds.
  bool run(std::uint64_t max_proposals, StopFlag stop) {
    auto const& made = propose_.counters();
    int single_rounds = 0;
    for (int round = 0; round < max_rounds && single_rounds < max_single_rounds; ++round) {
      run_leg(where_, "taper::stable_marriage::propose_lazily", propose_, frontier_,
              {.max_steps = max_proposals, .max_workers = workers_, .stop = stop});
      stop.check();
      if (frontier_.live > 0 || made.proposals > max_proposals ||
          made.searches > 2 * std::uint64_t{n_}) {
        return false;
      }
      std::uint32_t const receivers = select_scanning();
      if (receivers == 0) {
        return true;
      }
      single_rounds = receivers == 1 ? single_rounds + 1 : 0;
      scan(receivers);
    }
    return false;
  }

  /// The matching after run() returned true. The rank of an offer is the one that the scan found,
  /// or 0 if it is the only offer that the receiver had.
  StartState<Id, Memory> finished_state() {
    auto& tally = propose_.counters().offers;
    for_each_queue([&](AtomicWord& best) {
      tally.acceptances += queue_length(best);
      best = propose_.queues.sole_offer(best);
    });
    return {propose_.standing, frontier_, tally};
  }

  /// The state from which an engine goes on after run() returned false.
  StartState<Id, Memory> interrupted_state() {
    for_each_queue([&](AtomicWord& best) {
      propose_.queues.withdraw(best, frontier_);
      best = no_offer;
    });
    refresh_rank_limits(where_, propose_.standing);
    return {propose_.standing, frontier_, propose_.counters().offers};
  }

 private:
  using Counters = Kokkos::View<LazyTally, Memory>;
  using Scan = ScanLists<Id, Lists, Memory>;

  /// Uniform lists of 20,000 people take 60 rounds. If one receiver scans per round, as in an
  /// instance of a single chain, a round costs more than a step of an engine.
  static constexpr int max_rounds = 256;
  /// Successive rounds in which one receiver scans. A single chain has nothing else.
  static constexpr int max_single_rounds = 64;

  template <class Use>
  void for_each_queue(Use const& use) const {
    for (std::uint32_t receiver = 0; receiver < n_; ++receiver) {
      AtomicWord& best = propose_.standing.best(receiver);
      if (best != no_offer && is_queue(best)) {
        use(best);
      }
    }
  }

  /// Moves the receivers whose queues are at least half as long as the longest to scanning_.
  /// Returns their number.
  std::uint32_t select_scanning() const {
    auto const& pending = propose_.queues.pending;
    auto const length = [&](std::uint32_t i) {
      return queue_length(propose_.standing.best(pending(i)));
    };
    std::uint32_t& count = propose_.queues.pending_count();
    std::uint32_t longest = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      longest = std::max(longest, length(i));
    }
    std::uint32_t selected = 0;
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      std::uint32_t const receiver = pending(i);
      if (2 * length(i) >= longest) {
        scanning_(selected++) = receiver;
      } else {
        pending(kept++) = receiver;
      }
    }
    count = kept;
    return selected;
  }

  void scan(std::uint32_t receivers) {
    counts_(0) = counts_(1) = 0;
    std::uint64_t const workers = std::min<std::uint64_t>(workers_, receivers);
    Kokkos::parallel_for(
        "taper::stable_marriage::scan_lists",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(where_, 0, workers),
        Scan{propose_.columns, propose_.receivers, propose_.standing, propose_.queues, scanning_,
             receivers, marks_, frontier_.waiting, counts_, n_});
    where_.fence("taper::stable_marriage: wait for the number of rejected proposers");
    frontier_.live = counts_(1);
    propose_.counters().offers.acceptances += receivers;
  }

  Exec where_;
  std::uint32_t n_;
  std::uint64_t workers_;
  ProposeLazily<Id, Lists, Memory> propose_;
  Frontier<Chain, Memory> frontier_;
  Kokkos::View<std::uint32_t*, Memory> scanning_;
  Kokkos::View<typename Scan::Mark**, Kokkos::LayoutRight, Memory> marks_;
  Kokkos::View<AtomicWord[2], Memory> counts_;
};

/// Phases 2 and 3 of a run with lazy ranks. Sets `finished`. If it is true, returns the matching,
/// otherwise the state from which an engine goes on.
template <ExecutionSpace Exec, class Lists>
auto run_with_lazy_ranks(HybridPlan<Exec> const& plan, Lists const& proposers,
                         Lists const& receivers, bool& finished) {
  using Id = std::remove_cvref_t<decltype(proposers(0, 0))>;
  auto lazy_run = [&] {
    FencedRegion const region(plan.device, "taper::stable_marriage::initialisation");
    return LazyRankRun<Exec, Id, Lists>(plan.device, proposers, receivers, plan.n,
                                        plan.host_workers());
  }();
  FencedRegion const region(plan.device, "taper::stable_marriage::execution");
  finished = lazy_run.run(plan.short_run_proposals(), {plan.options.stop});
  return finished ? lazy_run.finished_state() : lazy_run.interrupted_state();
}

}  // namespace taper::stable_marriage::detail
