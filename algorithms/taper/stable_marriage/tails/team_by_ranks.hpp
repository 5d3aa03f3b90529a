// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/bit_fields.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stable_marriage/tails/register_row.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace taper::stable_marriage::detail {

/// Advances each chain by one team until it retires, for long runs of rejections and with a table
/// of positions. One scan compares the proposer's ranks with the rank limits, both in the order of
/// the receivers' ids. It names all receivers that would accept. The table tells which of them
/// comes first in the list. While one lane makes the offer, a GPU's lanes load the row of the
/// proposer that it will probably displace.
///
/// Equivalent to: Propose on each chain until it retires. `Lookup` is a ProposerRowsLookup; `Table`
/// gives rows as the tables of the look-up do.
/// Used by: tail_team_by_ranks().
template <ExecutionSpace Exec, class Lookup, class Table, class Contention, class Counters>
struct TeamTailByRanks {
  using Id = typename Lookup::Id;
  using Memory = typename Contention::Memory;
  /// The bounds tell Kokkos at compile time how large a team may be.
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<512, 1>>;
  using Member = typename Policy::member_type;

  static constexpr std::uint32_t lanes = RowTeams<Exec>::exclusive_threads * RowTeams<Exec>::lanes;
  using Row = RegisterRow<Exec, Id, lanes>;

  /// A receiver that would accept. The position leads, so the least word is the first in the list.
  using Acceptor = BitFields<AtomicWord, 32, 32>;
  static constexpr AtomicWord no_acceptor = std::numeric_limits<AtomicWord>::max();

  /// What the lanes of a team share, in scratch.
  struct Shared {
    AtomicWord first[2];  ///< the first acceptor, for steps of even and of odd number
    Chain chain;
    Outcome outcome;
  };
  using Scratch =
      Kokkos::View<Shared, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Propose<Lookup, Contention, Counters> propose;
  Table positions;  ///< of each receiver in the list of each proposer
  Kokkos::View<Chain*, Memory> waiting;
  std::uint32_t live;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Scratch const scratch(team.team_scratch(0));
    Tally tally{};
    auto const teams = static_cast<std::uint32_t>(team.league_size());
    for (auto i = static_cast<std::uint32_t>(team.league_rank()); i < live; i += teams) {
      advance(team, waiting(i), scratch(), tally);
    }
    Kokkos::single(Kokkos::PerTeam(team), [&]() { propose.publish(tally); });
  }

 private:
  KOKKOS_FUNCTION Id const* ranks_of(std::uint32_t proposer) const {
    return propose.lookup.ranks_by_proposer[proposer];
  }

  KOKKOS_FUNCTION void advance(Member const& team, Chain chain, Shared& shared,
                               Tally& tally) const {
    Id const* const rank_limits = propose.contention.rank_limits();
    std::uint32_t const n = propose.n;
    std::uint32_t const vectors = n / Row::width;
    Row held_rank_limits;
    Row held_ranks;
    held_rank_limits.load(team, rank_limits, vectors);
    held_ranks.load(team, ranks_of(chain.proposer), vectors);
    std::uint32_t loaded = chain.proposer;  // the proposer whose ranks this lane holds
    Kokkos::single(Kokkos::PerTeam(team),
                   [&]() { shared.first[0] = shared.first[1] = no_acceptor; });
    team.team_barrier();

    Outcome outcome = Outcome::again;
    for (unsigned parity = 0; outcome != Outcome::retired; parity ^= 1u) {
      // If other teams propose too, a held rank limit may be old. It may name a receiver that has
      // rejected this proposer already: the test of the position drops it.
      for_each_acceptor<Exec, Id, lanes>(
          team, held_ranks, ranks_of(chain.proposer), held_rank_limits, rank_limits, n,
          [&](std::uint32_t receiver) {
            std::uint32_t const position = positions(chain.proposer, receiver);
            if (position >= chain.position) {
              Kokkos::atomic_min(&shared.first[parity], Acceptor::pack(position, receiver));
            }
          });
      team.team_barrier();
      AtomicWord const first = shared.first[parity];
      auto const receiver = static_cast<std::uint32_t>(Acceptor::get<1>(first));
      if (first != no_acceptor) {
        // A guess at the proposer that the offer displaces: the offer is made meanwhile. Lanes may
        // guess differently. Each loads again if it was wrong.
        AtomicWord const standing = propose.contention.standing_offer(receiver);
        if (standing != no_offer) {
          loaded = static_cast<std::uint32_t>(Offer::get<offer_proposer>(standing));
          held_ranks.load(team, ranks_of(loaded), vectors);
        }
      }
      Kokkos::single(Kokkos::PerTeam(team), [&]() {
        shared.first[parity ^ 1u] = no_acceptor;  // all have read it, one step ago
        shared.outcome = Outcome::retired;
        if (first != no_acceptor) {  // else rejected by all
          shared.chain = {chain.proposer, static_cast<std::uint32_t>(Acceptor::get<0>(first))};
          shared.outcome = propose.offer(
              shared.chain, {static_cast<Id>(receiver), ranks_of(chain.proposer)[receiver]}, tally);
        }
      });
      team.team_barrier();
      chain = shared.chain;
      outcome = shared.outcome;
      if (outcome != Outcome::retired) {
        held_rank_limits.reload(team, rank_limits, receiver);
        if (loaded != chain.proposer) {
          loaded = chain.proposer;
          held_ranks.load(team, ranks_of(loaded), vectors);
        }
      }
    }
    team.team_barrier();  // all have read `shared` before the next chain clears it
  }
};

/// Advances all chains of `frontier`, each on its own team. No chain is left.
/// Cost: one launch, one fence; per acceptance one row of ranks, and an entry of `positions` for
/// each receiver that would accept.
template <ExecutionSpace Exec, class Lookup, class Table, class Contention, class Counters>
void run_team_tail_by_ranks(Exec const& where, std::string const& label,
                            Propose<Lookup, Contention, Counters> const& propose,
                            Table const& positions,
                            Frontier<Chain, typename Contention::Memory>& frontier) {
  using Tail = TeamTailByRanks<Exec, Lookup, Table, Contention, Counters>;
  typename Tail::Policy policy(where, static_cast<int>(frontier.live),
                               static_cast<int>(Tail::lanes), 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(Tail::Scratch::shmem_size()));
  Kokkos::parallel_for(
      label, policy,
      Tail{propose, positions, frontier.waiting, static_cast<std::uint32_t>(frontier.live)});
  where.fence(label + ": wait for the last chain");
  frontier.live = 0;
}

}  // namespace taper::stable_marriage::detail
