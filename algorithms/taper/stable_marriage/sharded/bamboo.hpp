// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/device_info.hpp>
#include <taper/huge_pages.hpp>
#include <taper/place.hpp>
#include <taper/preferences/rank_matrix.hpp>
#include <taper/region.hpp>
#include <taper/report.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/sharded/instance.hpp>
#include <taper/stable_marriage/sharded/shard_chains.hpp>
#include <taper/stable_marriage/sharded/shards.hpp>
#include <taper/stable_marriage/stages/start_state.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stable_marriage/workspace.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

/// Bamboo-SMP on several devices, as Section V-C of the paper publishes it.
///
/// Each shard stores the lists and the PRMatrix of its own proposers. It also stores the standing
/// offers of its own receivers. Kernels access the memory of the other devices directly. An offer
/// is an atomic minimum in the shard of its receiver. A displaced proposer goes on in the shard
/// that has displaced it, even if its rows are in another.
///
/// The run has three legs. Each shard advances its proposers until at most one is free in that
/// shard. The first shard, the *leader*, takes these until at most one proposer is free. The host
/// takes that one, as Algorithm 2 says.
///
/// The paper does not say how its devices find out that one proposer is left. Here each device
/// counts its own. That needs no atomic operation across the link, and leaves at most one proposer
/// per shard to the leader.
///
/// Used by: solve() on shards (sharded/solve.hpp), for the schedule `bamboo`. Taper's own way, with
/// replicas and rounds, is in sharded/execution.hpp.
namespace taper::stable_marriage::detail {

/// FetchMin on offers that are distributed over devices. The atomics have the scope of the system:
/// those of a single device are not atomic for another one.
template <class Id>
struct RemoteFetchMin {
  ShardedRows<AtomicWord> best;  ///< one column

  KOKKOS_FUNCTION AtomicWord operator()(Proposal<Id> const& proposal, AtomicWord offer,
                                        Tally& tally) const {
    ++tally.atomic_operations;
    AtomicWord* const standing = &best(proposal.receiver, 0);
    AtomicWord before = 0;
    KOKKOS_IF_ON_HOST((before = Kokkos::atomic_fetch_min(standing, offer);))
    // Kokkos has no atomics of this scope.
    TAPER_IF_ON_CUDA(
        (before = atomicMin_system(reinterpret_cast<unsigned long long*>(standing), offer);))
    return Kokkos::max(before, offer);
  }
};

/// Phases 2 and 3 on several devices, from the lists to the last proposal: see the file's top.
template <ExecutionSpace Exec, class Lists>
class ShardedBamboo {
 public:
  using Memory = typename Lists::memory_space;
  using Id = typename Lists::non_const_value_type;

  /// Builds the PRMatrix: each shard the rows of its own proposers. The ranks are transposed in
  /// place, and cross the link once; the paper's build reads single ranks from remote memory.
  ShardedBamboo(Shards<Exec> const& shards, RowPartition const& partition, Options const& options,
                std::vector<Lists> const& proposers, std::vector<Lists> const& receivers,
                ShardedWorkspace<Id, Memory>& workspaces)
      : shards_(shards), partition_(partition), workspaces_(workspaces),
        standing_(leader(), partition.rows()) {
    require_peer_atomics(shards_.spaces, "taper::stable_marriage::solve: schedule: bamboo");
    workspaces.resize(shards_.size() + 1);
    workspaces.back() = {};  // what another schedule has left
    std::vector<Table<Id, Memory>> ranks;
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      workspaces[k].drop_ordered_ranks();
      ranks.push_back(workspaces[k].ranks(shards_[k], n(), partition_.size(k)));
      if (partition_.size(k) > 0) {
        preferences::build_rank_matrix(shards_[k], receivers[k], ranks[k]);
      }
    }
    shards_.fence("taper::stable_marriage: wait for the rank matrix of all shards");
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      preferences::transpose_rows<Exec, Id>(shards_[k], sharded_rows_of(partition_, ranks), n(),
                                            partition_.begin(k), partition_.end(k));
    }
    shards_.fence("taper::stable_marriage: wait for the transposed ranks");
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      states_.emplace_back(shards_[k], partition_, k, options.count);
      if (partition_.size(k) > 0) {
        preferences::pair_candidates<Exec, Lists, Id>(shards_[k], proposers[k], ranks[k],
                                                      states_[k].candidates);
      }
    }
  }

  void run() {
    FencedRegion const region(shards_, "taper::stable_marriage::execution");
    run_legs_of_shards();
    Frontier<Chain, Memory> frontier = gather_chains<Memory>(leader(), states_);
    Counters const& counters = states_.front().counters;
    run_leg(leader(), "taper::stable_marriage::leader_leg", step(counters), frontier,
            {.stop_at_live = 1});
    gather_offers();
    if (frontier.live > 0) {
      taper_live = frontier.live;
      taper_step = count_taper_steps(leader(), standing_.best, frontier);
      tail_side = Location::host;
      finish_on_host(frontier);
    }
  }

  Exec const& leader() const { return shards_.leader(); }
  /// The matching after run(), in the leader's memory.
  StandingOffers<Id, Memory> const& standing() const { return standing_; }

  /// The counts of all shards and of the host.
  Tally total_tally() const {
    Tally sum = sum_counts(shards_, states_);
    return sum += host_tally_;
  }

  std::uint64_t rounds = 0;  ///< this run has no rounds
  std::uint64_t taper_step = 0;
  std::uint64_t taper_live = 0;
  Location tail_side = Location::none;
  std::vector<Migration> migrations = {};

 private:
  using Candidates = Kokkos::View<CandidateWord<Id>**, Kokkos::LayoutRight, Memory>;
  using Offers = Kokkos::View<AtomicWord**, Kokkos::LayoutRight, Memory>;
  using Counters = Kokkos::View<Tally*, Memory>;
  using Lookup = PRMatrixLookup<Id, ShardedRows<CandidateWord<Id>>>;

  struct ShardState : ShardChains<Memory> {
    Candidates candidates;  ///< the PRMatrix: a row per own proposer
    Offers best;            ///< a row of one word per own receiver

    ShardState(Exec const& where, RowPartition const& partition, std::uint32_t k, bool count)
        : ShardChains<Memory>(where, partition, k, count),
          candidates(allocate_large<Candidates>(where, "taper::stable_marriage::pr_matrix",
                                                std::size_t{partition.size(k)},
                                                std::size_t{partition.rows()})),
          best(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                  "taper::stable_marriage::best"),
               partition.size(k), 1) {
      Kokkos::deep_copy(where, best, no_offer);
    }
  };

  std::uint32_t n() const { return partition_.rows(); }

  /// The tables of one kind of all shards, as one table.
  template <class View>
  auto all_rows(View ShardState::*table) const {
    std::vector<View> tables;
    for (ShardState const& state : states_) {
      tables.push_back(state.*table);
    }
    return sharded_rows_of(partition_, tables);
  }

  Propose<Lookup, RemoteFetchMin<Id>, Counters> step(Counters const& counters) const {
    return {{all_rows(&ShardState::candidates)}, {all_rows(&ShardState::best)}, counters, n()};
  }

  void run_legs_of_shards() {
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      states_[k].reset_control(shards_[k]);
    }
    shards_.fence("taper::stable_marriage: wait for the state of all shards");
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      if (states_[k].frontier.live > 1) {
        launch_leg(shards_[k], "taper::stable_marriage::parallel", step(states_[k].counters),
                   states_[k].frontier, {.stop_at_live = 1}, states_[k].control);
      }
    }
    shards_.fence("taper::stable_marriage: wait for the legs of all shards");
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      if (states_[k].frontier.live > 1) {
        states_[k].take_parked(shards_[k]);
      }
    }
  }

  /// Copies the standing offers of all shards to the leader.
  void gather_offers() const {
    for (std::uint32_t k = 0; k < shards_.size(); ++k) {
      std::pair<std::size_t, std::size_t> const own{partition_.begin(k), partition_.end(k)};
      Kokkos::deep_copy(leader(), Kokkos::subview(standing_.best, own),
                        Kokkos::subview(states_[k].best, Kokkos::ALL, 0));
    }
    leader().fence("taper::stable_marriage: wait for the offers of all shards");
  }

  /// The last proposer on the calling thread, on the host's PRMatrix and partner ranks. A host that
  /// reaches the tables needs no copies.
  void finish_on_host(Frontier<Chain, Memory> const& frontier) {
    auto const to_host = [this](auto const& view) {
      auto const copy =
          Kokkos::create_mirror_view(Kokkos::WithoutInitializing, Kokkos::HostSpace{}, view);
      Kokkos::deep_copy(leader(), copy, view);
      return copy;
    };
    auto const best = to_host(standing_.best);
    auto const rank_limit = to_host(standing_.rank_limit);
    auto const chains = to_host(frontier.waiting);
    std::uint64_t copied = 0;
    if constexpr (HostExecutionSpace<Exec>) {
      leader().fence("taper::stable_marriage: wait for the last proposer");
      follow(Lookup{all_rows(&ShardState::candidates)}, best, rank_limit, chains(0));
    } else {
      HostPRMatrix<Id> const& copy = workspaces_.front().host_pr_matrix(n(), n());
      for (std::uint32_t k = 0; k < shards_.size(); ++k) {
        std::pair<std::size_t, std::size_t> const own{partition_.begin(k), partition_.end(k)};
        Kokkos::deep_copy(shards_[k], Kokkos::subview(copy, own, Kokkos::ALL),
                          states_[k].candidates);
      }
      shards_.fence("taper::stable_marriage: wait for the host's PRMatrix and offers");
      follow(PRMatrixLookup<Id>{rows_of(typename HostPRMatrix<Id>::const_type(copy))}, best,
             rank_limit, chains(0));
      copied = copy.span() * sizeof(CandidateWord<Id>) +
               n() * (2 * sizeof(AtomicWord) + sizeof(Id)) + sizeof(Chain);
    }
    Kokkos::deep_copy(leader(), standing_.best, best);
    leader().fence("taper::stable_marriage: wait for the host's offers");
    migrations.push_back({Location::device, Location::host, frontier.live, copied});
  }

  /// Makes the proposals of a chain until it retires.
  template <class HostLookup, class Best, class RankLimit>
  void follow(HostLookup const& lookup, Best const& best, RankLimit const& rank_limit,
              Chain chain) {
    using Access = PlainAccess<Id, Kokkos::HostSpace>;
    Propose<HostLookup, Access, Counters> const propose{lookup, {{best, rank_limit}}, {}, n()};
    while (propose(chain, host_tally_) != Outcome::retired) {
    }
  }

  Shards<Exec> const& shards_;
  RowPartition const& partition_;
  ShardedWorkspace<Id, Memory>& workspaces_;
  StandingOffers<Id, Memory> standing_;  ///< of all receivers, once the devices have ended
  std::vector<ShardState> states_;
  Tally host_tally_{};
};

}  // namespace taper::stable_marriage::detail
