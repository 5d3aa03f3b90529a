// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace taper::stable_marriage::detail {

/// Follows chains to their ends, a team to a chain: what a wide run leaves is few proposers, and long
/// runs of rejections, which need no order among themselves. A team looks for the next receiver who
/// would accept, and makes that one proposal; all before it are rejections for certain, since bars
/// only fall.
///
/// Two ways to look, both from the proposer's own rows, chosen by how long his runs are:
/// - *along the list*: candidates in turn, a chunk at a time: two dependent look-ups a candidate, done
///   at the first chunk that has one who accepts;
/// - *along the ranks*: his ranks against the bars, both in order of the receivers' ids, which names all
///   who would accept him in one sweep without a look-up; then a sweep of the list for the first of
///   these few. Both sweeps are contiguous: vector code on a core, coalesced on a GPU.
///
/// Equivalent to: Propose with ProposerRowsLookup on each chain, to its end.
template <ExecutionSpace Exec, class Id, class Contention, class Counters>
struct FollowChains {
  using Memory = typename Contention::Memory;
  /// Kokkos must know before it compiles that a team may be as large as teams get.
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<1024, 1>>;
  using Member = typename Policy::member_type;

  /// What the lanes of a team tell each other.
  struct Note {
    std::uint32_t first;  ///< the least position found
    unsigned count;       ///< receivers who would accept
    static constexpr unsigned room = 8;
    Id ids[room];  ///< these receivers, as long as there is room
  };
  using Notes = Kokkos::View<Note, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Propose<ProposerRowsLookup<Id>, Contention, Counters> propose;
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
  static constexpr std::uint32_t lanes = RowTeams<Exec>::wide_threads * RowTeams<Exec>::lanes;
  static constexpr std::uint32_t run = RowTeams<Exec>::run;
  static constexpr std::uint32_t chunk = lanes * run;

  struct Made {
    Chain chain;
    Outcome outcome;
  };

  KOKKOS_FUNCTION void follow(Member const& team, Chain chain, Note& note, Tally& tally) const {
    std::uint32_t const n = propose.n;
    std::uint32_t const long_run = n / 8;
    bool runs_are_long = false;
    for (Outcome outcome = Outcome::again; outcome != Outcome::retired;) {
      std::uint32_t const begin = chain.position;
      std::uint32_t next = n;
      if (!runs_are_long) {
        next = along_list(team, chain, Kokkos::min(n, begin + Kokkos::max(long_run, +lanes)), note);
      }
      if (next == n) {
        next = along_ranks(team, chain, note);
      }
      runs_are_long = next - begin > long_run;
      chain.position = next;
      Made made{chain, Outcome::again};
      Kokkos::single(
          Kokkos::PerTeam(team),
          [&](Made& broadcast) {
            broadcast.chain = chain;
            broadcast.outcome = propose(broadcast.chain, tally);
          },
          made);
      chain = made.chain;
      outcome = made.outcome;
    }
  }

  KOKKOS_FUNCTION bool accepts(std::size_t receiver, Id const* ranks) const {
    return ranks[receiver] < propose.contention.bar(receiver);
  }

  /// Calls hit(entry) for each entry of [begin, end) that passes the test; the tests of a lane's run do
  /// not wait for each other, and hits are rare. Lanes lie next to each other, a run is a stride apart.
  /// A barrier at both ends: what hits have noted may be read between two sweeps.
  template <class Test, class Hit>
  KOKKOS_FUNCTION void sweep(Member const& team, std::uint32_t begin, std::uint32_t end,
                             Test const& test, Hit const& hit) const {
    team.team_barrier();
    std::uint32_t const chunks = (end - begin + chunk - 1) / chunk;
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, chunks * lanes), [&](std::uint32_t i) {
      std::size_t const from = begin + i / lanes * chunk + i % lanes;
      bool const whole = from + (run - 1) * lanes < end;
      Id any = 0;  // as wide as what is compared, or g++ does not vectorise the loop
      if (whole) {
        for (std::size_t k = 0; k < run; ++k) {
          any |= static_cast<Id>(test(from + k * lanes));
        }
      } else {  // past the end, the last entry again: no lane need wait for a branch
        for (std::size_t k = 0; k < run; ++k) {
          any |= static_cast<Id>(test(Kokkos::min<std::size_t>(from + k * lanes, end - 1)));
        }
      }
      for (std::size_t k = 0; any != 0 && k < run; ++k) {
        std::size_t const entry = from + k * lanes;
        if (entry < end && test(entry)) {
          hit(static_cast<std::uint32_t>(entry));
        }
      }
    });
    team.team_barrier();
  }

  KOKKOS_FUNCTION void clear(Member const& team, Note& note) const {
    team.team_barrier();  // all have read what was found before
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      note.first = propose.n;
      note.count = 0;
    });
    team.team_barrier();
  }

  /// The first position from the chain's on, before `end`, whose receiver would accept; n if none.
  KOKKOS_FUNCTION std::uint32_t along_list(Member const& team, Chain const& chain,
                                           std::uint32_t end, Note& note) const {
    Id const* const list = propose.lookup.lists[chain.proposer];
    Id const* const ranks = propose.lookup.ranks_by_proposer[chain.proposer];
    std::uint32_t first = propose.n;
    clear(team, note);
    for (std::uint32_t begin = chain.position; begin < end && first == propose.n; begin += lanes) {
      team.team_barrier();  // all have read `first`
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, begin, Kokkos::min(end, begin + lanes)),
                           [&](std::uint32_t position) {
                             if (accepts(list[position], ranks)) {
                               Kokkos::atomic_min(&note.first, position);
                             }
                           });
      team.team_barrier();
      first = note.first;
    }
    return first;
  }

  KOKKOS_FUNCTION std::uint32_t along_ranks(Member const& team, Chain const& chain,
                                            Note& note) const {
    Id const* const list = propose.lookup.lists[chain.proposer];
    Id const* const ranks = propose.lookup.ranks_by_proposer[chain.proposer];
    std::uint32_t const n = propose.n;
    clear(team, note);
    sweep(
        team, 0, n, [&](std::size_t receiver) { return accepts(receiver, ranks); },
        [&](std::uint32_t receiver) {
          unsigned const slot = Kokkos::atomic_fetch_add(&note.count, 1u);
          if (slot < Note::room) {
            note.ids[slot] = static_cast<Id>(receiver);
          }
        });
    unsigned const count = note.count;
    if (count > Note::room) {
      return along_list(team, chain, n, note);
    }
    // The few are looked for two at a time: two comparisons an entry, nothing looked up.
    std::uint32_t first = n;
    for (unsigned k = 0; k < count; k += 2) {
      Id const one = note.ids[k];
      Id const other = note.ids[k + 1 < count ? k + 1 : k];
      for (std::uint32_t begin = chain.position; begin < first; begin += 2 * chunk) {
        sweep(
            team, begin, Kokkos::min(first, begin + 2 * chunk),
            [&](std::size_t position) {
              return (list[position] == one) | (list[position] == other);
            },
            [&](std::uint32_t position) { Kokkos::atomic_min(&note.first, position); });
        first = note.first;
      }
    }
    return first;
  }
};

/// Follows all chains of `frontier`, on `teams` teams at once; none is left.
/// Cost: one launch, one fence; two rows read an acceptance at most.
template <ExecutionSpace Exec, class Id, class Contention, class Counters>
void follow_chains(Exec const& where, std::string const& label,
                   Propose<ProposerRowsLookup<Id>, Contention, Counters> const& propose,
                   Frontier<Chain, typename Contention::Memory>& frontier, std::uint64_t teams) {
  using Follow = FollowChains<Exec, Id, Contention, Counters>;
  typename Follow::Policy policy(where, static_cast<int>(teams), RowTeams<Exec>::wide_threads,
                                 RowTeams<Exec>::lanes);
  policy.set_scratch_size(0, Kokkos::PerTeam(Follow::Notes::shmem_size()));
  Kokkos::parallel_for(
      label, policy, Follow{propose, frontier.waiting, static_cast<std::uint32_t>(frontier.live)});
  where.fence(label + ": every chain has come to its end");
  frontier.live = 0;
}

}  // namespace taper::stable_marriage::detail
