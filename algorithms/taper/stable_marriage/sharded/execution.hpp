// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/device_info.hpp>
#include <taper/preferences/list_similarity.hpp>
#include <taper/preferences/rank_matrix.hpp>
#include <taper/region.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/hybrid_plan.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/own_proposers.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/sharded/instance.hpp>
#include <taper/stable_marriage/sharded/shard_chains.hpp>
#include <taper/stable_marriage/sharded/shards.hpp>
#include <taper/stable_marriage/stages/parallel_part.hpp>
#include <taper/stable_marriage/stages/start_state.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stable_marriage/tails/tails.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

/// A hybrid run on several devices.
///
/// Each shard stores the lists and ranks of its own proposers and receivers. Each shard has a
/// *replica* of all standing offers, n words. The first shard is the *leader*.
///
/// The parallel part runs in rounds. In a round the proposers of each shard propose on its replica
/// alone, which starts with the offers that stood when the round began. Then an exchange follows:
/// each shard takes, for each receiver, the best offer of all replicas, and frees those of its own
/// proposers whose offers were beaten. Rounds continue while each settles at least half of the free
/// proposers. The leader does the rest alone. It has all standing offers, and reads the rows of a
/// proposer in the memory of that proposer's shard. If the tail is long and memory is free, it
/// reads copies.
///
/// Equivalent to: Gale-Shapley in some order of proposals. A receiver that rejects has a better
/// offer in the replica, so it would reject in any order. A receiver that accepts in two replicas
/// rejects the worse offer at the exchange, as if that offer had come second. The order of
/// proposals does not matter (McVitie and Wilson 1971).
///
/// The alternative is one copy of each offer, in the shard of its receiver, with remote atomics; a
/// displaced proposer continues in any shard. Every second proposal of two devices then crosses the
/// link. H200s make 6.6 proposals per nanosecond over the link, 19 in their own memory. On similar
/// lists it is worse: all proposers ask the same few receivers one after another, and each of these
/// n steps takes the latency of the link. With rounds, n words cross the link in order once per
/// round, and all atomics stay on their device. The leader starts with good rank limits, so most of
/// its proposals are rejections without an atomic operation.
namespace taper::stable_marriage::detail {

/// The end of a round for one shard. Its replica becomes the best of all replicas. Its proposers
/// with beaten offers join the parked chains.
///
/// No proposer is freed twice or lost: either its offer stands in the replica of its own shard, or
/// its chain is in the frontier of its own shard.
template <class Id, class MemorySpace>
struct Exchange {
  AtomicWord const* offers[max_shards];  ///< the replicas; no kernel writes them now
  std::uint32_t shards;
  std::uint32_t own;
  std::uint32_t first;      ///< the first proposer of the own shard
  std::uint32_t proposers;  ///< their number
  Kokkos::View<AtomicWord*, MemorySpace> best;
  Kokkos::View<Id*, MemorySpace> rank_limit;
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
    rank_limit(receiver) = static_cast<Id>(Offer::get<offer_rank>(least));
    auto const proposer = static_cast<std::uint32_t>(Offer::get<offer_proposer>(before));
    if (before != least && before != no_offer && proposer - first < proposers) {
      parked(Kokkos::atomic_fetch_add(&control().parked, AtomicWord{1})) = {
          proposer, static_cast<std::uint32_t>(Offer::get<offer_proposals>(before))};
    }
  }
};

/// Phases 2 and 3 on several devices, from the lists to the last proposal: see the file's top.
///
/// Used by: solve() on shards (sharded/solve.hpp).
template <ExecutionSpace Exec, class Lists>
class ShardedExecution {
 public:
  using Memory = typename Lists::memory_space;
  using Id = typename Lists::non_const_value_type;
  static constexpr bool shared_memory = HostExecutionSpace<Exec>;

  /// Starts to build the rank matrix: each shard the rows of its own receivers.
  ShardedExecution(Shards<Exec> const& shards, RowPartition const& partition,
                   Options const& options, std::vector<Lists> proposers,
                   std::vector<Lists> const& receivers, ShardedWorkspace<Id, Memory>& workspaces)
      : shards_(shards), partition_(partition), options_(options), lists_(std::move(proposers)),
        workspaces_(workspaces),
        leader_frontier_(leader(), "taper::stable_marriage::leader_frontier", 0) {
    workspaces_.resize(shards_.size() + 1);
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      ranks_.push_back(workspaces_[k].ranks(shards_[k], n(), partition_.size(k)));
      if (partition_.size(k) > 0) {
        preferences::build_rank_matrix(shards_[k], receivers[k], ranks_[k]);
      }
      states_.emplace_back(shards_[k], partition_, k, options_.count);
    }
  }

  void run() {
    {
      FencedRegion const region(shards_, "taper::stable_marriage::execution");
      // Chains that a leg parks have used all their steps: their runs are long. If they outnumber
      // the tail threshold, a second stage is worthwhile. Other free chains wait for an exchange.
      std::uint64_t parked = 0;
      while (live() > threshold() && parked <= threshold()) {
        parked = run_round([this](std::uint32_t k) { return rank_matrix_lookup(k); },
                           first_stage_steps());
      }
      if constexpr (is_gpu<Exec>) {
        lists_are_similar_ = preferences::are_similar(leader(), rows_of(lists_.front()),
                                                      lists_.front().extent(0), n());
      }
      short_tail();
    }
    if (live() > 0 || leader_frontier_.live > 0) {
      {
        FencedRegion const region(shards_, "taper::stable_marriage::initialisation");
        prepare_second_stage();
      }
      FencedRegion const region(shards_, "taper::stable_marriage::execution");
      run_second_stage();
    }
  }

  Exec const& leader() const { return shards_.leader(); }
  /// The leader's replica, which is the matching after run().
  StandingOffers<Id, Memory> const& standing() const { return states_.front().standing; }

  Tally total_tally() const { return sum_counts(shards_, states_); }

  std::uint64_t rounds = 0;
  std::uint64_t taper_step = 0;
  std::uint64_t taper_live = 0;
  Location tail_side = Location::none;
  std::vector<Migration> migrations = {};  ///< none: the leader is a device

 private:
  /// What a shard has in addition to its tables.
  struct ShardState : ShardChains<Memory> {
    StandingOffers<Id, Memory> standing;          ///< the replica
    Kokkos::View<AtomicWord*, Memory> next_best;  ///< the exchange writes it; swapped with `best`

    ShardState(Exec const& where, RowPartition const& partition, std::uint32_t k, bool count)
        : ShardChains<Memory>(where, partition, k, count), standing(where, partition.rows()),
          next_best(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                       "taper::stable_marriage::next_best"),
                    partition.rows()) {}
  };

  /// The rows of all shards, for kernels of any shard.
  using AllRows = ShardedRows<Id const>;

  std::uint32_t n() const { return partition_.rows(); }
  HybridPlan<Exec> plan() const { return {leader(), options_, n(), false, sizeof(Id)}; }
  std::uint64_t threshold() const { return plan().threshold(lists_are_similar_); }

  /// The number of chains in the frontiers of all shards.
  std::uint64_t live() const { return count_live(states_); }

  /// Steps per worker in a round. On a host they cover all chains of the worker, of which a shard
  /// has its part.
  std::uint64_t first_stage_steps() const {
    std::uint64_t const steps = plan().first_stage_steps();
    return shared_memory ? steps / shards_.size() + 1 : steps;
  }

  /// The rows of one shard, by the numbers of its people in the whole instance.
  using OwnRows = ShardRows<Id const>;

  OwnRows own_rows(std::uint32_t k, ConstTable<Id, Memory> const& table) const {
    return {rows_of(table), partition_.begin(k)};
  }
  /// In the first stage a step reads the ranks in the receiver's shard. Its proposals are few, so
  /// they do not repay a transposition of n * n ids.
  RankMatrixLookup<Id, OwnRows, AllRows> rank_matrix_lookup(std::uint32_t k) const {
    return {own_rows(k, lists_[k]), all_rows(ranks_)};
  }
  OrderedRanksLookup<Id, OwnRows> ordered_ranks_lookup(std::uint32_t k) const {
    return {own_rows(k, lists_[k]), own_rows(k, ordered_[k])};
  }
  template <class Tables>
  AllRows all_rows(Tables const& tables) const {
    return sharded_rows_of(partition_,
                           std::vector<ConstTable<Id, Memory>>(tables.begin(), tables.end()));
  }

  /// Runs a leg on each shard, and the exchange. Returns the number of chains that the legs parked.
  template <class LookupOf>
  std::uint64_t run_round(LookupOf const& lookup_of, std::uint64_t steps) {
    ++rounds;
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      start_leg(k, lookup_of(k), steps);
    }
    shards_.fence("taper::stable_marriage: wait for the legs of all shards");
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      start_exchange(k);
    }
    std::uint64_t parked = 0;
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      ShardState& state = states_[k];
      state.take_parked(shards_[k]);
      parked += state.host_control().live;
      std::swap(state.standing.best, state.next_best);
    }
    return parked;
  }

  template <class Lookup>
  void start_leg(std::uint32_t k, Lookup const& lookup, std::uint64_t steps) {
    ShardState& state = states_[k];
    state.reset_control(shards_[k]);
    if (state.frontier.live == 0) {
      return;
    }
    Leg leg = plan().parallel_leg();
    leg.max_steps = steps;
    leg.rebalance = steps == unlimited && leg.max_workers != unlimited;
    // A leg stops at the shard's part of the tail threshold. A shard with fewer chains than that
    // runs to the end.
    std::uint64_t const part = threshold() / shards_.size();
    leg.stop_at_live = state.frontier.live > part ? part : 0;
    with_parallel_step<Exec>(lookup, state.standing, state.counters, lists_are_similar_,
                             [&](auto const& propose) {
                               launch_leg(shards_[k], "taper::stable_marriage::parallel_leg",
                                          OwnProposersStep<std::remove_cvref_t<decltype(propose)>>{
                                              propose, partition_.begin(k), partition_.size(k)},
                                          state.frontier, leg, state.control);
                             });
  }

  /// Launches the exchange of shard k. The legs of all shards have ended.
  void start_exchange(std::uint32_t k) {
    ShardState& state = states_[k];
    Exchange<Id, Memory> exchange{{},
                                  shards_.size(),
                                  k,
                                  partition_.begin(k),
                                  partition_.size(k),
                                  state.next_best,
                                  state.standing.rank_limit,
                                  state.frontier.parked,
                                  state.control};
    for (std::uint32_t j = 0; j < shards_.size(); ++j) {
      exchange.offers[j] = states_[j].standing.best.data();
    }
    Kokkos::parallel_for(
        "taper::stable_marriage::exchange",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(shards_[k], 0, n()), exchange);
  }

  /// True if the tail has begun.
  bool has_tapered() const { return taper_live > 0; }

  /// Moves the chains of all frontiers to the leader's; once per run.
  void gather_on_leader() { leader_frontier_ = gather_chains<Memory>(leader(), states_); }

  void record_taper() {
    taper_live = leader_frontier_.live;
    tail_side = Location::device;
    taper_step = count_taper_steps(leader(), standing().best, leader_frontier_);
  }

  /// The first steps of the tail if the run tapers in its first stage. A short tail ends here and
  /// saves the transposition.
  void short_tail() {
    if (live() == 0 || live() > threshold()) {
      return;
    }
    gather_on_leader();
    record_taper();
    RankMatrixLookup<Id, AllRows> const lookup{all_rows(lists_), all_rows(ranks_)};
    auto const& counters = states_.front().counters;
    if constexpr (shared_memory) {
      using Contention = PlainAccess<Id, Memory>;
      run_leg(leader(), "taper::stable_marriage::tail",
              Propose<RankMatrixLookup<Id, AllRows>, Contention, Kokkos::View<Tally*, Memory>>{
                  lookup, {standing()}, counters, n()},
              leader_frontier_,
              {.max_steps = plan().short_run_proposals(),
               .turn = plan().turn_length(),
               .max_workers = 1});
    } else {
      tail_warp(leader(), lookup, standing(), counters, leader_frontier_);
    }
  }

  /// Transposes the ranks in place, tile by tile, so that each shard has the rows of its own
  /// proposers. If the mirror of a tile is in another shard, it crosses the link.
  void prepare_second_stage() {
    ShardedRows<Id> const ranks = sharded_rows_of(partition_, ranks_);
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      preferences::transpose_rows<Exec, Id>(shards_[k], ranks, n(), partition_.begin(k),
                                            partition_.end(k));
    }
    shards_.fence("taper::stable_marriage: wait for the transposed ranks");
    if (has_tapered()) {
      if constexpr (is_gpu<Exec>) {
        build_positions();
      }
      return;
    }
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      ordered_.push_back(workspaces_[k].ordered_ranks(shards_[k]));
      if (partition_.size(k) > 0) {
        preferences::order_ranks<Exec, Lists, Id>(shards_[k], lists_[k], ranks_[k], ordered_[k]);
      }
    }
  }

  /// Builds the position of each receiver in each proposer's list, in the memory of the second
  /// table. A tail that scans rows of ranks reads these positions. A step waits for its row, so the
  /// leader copies the other shards' rows of both tables if it has the memory.
  void build_positions() {
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      positions_.push_back(workspaces_[k].ordered_ranks(shards_[k]));
      if (partition_.size(k) > 0) {
        preferences::build_rank_matrix(shards_[k], lists_[k], positions_[k]);
      }
    }
    shards_.fence("taper::stable_marriage: wait for the positions");
    std::uint64_t const rows = n() - partition_.size(0);
    if (rows == 0) {
      return;
    }
    // The ranks come first: a step reads a whole row of ranks, and a few entries of positions.
    auto& copies = workspaces_.back();
    bool const is_allocated = copies.has_ranks(n(), rows);
    if (!is_allocated) {
      copies = {};  // frees the tables of another n
    }
    std::uint64_t const bytes = rows * ranks_.front().stride(0) * sizeof(Id);
    constexpr std::uint64_t reserve_for_launches = std::uint64_t{256} << 20;
    auto const has_room = [&] {
      return bytes + reserve_for_launches < free_memory_bytes(leader());
    };
    if (!is_allocated && !has_room()) {
      return;
    }
    copy_to_leader(copies.ranks(leader(), n(), rows), ranks_);
    if (copies.has_ordered_ranks() || has_room()) {
      copy_to_leader(copies.ordered_ranks(leader()), positions_);
    }
  }

  /// Copies the other shards' tables to the leader's memory and uses the copies from then on.
  void copy_to_leader(Table<Id, Memory> const& copy, std::vector<Table<Id, Memory>>& tables) const {
    for (std::uint32_t k = 1; k < shards_.size(); ++k) {
      std::pair<std::size_t, std::size_t> const rows{partition_.begin(k) - partition_.size(0),
                                                     partition_.end(k) - partition_.size(0)};
      Table<Id, Memory> const part = Kokkos::subview(copy, rows, Kokkos::ALL);
      Kokkos::deep_copy(leader(), part, tables[k]);
      tables[k] = part;
    }
  }

  void run_second_stage() {
    auto const& counters = states_.front().counters;
    if (!has_tapered()) {
      std::uint64_t free = 0;
      do {
        free = live();
        run_round([this](std::uint32_t k) { return ordered_ranks_lookup(k); }, unlimited);
      } while (live() > threshold() && live() <= free / 2);
      if (live() == 0) {
        return;
      }
      gather_on_leader();
      OrderedRanksLookup<Id, AllRows> const lookup{all_rows(lists_), all_rows(ordered_)};
      run_parallel_part_on_leader(lookup);
      if (leader_frontier_.live == 0) {
        return;
      }
      record_taper();
      if constexpr (!shared_memory) {
        tail_warp(leader(), lookup, standing(), counters, leader_frontier_);
      }
    }
    if (leader_frontier_.live > 0) {
      ProposerRowsLookup<Id, AllRows> const lookup{all_rows(lists_), all_rows(ranks_)};
      if constexpr (is_gpu<Exec>) {
        if (!positions_.empty()) {
          return tail_team_by_ranks(leader(), lookup, all_rows(positions_), standing(), counters,
                                    leader_frontier_);
        }
      }
      tail_team(leader(), lookup, standing(), counters, leader_frontier_);
    }
  }

  /// Runs parallel legs on the leader until the run tapers. They read rank limits even if the lists
  /// are similar, since by now the rank limits are close to the standing offers.
  template <class Lookup>
  void run_parallel_part_on_leader(Lookup const& lookup) {
    Leg leg = plan().parallel_leg();
    leg.stop_at_live = threshold();
    leg.rebalance = leg.max_workers != unlimited;
    with_parallel_step<Exec>(
        lookup, standing(), states_.front().counters, false, [&](auto const& propose) {
          while (leader_frontier_.live > leg.stop_at_live) {
            run_leg(leader(), "taper::stable_marriage::leader_leg", propose, leader_frontier_, leg);
          }
        });
  }

  Shards<Exec> const& shards_;
  RowPartition const& partition_;
  Options const& options_;
  std::vector<Lists> lists_;
  ShardedWorkspace<Id, Memory>& workspaces_;
  /// The receivers' rows of each shard; from the second stage on its proposers' rows.
  std::vector<Table<Id, Memory>> ranks_;
  std::vector<Table<Id, Memory>> ordered_;
  std::vector<Table<Id, Memory>> positions_;  ///< for a long tail on a GPU
  std::vector<ShardState> states_;
  Frontier<Chain, Memory> leader_frontier_;  ///< the free proposers of all shards
  bool lists_are_similar_ = false;
};

}  // namespace taper::stable_marriage::detail
