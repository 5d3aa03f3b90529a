// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/duo.hpp>
#include <taper/region.hpp>
#include <taper/stable_marriage/court.hpp>
#include <taper/stable_marriage/execute.hpp>
#include <taper/stable_marriage/first_columns.hpp>
#include <taper/stable_marriage/pace.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>

namespace taper::stable_marriage::detail {

/// A host's run without a rank matrix, for instances of few proposals. Uniform lists take some
/// n ln n, and a rank matrix costs n * n to look 11 n ranks up. Here a receiver whom several have
/// asked looks through her own list, down to the best of them: of j offers he is near n / (j + 1),
/// and whoever is behind him is rejected without another look. Since any order of proposals ends in
/// the same matching she may put that off, and the later she looks, the more have asked and the
/// shorter the way. So all go on until everybody is in a queue; then those with the longest queues
/// look, and the others in these queues go on. A receiver with one offer never looks.
template <ExecutionSpace Exec, class Id, class Lists>
class CourtshipRun {
 public:
  using Memory = typename Exec::memory_space;
  static_assert(HostExecutionSpace<Exec>);

  /// Of n people, whose ids fit 32 bits beside a column.
  CourtshipRun(Exec const& where, Lists const& proposers, Lists const& receivers, std::uint64_t n,
               std::uint64_t workers)
      : where_(where), n_(static_cast<std::uint32_t>(n)),
        workers_(workers), court_{take_first_columns<Exec, Id>(where, proposers, n, workers),
                                  proposers,
                                  receivers,
                                  Standing<Id, Memory>(where, n),
                                  Queues<Memory>(where, n),
                                  Counters(Kokkos::view_alloc(
                                      where, "taper::stable_marriage::court_counters")),
                                  n_},
        frontier_(EveryoneFree::frontier<Exec, Memory>(where, n)),
        looking_(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                    "taper::stable_marriage::looking"),
                 n),
        marks_(Kokkos::view_alloc(where, "taper::stable_marriage::marks"), workers, n),
        counts_(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                   "taper::stable_marriage::look_counts")) {}

  /// True if all proposals are made; false where they turn out to be more than `proposals`, or of a
  /// kind that is better off with a rank matrix.
  /// Cost: three launches a round; each receiver's list read from its beginning to her best offer at
  /// her first look, once.
  bool run(std::uint64_t proposals) {
    auto const& made = court_.counters();
    for (int round = 0; round < most_rounds; ++round) {
      run_leg(where_, "taper::stable_marriage::court", court_, frontier_,
              {.steps = proposals, .workers = workers_});
      if (frontier_.live > 0 || made.proposals > proposals || made.looks > 2 * std::uint64_t{n_}) {
        return false;
      }
      std::uint32_t const receivers = choose_who_looks();
      if (receivers == 0) {
        return true;
      }
      look(receivers);
    }
    return false;
  }

  /// What stands after a run to its end. The rank in an offer is what she found at her look, or 0
  /// where it is the only one that she ever had.
  Beginning<Id, Memory> ended() {
    auto& tally = court_.counters().offers;
    each_queue([&](AtomicWord& best) {
      tally.acceptances += queue_length(best);
      best = Offer::pack(0u, queue_last(best), court_.queues.places(queue_last(best)).proposals);
    });
    return {court_.standing, frontier_, tally};
  }

  /// Where an engine goes on after a run that was left: those in queues have yet to make the
  /// proposal that took them there.
  Beginning<Id, Memory> left() {
    each_queue([&](AtomicWord& best) {
      court_.queues.each(best, [&](std::uint32_t proposer) {
        std::uint32_t const proposals = court_.queues.places(proposer).proposals;
        frontier_.waiting(frontier_.live++) = {proposer, proposals - 1};
      });
      best = no_offer;
    });
    Kokkos::parallel_for("taper::stable_marriage::renew_bars",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(where_, 0, n_),
                         RenewBars<Id, Memory>{court_.standing});
    return {court_.standing, frontier_, court_.counters().offers};
  }

 private:
  using Counters = Kokkos::View<CourtTally, Memory>;
  using Look = LookThroughLists<Id, Lists, Memory>;

  /// Uniform lists of 20,000 people take 60. Where one receiver looks in each round, as on the way
  /// of a single chain, a round is better a step.
  static constexpr int most_rounds = 256;

  template <class Use>
  void each_queue(Use const& use) const {
    for (std::uint32_t receiver = 0; receiver < n_; ++receiver) {
      AtomicWord& best = court_.standing.best(receiver);
      if (best != no_offer && is_queue(best)) {
        use(best);
      }
    }
  }

  /// Those whose queues are at least half as long as the longest.
  std::uint32_t choose_who_looks() const {
    auto const length = [&](std::uint32_t i) {
      return queue_length(court_.standing.best(court_.queues.crowded(i)));
    };
    std::uint32_t& crowds = court_.queues.crowds();
    std::uint32_t longest = 0;
    for (std::uint32_t i = 0; i < crowds; ++i) {
      longest = std::max(longest, length(i));
    }
    std::uint32_t looks = 0;
    std::uint32_t waits = 0;
    for (std::uint32_t i = 0; i < crowds; ++i) {
      std::uint32_t const receiver = court_.queues.crowded(i);
      if (2 * length(i) >= longest) {
        looking_(looks++) = receiver;
      } else {
        court_.queues.crowded(waits++) = receiver;
      }
    }
    crowds = waits;
    return looks;
  }

  void look(std::uint32_t receivers) {
    counts_(0) = counts_(1) = 0;
    std::uint64_t const workers = std::min<std::uint64_t>(workers_, receivers);
    Kokkos::parallel_for(
        "taper::stable_marriage::look_through_lists",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(where_, 0, workers),
        Look{court_.columns, court_.receivers, court_.standing, court_.queues, looking_, receivers,
             marks_, frontier_.waiting, counts_, n_});
    where_.fence("taper::stable_marriage: who is free after a look");
    frontier_.live = counts_(1);
    court_.counters().offers.acceptances += receivers;
  }

  Exec where_;
  std::uint32_t n_;
  std::uint64_t workers_;
  Court<Id, Lists, Memory> court_;
  Frontier<Chain, Memory> frontier_;
  Kokkos::View<std::uint32_t*, Memory> looking_;
  Kokkos::View<typename Look::Mark**, Kokkos::LayoutRight, Memory> marks_;
  Kokkos::View<AtomicWord[2], Memory> counts_;
};

/// Phases 2 and 3 of a run that begins without ranks: where it stands, at the end, or where an engine
/// goes on.
template <ExecutionSpace Exec, class Lists>
auto court(Pace<Exec> const& pace, Lists const& proposers, Lists const& receivers, bool& ended) {
  using Id = std::remove_cvref_t<decltype(proposers(0, 0))>;
  std::uint64_t const n = pace.n;
  auto courtship = [&] {
    FencedRegion const region(pace.device, "taper::stable_marriage::initialisation");
    return CourtshipRun<Exec, Id, Lists>(pace.device, proposers, receivers, n, pace.host_workers());
  }();
  FencedRegion const region(pace.device, "taper::stable_marriage::execution");
  ended = courtship.run(pace.short_run());
  return ended ? courtship.ended() : courtship.left();
}

}  // namespace taper::stable_marriage::detail
