// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/region.hpp>
#include <taper/resources.hpp>
#include <taper/rows.hpp>
#include <taper/shards.hpp>
#include <taper/stable_marriage/execute.hpp>
#include <taper/stable_marriage/initialise.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/pace.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/sharded_instance.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stable_marriage/tails.hpp>
#include <taper/stable_marriage/wide.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// A hybrid run on several devices.
///
/// Lists and ranks are at home, in their person's shard. Standing offers are everywhere: n words, a
/// replica a shard. In a round each shard's people propose as if they were alone in the world but
/// for the offers that stood when the round began; then every shard takes, for each receiver, the
/// best of all replicas, and frees those of its own people whose offers fell. Rounds go on while
/// each settles half of those who were free. The leader does the rest: it has all standing offers,
/// and reads the rows of whoever proposes where they lie, or in copies, where a tail is long and there
/// is room.
///
/// Equivalent to: Gale-Shapley in some order of proposals. A receiver who rejects has a better offer
/// in the replica, so she would reject in any order; one who accepts in two replicas rejects the
/// worse offer at the exchange, as if it had come second. And the order of proposals does not matter
/// (McVitie and Wilson 1971).
///
/// The other way is to keep a receiver's word at her home alone, for remote atomics, and to go on
/// with whoever was displaced, wherever he lives. Then every second proposal of two devices crosses
/// the link, 6.6 a nanosecond between H200s where their own memory takes 19. Worse, lists that are
/// alike make everybody turn to the same few receivers one after another, and each of these n turns
/// then takes the link's latency. Here n words cross in order, once a round, and a kernel's atomics
/// are its device's own; what is left for the leader has good bars, so that most of its proposals
/// are rejections that take no atomic.
namespace taper::stable_marriage::detail {

/// A step of one shard's own people. Who is displaced and lives elsewhere is freed at his home, by
/// the exchange.
template <class Inner>
struct AmongOwn {
  using State = typename Inner::State;
  using Tally = typename Inner::Tally;

  Inner propose;
  std::uint32_t first;
  std::uint32_t people;

  KOKKOS_FUNCTION Outcome operator()(Chain& chain, Tally& tally) const {
    Outcome const outcome = propose(chain, tally);
    bool const elsewhere = chain.proposer - first >= people;  // wraps, and so is large, below first
    return outcome == Outcome::handed_over && elsewhere ? Outcome::retired : outcome;
  }
  KOKKOS_FUNCTION std::uint32_t progress(Chain const& chain) const {
    return propose.progress(chain);
  }
  KOKKOS_FUNCTION void expect(Chain const& chain) const { propose.expect(chain); }
  KOKKOS_FUNCTION void publish(Tally const& tally) const { propose.publish(tally); }
};

/// The end of a round for one shard: its replica becomes the best of all, and those of its people
/// whose offers fell to others' wait with the parked. An own offer stands in the own replica, or its
/// proposer is in the own frontier, so nobody is freed twice or forgotten.
template <class Id, class MemorySpace>
struct Exchange {
  AtomicWord const* offers[max_shards];  ///< each shard's replica; nobody writes to it now
  std::uint32_t shards;
  std::uint32_t own;
  std::uint32_t first;
  std::uint32_t people;
  Kokkos::View<AtomicWord*, MemorySpace> best;
  Kokkos::View<Id*, MemorySpace> bar;
  Kokkos::View<Chain*, MemorySpace> parked;
  LegControlView<MemorySpace> control;

  KOKKOS_FUNCTION void operator()(std::uint64_t receiver) const {
    AtomicWord const before = offers[own][receiver];
    AtomicWord least = before;
    for (std::uint32_t k = 0; k < shards; ++k) {
      least = Kokkos::min(least, offers[k][receiver]);
    }
    best(receiver) = least;
    if (least == no_offer) {
      return;
    }
    bar(receiver) = static_cast<Id>(Offer::get<offer_rank>(least));
    auto const proposer = static_cast<std::uint32_t>(Offer::get<offer_proposer>(before));
    if (before != least && before != no_offer && proposer - first < people) {
      parked(Kokkos::atomic_fetch_add(&control().parked, AtomicWord{1})) = {
          proposer, static_cast<std::uint32_t>(Offer::get<offer_proposals>(before))};
    }
  }
};

/// A run from the initialised state to the last proposal.
template <ExecutionSpace Exec, class Lists>
class ShardedExecution {
 public:
  using Memory = typename Lists::memory_space;
  using Id = typename Lists::non_const_value_type;
  static constexpr bool shared_memory = HostExecutionSpace<Exec>;
  static constexpr std::uint32_t ahead = RowTeams<Exec>::template ahead<Id>;

  /// Starts to build the rank matrix of the receivers' lists, each shard its own rows.
  ShardedExecution(Shards<Exec> const& shards, Homes const& homes, Options const& options,
                   std::vector<Lists> proposers, std::vector<Lists> const& receivers,
                   ShardedWorkspace<Id, Memory>& workspaces)
      : shards_(shards), homes_(homes), options_(options), lists_(std::move(proposers)),
        workspaces_(workspaces), rest_(leader(), "taper::stable_marriage::rest", 0) {
    workspaces_.resize(shards_.size() + 1);
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      ranks_.push_back(workspaces_[k].ranks(shards_[k], n(), homes_.size(k)));
      if (homes_.size(k) > 0) {
        build_rank_matrix(shards_[k], receivers[k], ranks_[k]);
      }
      parts_.emplace_back(shards_[k], homes_, k, options_.count);
    }
  }

  void run() {
    {
      FencedRegion const region(shards_, "taper::stable_marriage::execution");
      // Whoever stays for all his steps is of long runs; the others only wait for an exchange.
      std::uint64_t stayed = 0;
      while (live() > wide_ends_at() && stayed <= wide_ends_at()) {
        stayed = round([this](std::uint32_t k) { return by_rank_matrix(k); }, first_stage_steps());
      }
      lists_are_alike_ = pace().shows_lists_alike(live(), ahead);
      first_tail();
    }
    if (live() > 0 || rest_.live > 0) {
      {
        FencedRegion const region(shards_, "taper::stable_marriage::initialisation");
        prepare_second_stage();
      }
      FencedRegion const region(shards_, "taper::stable_marriage::execution");
      second_stage();
    }
  }

  Exec const& leader() const { return shards_.leader(); }
  /// The leader's replica, which is complete after run().
  Standing<Id, Memory> const& standing() const { return parts_.front().standing; }

  Tally counted() const {
    Tally sum{};
    for (std::uint32_t k = 0; k < shards_.size() && options_.count; ++k) {
      auto const here = Kokkos::create_mirror_view(Kokkos::HostSpace{}, parts_[k].counters);
      Kokkos::deep_copy(shards_[k], here, parts_[k].counters);
      shards_[k].fence("taper::stable_marriage: a shard's counts have arrived");
      sum.acceptances += here(0).acceptances;
      sum.atomic_operations += here(0).atomic_operations;
      sum.failed_compare_exchanges += here(0).failed_compare_exchanges;
    }
    return sum;
  }

  std::uint64_t rounds = 0;
  std::uint64_t taper_step = 0;
  std::uint64_t taper_live = 0;

 private:
  /// What a shard has beside its tables.
  struct Part {
    Standing<Id, Memory> standing;
    Kokkos::View<AtomicWord*, Memory> next_best;  ///< what an exchange writes, in turn with `best`
    Frontier<Chain, Memory> frontier;
    LegControlView<Memory> control;
    decltype(Kokkos::create_mirror_view(control)) control_here;
    Kokkos::View<Tally*, Memory> counters;

    Part(Exec const& where, Homes const& homes, std::uint32_t k, bool count)
        : standing(where, homes.people()),
          next_best(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                       "taper::stable_marriage::next_best"),
                    homes.people()),
          frontier(EveryoneFree::frontier<Exec, Memory>(where, homes.size(k), homes.begin(k))),
          control(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                     "taper::stable_marriage::control")),
          control_here(Kokkos::create_mirror_view(Kokkos::WithoutInitializing, control)),
          counters(Kokkos::view_alloc(where, "taper::stable_marriage::counters"), count ? 1 : 0) {}
  };

  using Remote = ShardedRows<Id const>;

  std::uint32_t n() const { return homes_.people(); }
  Pace<Exec> pace() const { return {leader(), options_, n(), false, sizeof(Id)}; }
  std::uint64_t wide_ends_at() const { return pace().wide_ends_at(lists_are_alike_); }

  /// Chains that wait at home.
  std::uint64_t live() const {
    std::uint64_t sum = 0;
    for (Part const& part : parts_) {
      sum += part.frontier.live;
    }
    return sum;
  }

  /// A host's worker has the steps of all its chains.
  std::uint64_t first_stage_steps() const {
    std::uint64_t const steps = pace().first_stage_steps();
    return shared_memory ? steps / shards_.size() + 1 : steps;
  }

  using Own = PartRows<Id const>;

  Own own_rows(std::uint32_t k, ConstTable<Id, Memory> const& table) const {
    return {rows_of(table), homes_.begin(k)};
  }
  /// In the first stage the receivers' rows are read where they lie: few proposals, and n * n ids
  /// need not change places for them.
  RankMatrixLookup<Id, Own, Remote> by_rank_matrix(std::uint32_t k) const {
    return {own_rows(k, lists_[k]), everywhere(ranks_)};
  }
  OrderedRanksLookup<Id, Own> by_ordered_ranks(std::uint32_t k) const {
    return {own_rows(k, lists_[k]), own_rows(k, ordered_[k])};
  }
  template <class Tables>
  Remote everywhere(Tables const& tables) const {
    return rows_of(homes_, std::vector<ConstTable<Id, Memory>>(tables.begin(), tables.end()));
  }

  /// A leg on every shard, and the exchange. Returns the chains that a leg ended for.
  template <class LookupOf>
  std::uint64_t round(LookupOf const& lookup_of, std::uint64_t steps) {
    ++rounds;
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      start_leg(k, lookup_of(k), steps);
    }
    shards_.fence("taper::stable_marriage: every shard's leg is over");
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      start_exchange(k);
    }
    std::uint64_t stayed = 0;
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      Part& part = parts_[k];
      Kokkos::deep_copy(shards_[k], part.control_here, part.control);
      shards_[k].fence("taper::stable_marriage: how many of a shard are free");
      stayed += part.control_here().live;
      part.frontier.live = part.control_here().parked;
      std::swap(part.frontier.waiting, part.frontier.parked);
      std::swap(part.standing.best, part.next_best);
    }
    return stayed;
  }

  template <class Lookup>
  void start_leg(std::uint32_t k, Lookup const& lookup, std::uint64_t steps) {
    Part& part = parts_[k];
    part.control_here() = {.live = part.frontier.live, .parked = 0, .dry_after = 0, .stop = 0};
    Kokkos::deep_copy(shards_[k], part.control, part.control_here);
    if (part.frontier.live == 0) {
      return;
    }
    Leg leg = pace().wide_leg();
    leg.steps = steps;
    leg.rebalance = steps == unlimited && leg.workers != unlimited;
    // A shard's part of what a tail takes need not be waited for; one that has less goes on.
    std::uint64_t const enough = wide_ends_at() / shards_.size();
    leg.live = part.frontier.live > enough ? enough : 0;
    with_wide_step<Exec>(lookup, part.standing, part.counters, lists_are_alike_,
                         [&](auto const& propose) {
                           launch_leg(shards_[k], "taper::stable_marriage::wide",
                                      AmongOwn<std::remove_cvref_t<decltype(propose)>>{
                                          propose, homes_.begin(k), homes_.size(k)},
                                      part.frontier, leg, part.control);
                         });
  }

  void start_exchange(std::uint32_t k) {
    Part& part = parts_[k];
    Exchange<Id, Memory> exchange{{},
                                  shards_.size(),
                                  k,
                                  homes_.begin(k),
                                  homes_.size(k),
                                  part.next_best,
                                  part.standing.bar,
                                  part.frontier.parked,
                                  part.control};
    for (std::uint32_t j = 0; j < shards_.size(); ++j) {
      exchange.offers[j] = parts_[j].standing.best.data();
    }
    Kokkos::parallel_for(
        "taper::stable_marriage::exchange",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(shards_[k], 0, n()), exchange);
  }

  bool has_tapered() const { return taper_live > 0; }

  /// Brings whoever is free to the leader, once a run.
  void gather_the_rest() {
    rest_ = Frontier<Chain, Memory>(leader(), "taper::stable_marriage::rest", live());
    std::uint64_t begin = 0;
    for (Part& part : parts_) {
      std::uint64_t const end = begin + part.frontier.live;
      Kokkos::deep_copy(
          leader(), Kokkos::subview(rest_.waiting, std::pair{begin, end}),
          Kokkos::subview(part.frontier.waiting, std::pair{std::uint64_t{0}, part.frontier.live}));
      part.frontier.live = 0;
      begin = end;
    }
  }

  void note_taper() {
    taper_live = rest_.live;
    Kokkos::parallel_reduce(
        "taper::stable_marriage::taper_step",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(leader(), 0, n() + taper_live),
        SumProposals<Memory>{standing().best, rest_.waiting.data(), n()}, taper_step);
    leader().fence("taper::stable_marriage: the proposals made before it tapered");
  }

  /// Of a run that has tapered in its first stage: as long as transposing the ranks is not worth it.
  void first_tail() {
    if (live() == 0 || live() > wide_ends_at()) {
      return;
    }
    gather_the_rest();
    note_taper();
    RankMatrixLookup<Id, Remote> const lookup{everywhere(lists_), everywhere(ranks_)};
    auto const& counters = parts_.front().counters;
    if constexpr (shared_memory) {
      using Contention = Alone<Id, Memory>;
      run_leg(leader(), "taper::stable_marriage::tail",
              Propose<RankMatrixLookup<Id, Remote>, Contention, Kokkos::View<Tally*, Memory>>{
                  lookup, {standing()}, counters, n()},
              rest_, {.steps = pace().short_run(), .turn = pace().own_turn(), .workers = 1});
    } else {
      tail_by_lanes(leader(), lookup, standing(), counters, rest_);
    }
  }

  /// The ranks of each shard's people go home: every shard transposes its part in place, tile by
  /// tile, over the link where the tile's other half is elsewhere.
  void prepare_second_stage() {
    ShardedRows<Id> const ranks = rows_of(homes_, ranks_);
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      transpose_rows<Exec, Id>(shards_[k], ranks, n(), homes_.begin(k), homes_.end(k));
    }
    shards_.fence("taper::stable_marriage: the ranks are at their proposers' home");
    if (has_tapered()) {
      if constexpr (is_gpu<Exec>) {
        build_positions();
      }
      return;
    }
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      ordered_.push_back(workspaces_[k].ordered_ranks(shards_[k]));
      if (homes_.size(k) > 0) {
        order_ranks<Exec, Lists, Id>(shards_[k], lists_[k], ranks_[k], ordered_[k]);
      }
    }
  }

  /// For a tail that goes along the proposers' rows: their own ranks of everybody, in the room of the
  /// other table. A step waits for a row, which the leader had better have at home.
  void build_positions() {
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      positions_.push_back(workspaces_[k].ordered_ranks(shards_[k]));
      if (homes_.size(k) > 0) {
        build_rank_matrix(shards_[k], lists_[k], positions_[k]);
      }
    }
    shards_.fence("taper::stable_marriage: positions are built");
    std::uint64_t const rows = n() - homes_.size(0);
    if (rows == 0) {
      return;
    }
    // A step reads a whole row of ranks, and a few entries of positions: the ranks come first.
    auto& room = workspaces_.back();
    bool const is_kept = room.has_ranks(n(), rows);
    if (!is_kept) {
      room = {};  // those of another n
    }
    std::uint64_t const bytes = rows * ranks_.front().stride(0) * sizeof(Id);
    constexpr std::uint64_t left_for_launches = std::uint64_t{256} << 20;
    auto const has_room = [&] { return bytes + left_for_launches < free_memory_bytes(leader()); };
    if (!is_kept && !has_room()) {
      return;
    }
    take_home(room.ranks(leader(), n(), rows), ranks_);
    if (room.has_ordered_ranks() || has_room()) {
      take_home(room.ordered_ranks(leader()), positions_);
    }
  }

  /// Copies the other shards' tables to the leader's memory, and has them there from here on.
  void take_home(Table<Id, Memory> const& copy, std::vector<Table<Id, Memory>>& tables) const {
    for (std::uint32_t k = 1; k < shards_.size(); ++k) {
      std::pair<std::size_t, std::size_t> const rows{homes_.begin(k) - homes_.size(0),
                                                     homes_.end(k) - homes_.size(0)};
      Table<Id, Memory> const part = Kokkos::subview(copy, rows, Kokkos::ALL);
      Kokkos::deep_copy(leader(), part, tables[k]);
      tables[k] = part;
    }
  }

  void second_stage() {
    auto const& counters = parts_.front().counters;
    if (!has_tapered()) {
      std::uint64_t free = 0;
      do {
        free = live();
        round([this](std::uint32_t k) { return by_ordered_ranks(k); }, unlimited);
      } while (live() > wide_ends_at() && live() <= free / 2);
      if (live() == 0) {
        return;
      }
      gather_the_rest();
      OrderedRanksLookup<Id, Remote> const lookup{everywhere(lists_), everywhere(ordered_)};
      lead(lookup);
      if (rest_.live == 0) {
        return;
      }
      note_taper();
      if constexpr (!shared_memory) {
        tail_by_lanes(leader(), lookup, standing(), counters, rest_);
      }
    }
    if (rest_.live > 0) {
      ProposerRowsLookup<Id, Remote> const lookup{everywhere(lists_), everywhere(ranks_)};
      if constexpr (is_gpu<Exec>) {
        if (!positions_.empty()) {
          return tail_by_ranks(leader(), lookup, everywhere(positions_), standing(), counters,
                               rest_);
        }
      }
      tail_by_teams(leader(), lookup, standing(), counters, rest_);
    }
  }

  /// The leader alone, while the run is wide. Whatever the lists are: by now bars are a good guess.
  template <class Lookup>
  void lead(Lookup const& lookup) {
    Leg leg = pace().wide_leg();
    leg.live = wide_ends_at();
    leg.rebalance = leg.workers != unlimited;
    with_wide_step<Exec>(lookup, standing(), parts_.front().counters, false,
                         [&](auto const& propose) {
                           while (rest_.live > leg.live) {
                             run_leg(leader(), "taper::stable_marriage::lead", propose, rest_, leg);
                           }
                         });
  }

  Shards<Exec> const& shards_;
  Homes const& homes_;
  Options const& options_;
  std::vector<Lists> lists_;
  ShardedWorkspace<Id, Memory>& workspaces_;
  /// Of the receivers, each shard its own rows; of the proposers from the second stage on.
  std::vector<Table<Id, Memory>> ranks_;
  std::vector<Table<Id, Memory>> ordered_;
  std::vector<Table<Id, Memory>> positions_;  ///< of a long tail on a GPU
  std::vector<Part> parts_;
  Frontier<Chain, Memory> rest_;  ///< the leader's, of everywhere
  bool lists_are_alike_ = false;
};

}  // namespace taper::stable_marriage::detail
