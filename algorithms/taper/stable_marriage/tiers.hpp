// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>
#include <taper/simd.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/propose.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Tiers: all lists of a side agree on which candidates are in a better tier, and differ within a
// tier only. Used by: try_tiers() in phases.hpp, for the precheck of a hybrid run.
//
// Suppose the first b entries of every proposer's list are the same b receivers, and those of every
// receiver's list the same b proposers. Then every stable matching pairs these with each other. If
// one of the b proposers had a partner behind position b, then one of the b receivers would have a
// partner behind b too. These two would prefer each other: a blocking pair.
//
// So an instance falls at each such b into independent instances. Its proposer-optimal matching is
// the union of theirs. Finding the tiers reads each list once, in order, and needs no ranks.

namespace taper::stable_marriage::detail {

/// One thread solves a tier. Instances with larger tiers are left to the engines.
inline constexpr std::uint32_t max_tier_size = 64;

/// Writes the reference position of each candidate: its position in the list of person 0.
template <class Lists, class Id, class Memory>
struct RecordPositions {
  Lists lists;
  Kokkos::View<Id*, Memory> position_of;

  KOKKOS_FUNCTION void operator()(std::uint64_t position) const {
    // Benign race: two threads write one entry only if the list is no permutation, and no tier
    // results from such a list.
    relaxed_store(position_of(lists(0, position)), static_cast<Id>(position));
  }
};

/// reach(p) = the largest reference position of a candidate at position p of a list. Reads `count`
/// of the `rows` lists, equally spaced. A team reads a tile: some positions of some lists.
template <ExecutionSpace Exec, class Lists, class Id, class Memory>
struct ReachOfPositions {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Entries = SimdVector<Id, RowTeams<Exec>::template entries_per_lane<Id>>;
  static constexpr std::uint32_t lanes = RowTeams<Exec>::lanes;
  static constexpr std::uint32_t threads = RowTeams<Exec>::threads;
  static constexpr std::uint32_t lists_per_team = 1024;

  Lists lists;
  std::uint64_t rows;
  std::uint64_t count;
  Kokkos::View<Id const*, Memory> position_of;
  Kokkos::View<std::uint32_t*, Memory> reach;
  Kokkos::View<std::uint32_t, Memory> too_large;  ///< not 0: a tier exceeds max_tier_size
  std::uint32_t n;
  std::uint32_t tiles;  ///< of lanes * Entries::size positions

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    if (relaxed_load(too_large()) != 0) {
      return;
    }
    auto const league = static_cast<std::uint32_t>(team.league_rank());
    std::uint32_t const tile = league % tiles * lanes * Entries::size;
    std::uint64_t const first = std::uint64_t{league} / tiles * lists_per_team;
    auto const thread = static_cast<std::uint64_t>(team.team_rank());
    std::uint64_t const end = Kokkos::min(first + lists_per_team, count);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), [&](std::uint32_t lane) {
      std::uint32_t const begin = tile + lane * Entries::size;
      if (begin >= n) {
        return;
      }
      std::uint32_t farthest[Entries::size] = {};
      for (std::uint64_t i = first + thread; i < end; i += threads) {
        auto const group = read_group<Entries::size>(lists[i * rows / count], begin, n);
        TAPER_UNROLL
        for (std::uint32_t k = 0; k < Entries::size; ++k) {
          farthest[k] = Kokkos::max(farthest[k], std::uint32_t{position_of(group.entries[k])});
        }
      }
      TAPER_UNROLL
      for (std::uint32_t k = 0; k < Entries::size; ++k) {
        raise_reach(begin + k, farthest[k]);
      }
    });
  }

 private:
  /// Benign races: reach only grows, and the atomic maximum decides, so an old value read before it
  /// costs an atomic at most. All workers that write too_large write the same value; one that reads
  /// it late does work that nothing uses.
  KOKKOS_FUNCTION void raise_reach(std::uint32_t position, std::uint32_t farthest) const {
    if (position < n && farthest > relaxed_load(reach(position))) {
      Kokkos::atomic_max(&reach(position), farthest);
      if (farthest >= position + max_tier_size) {
        relaxed_store(too_large(), 1u);
      }
    }
  }
};

/// A tier begins at each position that no earlier position reaches. No position reaches
/// max_tier_size positions ahead, so only that many earlier positions are tested.
template <class Memory>
struct FindTierBegins {
  Kokkos::View<std::uint32_t const*, Memory> reach;
  Kokkos::View<std::uint32_t*, Memory> begins;

  KOKKOS_FUNCTION void operator()(std::uint32_t position, std::uint32_t& tiers, bool final) const {
    bool begin = true;
    for (std::uint32_t back = 1; back <= Kokkos::min(position, +max_tier_size); ++back) {
      begin = begin && reach(position - back) < position;
    }
    if (begin) {
      if (final) {
        begins(tiers) = position;
      }
      ++tiers;
    }
  }
};

/// The reference positions of each tier.
template <class Memory>
struct TierBounds {
  Kokkos::View<std::uint32_t const*, Memory> begins;
  std::uint32_t tiers;
  std::uint32_t n;

  KOKKOS_FUNCTION std::uint32_t begin(std::uint32_t tier) const { return begins(tier); }
  KOKKOS_FUNCTION std::uint32_t size(std::uint32_t tier) const {
    return (tier + 1 == tiers ? n : begins(tier + 1)) - begins(tier);
  }
};

template <class Memory>
struct LargestTier {
  TierBounds<Memory> bounds;

  KOKKOS_FUNCTION void operator()(std::uint32_t tier, std::uint32_t& largest) const {
    largest = Kokkos::max(largest, bounds.size(tier));
  }
};

/// The counts of one tier, or their sum.
struct TierTally {
  std::uint64_t proposals = 0;
  std::uint64_t acceptances = 0;
  std::uint64_t unmatched = 0;  ///< proposers that all rejected; 0 for any valid instance

  KOKKOS_FUNCTION TierTally& operator+=(TierTally const& other) {
    proposals += other.proposals;
    acceptances += other.acceptances;
    unmatched += other.unmatched;
    return *this;
  }
};

/// Solves each tier by one thread: the proposer-optimal matching. A proposer or receiver without a
/// partner gets none.
///
/// Equivalent to: the algorithm of McVitie and Wilson, tier after tier.
template <ExecutionSpace Exec, class Lists, class Id, class Memory, class Partners>
struct SolveTiers {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Scratch = typename Exec::scratch_memory_space;
  using Square = Kokkos::View<std::uint8_t[max_tier_size][max_tier_size], Kokkos::LayoutRight,
                              Scratch, Kokkos::MemoryUnmanaged>;
  using Row = Kokkos::View<std::uint8_t[max_tier_size], Scratch, Kokkos::MemoryUnmanaged>;
  static constexpr std::uint8_t no_partner = max_tier_size;

  Lists proposers;
  Lists receivers;
  Kokkos::View<Id const*, Memory> position_of_proposer;
  Kokkos::View<Id const*, Memory> position_of_receiver;
  TierBounds<Memory> bounds;
  Partners partner_of;
  bool men_propose;
  Kokkos::View<TierTally*, Memory> tallies;  ///< of each tier

  static std::size_t scratch_bytes() { return 2 * Square::shmem_size() + 2 * Row::shmem_size(); }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const tier =
        static_cast<std::uint32_t>(team.league_rank() * team.team_size() + team.team_rank());
    if (tier >= bounds.tiers) {
      return;
    }
    std::uint32_t const begin = bounds.begin(tier);
    std::uint32_t const size = bounds.size(tier);
    Square const list(team.thread_scratch(0));  // of each proposer: receivers, the best first
    Square const rank(team.thread_scratch(0));  // of each receiver: the rank of each proposer
    Row const cursor(team.thread_scratch(0));   // of each proposer
    Row const partner(team.thread_scratch(0));  // of each receiver
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, size * size), [&](std::uint32_t pair) {
      std::uint32_t const person = pair / size;
      std::uint32_t const position = pair % size;
      // The reference positions are those of the lists of person 0.
      Id const receiver = proposers(proposer_at(begin + person), begin + position);
      Id const proposer = receivers(receiver_at(begin + person), begin + position);
      std::uint32_t const to = position_of_receiver(receiver) - begin;
      std::uint32_t const from = position_of_proposer(proposer) - begin;
      // A row that names a candidate twice may have one of another tier here.
      list(person, position) = static_cast<std::uint8_t>(to < size ? to : no_partner);
      if (from < size) {
        rank(person, from) = static_cast<std::uint8_t>(position);
      }
    });
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, size), [&](std::uint32_t person) {
      cursor(person) = 0;
      partner(person) = no_partner;
    });
    Kokkos::single(Kokkos::PerThread(team), [&]() {
      TierTally& tally = tallies(tier);
      tally = {};
      for (std::uint32_t i = 0; i < size; ++i) {
        std::uint32_t proposer = i;
        while (proposer != no_partner && cursor(proposer) < size) {
          std::uint32_t const receiver = list(proposer, cursor(proposer)++);
          if (receiver == no_partner) {
            continue;
          }
          std::uint8_t const before = partner(receiver);
          if (before == no_partner || rank(receiver, proposer) < rank(receiver, before)) {
            partner(receiver) = static_cast<std::uint8_t>(proposer);
            proposer = before;
            ++tally.acceptances;
          }
        }
      }
      for (std::uint32_t i = 0; i < size; ++i) {
        tally.proposals += begin + cursor(i);
        tally.unmatched += partner(i) == no_partner;
      }
    });
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, size), [&](std::uint32_t person) {
      if (partner(person) != no_partner) {
        Id const receiver = receiver_at(begin + person);
        Id const proposer = proposer_at(begin + partner(person));
        partner_of(men_propose ? proposer : receiver) = men_propose ? receiver : proposer;
      }
    });
  }

 private:
  KOKKOS_FUNCTION Id proposer_at(std::uint32_t position) const { return receivers(0, position); }
  KOKKOS_FUNCTION Id receiver_at(std::uint32_t position) const { return proposers(0, position); }
};

/// Merges the reach that another device has found.
template <class Memory>
struct MergeReach {
  Kokkos::View<std::uint32_t*, Memory> reach;
  Kokkos::View<std::uint32_t const*, Memory> other;
  Kokkos::View<std::uint32_t, Memory> too_large;
  Kokkos::View<std::uint32_t const, Memory> other_too_large;

  KOKKOS_FUNCTION void operator()(std::uint64_t position) const {
    reach(position) = Kokkos::max(reach(position), other(position));
    if (position == 0 && other_too_large() != 0) {
      too_large() = 1;
    }
  }
};

template <class Memory>
struct SumTiers {
  Kokkos::View<TierTally const*, Memory> tallies;

  KOKKOS_FUNCTION void operator()(std::uint32_t tier, TierTally& sum) const {
    sum += tallies(tier);
  }
};

/// Finds and solves the tiers of an instance.
///
/// The lists may lie on several devices. Each device reads its own lists and has the reference
/// positions of all.
template <ExecutionSpace Exec, class Id>
class Tiers {
 public:
  using Memory = typename Exec::memory_space;

  /// `where` reaches the first row of `proposers` and of `receivers`.
  template <class Lists>
  Tiers(Exec const& where, Lists const& proposers, Lists const& receivers, std::uint32_t n)
      : n_(n), position_of_proposer_(
                   allocate<Id>(where, "taper::stable_marriage::position_of_proposer", n)),
        position_of_receiver_(
            allocate<Id>(where, "taper::stable_marriage::position_of_receiver", n)),
        begins_(allocate<std::uint32_t>(where, "taper::stable_marriage::tier_begins", n)),
        reach_(Kokkos::view_alloc(where, "taper::stable_marriage::reach"), n),
        too_large_(Kokkos::view_alloc(where, "taper::stable_marriage::too_large")) {
    auto const each = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(where, 0, n);
    Kokkos::parallel_for("taper::stable_marriage::record_positions", each,
                         RecordPositions<Lists, Id, Memory>{proposers, position_of_receiver_});
    Kokkos::parallel_for("taper::stable_marriage::record_positions", each,
                         RecordPositions<Lists, Id, Memory>{receivers, position_of_proposer_});
  }

  /// Reads `count` of the `rows` lists of one side.
  template <class Lists>
  void read_proposers(Exec const& where, Lists const& lists, std::uint64_t rows,
                      std::uint64_t count) const {
    read(where, lists, rows, count, position_of_receiver_);
  }
  template <class Lists>
  void read_receivers(Exec const& where, Lists const& lists, std::uint64_t rows,
                      std::uint64_t count) const {
    read(where, lists, rows, count, position_of_proposer_);
  }

  /// Merges what `other` has read.
  /// Requires: the kernels of `other` have ended, and `where` reaches its memory.
  void merge(Exec const& where, Tiers const& other) const {
    Kokkos::parallel_for("taper::stable_marriage::merge_reach",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(where, 0, n_),
                         MergeReach<Memory>{reach_, other.reach_, too_large_, other.too_large_});
  }

  /// The number of tiers that the lists read so far allow; 0 if one exceeds max_tier_size.
  /// Async: returns with `where` fenced.
  std::uint32_t count(Exec const& where) {
    std::uint32_t too_large = 0;
    Kokkos::deep_copy(where, too_large, too_large_);
    where.fence("taper::stable_marriage: wait for the size check of the tiers");
    if (too_large != 0) {
      return 0;
    }
    using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint32_t>>;
    Kokkos::parallel_scan("taper::stable_marriage::find_tier_begins", Range(where, 0, n_),
                          FindTierBegins<Memory>{reach_, begins_}, tiers_);
    where.fence("taper::stable_marriage: wait for the number of tiers");
    std::uint32_t largest = 0;
    Kokkos::parallel_reduce("taper::stable_marriage::largest_tier", Range(where, 0, tiers_),
                            LargestTier<Memory>{{begins_, tiers_, n_}},
                            Kokkos::Max<std::uint32_t>(largest));
    where.fence("taper::stable_marriage: wait for the size of the largest tier");
    return largest <= max_tier_size ? tiers_ : 0;
  }

  /// Solves the tiers that count() has found.
  /// Async: returns with `where` fenced.
  template <class Lists, class Partners>
  TierTally solve(Exec const& where, Lists const& proposers, Lists const& receivers,
                  Partners const& partner_of, bool men_propose) const {
    using Solve = SolveTiers<Exec, Lists, Id, Memory, Partners>;
    constexpr int threads = RowTeams<Exec>::chain_team_threads;
    auto const tallies = allocate<TierTally>(where, "taper::stable_marriage::tier_tallies", tiers_);
    Kokkos::TeamPolicy<Exec> policy(where, static_cast<int>((tiers_ + threads - 1) / threads),
                                    threads, RowTeams<Exec>::lanes);
    policy.set_scratch_size(0, Kokkos::PerThread(Solve::scratch_bytes()));
    Kokkos::parallel_for("taper::stable_marriage::solve_tiers", policy,
                         Solve{proposers,
                               receivers,
                               position_of_proposer_,
                               position_of_receiver_,
                               {begins_, tiers_, n_},
                               partner_of,
                               men_propose,
                               tallies});
    TierTally sum;
    Kokkos::parallel_reduce(
        "taper::stable_marriage::sum_tiers",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint32_t>>(where, 0, tiers_),
        SumTiers<Memory>{tallies}, sum);
    where.fence("taper::stable_marriage: wait for the sums of the tiers");
    return sum;
  }

 private:
  template <class T>
  static Kokkos::View<T*, Memory> allocate(Exec const& where, std::string const& label,
                                           std::size_t extent) {
    return Kokkos::View<T*, Memory>(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label),
                                    extent);
  }

  template <class Lists>
  void read(Exec const& where, Lists const& lists, std::uint64_t rows, std::uint64_t count,
            Kokkos::View<Id const*, Memory> const& position_of) const {
    if (count == 0) {
      return;
    }
    using Reach = ReachOfPositions<Exec, Lists, Id, Memory>;
    constexpr std::uint32_t tile = Reach::lanes * Reach::Entries::size;
    std::uint32_t const tiles = (n_ + tile - 1) / tile;
    std::uint64_t const teams = (count + Reach::lists_per_team - 1) / Reach::lists_per_team;
    Kokkos::parallel_for("taper::stable_marriage::reach_of_positions",
                         row_teams(where, teams * tiles),
                         Reach{lists, rows, count, position_of, reach_, too_large_, n_, tiles});
  }

  std::uint32_t n_;
  std::uint32_t tiers_ = 0;
  Kokkos::View<Id*, Memory> position_of_proposer_;
  Kokkos::View<Id*, Memory> position_of_receiver_;
  Kokkos::View<std::uint32_t*, Memory> begins_;
  Kokkos::View<std::uint32_t*, Memory> reach_;
  Kokkos::View<std::uint32_t, Memory> too_large_;
};

/// One reader of lists: an execution space instance, the lists of all people as it reaches them,
/// and the lists that it reads, `people` of each side. Each device is a reader.
template <ExecutionSpace Exec, class All, class Own>
struct TierReader {
  Exec where;
  All proposers;
  All receivers;
  Own own_proposers;
  Own own_receivers;
  std::uint64_t people;
};

/// The result of a run that ended by tiers.
struct TieredRun {
  std::uint64_t tiers;
  TierTally tally;
};

/// Solves an instance of n people per side tier by tier, and writes the matching to partner_of. The
/// first reader does all but the reading.
///
/// Returns nothing if there are no tiers, if the options exclude them, or if n is below 256, where
/// there is nothing to gain. Returns nothing too if a person gets no partner, since a row is no
/// permutation: an engine then reports it.
/// Cost: reads 32 lists of each side, and if these allow tiers, all lists. Two lists with little in
/// common are enough to exclude tiers. About 40 bytes per person on each device.
template <class Id, ExecutionSpace Exec, class All, class Own, class Partners>
std::optional<TieredRun> solve_by_tiers(std::vector<TierReader<Exec, All, Own>> const& readers,
                                        std::uint32_t n, Partners const& partner_of,
                                        Options const& options) {
  constexpr std::uint64_t sample = 32;
  constexpr std::uint32_t min_n = 4 * max_tier_size;
  if (!policy_decides_tail(options) || !options.tiers || n < min_n) {
    return {};
  }
  auto const& lead = readers.front();
  FencedRegion const region(lead.where, "taper::stable_marriage::precheck");
  std::vector<Tiers<Exec, Id>> tiers{{lead.where, lead.proposers, lead.receivers, n}};
  tiers.front().read_proposers(lead.where, lead.proposers, n, sample);
  tiers.front().read_receivers(lead.where, lead.receivers, n, sample);
  if (tiers.front().count(lead.where) == 0) {
    return {};
  }
  for (std::size_t k = 1; k < readers.size(); ++k) {
    tiers.emplace_back(readers[k].where, readers[k].proposers, readers[k].receivers, n);
  }
  for (std::size_t k = 0; k < readers.size(); ++k) {
    auto const& reader = readers[k];
    tiers[k].read_proposers(reader.where, reader.own_proposers, reader.people, reader.people);
    tiers[k].read_receivers(reader.where, reader.own_receivers, reader.people, reader.people);
  }
  for (std::size_t k = 1; k < readers.size(); ++k) {
    readers[k].where.fence("taper::stable_marriage: wait for the reach of a device's lists");
    tiers.front().merge(lead.where, tiers[k]);
  }
  std::uint64_t const found = tiers.front().count(lead.where);
  if (found == 0) {
    return {};
  }
  TierTally const tally = tiers.front().solve(lead.where, lead.proposers, lead.receivers,
                                              partner_of, options.proposer == Proposer::men);
  if (tally.unmatched > 0) {
    return {};
  }
  return TieredRun{found, tally};
}

}  // namespace taper::stable_marriage::detail
