// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/simd.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stable_marriage/tails/register_row.hpp>
#include <taper/stop.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace taper::stable_marriage::detail {

/// Advances each chain by one team until it retires. A team has two ways to find the next receiver
/// that would accept. Both read the proposer's own rows; the length of the last run of rejections
/// decides between them:
/// - search_list() takes candidates in the order of the list, a few at a time. Each costs two
///   dependent look-ups. It ends with the first group that has an acceptor.
/// - search_ranks() compares the proposer's ranks with the rank limits, both in the order of the
///   receivers' ids. One scan names all receivers that would accept, without a look-up. A scan of
///   the list then finds the first of these few. Both scans are contiguous: vector code on a core,
///   wide loads on a GPU. A GPU prefetches the list while it compares the ranks.
///
/// Equivalent to: Propose on each chain until it retires. `Lookup` is a ProposerRowsLookup.
/// Used by: tail_team().
template <ExecutionSpace Exec, class Lookup, class Contention, class Counters>
struct TeamTail {
  using Id = typename Lookup::Id;
  using Memory = typename Contention::Memory;
  /// The bounds tell Kokkos at compile time how large a team may be.
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<512, 1>>;
  using Member = typename Policy::member_type;

  static constexpr std::uint32_t lanes = RowTeams<Exec>::exclusive_threads * RowTeams<Exec>::lanes;
  using Row = RegisterRow<Exec, Id, lanes>;
  using Vector = typename Row::Vector;
  static constexpr std::uint32_t width = Row::width;
  static constexpr std::uint32_t vectors_between_barriers = 4;

  /// What the lanes of a team share, in scratch.
  struct Shared {
    Chain chain;
    Outcome outcome;
    bool runs_are_long;
    Id receiver;          ///< of the last offer
    std::uint32_t first;  ///< the least position found
    unsigned count;       ///< receivers that would accept, by search_ranks()
    static constexpr unsigned max_ids = 8;
    Id ids[max_ids];  ///< these receivers, if there are not more
  };
  using Scratch =
      Kokkos::View<Shared, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Propose<Lookup, Contention, Counters> propose;
  Kokkos::View<Chain*, Memory> waiting;
  std::uint32_t live;
  StopFlag stop;  ///< a host returns soon if it is set

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
  KOKKOS_FUNCTION void advance(Member const& team, Chain chain, Shared& shared,
                               Tally& tally) const {
    // search_list() takes about as long for an eighth of the list as search_ranks() does.
    std::uint32_t const long_run = propose.n / 8;
    bool runs_are_long = false;
    Outcome outcome = Outcome::again;
    Row rank_limits;
    Kokkos::single(Kokkos::PerTeam(team), [&]() {
      clear(shared);
      shared.receiver = 0;
    });
    team.team_barrier();
    while (outcome != Outcome::retired) {
      std::uint32_t const begin = chain.position;
      bool found = false;
      if (!runs_are_long) {
        std::uint32_t const end = Kokkos::min(propose.n, begin + Kokkos::max(long_run, +lanes));
        found = search_list(team, chain, begin, end, shared);
      }
      if (!found) {
        search_ranks(team, chain, rank_limits, shared);
      }
      // No other lane reads `first` here: all wait at the barrier below before they write to
      // `shared` again.
      Kokkos::single(Kokkos::PerTeam(team), [&]() {
        shared.runs_are_long = shared.first - begin > long_run;
        shared.chain = {chain.proposer, shared.first};
        shared.outcome = Outcome::retired;
        if (shared.first < propose.n && !is_stopped()) {  // else rejected by all, or given up
          auto const proposal = propose.lookup(shared.chain);
          shared.receiver = proposal.receiver;
          shared.outcome = propose.offer(shared.chain, proposal, tally);
        }
        clear(shared);
      });
      team.team_barrier();
      chain = shared.chain;
      outcome = shared.outcome;
      runs_are_long = shared.runs_are_long;
      rank_limits.reload(team, propose.contention.rank_limits(), shared.receiver);
    }
    team.team_barrier();  // all have read `shared` before the next chain clears it
  }

  KOKKOS_FUNCTION bool is_stopped() const {
    KOKKOS_IF_ON_HOST((return stop.is_set();))
    KOKKOS_IF_ON_DEVICE((return false;))
  }

  KOKKOS_FUNCTION void clear(Shared& shared) const {
    shared.first = propose.n;
    shared.count = 0;
  }

  /// Puts the first position of [begin, end) whose receiver would accept into `shared`; false if
  /// there is none.
  KOKKOS_FUNCTION bool search_list(Member const& team, Chain const& chain, std::uint32_t begin,
                                   std::uint32_t end, Shared& shared) const {
    Id const* const list = propose.lookup.lists[chain.proposer];
    Id const* const ranks = propose.lookup.ranks_by_proposer[chain.proposer];
    for (; begin < end; begin += lanes) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, begin, Kokkos::min(end, begin + lanes)),
                           [&](std::uint32_t position) {
                             Id const receiver = list[position];
                             if (ranks[receiver] < propose.contention.rank_limit(receiver)) {
                               Kokkos::atomic_min(&shared.first, position);
                             }
                           });
      if (found_before(team, propose.n, shared)) {
        return true;
      }
    }
    return false;
  }

  /// Puts the first position from the chain's on whose receiver would accept into `shared`, by a
  /// scan of the ranks.
  KOKKOS_FUNCTION void search_ranks(Member const& team, Chain const& chain, Row& held_rank_limits,
                                    Shared& shared) const {
    Id const* const list = propose.lookup.lists[chain.proposer];
    Id const* const ranks = propose.lookup.ranks_by_proposer[chain.proposer];
    Id const* const rank_limits = propose.contention.rank_limits();
    std::uint32_t const n = propose.n;
    std::uint32_t const vectors = n / width;
    Row held_ranks;
    held_ranks.load(team, ranks, vectors);
    bool const list_is_aligned = is_aligned_for<Vector>(list);
    if (list_is_aligned) {
      held_ranks.for_each_vector(
          team, [&](std::uint32_t, std::uint32_t i) { prefetch(list + i * width); });
    }
    if (held_rank_limits.count == 0) {
      held_rank_limits.load(team, rank_limits, vectors);
    }

    auto const would_accept = [&](std::uint32_t receiver) {
      unsigned const slot = Kokkos::atomic_fetch_add(&shared.count, 1u);
      if (slot < Shared::max_ids) {
        shared.ids[slot] = static_cast<Id>(receiver);
      }
    };
    for_each_acceptor<Exec, Id, lanes>(team, held_ranks, ranks, held_rank_limits, rank_limits, n,
                                       would_accept);
    team.team_barrier();
    unsigned const count = shared.count;
    if (count > Shared::max_ids) {
      team.team_barrier();  // all have read the count
      search_list(team, chain, chain.position, n, shared);
      return;
    }

    Row held_list;
    held_list.load(team, list, list_is_aligned ? vectors : 0);
    // The list is scanned for two of the few receivers at a time: two comparisons per entry and no
    // look-up.
    for (unsigned k = 0; k < count; k += 2) {
      Pair const pair{shared.ids[k], shared.ids[k + 1 < count ? k + 1 : k]};
      held_list.for_each_hit(
          team,
          [&](std::uint32_t h) {
            return any_equal<Id, width>(held_list.vectors[h], pair.one, pair.other);
          },
          [&](std::uint32_t begin) { find_in_vector(pair, list, begin, chain.position, shared); });
      std::uint32_t begin = Kokkos::max(chain.position, held_list.count * width);
      while (begin < n) {
        std::uint32_t const end = Kokkos::min(n, begin + vectors_between_barriers * lanes * width);
        find_pair(team, pair, list, begin, end, shared);
        begin = end;
        if (begin < n && found_before(team, begin, shared)) {
          break;
        }
      }
    }
    team.team_barrier();
  }

  /// Two receivers to find in a list.
  struct Pair {
    Id one;
    Id other;
  };

  /// Finds the pair in the vector at `begin`, from position `min_position` on.
  KOKKOS_FUNCTION static void find_in_vector(Pair const& pair, Id const* list, std::uint32_t begin,
                                             std::uint32_t min_position, Shared& shared) {
    for (std::uint32_t k = begin; k < begin + width; ++k) {
      if ((list[k] == pair.one || list[k] == pair.other) && k >= min_position) {
        Kokkos::atomic_min(&shared.first, k);
      }
    }
  }

  /// Finds the pair in the positions [begin, end).
  KOKKOS_FUNCTION void find_pair(Member const& team, Pair const& pair, Id const* list,
                                 std::uint32_t begin, std::uint32_t end, Shared& shared) const {
    AlignedRow<SimdVector<Id, width>> const parts(list + begin, end - begin);
    Kokkos::parallel_for(
        Kokkos::TeamThreadRange(team, parts.vectors + parts.singles), [&](std::uint32_t i) {
          if (i < parts.vectors) {
            std::uint32_t const at = begin + parts.start_of(i);
            if (any_equal<Id, width>(vector_at<Vector>(list + at), pair.one, pair.other)) {
              find_in_vector(pair, list, at, begin, shared);
            }
          } else {
            std::uint32_t const position = begin + parts.position_of_single(i - parts.vectors);
            if (list[position] == pair.one || list[position] == pair.other) {
              Kokkos::atomic_min(&shared.first, position);
            }
          }
        });
  }

  /// True if a position below `end` is found. The barriers on both sides give all lanes the same
  /// answer: no lane writes to `first` between them.
  KOKKOS_FUNCTION bool found_before(Member const& team, std::uint32_t end,
                                    Shared const& shared) const {
    team.team_barrier();
    bool const found = shared.first < end;
    team.team_barrier();
    return found;
  }
};

/// Advances all chains of `frontier` on `teams` teams at once. No chain is left.
/// Cost: one launch, one fence; at most two rows read per acceptance.
/// Throws: Stopped if the flag is set. A host then returns soon, a GPU makes all steps.
template <ExecutionSpace Exec, class Lookup, class Contention, class Counters>
void run_team_tail(Exec const& where, std::string const& label,
                   Propose<Lookup, Contention, Counters> const& propose,
                   Frontier<Chain, typename Contention::Memory>& frontier, std::uint64_t teams,
                   StopFlag stop = {}) {
  using Tail = TeamTail<Exec, Lookup, Contention, Counters>;
  typename Tail::Policy policy(where, static_cast<int>(teams), static_cast<int>(Tail::lanes), 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(Tail::Scratch::shmem_size()));
  Kokkos::parallel_for(
      label, policy,
      Tail{propose, frontier.waiting, static_cast<std::uint32_t>(frontier.live), stop});
  where.fence(label + ": wait for the last chain");
  stop.check();
  frontier.live = 0;
}

}  // namespace taper::stable_marriage::detail
