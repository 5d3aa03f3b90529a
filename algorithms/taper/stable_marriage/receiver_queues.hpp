// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/stable_marriage/state.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

// Queues of proposers at receivers that postpone their choice.
// Used by: the two runs without a rank matrix, lazy_ranks/ and shortlist_run.hpp.
//
// A queue is one word, as an offer is. Its rank is the largest rank, its proposer the last that
// joined, and its proposals field counts down from the largest value, one per proposer that joined.
// no_offer is the empty queue. Any offer is less than any queue.

namespace taper::stable_marriage::detail {

inline bool is_queue(AtomicWord word) {
  return Offer::get<offer_rank>(word) == Offer::largest<offer_rank>;
}
inline std::uint32_t queue_length(AtomicWord queue) {
  return static_cast<std::uint32_t>(Offer::largest<offer_proposals> -
                                    Offer::get<offer_proposals>(queue));
}
inline std::uint32_t queue_last(AtomicWord queue) {
  return static_cast<std::uint32_t>(Offer::get<offer_proposer>(queue));
}
inline AtomicWord queue_with(AtomicWord queue, std::uint32_t proposer) {
  return Offer::pack(Offer::largest<offer_rank>, std::uint64_t{proposer},
                     Offer::get<offer_proposals>(queue) - 1);
}

/// The place of a proposer in a queue.
struct QueueLink {
  std::uint32_t previous;   ///< the proposer that joined before it
  std::uint32_t proposals;  ///< that it has made, the one that took it here included
};

/// The links of all queues, and the receivers whose queues wait for a scan.
template <class MemorySpace>
struct ReceiverQueues {
  Kokkos::View<QueueLink*, MemorySpace> links;  ///< of each proposer in a queue
  /// Receivers whose queues are long enough for a scan of their lists, each once.
  Kokkos::View<std::uint32_t*, MemorySpace> pending;
  Kokkos::View<std::uint32_t, MemorySpace> pending_count;

  template <ExecutionSpace Exec>
  ReceiverQueues(Exec const& where, std::uint64_t n)
      : links(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                 "taper::stable_marriage::queue_links"),
              n),
        pending(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                   "taper::stable_marriage::pending_receivers"),
                n),
        pending_count(Kokkos::view_alloc(where, "taper::stable_marriage::pending_count")) {}

  /// Calls use(proposer) for all in a queue. `use` may overwrite the link of its proposer.
  template <class Use>
  void for_each(AtomicWord queue, Use const& use) const {
    std::uint32_t proposer = queue_last(queue);
    for (std::uint32_t k = queue_length(queue); k > 0; --k) {
      std::uint32_t const previous = links(proposer).previous;
      use(proposer);
      proposer = previous;
    }
  }

  /// The offer of the only proposer in a queue. Its rank is 0: no scan has determined it, and
  /// nothing reads it after the last proposal.
  AtomicWord sole_offer(AtomicWord queue) const {
    std::uint32_t const proposer = queue_last(queue);
    return Offer::pack(0u, proposer, links(proposer).proposals);
  }

  /// Returns all proposers of a queue to the frontier, each before the proposal that took it here.
  template <class Frontier>
  void withdraw(AtomicWord queue, Frontier& frontier) const {
    for_each(queue, [&](std::uint32_t proposer) {
      frontier.waiting(frontier.live++) = {proposer, links(proposer).proposals - 1};
    });
  }
};

}  // namespace taper::stable_marriage::detail
