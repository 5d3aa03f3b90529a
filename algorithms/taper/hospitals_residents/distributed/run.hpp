// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/distributed/blocks.hpp>
#include <taper/distributed/communicator.hpp>
#include <taper/hospitals_residents/distributed/report.hpp>
#include <taper/hospitals_residents/distributed/rounds.hpp>
#include <taper/hospitals_residents/distributed/sides.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/offer.hpp>
#include <taper/hospitals_residents/options.hpp>
#include <taper/hospitals_residents/seats.hpp>
#include <taper/huge_pages.hpp>
#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Deferred acceptance in which residents propose, over the processes of a communicator. A round:
// the free residents ask, their offers travel, the hospitals decide, rejections and new limits
// travel. rounds.hpp has the kernels. Used by: solve() of distributed.hpp.

namespace taper::hospitals_residents::detail {

/// The format of offers for the whole market: the same in all processes.
template <class Exec, class Memory>
OfferFormat offer_format(Communicator const& communicator, Exec const& where,
                         Market<Memory> const& own, std::uint64_t residents,
                         Options const& options) {
  return offer_format(
      residents, options, [&] { return communicator.largest_of(longest_list(where, own)); },
      [&] { return communicator.largest_of(largest_of(where, own.keys)); });
}

/// One run. It holds the seats of the hospitals of this process, and the limits of all hospitals.
template <ExecutionSpace Exec>
class DistributedRun {
  using Memory = typename Exec::memory_space;
  using Range = ItemRange<Exec>;
  using Ids = Kokkos::View<std::uint32_t*, Memory>;

 public:
  DistributedRun(Exec const& where, Communicator const& communicator, Sides<Memory> sides,
                 Market<Memory> const& own, OfferFormat const& format,
                 DistributedOptions const& options)
      : where_(where), communicator_(communicator), options_(options), sides_(std::move(sides)),
        market_(own), format_(format), seats_(make_seats(where, own)),
        limits_(allocate_large<Ids>(where, "taper::hospitals_residents::limits",
                                    sides_.hospitals.all())),
        positions_("taper::hospitals_residents::positions", own.resident_count()),
        offers_by_home_(where, processes()), rejected_by_home_(where, processes()),
        news_(where, 1) {
    Kokkos::deep_copy(where, limits_, no_limit);
  }

  template <class Assignment>
  DistributedReport operator()(Assignment const& hospital_of) {
    std::uint64_t rejected = run_round(Ids(), market_.resident_count());
    while (rejected > 0) {
      rejected = run_round(free_.view(), free_count_);
    }
    write(hospital_of);
    return std::move(report_);
  }

 private:
  std::uint32_t processes() const { return communicator_.processes(); }
  std::uint32_t own() const { return communicator_.process(); }
  std::uint64_t first_resident() const { return sides_.residents.first(own()); }
  std::uint64_t first_hospital() const { return sides_.hospitals.first(own()); }

  template <class Use>
  void for_others(Use const& use) const {
    for (std::uint32_t step = 1; step < processes(); ++step) {
      use((own() + step) % processes());  // no two processes begin with the same one
    }
  }

  template <class Kernel>
  void for_items(std::string const& what, std::uint64_t begin, std::uint64_t end,
                 Kernel const& kernel) const {
    if (begin < end) {
      Kokkos::parallel_for("taper::hospitals_residents::" + what, Range(where_, begin, end),
                           kernel);
    }
  }

  /// Runs a round for the `count` residents in `free`; for all residents if `free` has no entries.
  /// Returns the number of residents of all processes that were rejected. Those of this process are
  /// then in free_.
  std::uint64_t run_round(Ids const& free, std::uint64_t count) {
    RoundTraffic traffic;
    ask(free, count);
    std::uint64_t const came = exchange_offers(traffic);
    for_items(
        "collect_limits", 0, came,
        CollectLimits<Memory>{seats_, first_hospital(), came_.view(), limits_, changed_.view()});
    rejected_by_home_(rejected_.view(), came, HomeOfResident<Memory>{sides_.residents});
    news_(changed_.view(), came, OneHomeForNews{});
    std::uint64_t const rejected = exchange_answers(traffic);
    ++report_.market.rounds;
    report_.traffic.push_back(traffic);
    if (options_.after_round) {
      options_.after_round(traffic);
    }
    return rejected;
  }

  void ask(Ids const& free, std::uint64_t count) {
    offers_.reserve(where_, count);
    for_items("ask_by_limits", 0, count,
              AskByLimits<Memory>{market_, format_, first_resident(), limits_, positions_, free,
                                  count, offers_.view()});
    offers_by_home_(offers_.view(), count, HomeOfHospital<Memory>{sides_.hospitals});
  }

  /// Sends the offers to the processes of their hospitals. Meanwhile the hospitals of this process
  /// decide on the offers of its own residents. Returns the number of offers to them, own and
  /// received ones.
  std::uint64_t exchange_offers(RoundTraffic& traffic) {
    std::vector<std::uint64_t> counts(processes());
    for (std::uint32_t to = 0; to < processes(); ++to) {
      counts[to] = offers_by_home_.count(to);
    }
    auto const coming = communicator_.exchange(counts, 1);
    std::uint64_t const here = counts[own()];
    std::uint64_t came = 0;
    for (std::uint64_t const count : coming) {
      came += count;
    }
    came_.reserve(where_, came);
    rejected_.reserve(where_, came);
    changed_.reserve(where_, came);

    distributed::Messages messages(communicator_, options_.max_message_bytes);
    std::uint64_t next = here;
    for_others([&](std::uint32_t other) {
      messages.receive(other, came_.data() + next, coming[other] * sizeof(SentOffer));
      next += coming[other];
    });
    for_others([&](std::uint32_t other) {
      messages.send(other, offers_by_home_.data(other), counts[other] * sizeof(SentOffer));
      traffic.offers += counts[other];
    });
    std::copy_n(offers_by_home_.data(own()), here, came_.data());
    place_offers(0, here);
    messages.wait();
    place_offers(here, came);
    traffic.asking = traffic.offers + here;
    traffic.bytes += messages.bytes_sent() + (processes() - 1) * sizeof(std::uint64_t);
    return came;
  }

  void place_offers(std::uint64_t begin, std::uint64_t end) {
    for_items("place_offers", begin, end,
              PlaceOffers<Memory>{
                  {seats_}, format_, first_hospital(), came_.view(), end, rejected_.view()});
    where_.fence("taper::hospitals_residents: wait for the seats of a round");
  }

  /// Sends rejections to the processes of their residents, and new limits to all processes. Returns
  /// the number of residents of all processes that were rejected.
  std::uint64_t exchange_answers(RoundTraffic& traffic) {
    constexpr int words = 3;  // rejections for the receiver, new limits, rejections for all
    std::vector<std::uint64_t> given;
    for (std::uint32_t to = 0; to < processes(); ++to) {
      given.insert(given.end(), {rejected_by_home_.count(to), news_.count(0),
                                 rejected_by_home_.first(processes())});
    }
    auto const taken = communicator_.exchange(given, words);
    std::uint64_t rejected = 0;
    std::uint64_t new_limits = 0;
    free_count_ = 0;
    for (std::uint32_t from = 0; from < processes(); ++from) {
      free_count_ += taken[words * from];
      new_limits += from == own() ? 0 : taken[words * from + 1];
      rejected += taken[words * from + 2];
    }
    free_.reserve(where_, free_count_);
    changed_.reserve(where_, new_limits);

    distributed::Messages messages(communicator_, options_.max_message_bytes);
    std::uint64_t next = rejected_by_home_.count(own());
    std::uint64_t next_limit = 0;
    for_others([&](std::uint32_t other) {
      messages.receive(other, free_.data() + next, taken[words * other] * sizeof(std::uint32_t));
      next += taken[words * other];
      std::uint64_t const limits = taken[words * other + 1];
      messages.receive(other, changed_.data() + next_limit, limits * sizeof(SentLimit));
      next_limit += limits;
    });
    for_others([&](std::uint32_t other) {
      messages.send(other, rejected_by_home_.data(other),
                    rejected_by_home_.count(other) * sizeof(std::uint32_t));
      messages.send(other, news_.data(0), news_.count(0) * sizeof(SentLimit));
      traffic.rejections += rejected_by_home_.count(other);
    });
    std::copy_n(rejected_by_home_.data(own()), rejected_by_home_.count(own()), free_.data());
    messages.wait();
    for_items("take_limits", 0, new_limits, TakeLimits<Memory>{changed_.view(), limits_});
    for_items("take_rejections", 0, free_count_,
              TakeRejections<Memory>{free_.view(), first_resident(), positions_});
    traffic.limits = news_.count(0);
    traffic.bytes += messages.bytes_sent() + (processes() - 1) * words * sizeof(std::uint64_t);
    return rejected;
  }

  template <class Assignment>
  void write(Assignment const& hospital_of) {
    Report& report = report_.market;
    Kokkos::parallel_reduce("taper::hospitals_residents::write_asked",
                            Range(where_, 0, market_.resident_count()),
                            WriteAsked<Memory, Assignment>{market_, positions_, hospital_of},
                            report.assigned, report.proposals);
    report.assigned = communicator_.sum_of(report.assigned);
    report.proposals = communicator_.sum_of(report.proposals);
  }

  Exec where_;
  Communicator const& communicator_;
  DistributedOptions const& options_;
  Sides<Memory> sides_;
  Market<Memory> market_;
  OfferFormat format_;
  Seats<Memory> seats_;  ///< of the hospitals of this process
  Ids limits_;           ///< of all hospitals
  Ids positions_;        ///< per resident of this process
  distributed::Buffer<SentOffer, Memory> offers_{"taper::hospitals_residents::offers_of_a_round"};
  distributed::SortByHome<Exec, SentOffer> offers_by_home_;
  distributed::Buffer<SentOffer, Memory> came_{"taper::hospitals_residents::came"};
  distributed::Buffer<std::uint32_t, Memory> rejected_{"taper::hospitals_residents::rejected"};
  distributed::SortByHome<Exec, std::uint32_t> rejected_by_home_;
  distributed::Buffer<SentLimit, Memory> changed_{"taper::hospitals_residents::changed_limits"};
  distributed::SortByHome<Exec, SentLimit> news_;
  distributed::Buffer<std::uint32_t, Memory> free_{"taper::hospitals_residents::free"};
  std::uint64_t free_count_ = 0;
  DistributedReport report_;
};

}  // namespace taper::hospitals_residents::detail
