// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/duo.hpp>
#include <taper/region.hpp>
#include <taper/stable_marriage/execute.hpp>
#include <taper/stable_marriage/pace.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/shortlists.hpp>
#include <taper/stable_marriage/state.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace taper::stable_marriage::detail {

/// A host's run without a rank matrix, for instances in which each side much agrees on the other.
/// There a proposer is rejected by hundreds and thousands, each time for the same reason: he is far
/// behind her partner. If the most popular propose first, the others find partners nearly as good as
/// those of the end, so that a shortlist, one bit for each of those who are before her partner, tells
/// nearly all that ranks could, in a sixteenth of the memory, and in the order in which proposers
/// read. Whom the bits do not reject she has in a queue, and looks for in her list.
template <ExecutionSpace Exec, class Id, class Lists>
class ShortlistRun {
 public:
  using Memory = typename Exec::memory_space;
  static_assert(HostExecutionSpace<Exec>);

  ShortlistRun(Exec const& where, Lists const& proposers, Lists const& receivers, std::uint64_t n,
               std::uint64_t workers)
      : where_(where), n_(static_cast<std::uint32_t>(n)), workers_(workers), proposers_(proposers),
        receivers_(receivers), order_(by_popularity(receivers, n_)), shortlists_(where, n),
        standing_(where, n), queues_(where, n),
        queue_of_(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                     "taper::stable_marriage::queues"),
                  n),
        frontier_(where, "taper::stable_marriage::frontier", n),
        marks_(Kokkos::view_alloc(where, "taper::stable_marriage::marks"), workers, n),
        looked_(Kokkos::view_alloc(where, "taper::stable_marriage::look_tally")) {
    Kokkos::deep_copy(where, queue_of_, no_offer);
    where.fence("taper::stable_marriage: shortlists are empty");
    for (std::uint32_t k = 0; k < n_; ++k) {
      shortlists_.place(order_[k]) = k;
    }
    frontier_.live = 0;
  }

  /// True if all proposals are made; false where lists turn out to agree too little, or so much that
  /// nearly all rounds have a single proposal.
  /// Cost: two launches a round; for each receiver the list down to her first partner, and at each
  /// later look down to the next.
  bool run() {
    std::uint64_t const block = (workers_ * people_a_block + 63) / 64 * 64;
    while (begun_ < n_) {
      begin(std::min<std::uint64_t>(block, n_ - begun_));
      while (frontier_.live > block / 8 || (begun_ == n_ && frontier_.live > 0)) {
        if (!walk(enough_in_queue)) {
          return false;
        }
        look();
      }
    }
    // No round is left in which queues could become longer.
    for_each_queue([&](std::uint32_t receiver, AtomicWord queue) {
      if (queue_length(queue) > 1) {
        queues_.crowded(queues_.crowds()++) = receiver;
      }
    });
    do {
      look();
      if (frontier_.live > 0 && !walk(2)) {
        return false;
      }
    } while (queues_.crowds() > 0);
    return true;
  }

  /// What stands after a run to its end. The rank in an offer is what she found at her last look, or
  /// 0 where it is the only one that she ever had.
  Beginning<Id, Memory> ended() {
    for_each_queue([&](std::uint32_t receiver, AtomicWord queue) {
      ++acceptances_;
      standing_.best(receiver) =
          Offer::pack(0u, queue_last(queue), queues_.places(queue_last(queue)).proposals);
    });
    return {standing_, frontier_, tally()};
  }

  /// Where an engine goes on after a run that was left: those in queues have yet to make the
  /// proposal that took them there.
  Beginning<Id, Memory> left() {
    for_each_queue([&](std::uint32_t, AtomicWord queue) {
      queues_.each(queue, [&](std::uint32_t proposer) {
        frontier_.waiting(frontier_.live++) = {proposer, queues_.places(proposer).proposals - 1};
      });
    });
    for (; begun_ < n_; ++begun_) {
      frontier_.waiting(frontier_.live++) = {order_[begun_], 0};
    }
    Kokkos::parallel_for("taper::stable_marriage::renew_bars",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(where_, 0, n_),
                         RenewBars<Id, Memory>{standing_});
    return {standing_, frontier_, tally()};
  }

 private:
  using Cut = CutShortlists<Id, Lists, Memory>;
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;

  static constexpr std::uint64_t people_a_block = 512;
  /// A receiver without a partner lets so many come before she looks: the best of them is a better
  /// partner than the first, and her shortlist the shorter.
  static constexpr std::uint32_t enough_in_queue = 4;
  /// Rounds of a block, and as many more in all: lists of strength 0.5 take 22 a block, of 0.9 many
  /// hundreds.
  static constexpr std::uint64_t most_rounds = 64;

  /// The next proposers have rows of their own, and are free.
  void begin(std::uint64_t proposers) {
    std::uint64_t const first = begun_;
    begun_ += proposers;
    ++blocks_;
    Kokkos::parallel_for(
        "taper::stable_marriage::begin_block", Range(where_, 0, shortlists_.of_proposers.extent(1)),
        BeginBlock<Memory>{shortlists_, standing_.best, first / 64, (begun_ + 63) / 64});
    for (std::uint64_t k = first; k < begun_; ++k) {
      frontier_.waiting(frontier_.live++) = {order_[k], 0};
    }
    where_.fence("taper::stable_marriage: a block has begun");
  }

  /// All who are free go down their lists; receivers with `enough` in their queues will look. False:
  /// this has gone on for too long.
  bool walk(std::uint32_t enough) {
    joins_ += frontier_.live;
    Kokkos::parallel_for(
        "taper::stable_marriage::walk_down_lists",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>,
                            Kokkos::Schedule<Kokkos::Dynamic>>(where_, 0, frontier_.live,
                                                               Kokkos::ChunkSize(8)),
        WalkDownLists<Lists, Memory>{proposers_, shortlists_, standing_.best, queues_, queue_of_,
                                     frontier_.waiting, frontier_.live, looked_, enough, n_});
    where_.fence("taper::stable_marriage: everybody is in a queue");
    frontier_.live = 0;
    return ++rounds_ < most_rounds * (blocks_ + 4) && looked_().entries < std::uint64_t{n_} * n_;
  }

  void look() {
    std::uint32_t& receivers = queues_.crowds();
    looked_().taken = looked_().free = 0;
    Kokkos::parallel_for("taper::stable_marriage::cut_shortlists",
                         Range(where_, 0, std::min<std::uint64_t>(workers_, receivers)),
                         Cut{receivers_, shortlists_, standing_.best, queues_, queue_of_, receivers,
                             marks_, frontier_.waiting, looked_, n_});
    where_.fence("taper::stable_marriage: who is free after a look");
    frontier_.live = looked_().free;
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
            .atomic_operations = joins_ + looked_().failed_joins,
            .failed_compare_exchanges = looked_().failed_joins};
  }

  Exec where_;
  std::uint32_t n_;
  std::uint64_t workers_;
  Lists proposers_;
  Lists receivers_;
  std::vector<std::uint32_t> order_;
  Shortlists<Memory> shortlists_;
  Standing<Id, Memory> standing_;
  Queues<Memory> queues_;
  Kokkos::View<AtomicWord*, Memory> queue_of_;
  Frontier<Chain, Memory> frontier_;
  Kokkos::View<typename Cut::Mark**, Kokkos::LayoutRight, Memory> marks_;
  Kokkos::View<ShortlistTally, Memory> looked_;
  std::uint64_t begun_ = 0;  ///< proposers, the most popular first
  std::uint64_t blocks_ = 0;
  std::uint64_t rounds_ = 0;
  std::uint64_t acceptances_ = 0;
  std::uint64_t joins_ = 0;
};

/// Phases 2 and 3 of a run by shortlists: where it stands, at the end, or where an engine goes on.
template <ExecutionSpace Exec, class Lists>
auto run_by_shortlists(Pace<Exec> const& pace, Lists const& proposers, Lists const& receivers,
                       bool& ended) {
  using Id = std::remove_cvref_t<decltype(proposers(0, 0))>;
  auto run = [&] {
    FencedRegion const region(pace.device, "taper::stable_marriage::initialisation");
    return ShortlistRun<Exec, Id, Lists>(pace.device, proposers, receivers, pace.n,
                                         pace.host_workers());
  }();
  FencedRegion const region(pace.device, "taper::stable_marriage::execution");
  ended = run.run();
  return ended ? run.ended() : run.left();
}

}  // namespace taper::stable_marriage::detail
