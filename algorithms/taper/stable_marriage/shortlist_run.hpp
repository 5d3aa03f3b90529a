// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/place.hpp>
#include <taper/region.hpp>
#include <taper/stable_marriage/hybrid_plan.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/receiver_queues.hpp>
#include <taper/stable_marriage/shortlists.hpp>
#include <taper/stable_marriage/stages/start_state.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stop.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace taper::stable_marriage::detail {

/// A run on a host without a rank matrix, for instances in which the people of each side mostly
/// agree on the other side.
///
/// There a proposer is rejected hundreds or thousands of times, always for the same reason: it is
/// far behind the receiver's partner. So the most popular proposers propose first, and the others
/// find receivers whose partners are nearly the final ones. A shortlist, one bit per proposer that
/// is before the partner, then tells nearly all that ranks could. It takes a sixteenth of the
/// memory, and proposers read it in order. A proposer that the bits do not reject joins the
/// receiver's queue, and the receiver scans its list for it.
///
/// Proposers start in *blocks*, the most popular first. A *round* moves all free proposers to
/// queues, then the receivers with long queues scan. The next block starts when few are free.
///
/// Used by: run_with_shortlists() below, which phases.hpp calls.
template <ExecutionSpace Exec, class Id, class Lists>
class ShortlistRun {
 public:
  using Memory = typename Exec::memory_space;
  static_assert(HostExecutionSpace<Exec>);

  ShortlistRun(Exec const& where, Lists const& proposers, Lists const& receivers, std::uint64_t n,
               std::uint64_t workers)
      : where_(where), n_(static_cast<std::uint32_t>(n)), workers_(workers), proposers_(proposers),
        receivers_(receivers), order_(sort_by_popularity(receivers, n_)), shortlists_(where, n),
        standing_(where, n), queues_(where, n),
        queue_of_(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                     "taper::stable_marriage::queues"),
                  n),
        frontier_(where, "taper::stable_marriage::frontier", n),
        marks_(Kokkos::view_alloc(where, "taper::stable_marriage::marks"), workers, n),
        counters_(Kokkos::view_alloc(where, "taper::stable_marriage::shortlist_counters")) {
    Kokkos::deep_copy(where, queue_of_, no_offer);
    where.fence("taper::stable_marriage: wait for the empty shortlists");
    for (std::uint32_t k = 0; k < n_; ++k) {
      shortlists_.popularity(order_[k]) = k;
    }
    frontier_.live = 0;
  }

  /// True if all proposals are made. False if the run gives up: the lists agree too little for
  /// short scans, or so much that nearly every round has a single proposal.
  /// Cost: two launches per round. Each receiver reads its list up to its first partner, and at
  /// each later scan up to the next partner.
  /// Throws: Stopped, between rounds.
  bool run(StopFlag stop) {
    std::uint64_t const block = (workers_ * proposers_per_block + 63) / 64 * 64;
    while (started_ < n_) {
      start_block(std::min<std::uint64_t>(block, n_ - started_));
      while (frontier_.live > block / 8 || (started_ == n_ && frontier_.live > 0)) {
        stop.check();
        if (!join_queues(scan_length)) {
          return false;
        }
        scan();
      }
    }
    // No free proposer is left that could lengthen a queue: scan those of two and more.
    for_each_queue([&](std::uint32_t receiver, AtomicWord queue) {
      if (queue_length(queue) > 1) {
        queues_.pending(queues_.pending_count()++) = receiver;
      }
    });
    do {
      stop.check();
      scan();
      if (frontier_.live > 0 && !join_queues(2)) {
        return false;
      }
    } while (queues_.pending_count() > 0);
    return true;
  }

  /// The matching after run() returned true. The rank of an offer is the one that the last scan
  /// found, or 0 if it is the only offer that the receiver had.
  StartState<Id, Memory> finished_state() {
    for_each_queue([&](std::uint32_t receiver, AtomicWord queue) {
      ++acceptances_;
      standing_.best(receiver) = queues_.sole_offer(queue);
    });
    return {standing_, frontier_, tally()};
  }

  /// The state from which an engine goes on after run() returned false.
  StartState<Id, Memory> interrupted_state() {
    for_each_queue([&](std::uint32_t, AtomicWord queue) { queues_.withdraw(queue, frontier_); });
    for (; started_ < n_; ++started_) {
      frontier_.waiting(frontier_.live++) = {order_[started_], 0};
    }
    refresh_rank_limits(where_, standing_);
    return {standing_, frontier_, tally()};
  }

 private:
  using Cut = CutShortlists<Id, Lists, Memory>;
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;

  static constexpr std::uint64_t proposers_per_block = 512;  ///< for each worker
  /// A receiver without a partner scans when its queue has this length. The best of several
  /// proposers is a better partner than the first, and the shortlist is shorter.
  static constexpr std::uint32_t scan_length = 4;
  /// Rounds per block; the run gives up after this number times (blocks + 4). Lists of strength 0.5
  /// take 22 rounds per block, of strength 0.9 many hundreds.
  static constexpr std::uint64_t max_rounds = 64;

  /// Frees the next proposers in the order of popularity, and writes their rows of shortlists.
  void start_block(std::uint64_t proposers) {
    std::uint64_t const first = started_;
    started_ += proposers;
    ++blocks_;
    Kokkos::parallel_for(
        "taper::stable_marriage::start_block", Range(where_, 0, shortlists_.of_proposers.extent(1)),
        StartBlock<Memory>{shortlists_, standing_.best, first / 64, (started_ + 63) / 64});
    for (std::uint64_t k = first; k < started_; ++k) {
      frontier_.waiting(frontier_.live++) = {order_[k], 0};
    }
    where_.fence("taper::stable_marriage: wait for the rows of a block");
  }

  /// Moves all free proposers to queues. Receivers with `length` proposers in their queues become
  /// pending. False if the run has taken too many rounds or list entries.
  bool join_queues(std::uint32_t length) {
    joins_ += frontier_.live;
    Kokkos::parallel_for(
        "taper::stable_marriage::join_queues",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>,
                            Kokkos::Schedule<Kokkos::Dynamic>>(where_, 0, frontier_.live,
                                                               Kokkos::ChunkSize(8)),
        JoinQueues<Lists, Memory>{proposers_, shortlists_, standing_.best, queues_, queue_of_,
                                  frontier_.waiting, frontier_.live, counters_, length, n_});
    where_.fence("taper::stable_marriage: wait until all free proposers are in queues");
    frontier_.live = 0;
    return ++rounds_ < max_rounds * (blocks_ + 4) && counters_().entries < std::uint64_t{n_} * n_;
  }

  /// All pending receivers scan their lists.
  void scan() {
    std::uint32_t& receivers = queues_.pending_count();
    counters_().taken = counters_().free = 0;
    Kokkos::parallel_for("taper::stable_marriage::cut_shortlists",
                         Range(where_, 0, std::min<std::uint64_t>(workers_, receivers)),
                         Cut{receivers_, shortlists_, standing_.best, queues_, queue_of_, receivers,
                             marks_, frontier_.waiting, counters_, n_});
    where_.fence("taper::stable_marriage: wait for the number of rejected proposers");
    frontier_.live = counters_().free;
    acceptances_ += receivers;
    receivers = 0;
  }

  template <class Use>
  void for_each_queue(Use const& use) {
    for (std::uint32_t receiver = 0; receiver < n_; ++receiver) {
      AtomicWord const queue = queue_of_(receiver);
      if (queue != no_offer) {
        use(receiver, queue);
      }
    }
  }

  Tally tally() const {
    return {.acceptances = acceptances_,
            .atomic_operations = joins_ + counters_().failed_joins,
            .failed_compare_exchanges = counters_().failed_joins};
  }

  Exec where_;
  std::uint32_t n_;
  std::uint64_t workers_;
  Lists proposers_;
  Lists receivers_;
  std::vector<std::uint32_t> order_;  ///< proposers, the most popular first
  Shortlists<Memory> shortlists_;
  StandingOffers<Id, Memory> standing_;
  ReceiverQueues<Memory> queues_;
  Kokkos::View<AtomicWord*, Memory> queue_of_;  ///< of each receiver
  Frontier<Chain, Memory> frontier_;
  Kokkos::View<typename Cut::Mark**, Kokkos::LayoutRight, Memory> marks_;
  Kokkos::View<ShortlistCounters, Memory> counters_;
  std::uint64_t started_ = 0;  ///< proposers of order_ that have started
  std::uint64_t blocks_ = 0;
  std::uint64_t rounds_ = 0;
  std::uint64_t acceptances_ = 0;
  std::uint64_t joins_ = 0;
};

/// Phases 2 and 3 of a run with shortlists. Sets `finished`. If it is true, returns the matching,
/// otherwise the state from which an engine goes on.
template <ExecutionSpace Exec, class Lists>
auto run_with_shortlists(HybridPlan<Exec> const& plan, Lists const& proposers,
                         Lists const& receivers, bool& finished) {
  using Id = std::remove_cvref_t<decltype(proposers(0, 0))>;
  auto shortlist_run = [&] {
    FencedRegion const region(plan.device, "taper::stable_marriage::initialisation");
    return ShortlistRun<Exec, Id, Lists>(plan.device, proposers, receivers, plan.n,
                                         plan.host_workers());
  }();
  FencedRegion const region(plan.device, "taper::stable_marriage::execution");
  finished = shortlist_run.run({plan.options.stop});
  return finished ? shortlist_run.finished_state() : shortlist_run.interrupted_state();
}

}  // namespace taper::stable_marriage::detail
