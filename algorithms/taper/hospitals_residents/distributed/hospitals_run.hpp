// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/distributed/blocks.hpp>
#include <taper/distributed/communicator.hpp>
#include <taper/hospitals_residents/applicants.hpp>
#include <taper/hospitals_residents/distributed/hospital_rounds.hpp>
#include <taper/hospitals_residents/distributed/report.hpp>
#include <taper/hospitals_residents/distributed/rounds.hpp>
#include <taper/hospitals_residents/distributed/sides.hpp>
#include <taper/hospitals_residents/groups.hpp>
#include <taper/hospitals_residents/hospitals_propose.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/offer.hpp>
#include <taper/huge_pages.hpp>
#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Deferred acceptance in which hospitals propose, over the processes of a communicator.
// hospital_rounds.hpp has the kernels. Used by: solve() of distributed.hpp.

namespace taper::hospitals_residents::detail {

/// One run. It holds the lists of the hospitals of this process, and the hospital that each
/// resident of this process holds.
template <ExecutionSpace Exec>
class DistributedHospitalsRun {
  using Memory = typename Exec::memory_space;
  using Range = ItemRange<Exec>;

 public:
  DistributedHospitalsRun(Exec const& where, Communicator const& communicator, Sides<Memory> sides,
                          Market<Memory> const& own, OfferFormat const& format,
                          DistributedOptions const& options)
      : where_(where), communicator_(communicator), options_(options), sides_(std::move(sides)),
        market_(own), format_(format), held_(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                                                "taper::hospitals_residents::held"),
                                             own.resident_count()) {
    Kokkos::deep_copy(where, held_, empty_seat);
  }

  template <class Assignment>
  DistributedReport operator()(Assignment const& hospital_of) {
    RoundTraffic traffic;
    start_hospitals(traffic);
    while (run_round(traffic) > 0) {
      traffic = {};
    }
    write(hospital_of);
    return std::move(report_);
  }

 private:
  std::uint32_t processes() const { return communicator_.processes(); }
  std::uint64_t first_resident() const { return sides_.residents.first(communicator_.process()); }
  std::uint64_t first_hospital() const { return sides_.hospitals.first(communicator_.process()); }

  template <class Kernel>
  void for_items(std::string const& what, std::uint64_t count, Kernel const& kernel) const {
    Kokkos::parallel_for("taper::hospitals_residents::" + what, Range(where_, 0, count), kernel);
  }

  /// The number of items that came to this process, and that all processes sent.
  struct Exchanged {
    std::uint64_t came = 0;
    std::uint64_t all = 0;
  };

  /// Sends each item to its home, and receives those of the other processes.
  ///
  /// `came` becomes the own items and the received ones. `sent` grows by the number of items that
  /// went to other processes.
  template <class Item>
  Exchanged exchange(distributed::SortByHome<Exec, Item> const& items,
                     distributed::Buffer<Item, Memory>& came, std::uint64_t& sent,
                     RoundTraffic& traffic) {
    constexpr int words = 2;  // items for the receiver, items for all
    std::vector<std::uint64_t> given;
    for (std::uint32_t to = 0; to < processes(); ++to) {
      given.insert(given.end(), {items.count(to), items.first(processes())});
    }
    auto const taken = communicator_.exchange(given, words);
    Exchanged exchanged;
    for (std::uint32_t from = 0; from < processes(); ++from) {
      exchanged.came += taken[words * from];
      exchanged.all += taken[words * from + 1];
    }
    came.reserve(where_, exchanged.came);
    std::uint32_t const own = communicator_.process();
    distributed::Messages messages(communicator_, options_.max_message_bytes);
    std::uint64_t next = items.count(own);
    for (std::uint32_t step = 1; step < processes(); ++step) {
      std::uint32_t const other = (own + step) % processes();
      std::uint64_t const coming = taken[words * other];
      messages.receive(other, came.data() + next, coming * sizeof(Item));
      messages.send(other, items.data(other), items.count(other) * sizeof(Item));
      next += coming;
      sent += items.count(other);
    }
    std::copy_n(items.data(own), items.count(own), came.data());
    messages.wait();
    traffic.bytes += messages.bytes_sent() + (processes() - 1) * words * sizeof(std::uint64_t);
    return exchanged;
  }

  /// Makes the lists of the hospitals of this process, from the entries of all processes.
  void start_hospitals(RoundTraffic& traffic) {
    distributed::Buffer<SentEntry, Memory> came("taper::hospitals_residents::came_entries");
    std::uint64_t const count = exchange_entries(came, traffic);
    std::uint64_t const hospitals = market_.hospital_count();
    Kokkos::View<std::uint32_t*, Memory> const numbers(
        Kokkos::view_alloc(where_, Kokkos::WithoutInitializing,
                           "taper::hospitals_residents::numbers"),
        count);
    for_items("number_hospitals", count,
              NumberHospitals<Memory>{came.view(), first_hospital(), numbers});
    auto const places = places_of_groups(where_, "applicants", numbers, hospitals);
    hospitals_.applicants = {places.first,
                             allocate_large<Kokkos::View<Applicant*, Memory>>(
                                 where_, "taper::hospitals_residents::applicants", count)};
    for_items("scatter_applicants", count,
              ScatterApplicants<Memory>{came.view(), numbers, hospitals_.applicants, places.next});
    for_items("sort_applicants", hospitals, SortApplicants<Memory>{hospitals_.applicants});
    auto const counters = [&](std::string const& label) {
      return Kokkos::View<AtomicWord*, Memory>(
          Kokkos::view_alloc(where_, "taper::hospitals_residents::" + label), hospitals);
    };
    hospitals_.asked = counters("asked");
    hospitals_.free = counters("free_seats");
    for_items("open_seats", hospitals, OpenSeats<Memory>{market_.seats, hospitals_.free});
    where_.fence("taper::hospitals_residents: wait for the hospitals' lists");
  }

  std::uint64_t exchange_entries(distributed::Buffer<SentEntry, Memory>& came,
                                 RoundTraffic& traffic) {
    auto const entries = allocate_large<Kokkos::View<SentEntry*, Memory>>(
        where_, "taper::hospitals_residents::entries", market_.entry_count());
    for_items("write_entries", market_.resident_count(),
              WriteEntries<Memory>{market_, format_, first_resident(), entries});
    distributed::SortByHome<Exec, SentEntry> by_home(where_, processes());
    by_home(entries, entries.extent(0), HomeOfEntry<Memory>{sides_.hospitals});
    return exchange(by_home, came, traffic.entries, traffic).came;
  }

  /// Runs a round. Returns the number of rejections of all processes.
  std::uint64_t run_round(RoundTraffic& traffic) {
    ask();
    std::uint64_t const came = exchange(asks_by_home_, came_, traffic.offers, traffic).came;
    traffic.asking = asks_by_home_.first(processes());
    rejected_.reserve(where_, came);
    for_items("hold_best", came,
              HoldBest<Memory>{came_.view(), first_resident(), held_, rejected_.view()});
    rejected_by_home_(rejected_.view(), came, HomeOfRejected<Memory>{sides_.hospitals});
    auto const back = exchange(rejected_by_home_, came_back_, traffic.rejections, traffic);
    for_items("free_seats", back.came,
              FreeSeats<Memory>{came_back_.view(), first_hospital(), hospitals_});
    where_.fence("taper::hospitals_residents: wait for the free seats");
    ++report_.market.rounds;
    report_.traffic.push_back(traffic);
    if (options_.after_round) {
      options_.after_round(traffic);
    }
    return back.all;
  }

  void ask() {
    std::uint64_t const hospitals = market_.hospital_count();
    AskResidents<Memory> asking{hospitals_, format_, first_hospital(), {}};
    std::uint64_t count = 0;
    Kokkos::parallel_scan("taper::hospitals_residents::count_asks", Range(where_, 0, hospitals),
                          asking, count);
    where_.fence("taper::hospitals_residents: wait for the number of asks");
    if (count > 0) {
      asks_.reserve(where_, count);
      asking.asks = asks_.view();
      Kokkos::parallel_scan("taper::hospitals_residents::ask_residents",
                            Range(where_, 0, hospitals), asking);
    }
    for_items("pass_asked", hospitals, PassAsked<Memory>{hospitals_});
    asks_by_home_(asks_.view(), count, HomeOfAsked<Memory>{sides_.residents});
  }

  template <class Assignment>
  void write(Assignment const& hospital_of) {
    Report& report = report_.market;
    Kokkos::parallel_reduce("taper::hospitals_residents::write_held",
                            Range(where_, 0, market_.resident_count()),
                            WriteHeld<Memory, Assignment>{held_, hospital_of}, report.assigned);
    Kokkos::parallel_reduce("taper::hospitals_residents::count_asked",
                            Range(where_, 0, market_.hospital_count()),
                            CountAsked<Memory>{hospitals_}, report.proposals);
    report.assigned = communicator_.sum_of(report.assigned);
    report.proposals = communicator_.sum_of(report.proposals);
  }

  Exec where_;
  Communicator const& communicator_;
  DistributedOptions const& options_;
  Sides<Memory> sides_;
  Market<Memory> market_;
  OfferFormat format_;
  AskingHospitals<Memory> hospitals_;
  Kokkos::View<AtomicWord*, Memory> held_;  ///< per resident of this process
  distributed::Buffer<SentAsk, Memory> asks_{"taper::hospitals_residents::asks_of_a_round"};
  distributed::SortByHome<Exec, SentAsk> asks_by_home_{where_, communicator_.processes()};
  distributed::Buffer<SentAsk, Memory> came_{"taper::hospitals_residents::came_asks"};
  distributed::Buffer<std::uint32_t, Memory> rejected_{
      "taper::hospitals_residents::rejected_hospitals"};
  distributed::SortByHome<Exec, std::uint32_t> rejected_by_home_{where_, communicator_.processes()};
  distributed::Buffer<std::uint32_t, Memory> came_back_{"taper::hospitals_residents::came_back"};
  DistributedReport report_;
};

}  // namespace taper::hospitals_residents::detail
