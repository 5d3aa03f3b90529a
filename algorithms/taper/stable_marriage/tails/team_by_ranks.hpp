// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/packed.hpp>
#include <taper/stable_marriage/held_row.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace taper::stable_marriage::detail {

/// Follows each chain by a team, to its end, where runs of rejections are long and whoever proposes
/// has a table of positions: his ranks against the bars, both in order of the receivers' ids, name
/// all who would accept him in one sweep of one row, and the table says who of them comes first.
/// What a GPU's lanes hold of the next proposer's row is on its way while one of them makes the
/// offer.
///
/// Equivalent to: Propose on each chain, to its end. `Lookup` is a ProposerRowsLookup, and `Table`
/// gives rows as its tables do.
template <ExecutionSpace Exec, class Lookup, class Table, class Contention, class Counters>
struct FollowByRanks {
  using Id = typename Lookup::Id;
  using Memory = typename Contention::Memory;
  /// Kokkos must know before it compiles that a team may be as large as teams get.
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<512, 1>>;
  using Member = typename Policy::member_type;

  static constexpr std::uint32_t lanes = RowTeams<Exec>::wide_threads * RowTeams<Exec>::lanes;
  using Held = HeldRow<Exec, Id, lanes>;

  /// Who would accept: the position leads, so the least word is the first on his list.
  using Found = Packed<AtomicWord, 32, 32>;
  static constexpr AtomicWord nobody = std::numeric_limits<AtomicWord>::max();

  /// What the lanes of a team tell each other.
  struct Note {
    AtomicWord found[2];  ///< of the steps of even and of odd number
    Chain chain;
    Outcome outcome;
  };
  using Notes = Kokkos::View<Note, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Propose<Lookup, Contention, Counters> propose;
  Table positions;  ///< of each receiver in the list of each proposer
  Kokkos::View<Chain*, Memory> waiting;
  std::uint32_t live;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Notes const notes(team.team_scratch(0));
    Tally tally{};
    for (std::uint32_t i = team.league_rank(); i < live; i += team.league_size()) {
      follow(team, waiting(i), notes(), tally);
    }
    Kokkos::single(Kokkos::PerTeam(team), [&]() { propose.publish(tally); });
  }

 private:
  KOKKOS_FUNCTION Id const* ranks_of(std::uint32_t proposer) const {
    return propose.lookup.ranks_by_proposer[proposer];
  }

  KOKKOS_FUNCTION void follow(Member const& team, Chain chain, Note& note, Tally& tally) const {
    Id const* const all_bars = propose.contention.bars();
    std::uint32_t const n = propose.n;
    std::uint32_t const runs = n / Held::run;
    Held bars;
    Held his;
    bars.load(team, all_bars, runs);
    his.load(team, ranks_of(chain.proposer), runs);
    std::uint32_t loaded = chain.proposer;  // whose ranks this lane holds
    Kokkos::single(Kokkos::PerTeam(team), [&]() { note.found[0] = note.found[1] = nobody; });
    team.team_barrier();

    Outcome outcome = Outcome::again;
    for (unsigned even_or_odd = 0; outcome != Outcome::retired; even_or_odd ^= 1u) {
      // Where others propose too a bar that is held may be old, and name one who has rejected him.
      for_all_above<Exec, Id, lanes>(
          team, his, ranks_of(chain.proposer), bars, all_bars, n, [&](std::uint32_t receiver) {
            std::uint32_t const position = positions(chain.proposer, receiver);
            if (position >= chain.position) {
              Kokkos::atomic_min(&note.found[even_or_odd], Found::pack(position, receiver));
            }
          });
      team.team_barrier();
      AtomicWord const found = note.found[even_or_odd];
      auto const receiver = static_cast<std::uint32_t>(Found::get<1>(found));
      if (found != nobody) {
        // A guess at who will be free, since the offer is being made meanwhile; each lane knows its
        // own, and loads again where it was wrong.
        AtomicWord const stands = propose.contention.stands(receiver);
        if (stands != no_offer) {
          loaded = static_cast<std::uint32_t>(Offer::get<offer_proposer>(stands));
          his.load(team, ranks_of(loaded), runs);
        }
      }
      Kokkos::single(Kokkos::PerTeam(team), [&]() {
        note.found[even_or_odd ^ 1u] = nobody;  // all have read it, a step ago
        note.outcome = Outcome::retired;
        if (found != nobody) {  // else rejected by all
          note.chain = {chain.proposer, static_cast<std::uint32_t>(Found::get<0>(found))};
          note.outcome = propose.offer(
              note.chain, {static_cast<Id>(receiver), ranks_of(chain.proposer)[receiver]}, tally);
        }
      });
      team.team_barrier();
      chain = note.chain;
      outcome = note.outcome;
      if (outcome != Outcome::retired) {
        bars.renew(team, all_bars, receiver);
        if (loaded != chain.proposer) {
          loaded = chain.proposer;
          his.load(team, ranks_of(loaded), runs);
        }
      }
    }
    team.team_barrier();  // all have read the note before the next chain clears it
  }
};

/// Follows all chains of `frontier`, on as many teams at once; none is left.
/// Cost: one launch, one fence; an acceptance reads one row of the proposer's ranks, and an entry of
/// `positions` for each receiver who would accept.
template <ExecutionSpace Exec, class Lookup, class Table, class Contention, class Counters>
void follow_by_ranks(Exec const& where, std::string const& label,
                     Propose<Lookup, Contention, Counters> const& propose, Table const& positions,
                     Frontier<Chain, typename Contention::Memory>& frontier) {
  using Follow = FollowByRanks<Exec, Lookup, Table, Contention, Counters>;
  typename Follow::Policy policy(where, static_cast<int>(frontier.live),
                                 static_cast<int>(Follow::lanes), 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(Follow::Notes::shmem_size()));
  Kokkos::parallel_for(
      label, policy,
      Follow{propose, positions, frontier.waiting, static_cast<std::uint32_t>(frontier.live)});
  where.fence(label + ": every chain has come to its end");
  frontier.live = 0;
}

}  // namespace taper::stable_marriage::detail
