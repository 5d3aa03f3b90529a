// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/propose.hpp>
#include <taper/marriage_propagator/prune.hpp>
#include <taper/marriage_propagator/shared_update_policy.hpp>
#include <taper/marriage_propagator/transfer_records.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

// The kernels of the three phases (the paper's Section 4), and of its inst.
// Used by: ParallelPropagator.

namespace taper::marriage_propagator::detail {

/// Phase 1: removes pending values from the rows of both persons of each pair. One item per word of
/// a record. If two persons have removed the same pair, each bit is counted by the item that clears
/// it.
template <class Id>
struct MakeCoherent {
  Sides<Id> sides;
  std::uint32_t record_words;
  Word const* records;
  SharedUpdatePolicy<Id> policy;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    std::uint32_t const words = sides.men.words();
    Word const* const record = records + item / words * record_words;
    std::uint32_t const word = static_cast<std::uint32_t>(item % words);
    Word const values = record[Record::head + word];
    if (values == 0) {
      return;
    }
    std::uint32_t const agent = Record::agent(record[0]);
    std::uint32_t const person = sides.person(agent);
    SharedUpdatePolicy<Id> worker_policy = policy;
    remove_values(sides.of_agent(agent), worker_policy, person, word, values);
    remove_reverse(sides.of_agent(agent), sides.opposite_agent(agent), worker_policy, person, word,
                   values);
  }
};

/// Phase 2: one worker per free proposer, and further workers that wait at the hand-off slots.
///
/// A worker on a host is a thread. On a GPU it is a thread that tests nothing while many proposers
/// are free, and later the lanes of a warp.
template <ExecutionSpace Exec, class Id>
struct ProposeKernel {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Thread = std::conditional_t<is_gpu<Exec>, OptimisticThread, OneThread>;

  Propose<Id> propose;
  SharedUpdatePolicy<Id> policy;
  Chain const* chains;
  std::uint32_t count;

  KOKKOS_FUNCTION void operator()(std::uint64_t worker) const { run_worker(Thread{}, worker); }
  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::uint32_t const worker =
        static_cast<std::uint32_t>(team.league_rank() * team.team_size() + team.team_rank());
    if (worker < Kokkos::max(count, policy.handoff.workers)) {
      Kokkos::parallel_for(
          Kokkos::ThreadVectorRange(team, VectorLanes<Exec>::width),
          [&](std::uint32_t lane) { run_worker(VectorLanes<Exec>{lane}, worker); });
    }
  }

 private:
  template <class Lanes>
  KOKKOS_FUNCTION void run_worker(Lanes const& lanes, std::uint64_t worker) const {
    SharedUpdatePolicy<Id> worker_policy = policy;
    worker_policy.worker = static_cast<std::uint32_t>(worker);
    Chain chain{};
    bool has_chain = worker < count;
    if (has_chain) {
      chain = chains[worker];
    } else {
      has_chain = worker_policy.wait_for_chain(lanes, chain);
    }
    if (has_chain) {
      propose(lanes, worker_policy, chain);
    }
    lanes.once([&] {
      worker_policy.finish();
      return 0;
    });
  }
};

/// Phase 2 for few free proposers: the workers of one team, with the offers and the hand-off slots
/// in team scratch. A worker that has no chain takes the next one of `chains`.
///
/// The chain of proposals waits at each step for a load and for an atomic minimum of an offer. On a
/// GPU both take a fraction of the time in the scratch of one multiprocessor. The proposals that
/// can go on at a time are fewer than the workers of one team.
template <ExecutionSpace Exec, class Id>
struct ProposeInTeam {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  template <class T>
  using Scratch = Kokkos::View<T*, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Propose<Id> propose;
  SharedUpdatePolicy<Id> policy;
  Chain const* chains;
  std::uint32_t count;

  static std::size_t scratch_bytes(std::uint32_t n, int workers) {
    return Scratch<AtomicWord>::shmem_size(n + static_cast<std::size_t>(workers)) +
           Scratch<std::uint32_t>::shmem_size(2);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::uint32_t const n = propose.receivers.n;
    std::uint32_t const workers = static_cast<std::uint32_t>(team.team_size());
    Scratch<AtomicWord> const words(team.team_scratch(0), n + workers);
    Scratch<std::uint32_t> const counters(team.team_scratch(0), 2);
    Word* const offers = words.data();
    AtomicWord* const slots = offers + n;
    std::uint32_t* const idle = &counters(0);
    std::uint32_t* const taken = &counters(1);
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n + workers), [&](std::uint32_t i) {
      words(i) = i < n ? propose.receivers.offer[i] : AtomicWord{0};
    });
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      *idle = 0;
      *taken = 0;
    });
    team.team_barrier();

    Propose<Id> in_scratch = propose;
    in_scratch.receivers.offer = offers;
    SharedUpdatePolicy<Id> worker_policy = policy;
    worker_policy.worker = static_cast<std::uint32_t>(team.team_rank());
    worker_policy.handoff = HandoffSlots{slots, idle, workers, workers};
    worker_policy.untaken = UntakenChains{chains, count, taken};
    Kokkos::parallel_for(
        Kokkos::ThreadVectorRange(team, VectorLanes<Exec>::width),
        [&](std::uint32_t lane) { follow(VectorLanes<Exec>{lane}, in_scratch, worker_policy); });
    team.team_barrier();

    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n),
                         [&](std::uint32_t i) { propose.receivers.offer[i] = offers[i]; });
    // All workers may have stopped before they took these.
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, count), [&](std::uint32_t i) {
      if (i >= *taken) {
        policy.park(chains[i]);
      }
    });
  }

 private:
  template <class Lanes>
  KOKKOS_FUNCTION static void follow(Lanes const& lanes, Propose<Id> const& propose,
                                     SharedUpdatePolicy<Id> policy) {
    Chain chain{};
    if (policy.wait_for_chain(lanes, chain)) {
      propose(lanes, policy, chain);
    }
    lanes.once([&] {
      policy.finish();
      return 0;
    });
  }
};

/// Phase 3 after few changes: one item per word of a receiver's row.
template <class Id>
struct Cut {
  SideView<Id> proposers;
  SideView<Id> receivers;
  SharedUpdatePolicy<Id> policy;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    std::uint32_t const receiver = static_cast<std::uint32_t>(item / receivers.words());
    if (policy.improved_flags[receiver] != 0) {
      SharedUpdatePolicy<Id> worker_policy = policy;
      worker_policy.removal_cause = ChangeCause::offers;
      cut_word(receivers, proposers, worker_policy, receiver,
               static_cast<std::uint32_t>(item % receivers.words()));
    }
  }
};

/// Phase 3 after many changes: one item per word of a proposer's row and of a receiver's.
template <class Id>
struct Sweep {
  SideView<Id> proposers;
  SideView<Id> receivers;
  SharedUpdatePolicy<Id> policy;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    std::uint32_t const person = static_cast<std::uint32_t>(item / receivers.words());
    std::uint32_t const word = static_cast<std::uint32_t>(item % receivers.words());
    SharedUpdatePolicy<Id> worker_policy = policy;
    worker_policy.removal_cause = ChangeCause::offers;
    sweep_word(proposers, receivers, worker_policy, person, word);
    cut_own_word(receivers, worker_policy, person, word);
  }
};

/// The paper's inst: binds the partners of all persons with one value left, and of those that come
/// to one value on the way. One item per person. Two workers may bind the partner of the same
/// person; the second finds nothing to remove.
template <class Id>
struct BindPartners {
  Sides<Id> sides;
  SharedUpdatePolicy<Id> policy;

  KOKKOS_FUNCTION void operator()(std::uint32_t agent) const {
    // Relaxed: if another worker is about to make it 1, that worker binds the partner itself.
    if (relaxed_load(sides.of_agent(agent).count[sides.person(agent)]) != 1) {
      return;
    }
    SharedUpdatePolicy<Id> worker_policy = policy;
    bind_partner(sides.of_agent(agent), sides.opposite_agent(agent), worker_policy,
                 sides.person(agent));
    while (worker_policy.assigned_head != none) {
      std::uint32_t const assigned = worker_policy.assigned_head;
      worker_policy.assigned_head = worker_policy.next_assigned[assigned];
      bind_partner(sides.of_agent(assigned), sides.opposite_agent(assigned), worker_policy,
                   sides.person(assigned));
    }
  }
};

}  // namespace taper::marriage_propagator::detail
