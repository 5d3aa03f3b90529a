// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/distributed/blocks.hpp>
#include <taper/distributed/communicator.hpp>
#include <taper/place.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/distributed/ranks.hpp>
#include <taper/stable_marriage/distributed/report.hpp>
#include <taper/stable_marriage/distributed/rounds.hpp>
#include <taper/stable_marriage/hybrid_plan.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/own_proposers.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/sharded/shards.hpp>
#include <taper/stable_marriage/stages/parallel_part.hpp>
#include <taper/stable_marriage/stages/start_state.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// A run over the processes of a communicator. Used by: solve() of distributed.hpp.
//
// Each process has the lists and the ranks of its own proposers, and a replica of all standing
// offers, n words. In a round its free proposers propose against its replica alone. A displaced
// proposer of another process stops there. Then each process sends the new offers of its replica to
// the processes of their receivers. Each receiver takes the best offer, and its process sends that
// to all. So all replicas are equal again, and a proposer is free if its offer does not stand.
//
// A receiver that has an offer always keeps one. So as many proposers are free as receivers are
// without an offer. Each process knows this number from its replica, and no reduction is needed.
//
// When a round settles less than half of the free proposers, few chains are left, and most of their
// proposals go to another process. Then process 0 finishes alone: the others send it the next
// candidates of their proposers.
//
// Equivalent to: Gale-Shapley in some order of proposals, as sharded/execution.hpp says.

namespace taper::stable_marriage::detail {

/// One run, from the lists to the partners.
template <ExecutionSpace Exec, class Lists>
class DistributedRun {
  using Memory = typename Exec::memory_space;
  using Id = typename Lists::non_const_value_type;
  using Range = ItemRange<Exec>;
  using Blocks = distributed::Blocks<Memory>;
  using Records = distributed::Buffer<SentOffer, Memory>;

 public:
  DistributedRun(Exec const& where, distributed::Communicator const& communicator,
                 Blocks const& proposers, Blocks const& receivers, Lists const& proposer_lists,
                 Lists const& receiver_lists, Options const& options,
                 DistributedOptions const& distributed)
      : where_(where), communicator_(communicator), options_(options), distributed_(distributed),
        receivers_(receivers), lists_(proposer_lists),
        ranks_(ExchangeRanks<Exec, Lists>(where, communicator, distributed.max_message_bytes,
                                          proposers, receivers)(proposer_lists, receiver_lists)),
        first_(static_cast<std::uint32_t>(proposers.first(communicator.process()))),
        standing_(where, proposers.all()),
        known_("taper::stable_marriage::known_offers", proposers.all()),
        frontier_(
            AllProposersFree::frontier<Exec, Memory>(where, proposer_lists.extent(0), first_)),
        freed_("taper::stable_marriage::freed"), without_offer_(proposers.all()),
        candidates_(std::min(distributed.candidates, n())) {
    Kokkos::deep_copy(where, known_, no_offer);
  }

  /// Runs rounds until each receiver has an offer.
  void propose_in_rounds() {
    bool go_on = true;
    while (without_offer_ > 0) {
      RoundTraffic traffic{.free = frontier_.live};
      if (report_.traffic.empty()) {
        traffic.ranks = ranks_.sent;
        traffic.bytes = ranks_.sent * sizeof(Id);
      }
      std::uint64_t const before = without_offer_;
      if (go_on || distributed_.candidates == 0) {
        run_round(traffic);
        go_on = without_offer_ <= before / 2;
      } else {
        finish_in_one_process(traffic);
      }
      report_.traffic.push_back(traffic);
      if (distributed_.after_round) {
        distributed_.after_round(traffic);
      }
    }
  }

  /// Writes the partners of the own men.
  template <class Partners>
  DistributedReport write(Partners const& partner_of, std::uint64_t first_man) {
    Kokkos::parallel_for("taper::stable_marriage::write_own_partners", Range(where_, 0, n()),
                         WriteOwnPartners<Partners, Memory>{standing_.best, partner_of, first_man,
                                                            options_.proposer == Proposer::men});
    Report& report = report_.instance;
    Kokkos::parallel_reduce("taper::stable_marriage::count_proposals", Range(where_, 0, n()),
                            SumProposals<Memory>{standing_.best, nullptr, n()}, report.proposals);
    where_.fence("taper::stable_marriage: wait for the partners");
    report.rounds = report_.traffic.size();
    report.tail_side = report.taper_live > 0 ? Location::host : Location::none;
    return std::move(report_);
  }

 private:
  std::uint32_t processes() const { return communicator_.processes(); }
  std::uint32_t own() const { return communicator_.process(); }
  std::uint32_t n() const { return static_cast<std::uint32_t>(known_.extent(0)); }
  std::uint32_t proposers() const { return static_cast<std::uint32_t>(lists_.extent(0)); }

  template <class Use>
  void for_others(Use const& use) const {
    for (std::uint32_t step = 1; step < processes(); ++step) {
      use((own() + step) % processes());  // no two processes begin with the same one
    }
  }

  /// The chains of this process, to which kernels add.
  FreeProposers<Memory> freed() const { return {first_, proposers(), frontier_.waiting, freed_}; }
  void start_freeing() const { Kokkos::deep_copy(where_, freed_, 0); }
  void end_freeing() {
    where_.fence("taper::stable_marriage: wait for the free proposers of a round");
    frontier_.live = freed_();
  }

  void run_round(RoundTraffic& traffic) {
    propose();
    std::uint64_t const changed = collect_changes(0, n(), 0);
    start_freeing();
    std::uint64_t const came = exchange_offers(changed, traffic);
    Kokkos::parallel_for("taper::stable_marriage::take_offers", Range(where_, 0, came),
                         TakeOffers<Memory>{came_.view(), standing_.best, freed()});
    traffic.news = collect_changes(receivers_.first(own()), receivers_.first(own() + 1), 0);
    share_news(traffic);
    end_freeing();
  }

  /// Lets the own free proposers propose on the replica until each has an offer there, or has
  /// displaced a proposer of another process.
  void propose() {
    using Own = ShardRows<Id const>;
    Own const lists{rows_of(lists_), first_};
    Own const ordered{rows_of(ConstTable<Id, Memory>(ranks_.ordered)), first_};
    Leg leg = HybridPlan<Exec>{where_, options_, proposers(), false, sizeof(Id)}.parallel_leg();
    leg.rebalance = leg.max_workers != unlimited;
    with_parallel_step<Exec>(OrderedRanksLookup<Id, Own>{lists, ordered}, standing_,
                             Kokkos::View<Tally*, Memory>(), false, [&](auto const& propose) {
                               OwnProposersStep<std::remove_cvref_t<decltype(propose)>> const step{
                                   propose, first_, proposers()};
                               while (frontier_.live > 0) {
                                 run_leg(where_, "taper::stable_marriage::distributed_leg", step,
                                         frontier_, leg);
                               }
                             });
  }

  /// Collects the new offers of the receivers begin .. end-1 in changes_, which gets room for
  /// `more` further records. Returns the number of new offers.
  std::uint64_t collect_changes(std::uint64_t begin, std::uint64_t end, std::uint64_t more) {
    changes_.reserve(where_, end - begin + more);
    std::uint64_t changed = 0;
    Kokkos::parallel_scan("taper::stable_marriage::collect_changes", Range(where_, begin, end),
                          CollectChanges<Memory>{standing_.best, known_, changes_.view()}, changed);
    where_.fence("taper::stable_marriage: wait for the changes of a round");
    return changed;
  }

  /// Sends the new offers to the processes of their receivers. They are in the order of the
  /// receivers, so those for one process follow each other. Returns the number of offers that came.
  std::uint64_t exchange_offers(std::uint64_t changed, RoundTraffic& traffic) {
    SentOffer const* const begin = changes_.data();
    auto const first_of = [&](std::uint32_t process) {
      auto const* const found = std::lower_bound(
          begin, begin + changed, receivers_.first(process),
          [](SentOffer const& sent, std::uint64_t first) { return sent.receiver < first; });
      return static_cast<std::uint64_t>(found - begin);
    };
    std::vector<std::uint64_t> counts(processes());
    for_others([&](std::uint32_t other) { counts[other] = first_of(other + 1) - first_of(other); });
    auto const coming = communicator_.exchange(counts, 1);
    for_others([&](std::uint32_t other) { traffic.offers += counts[other]; });
    return transfer(coming, traffic, [&](std::uint32_t other) {
      return std::pair(begin + first_of(other), counts[other]);
    });
  }

  /// Receives coming[p] records of each other process p, and sends it records_for(p). Returns the
  /// number of records that came; they are in came_.
  template <class RecordsFor>
  std::uint64_t transfer(std::vector<std::uint64_t> const& coming, RoundTraffic& traffic,
                         RecordsFor const& records_for) {
    std::uint64_t came = 0;
    for_others([&](std::uint32_t other) { came += coming[other]; });
    came_.reserve(where_, came);
    distributed::Messages messages(communicator_, distributed_.max_message_bytes);
    std::uint64_t next = 0;
    for_others([&](std::uint32_t other) {
      messages.receive(other, came_.data() + next, coming[other] * sizeof(SentOffer));
      next += coming[other];
    });
    for_others([&](std::uint32_t other) {
      auto const [records, count] = records_for(other);
      messages.send(other, records, count * sizeof(SentOffer));
    });
    messages.wait();
    traffic.bytes += messages.bytes_sent() + (processes() - 1) * sizeof(std::uint64_t);
    return came;
  }

  /// Sends the best offers of the own receivers to all processes, and takes those of the others.
  void share_news(RoundTraffic& traffic) {
    auto const counts = communicator_.gather(traffic.news);
    std::uint64_t const came = transfer(counts, traffic, [&](std::uint32_t) {
      return std::pair(static_cast<SentOffer const*>(changes_.data()), traffic.news);
    });
    std::uint64_t const all = came + traffic.news;
    take_news(changes_, traffic.news, true);
    take_news(came_, came, true);
    require_progress(all);
  }

  void take_news(Records const& news, std::uint64_t count, bool beaten_are_free) {
    std::uint64_t first_offers = 0;
    Kokkos::parallel_reduce(
        "taper::stable_marriage::take_news", Range(where_, 0, count),
        TakeNews<Id, Memory>{news.view(), standing_, known_, freed(), beaten_are_free},
        first_offers);
    where_.fence("taper::stable_marriage: wait for the news of a round");
    without_offer_ -= first_offers;
  }

  /// Throws: CollectiveError if a round without a new offer has left proposers free. Some row is
  /// then no permutation: in complete lists each free proposer finds a receiver without an offer.
  void require_progress(std::uint64_t news) const {
    communicator_.require(news > 0 || without_offer_ == 0,
                          "taper::stable_marriage::solve: " + std::to_string(without_offer_) +
                              " receivers got no offer, so some row is not a permutation; "
                              "find_bad_row() finds it");
  }

  /// Process 0 gets the free proposers and the next candidates of all proposers, and proposes for
  /// them. Then it sends all processes the offers that stand. Proposers that need more candidates
  /// stay free.
  void finish_in_one_process(RoundTraffic& traffic) {
    if (report_.instance.taper_live == 0) {
      report_.instance.taper_live = without_offer_;
    }
    std::uint64_t const own_records = collect_candidates();
    traffic.candidates = own() == 0 ? 0 : own_records;
    auto coming = communicator_.gather(own_records);
    if (own() != 0) {
      std::ranges::fill(coming, 0);
    }
    std::uint64_t const came = transfer(coming, traffic, [&](std::uint32_t other) {
      return std::pair(static_cast<SentOffer const*>(changes_.data()),
                       other == 0 ? own_records : 0);
    });
    traffic.news = own() == 0 ? propose_for_all(own_records, came) : 0;
    auto const news = communicator_.gather(traffic.news);
    std::uint64_t const got = transfer(news, traffic, [&](std::uint32_t) {
      return std::pair(static_cast<SentOffer const*>(changes_.data()), traffic.news);
    });
    start_freeing();
    own() == 0 ? take_news(changes_, traffic.news, false) : take_news(came_, got, false);
    end_freeing();
    require_progress(news[0]);
    candidates_ = std::min(2 * candidates_, most_candidates());
  }

  /// The most candidates per proposer: those of all proposers take 256 MiB in process 0.
  std::uint32_t most_candidates() const {
    std::uint64_t const room = (std::uint64_t{1} << 28) / sizeof(SentOffer) / n();
    auto const most = std::max<std::uint64_t>(distributed_.candidates, room);
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(n(), most));
  }

  /// Writes records to changes_: the free own proposers, then the candidates of all own proposers.
  /// Returns the number of records.
  std::uint64_t collect_candidates() {
    std::uint32_t const length = candidates_;
    Kokkos::View<std::uint32_t*, Memory> const positions("taper::stable_marriage::positions",
                                                         proposers());
    Kokkos::View<std::uint32_t*, Memory> const found("taper::stable_marriage::found", proposers());
    slots_.reserve(where_, std::uint64_t{proposers()} * length);
    changes_.reserve(where_, frontier_.live + std::uint64_t{proposers()} * length);
    Kokkos::parallel_for("taper::stable_marriage::positions_of_holders", Range(where_, 0, n()),
                         SetPositionsOfHolders<Memory>{standing_.best, freed(), positions});
    Kokkos::parallel_for("taper::stable_marriage::positions_of_free",
                         Range(where_, 0, frontier_.live),
                         SetPositionsOfFree<Memory>{freed(), positions, changes_.view()});
    Range const all(where_, 0, proposers());
    Kokkos::parallel_for("taper::stable_marriage::find_candidates", all,
                         FindCandidates<Id, Memory>{rows_of(lists_),
                                                    rows_of(ConstTable<Id, Memory>(ranks_.ordered)),
                                                    standing_.rank_limit, positions, first_, n(),
                                                    length, slots_.view(), found});
    std::uint64_t candidates = 0;
    Kokkos::parallel_scan(
        "taper::stable_marriage::move_candidates", all,
        MoveCandidates<Memory>{slots_.view(), found, length, changes_.view(), frontier_.live},
        candidates);
    where_.fence("taper::stable_marriage: wait for the candidates");
    return frontier_.live + candidates;
  }

  /// In process 0: proposes for the free proposers of all processes. Writes records to changes_:
  /// the new offers, then the proposers that need more candidates. Returns the number of records; 0
  /// if there is no new offer, for require_progress().
  std::uint64_t propose_for_all(std::uint64_t own_records, std::uint64_t came) {
    using Numbers = Kokkos::View<std::uint64_t*, Memory>;
    Records all("taper::stable_marriage::candidates");
    std::uint64_t const count = own_records + came;
    all.reserve(where_, count);
    std::copy_n(changes_.data(), own_records, all.data());
    std::copy_n(came_.data(), came, all.data() + own_records);
    CandidateLists<Memory> const lists{all.view(),
                                       Numbers("taper::stable_marriage::first_candidates", n()),
                                       Numbers("taper::stable_marriage::end_of_candidates", n())};
    Frontier<Chain, Memory> chains(where_, "taper::stable_marriage::last_chains", without_offer_);
    start_freeing();
    FreeProposers<Memory> const free{0, n(), chains.waiting, freed_};
    Kokkos::parallel_for("taper::stable_marriage::sort_records", Range(where_, 0, count),
                         SortRecords<Memory>{lists, count, free});
    where_.fence("taper::stable_marriage: wait for the free proposers of all processes");
    chains.live = freed_();

    Kokkos::View<Chain*, Memory> const left("taper::stable_marriage::need_more", chains.live);
    Kokkos::View<std::uint64_t, Memory> const left_count("taper::stable_marriage::left");
    HybridPlan<Exec> const plan{where_, options_, chains.live, false, sizeof(Id)};
    run_leg(where_, "taper::stable_marriage::last_leg",
            ProposeToCandidate<Memory>{lists, standing_.best, {0, n(), left, left_count}}, chains,
            {.max_workers = plan.host_workers()});
    std::uint64_t const changed = collect_changes(0, n(), left_count());
    if (changed == 0) {
      return 0;
    }
    for (std::uint64_t i = 0; i < left_count(); ++i) {
      changes_.view()(changed + i) = SentOffer::of(left(i));
    }
    return changed + left_count();
  }

  Exec where_;
  distributed::Communicator const& communicator_;
  Options const& options_;
  DistributedOptions const& distributed_;
  Blocks receivers_;
  Lists lists_;
  OwnRanks<Id, Memory> ranks_;
  std::uint32_t first_;                        ///< the first own proposer
  StandingOffers<Id, Memory> standing_;        ///< the replica
  Kokkos::View<AtomicWord*, Memory> known_;    ///< the standing offers that all processes know
  Frontier<Chain, Memory> frontier_;           ///< the own free proposers
  Kokkos::View<std::uint64_t, Memory> freed_;  ///< their number, while kernels add some
  std::uint64_t without_offer_;                ///< receivers without an offer, of all processes
  std::uint32_t candidates_;                   ///< candidates per proposer for process 0
  Records changes_{"taper::stable_marriage::changes"};
  Records came_{"taper::stable_marriage::came"};
  Records slots_{"taper::stable_marriage::slots"};
  DistributedReport report_;
};

}  // namespace taper::stable_marriage::detail
