// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/duo.hpp>
#include <taper/region.hpp>
#include <taper/stable_marriage/circles.hpp>
#include <taper/stable_marriage/court.hpp>
#include <taper/stable_marriage/execute.hpp>
#include <taper/stable_marriage/first_columns.hpp>
#include <taper/stable_marriage/pace.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stable_marriage/workspace.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace taper::stable_marriage::detail {

/// How far a courtship goes before it turns out to be of a kind that is better off with ranks.
struct CourtshipLimits {
  std::uint64_t proposals;
  std::uint64_t read;  ///< CourtTally::read
  /// Where one receiver looks in each, as on the way of a single chain, a round is better a step.
  int rounds;
};

/// A host's run without a rank matrix, which costs three times the reading of the receivers' lists.
/// Here a receiver whom several have asked looks through her own list, down to the best of them: of j
/// offers in uniform lists he is near n / (j + 1), and whoever is behind him is rejected without
/// another look. Since any order of proposals ends in the same matching she may put that off, and the
/// later she looks, the more have asked and the shorter the way. So all go on until everybody is in a
/// queue; then those with the longest queues look, and the others in these queues go on. A receiver
/// with one offer never looks.
template <ExecutionSpace Exec, class Notes, class Lists>
class CourtshipRun {
 public:
  using Id = typename Notes::Id;
  using Memory = typename Exec::memory_space;
  static_assert(HostExecutionSpace<Exec>);

  CourtshipRun(Exec const& where, Notes const& notes, Lists const& proposers,
               Lists const& receivers, std::uint64_t n, std::uint64_t workers)
      : where_(where), n_(static_cast<std::uint32_t>(n)),
        workers_(workers), court_{notes,
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
        marks_(Kokkos::view_alloc(where, "taper::stable_marriage::marks"), workers, notes.marks()),
        free_(Kokkos::view_alloc(where, "taper::stable_marriage::free"),
              (notes.marks() + 7) / 8 * 8),
        taken_(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                  "taper::stable_marriage::receivers_taken")) {}

  /// True if all proposals are made; false where they go beyond the limits.
  /// Cost: two launches a round; each receiver's list read from its beginning to her best offer at
  /// her look.
  bool run(CourtshipLimits const& limits) {
    auto const& made = court_.counters();
    for (int round = 0; round < limits.rounds; ++round) {
      follow(limits.proposals);
      if (frontier_.live > 0 || made.proposals > limits.proposals || made.read > limits.read) {
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
  using Look = LookThroughLists<Notes, Lists>;

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

  void follow(std::uint64_t proposals) {
    constexpr std::uint64_t most = 64;
    std::uint64_t const workers = std::min(workers_, frontier_.live);
    taken_() = 0;
    Kokkos::parallel_for(
        "taper::stable_marriage::follow_into_queues",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(where_, 0, workers),
        FollowIntoQueues<Notes, Lists>{
            court_, frontier_.waiting, frontier_.live,
            std::clamp<std::uint64_t>(frontier_.live / (16 * workers_), 1, most), taken_, proposals,
            free_});
    where_.fence("taper::stable_marriage: all are in queues");
    take_turns();
  }

  void look(std::uint32_t receivers) {
    taken_() = 0;
    std::uint64_t const workers = std::min<std::uint64_t>(workers_, receivers);
    Kokkos::parallel_for(
        "taper::stable_marriage::look_through_lists",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(where_, 0, workers),
        Look{court_.notes, court_.receivers, court_.standing, court_.queues, looking_, receivers,
             marks_, free_, taken_, n_});
    where_.fence("taper::stable_marriage: who is free after a look");
    court_.counters().offers.acceptances += receivers;
    take_turns();
  }

  /// Those who are free go on, in the order that the notes want.
  void take_turns() {
    constexpr std::uint64_t few = 8;
    frontier_.live = 0;
    for (std::uint64_t begin = 0; begin < free_.extent(0); begin += few) {
      std::uint64_t any;
      std::memcpy(&any, &free_(begin), few);
      for (std::uint64_t turn = begin; any != 0 && turn < begin + few; ++turn) {
        if (free_(turn) != 0) {
          free_(turn) = 0;
          std::uint32_t const proposer = court_.notes.proposer_of(static_cast<std::uint32_t>(turn));
          frontier_.waiting(frontier_.live++) = {proposer,
                                                 court_.queues.places(proposer).proposals};
        }
      }
    }
  }

  Exec where_;
  std::uint32_t n_;
  std::uint64_t workers_;
  Court<Notes, Lists> court_;
  Frontier<Chain, Memory> frontier_;
  Kokkos::View<std::uint32_t*, Memory> looking_;
  Kokkos::View<Mark**, Kokkos::LayoutRight, Memory> marks_;
  Kokkos::View<std::uint8_t*, Memory> free_;
  Kokkos::View<AtomicWord, Memory> taken_;
};

/// Phases 2 and 3 of a run that begins without ranks: where it stands, at the end, or where an engine
/// goes on. make_notes() makes those of receivers who have not looked.
template <ExecutionSpace Exec, class Lists, class MakeNotes>
auto court(Pace<Exec> const& pace, Lists const& proposers, Lists const& receivers,
           CourtshipLimits const& limits, MakeNotes const& make_notes, bool& ended) {
  using Notes = std::remove_cvref_t<decltype(make_notes())>;
  auto courtship = [&] {
    FencedRegion const region(pace.device, "taper::stable_marriage::initialisation");
    return CourtshipRun<Exec, Notes, Lists>(pace.device, make_notes(), proposers, receivers, pace.n,
                                            pace.host_workers());
  }();
  FencedRegion const region(pace.device, "taper::stable_marriage::execution");
  ended = courtship.run(limits);
  return ended ? courtship.ended() : courtship.left();
}

/// The same with the notes that are asked for.
template <ExecutionSpace Exec, class Lists, class Id>
Beginning<Id, typename Exec::memory_space>
court(Pace<Exec> const& pace, Courtship kind, Lists const& proposers, Lists const& receivers,
      Workspace<Id, typename Exec::memory_space>& workspace, bool& ended) {
  std::uint64_t const pairs = pace.n * pace.n;
  std::uint64_t const workers = pace.host_workers();
  if (kind == Courtship::first_columns) {
    // Uniform lists of 20,000 people take 0.55 of these proposals, 0.05 n^2 entries, 61 rounds.
    return court(
        pace, proposers, receivers, {pace.short_run(), pairs / 4, 256},
        [&] { return take_first_columns<Exec, Id>(pace.device, proposers, pace.n, workers); },
        ended);
  }
  // Correlated lists of as many, strength 0.5: 0.18 n^2, 1.6 n^2 and 263.
  return court(
      pace, proposers, receivers, {pairs / 2, 4 * pairs, 1024},
      [&] {
        return label_circles<Exec, Id>(
            pace.device, receivers, workers,
            workspace.circles(pace.device, pace.n, circle_bytes(pace.n)));
      },
      ended);
}

}  // namespace taper::stable_marriage::detail
