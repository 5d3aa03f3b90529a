// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/duo.hpp>
#include <taper/pack.hpp>
#include <taper/region.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/propose.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Tiers: a market where all agree who is of a better class, and differ within a class alone.
///
/// If the first b entries of every proposer's list are the same b receivers, and those of every
/// receiver's list the same b proposers, then every stable matching pairs these with each other: one
/// of these proposers with a partner behind b would leave a receiver of the b whose partner is
/// behind b too, and the two would rather have each other. So a market falls apart at each such b
/// into instances that have nothing to do with each other, and its proposer-optimal matching is
/// theirs. Lists need be read once for it, in order; nobody needs ranks.
namespace taper::stable_marriage::detail {

/// Larger tiers are a matter of the engines: a tier is solved by one thread.
inline constexpr std::uint32_t most_tier = 64;

/// Positions in one list that all are held against: the first person's of the other side.
template <class Lists, class Id, class Memory>
struct NotePlaces {
  Lists lists;
  Kokkos::View<Id*, Memory> place;

  KOKKOS_FUNCTION void operator()(std::uint64_t position) const {
    // relaxed: of a list that is no permutation, which no tier comes of, two positions may meet
    relaxed_store(place(lists(0, position)), static_cast<Id>(position));
  }
};

/// reach(p) = the largest place of anybody whom a list has at position p. Of `people` lists from the
/// table's `rows`, equally far apart.
template <ExecutionSpace Exec, class Lists, class Id, class Memory>
struct ReachOfPositions {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Run = Pack<Id, RowTeams<Exec>::template run<Id>>;
  static constexpr std::uint32_t lanes = RowTeams<Exec>::lanes;
  static constexpr std::uint32_t threads = RowTeams<Exec>::threads;
  static constexpr std::uint32_t lists_a_team = 1024;

  Lists lists;
  std::uint64_t rows;
  std::uint64_t people;
  Kokkos::View<Id const*, Memory> place;
  Kokkos::View<std::uint32_t*, Memory> reach;
  Kokkos::View<std::uint32_t, Memory> too_far;  ///< not 0: no tiers, there is nothing more to learn
  std::uint32_t n;
  std::uint32_t tiles;  ///< of lanes * Run::size positions

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    if (relaxed_load(too_far()) != 0) {
      return;
    }
    auto const league = static_cast<std::uint32_t>(team.league_rank());
    std::uint32_t const tile = league % tiles * lanes * Run::size;
    std::uint64_t const first = std::uint64_t{league} / tiles * lists_a_team;
    std::uint64_t const end = Kokkos::min(first + lists_a_team, people);
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, lanes), [&](std::uint32_t lane) {
      std::uint32_t const begin = tile + lane * Run::size;
      if (begin >= n) {
        return;
      }
      std::uint32_t farthest[Run::size] = {};
      for (std::uint64_t i = first + team.team_rank(); i < end; i += threads) {
        auto const run = read_ahead<Run::size>(lists[i * rows / people], begin, n);
        TAPER_UNROLL
        for (std::uint32_t k = 0; k < Run::size; ++k) {
          farthest[k] = Kokkos::max(farthest[k], std::uint32_t{place(run.entries[k])});
        }
      }
      TAPER_UNROLL
      for (std::uint32_t k = 0; k < Run::size; ++k) {
        note(begin + k, farthest[k]);
      }
    });
  }

 private:
  KOKKOS_FUNCTION void note(std::uint32_t position, std::uint32_t farthest) const {
    if (position < n && farthest > relaxed_load(reach(position))) {
      Kokkos::atomic_max(&reach(position), farthest);
      if (farthest >= position + most_tier) {
        relaxed_store(too_far(), 1u);
      }
    }
  }
};

/// A tier begins where nobody before it reaches.
template <class Memory>
struct BeginTiers {
  Kokkos::View<std::uint32_t const*, Memory> reach;
  Kokkos::View<std::uint32_t*, Memory> begins;

  KOKKOS_FUNCTION void operator()(std::uint32_t position, std::uint32_t& tiers, bool final) const {
    bool begin = true;
    for (std::uint32_t back = 1; back <= Kokkos::min(position, +most_tier); ++back) {
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

/// Which places a tier has.
template <class Memory>
struct TierPlaces {
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
  TierPlaces<Memory> places;

  KOKKOS_FUNCTION void operator()(std::uint32_t tier, std::uint32_t& largest) const {
    largest = Kokkos::max(largest, places.size(tier));
  }
};

/// What became of a tier; a sum of such.
struct TierTally {
  std::uint64_t proposals = 0;
  std::uint64_t acceptances = 0;
  std::uint64_t alone = 0;  ///< rejected by all, which no valid instance does

  KOKKOS_FUNCTION TierTally& operator+=(TierTally const& other) {
    proposals += other.proposals;
    acceptances += other.acceptances;
    alone += other.alone;
    return *this;
  }
};

/// The proposer-optimal matching of each tier.
///
/// Equivalent to: McVitie and Wilson's algorithm, tier after tier.
template <ExecutionSpace Exec, class Lists, class Id, class Memory, class Partners>
struct SolveTiers {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Scratch = typename Exec::scratch_memory_space;
  using Square = Kokkos::View<std::uint8_t[most_tier][most_tier], Kokkos::LayoutRight, Scratch,
                              Kokkos::MemoryUnmanaged>;
  using Row = Kokkos::View<std::uint8_t[most_tier], Scratch, Kokkos::MemoryUnmanaged>;
  static constexpr std::uint8_t nobody = most_tier;

  Lists proposers;
  Lists receivers;
  Kokkos::View<Id const*, Memory> place_of_proposer;
  Kokkos::View<Id const*, Memory> place_of_receiver;
  TierPlaces<Memory> places;
  Partners partner_of;
  bool men_propose;
  Kokkos::View<TierTally*, Memory> tallies;  ///< of each tier

  static std::size_t scratch_bytes() { return 2 * Square::shmem_size() + 2 * Row::shmem_size(); }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::uint32_t const tier = team.league_rank() * team.team_size() + team.team_rank();
    if (tier >= places.tiers) {
      return;
    }
    std::uint32_t const begin = places.begin(tier);
    std::uint32_t const size = places.size(tier);
    Square const list(team.thread_scratch(0));  // of a proposer: receivers, the best first
    Square const rank(team.thread_scratch(0));  // of a receiver: each proposer's
    Row const asked(team.thread_scratch(0));    // by a proposer so far
    Row const partner(team.thread_scratch(0));  // of a receiver
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, size * size), [&](std::uint32_t pair) {
      std::uint32_t const person = pair / size;
      std::uint32_t const position = pair % size;
      // The first of each side has the other side in order.
      Id const receiver = proposers(proposer_at(begin + person), begin + position);
      Id const proposer = receivers(receiver_at(begin + person), begin + position);
      std::uint32_t const to = place_of_receiver(receiver) - begin;
      std::uint32_t const from = place_of_proposer(proposer) - begin;
      // A row that names somebody twice may have one of another tier here.
      list(person, position) = static_cast<std::uint8_t>(to < size ? to : nobody);
      if (from < size) {
        rank(person, from) = static_cast<std::uint8_t>(position);
      }
    });
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, size), [&](std::uint32_t person) {
      asked(person) = 0;
      partner(person) = nobody;
    });
    Kokkos::single(Kokkos::PerThread(team), [&]() {
      TierTally& tally = tallies(tier);
      tally = {};
      for (std::uint32_t i = 0; i < size; ++i) {
        std::uint32_t proposer = i;
        while (proposer != nobody && asked(proposer) < size) {
          std::uint32_t const receiver = list(proposer, asked(proposer)++);
          if (receiver == nobody) {
            continue;
          }
          std::uint8_t const before = partner(receiver);
          if (before == nobody || rank(receiver, proposer) < rank(receiver, before)) {
            partner(receiver) = static_cast<std::uint8_t>(proposer);
            proposer = before;
            ++tally.acceptances;
          }
        }
      }
      for (std::uint32_t i = 0; i < size; ++i) {
        tally.proposals += begin + asked(i);
        tally.alone += partner(i) == nobody;
      }
    });
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, size), [&](std::uint32_t person) {
      if (partner(person) != nobody) {
        Id const receiver = receiver_at(begin + person);
        Id const proposer = proposer_at(begin + partner(person));
        partner_of(men_propose ? proposer : receiver) = men_propose ? receiver : proposer;
      }
    });
  }

 private:
  KOKKOS_FUNCTION Id proposer_at(std::uint32_t place) const { return receivers(0, place); }
  KOKKOS_FUNCTION Id receiver_at(std::uint32_t place) const { return proposers(0, place); }
};

/// What another device has read counts too.
template <class Memory>
struct JoinReach {
  Kokkos::View<std::uint32_t*, Memory> reach;
  Kokkos::View<std::uint32_t const*, Memory> other;
  Kokkos::View<std::uint32_t, Memory> too_far;
  Kokkos::View<std::uint32_t const, Memory> other_too_far;

  KOKKOS_FUNCTION void operator()(std::uint64_t position) const {
    reach(position) = Kokkos::max(reach(position), other(position));
    if (position == 0 && other_too_far() != 0) {
      too_far() = 1;
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

/// Where an instance falls apart, found by reading its lists: those of some people first, since two
/// lists that have little in common are enough to know that it does not.
///
/// The lists may lie on several devices, each of which reads its own and knows the places.
template <ExecutionSpace Exec, class Id>
class Tiers {
 public:
  using Memory = typename Exec::memory_space;

  /// `proposers` and `receivers` give the rows of lists that `where` reaches.
  template <class Lists>
  Tiers(Exec const& where, Lists const& proposers, Lists const& receivers, std::uint32_t n)
      : n_(n), place_of_proposer_(fresh<Id>(where, "taper::stable_marriage::place_of_proposer", n)),
        place_of_receiver_(fresh<Id>(where, "taper::stable_marriage::place_of_receiver", n)),
        begins_(fresh<std::uint32_t>(where, "taper::stable_marriage::tier_begins", n)),
        reach_(Kokkos::view_alloc(where, "taper::stable_marriage::reach"), n),
        too_far_(Kokkos::view_alloc(where, "taper::stable_marriage::too_far")) {
    auto const each = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(where, 0, n);
    Kokkos::parallel_for("taper::stable_marriage::note_places", each,
                         NotePlaces<Lists, Id, Memory>{proposers, place_of_receiver_});
    Kokkos::parallel_for("taper::stable_marriage::note_places", each,
                         NotePlaces<Lists, Id, Memory>{receivers, place_of_proposer_});
  }

  /// Reads `people` of the `rows` lists of one side.
  template <class Lists>
  void read_proposers(Exec const& where, Lists const& lists, std::uint64_t rows,
                      std::uint64_t people) const {
    read(where, lists, rows, people, place_of_receiver_);
  }
  template <class Lists>
  void read_receivers(Exec const& where, Lists const& lists, std::uint64_t rows,
                      std::uint64_t people) const {
    read(where, lists, rows, people, place_of_proposer_);
  }

  /// What another instance has read counts too. It has been fenced, and `where` reaches its memory.
  void join(Exec const& where, Tiers const& other) const {
    Kokkos::parallel_for("taper::stable_marriage::join_reach",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(where, 0, n_),
                         JoinReach<Memory>{reach_, other.reach_, too_far_, other.too_far_});
  }

  /// How many tiers the lists that have been read leave; 0 where one would be too large.
  /// Async: returns with `where` fenced.
  std::uint32_t count(Exec const& where) {
    std::uint32_t too_far = 0;
    Kokkos::deep_copy(where, too_far, too_far_);
    where.fence("taper::stable_marriage: whether a tier would be too large");
    if (too_far != 0) {
      return 0;
    }
    using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint32_t>>;
    Kokkos::parallel_scan("taper::stable_marriage::begin_tiers", Range(where, 0, n_),
                          BeginTiers<Memory>{reach_, begins_}, tiers_);
    where.fence("taper::stable_marriage: how many tiers there are");
    std::uint32_t largest = 0;
    Kokkos::parallel_reduce("taper::stable_marriage::largest_tier", Range(where, 0, tiers_),
                            LargestTier<Memory>{{begins_, tiers_, n_}},
                            Kokkos::Max<std::uint32_t>(largest));
    where.fence("taper::stable_marriage: how large the largest tier is");
    return largest <= most_tier ? tiers_ : 0;
  }

  /// Solves the tiers that count() has found; whoever is left alone gets no partner.
  /// Async: returns with `where` fenced.
  template <class Lists, class Partners>
  TierTally solve(Exec const& where, Lists const& proposers, Lists const& receivers,
                  Partners const& partner_of, bool men_propose) const {
    using Solve = SolveTiers<Exec, Lists, Id, Memory, Partners>;
    constexpr int threads = RowTeams<Exec>::chains_a_team;
    auto const tallies = fresh<TierTally>(where, "taper::stable_marriage::tier_tallies", tiers_);
    Kokkos::TeamPolicy<Exec> policy(where, static_cast<int>((tiers_ + threads - 1) / threads),
                                    threads, RowTeams<Exec>::lanes);
    policy.set_scratch_size(0, Kokkos::PerThread(Solve::scratch_bytes()));
    Kokkos::parallel_for("taper::stable_marriage::solve_tiers", policy,
                         Solve{proposers,
                               receivers,
                               place_of_proposer_,
                               place_of_receiver_,
                               {begins_, tiers_, n_},
                               partner_of,
                               men_propose,
                               tallies});
    TierTally sum;
    Kokkos::parallel_reduce(
        "taper::stable_marriage::sum_tiers",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint32_t>>(where, 0, tiers_),
        SumTiers<Memory>{tallies}, sum);
    where.fence("taper::stable_marriage: the sums of the tiers have arrived");
    return sum;
  }

 private:
  template <class T>
  static Kokkos::View<T*, Memory> fresh(Exec const& where, std::string const& label,
                                        std::size_t extent) {
    return Kokkos::View<T*, Memory>(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label),
                                    extent);
  }

  template <class Lists>
  void read(Exec const& where, Lists const& lists, std::uint64_t rows, std::uint64_t people,
            Kokkos::View<Id const*, Memory> const& place) const {
    if (people == 0) {
      return;
    }
    using Reach = ReachOfPositions<Exec, Lists, Id, Memory>;
    constexpr std::uint32_t tile = Reach::lanes * Reach::Run::size;
    std::uint32_t const tiles = (n_ + tile - 1) / tile;
    std::uint64_t const teams = (people + Reach::lists_a_team - 1) / Reach::lists_a_team;
    Kokkos::parallel_for("taper::stable_marriage::reach_of_positions",
                         row_teams(where, teams * tiles),
                         Reach{lists, rows, people, place, reach_, too_far_, n_, tiles});
  }

  std::uint32_t n_;
  std::uint32_t tiers_ = 0;
  Kokkos::View<Id*, Memory> place_of_proposer_;
  Kokkos::View<Id*, Memory> place_of_receiver_;
  Kokkos::View<std::uint32_t*, Memory> begins_;
  Kokkos::View<std::uint32_t*, Memory> reach_;
  Kokkos::View<std::uint32_t, Memory> too_far_;
};

/// Who reads which lists for tiers: an instance, the lists of all as it reaches them, and those that
/// it reads, of `people` proposers and as many receivers.
template <ExecutionSpace Exec, class All, class Own>
struct TierReader {
  Exec where;
  All proposers;
  All receivers;
  Own own_proposers;
  Own own_receivers;
  std::uint64_t people;
};

/// A run's answer by tiers.
struct TieredRun {
  std::uint64_t tiers;
  TierTally tally;
};

/// The matching of the n people of each side, tier by tier, if they fall apart into tiers; the
/// first reader leads. Nothing where they do not, where the options ask for something else, where
/// n is so small that there is nothing to gain, or where somebody is left alone, which is for an
/// engine to complain of.
/// Cost: 32 lists of each side; if they show tiers, all. Some 40 bytes a person on each device.
template <class Id, ExecutionSpace Exec, class All, class Own, class Partners>
std::optional<TieredRun> solve_by_tiers(std::vector<TierReader<Exec, All, Own>> const& readers,
                                        std::uint32_t n, Partners const& partner_of,
                                        Options const& options) {
  constexpr std::uint64_t sample = 32;
  constexpr std::uint32_t least = 4 * most_tier;
  if (!leaves_it_to_the_policy(options) || !options.tiers || n < least) {
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
    readers[k].where.fence("taper::stable_marriage: a device has read its people's lists");
    tiers.front().join(lead.where, tiers[k]);
  }
  std::uint64_t const found = tiers.front().count(lead.where);
  if (found == 0) {
    return {};
  }
  TierTally const tally = tiers.front().solve(lead.where, lead.proposers, lead.receivers,
                                              partner_of, options.proposer == Proposer::men);
  if (tally.alone > 0) {
    return {};
  }
  return TieredRun{found, tally};
}

}  // namespace taper::stable_marriage::detail
