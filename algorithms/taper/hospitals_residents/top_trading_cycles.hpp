// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/hospitals_residents/applicants.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/offer.hpp>
#include <taper/hospitals_residents/options.hpp>
#include <taper/region.hpp>
#include <taper/stop.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace taper::hospitals_residents {
namespace detail {

/// Top trading cycles of one market in host memory, one cycle after another.
class TradingCycles {
  using Memory = Kokkos::HostSpace;

 public:
  TradingCycles(Market<Memory> const& market, OfferFormat const& format,
                Applicants<Memory> const& applicants)
      : market_(market), format_(format), applicants_(applicants),
        next_choice_(market.resident_count()), next_applicant_(market.hospital_count()),
        free_seats_(market.seats.data(), market.seats.data() + market.hospital_count()),
        has_left_(market.resident_count()), step_of_(market.resident_count(), 0) {}

  /// Calls assign(resident, hospital) for each resident with a seat. Throws: Stopped.
  template <class Assign>
  void run(StopFlag stop, Assign const& assign) {
    for (std::uint32_t start = 0; start < market_.resident_count(); ++start) {
      stop.check();
      while (!has_left_[start]) {
        std::uint32_t const resident = next_of_walk(start);
        if (step_of_[resident] > 0) {
          close_cycle(step_of_[resident] - 1, assign);
        } else if (std::uint32_t const hospital = best_hospital(resident); hospital == unassigned) {
          has_left_[resident] = true;
        } else {
          walk_.push_back({resident, hospital});
          step_of_[resident] = walk_.size();
        }
      }
    }
  }

  /// The hospitals that residents have looked at, or got.
  std::uint64_t proposals() const {
    std::uint64_t sum = 0;
    for (std::uint32_t resident = 0; resident < next_choice_.size(); ++resident) {
      bool const assigned = next_choice_[resident] < market_.list_length(resident);
      sum += next_choice_[resident] + assigned;
    }
    return sum;
  }

 private:
  /// The resident that the walk comes to: `start`, or the one that the last hospital points to. A
  /// hospital that has become full since is left, and its resident points again.
  std::uint32_t next_of_walk(std::uint32_t start) {
    if (walk_.empty()) {
      return start;
    }
    auto const [resident, hospital] = walk_.back();
    if (free_seats_[hospital] > 0) {
      return best_applicant(hospital);
    }
    walk_.pop_back();
    step_of_[resident] = 0;
    return resident;
  }

  /// The links from `first` on are a cycle: each resident gets the hospital that it points to.
  template <class Assign>
  void close_cycle(std::size_t first, Assign const& assign) {
    for (; walk_.size() > first; walk_.pop_back()) {
      auto const [resident, hospital] = walk_.back();
      assign(resident, hospital);
      has_left_[resident] = true;
      step_of_[resident] = 0;
      --free_seats_[hospital];
    }
  }

  /// The first hospital of the list with a free seat. Seats do not become free again, so the search
  /// goes on where it stopped.
  std::uint32_t best_hospital(std::uint32_t resident) {
    auto const begin = static_cast<std::uint64_t>(market_.offsets(resident));
    for (auto& at = next_choice_[resident]; at < market_.list_length(resident); ++at) {
      std::uint32_t const hospital = market_.hospitals(begin + at);
      if (free_seats_[hospital] > 0) {
        return hospital;
      }
    }
    return unassigned;
  }

  /// The hospital's best applicant that has not left. There is one: the resident that points here.
  std::uint32_t best_applicant(std::uint32_t hospital) {
    for (auto& at = next_applicant_[hospital];; ++at) {
      auto const& entry = applicants_.entries(applicants_.first(hospital) + at);
      std::uint32_t const resident = format_.resident_of(entry.offer, hospital);
      if (!has_left_[resident]) {
        return resident;
      }
    }
  }

  /// A resident and the hospital that it points to.
  struct Link {
    std::uint32_t resident;
    std::uint32_t hospital;
  };

  Market<Memory> market_;
  OfferFormat format_;
  Applicants<Memory> applicants_;
  std::vector<std::uint32_t> next_choice_;
  std::vector<std::uint64_t> next_applicant_;
  std::vector<std::uint32_t> free_seats_;
  std::vector<bool> has_left_;
  std::vector<std::size_t> step_of_;  ///< place in the walk, from 1; 0: not in it
  std::vector<Link> walk_;
};

}  // namespace detail

/// The matching of top trading cycles: each hospital gives its seats to those that list it and have
/// the best keys there, and residents trade. hospital_of(r) becomes the hospital of resident r, or
/// `unassigned`. It is Pareto-efficient for the residents and strategy-proof, but not stable.
///
/// Of the options, it follows lottery and seed. A hospital ranks the residents that list it. Returns
/// a report with the numbers of assigned residents and of proposals: the hospitals of each list up to
/// the one that the resident gets.
///
/// Equivalent to: each resident points to the first hospital of its list with a free seat, each
///   hospital to its best resident that is still there. The residents of a cycle get what they point
///   to and leave; those without a hospital leave. Repeat.
/// Requires: a market as its type says, and hospital_of, in host memory.
/// Cost: one worker; O(entries) after the hospitals' lists are sorted; 16 bytes per entry.
/// Throws: taper::Error as solve().
/// Source: Abdulkadiroglu and Sonmez, "School choice: a mechanism design approach", American
///   Economic Review 93, 2003.
template <class Space, class Assignment>
Report top_trading_cycles(Market<Space> const& market, Assignment const& hospital_of,
                          Options const& options = {}) {
  static_assert(std::is_same_v<typename Market<Space>::MemorySpace, Kokkos::HostSpace>,
                "top_trading_cycles: the market is in host memory");
  std::string const function = "taper::hospitals_residents::top_trading_cycles";
  require_extents(function, market);
  TAPER_REQUIRE(hospital_of.extent(0) == market.resident_count(),
                function + ": hospital_of has " + std::to_string(hospital_of.extent(0)) +
                    " entries, the market has " + std::to_string(market.resident_count()) +
                    " residents");
  Region const region(function);
  Kokkos::DefaultHostExecutionSpace const where;
  Market<Kokkos::HostSpace> const here{market.offsets, market.hospitals, market.keys, market.seats};
  auto const format =
      detail::offer_format(where, here, {.lottery = options.lottery, .seed = options.seed});
  return unless_stopped([&] {
    StopFlag const stop{options.stop};
    stop.check();
    auto const applicants = detail::make_applicants(where, here, format);
    where.fence(function + ": wait for the hospitals' lists");
    Kokkos::deep_copy(where, hospital_of, unassigned);
    where.fence(function + ": wait for the empty matching");
    Report report;
    detail::TradingCycles cycles(here, format, applicants);
    cycles.run(stop, [&](std::uint32_t resident, std::uint32_t hospital) {
      hospital_of(resident) = hospital;
      ++report.assigned;
    });
    report.proposals = cycles.proposals();
    return report;
  });
}

}  // namespace taper::hospitals_residents
