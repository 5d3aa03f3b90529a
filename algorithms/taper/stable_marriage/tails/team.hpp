// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/pack.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/held_row.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace taper::stable_marriage::detail {

/// Follows each chain by a team, to its end. Two ways to look, both from the proposer's own rows,
/// chosen by how long his runs are:
/// - *along the list*: candidates in turn, a few at a time: two dependent look-ups a candidate,
///   done at the first few that have one who accepts;
/// - *along the ranks*: his ranks against the bars, both in order of the receivers' ids, which
///   names all who would accept him in one sweep without a look-up; then a sweep of the list for
///   the first of these few. Both sweeps are contiguous: vector code on a core, wide loads on a
///   GPU. What a GPU's lanes can hold of the list is on its way while they look at the ranks.
///
/// Equivalent to: Propose on each chain, to its end. `Lookup` is a ProposerRowsLookup.
template <ExecutionSpace Exec, class Lookup, class Contention, class Counters>
struct FollowByTeams {
  using Id = typename Lookup::Id;
  using Memory = typename Contention::Memory;
  /// Kokkos must know before it compiles that a team may be as large as teams get.
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<512, 1>>;
  using Member = typename Policy::member_type;

  static constexpr std::uint32_t lanes = RowTeams<Exec>::wide_threads * RowTeams<Exec>::lanes;
  static constexpr std::uint32_t run = RowTeams<Exec>::template run<Id>;
  static constexpr std::uint32_t runs_between_barriers = 4;
  using Held = HeldRow<Exec, Id, lanes>;
  using Run = typename Held::Run;

  /// What the lanes of a team tell each other.
  struct Note {
    Chain chain;
    Outcome outcome;
    bool runs_are_long;
    Id receiver;          ///< of the last offer
    std::uint32_t first;  ///< the least position found
    unsigned count;       ///< receivers who would accept
    static constexpr unsigned room = 8;
    Id ids[room];  ///< these receivers, as long as there is room
  };
  using Notes = Kokkos::View<Note, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Propose<Lookup, Contention, Counters> propose;
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
  KOKKOS_FUNCTION void follow(Member const& team, Chain chain, Note& note, Tally& tally) const {
    // Of n entries in order, an eighth and its look-ups take about the time of both sweeps.
    std::uint32_t const long_run = propose.n / 8;
    bool runs_are_long = false;
    Outcome outcome = Outcome::again;
    Held bars;
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      clear(note);
      note.receiver = 0;
    });
    team.team_barrier();
    while (outcome != Outcome::retired) {
      std::uint32_t const begin = chain.position;
      bool found = false;
      if (!runs_are_long) {
        std::uint32_t const soon = Kokkos::min(propose.n, begin + Kokkos::max(long_run, +lanes));
        found = along_list(team, chain, begin, soon, note);
      }
      if (!found) {
        along_ranks(team, chain, bars, note);
      }
      // Only this lane reads `first` here, and all wait for it before they write to the note again.
      Kokkos::single(Kokkos::PerTeam(team), [&]() {
        note.runs_are_long = note.first - begin > long_run;
        note.chain = {chain.proposer, note.first};
        note.outcome = Outcome::retired;
        if (note.first < propose.n) {  // else rejected by all
          auto const proposal = propose.lookup(note.chain);
          note.receiver = proposal.receiver;
          note.outcome = propose.offer(note.chain, proposal, tally);
        }
        clear(note);
      });
      team.team_barrier();
      chain = note.chain;
      outcome = note.outcome;
      runs_are_long = note.runs_are_long;
      bars.renew(team, propose.contention.bars(), note.receiver);
    }
    team.team_barrier();  // all have read the note before the next chain clears it
  }

  KOKKOS_FUNCTION void clear(Note& note) const {
    note.first = propose.n;
    note.count = 0;
  }

  /// The first position of [begin, end) whose receiver would accept; true if there is one.
  KOKKOS_FUNCTION bool along_list(Member const& team, Chain const& chain, std::uint32_t begin,
                                  std::uint32_t end, Note& note) const {
    Id const* const list = propose.lookup.lists[chain.proposer];
    Id const* const ranks = propose.lookup.ranks_by_proposer[chain.proposer];
    for (; begin < end; begin += lanes) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, Kokkos::min(end, begin + lanes)),
                           [&](std::uint32_t position) {
                             Id const receiver = list[position];
                             if (ranks[receiver] < propose.contention.bar(receiver)) {
                               Kokkos::atomic_min(&note.first, position);
                             }
                           });
      if (team_has_found_before(team, propose.n, note)) {
        return true;
      }
    }
    return false;
  }

  /// The first position from the chain's on whose receiver would accept, from a sweep of the ranks.
  KOKKOS_FUNCTION void along_ranks(Member const& team, Chain const& chain, Held& bars_held,
                                   Note& note) const {
    Id const* const list = propose.lookup.lists[chain.proposer];
    Id const* const ranks = propose.lookup.ranks_by_proposer[chain.proposer];
    Id const* const bars = propose.contention.bars();
    std::uint32_t const n = propose.n;
    std::uint32_t const runs = n / run;
    Held his;
    his.load(team, ranks, runs);
    bool const list_is_packed = holds_packs<Run>(list);
    if (list_is_packed) {
      his.each(team, [&](std::uint32_t, std::uint32_t i) { prefetch(list + i * run); });
    }
    if (bars_held.runs == 0) {
      bars_held.load(team, bars, runs);
    }

    auto const would_accept = [&](std::uint32_t receiver) {
      unsigned const slot = Kokkos::atomic_fetch_add(&note.count, 1u);
      if (slot < Note::room) {
        note.ids[slot] = static_cast<Id>(receiver);
      }
    };
    for_all_above<Exec, Id, lanes>(team, his, ranks, bars_held, bars, n, would_accept);
    team.team_barrier();
    unsigned const count = note.count;
    if (count > Note::room) {
      team.team_barrier();  // all have read the count
      along_list(team, chain, chain.position, n, note);
      return;
    }

    Held people;
    people.load(team, list, list_is_packed ? runs : 0);
    // The few are looked for two at a time: two comparisons an entry, nothing looked up.
    for (unsigned k = 0; k < count; k += 2) {
      Pair const pair{note.ids[k], note.ids[k + 1 < count ? k + 1 : k]};
      people.test(
          team,
          [&](std::uint32_t h) { return any_of<Id, run>(people.mine[h], pair.one, pair.other); },
          [&](std::uint32_t from) { note_first(pair, list, from, chain.position, note); });
      std::uint32_t begin = Kokkos::max(chain.position, people.runs * run);
      while (begin < n) {
        std::uint32_t const end = Kokkos::min(n, begin + runs_between_barriers * lanes * run);
        look_for(team, pair, list, begin, end, note);
        begin = end;
        if (begin < n && team_has_found_before(team, begin, note)) {
          break;
        }
      }
    }
    team.team_barrier();
  }

  struct Pair {
    Id one;
    Id other;
  };

  /// Of the run at `from`, which has one of the pair.
  KOKKOS_FUNCTION static void note_first(Pair const& pair, Id const* list, std::uint32_t from,
                                         std::uint32_t not_before, Note& note) {
    for (std::uint32_t k = from; k < from + run; ++k) {
      if ((list[k] == pair.one || list[k] == pair.other) && k >= not_before) {
        Kokkos::atomic_min(&note.first, k);
      }
    }
  }

  KOKKOS_FUNCTION void look_for(Member const& team, Pair const& pair, Id const* list,
                                std::uint32_t begin, std::uint32_t end, Note& note) const {
    PackedRow<Pack<Id, run>> const cut(list + begin, end - begin);
    Kokkos::parallel_for(
        Kokkos::TeamThreadRange(team, cut.packs + cut.loose), [&](std::uint32_t i) {
          if (i < cut.packs) {
            std::uint32_t const from = begin + cut.start_of(i);
            if (any_of<Id, run>(pack_at<Run>(list + from), pair.one, pair.other)) {
              note_first(pair, list, from, begin, note);
            }
          } else {
            std::uint32_t const position = begin + cut.position_of_loose(i - cut.packs);
            if (list[position] == pair.one || list[position] == pair.other) {
              Kokkos::atomic_min(&note.first, position);
            }
          }
        });
  }

  /// Barriers on both sides: all lanes get the same answer, and nobody adds to it meanwhile.
  KOKKOS_FUNCTION bool team_has_found_before(Member const& team, std::uint32_t position,
                                             Note const& note) const {
    team.team_barrier();
    bool const found = note.first < position;
    team.team_barrier();
    return found;
  }
};

/// Follows all chains of `frontier`, on `teams` teams at once; none is left.
/// Cost: one launch, one fence; two rows read an acceptance at most.
template <ExecutionSpace Exec, class Lookup, class Contention, class Counters>
void follow_by_teams(Exec const& where, std::string const& label,
                     Propose<Lookup, Contention, Counters> const& propose,
                     Frontier<Chain, typename Contention::Memory>& frontier, std::uint64_t teams) {
  using Follow = FollowByTeams<Exec, Lookup, Contention, Counters>;
  typename Follow::Policy policy(where, static_cast<int>(teams), static_cast<int>(Follow::lanes),
                                 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(Follow::Notes::shmem_size()));
  Kokkos::parallel_for(
      label, policy, Follow{propose, frontier.waiting, static_cast<std::uint32_t>(frontier.live)});
  where.fence(label + ": every chain has come to its end");
  frontier.live = 0;
}

}  // namespace taper::stable_marriage::detail
