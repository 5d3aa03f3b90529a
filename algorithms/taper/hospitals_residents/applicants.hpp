// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/hospitals_residents/groups.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/offer.hpp>
#include <taper/huge_pages.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>

// The hospitals' lists, which hospitals that propose need.

namespace taper::hospitals_residents::detail {

/// A resident in a hospital's list. The offer orders the list and names the resident.
struct Applicant {
  AtomicWord offer;
  std::uint32_t position;  ///< of the hospital in the resident's list
};

/// The applicants of each hospital, its best first.
template <class MemorySpace>
struct Applicants {
  Kokkos::View<std::uint64_t*, MemorySpace> first;  ///< hospitals + 1
  Kokkos::View<Applicant*, MemorySpace> entries;

  KOKKOS_FUNCTION std::uint64_t count(std::uint64_t hospital) const {
    return first(hospital + 1) - first(hospital);
  }
};

/// Writes the entries of each resident to the lists of its hospitals, in any order.
template <class MemorySpace>
struct ScatterEntries {
  Market<MemorySpace> market;
  OfferFormat format;
  Applicants<MemorySpace> applicants;
  Kokkos::View<AtomicWord*, MemorySpace> next;  ///< per hospital: the next free place in its list

  KOKKOS_FUNCTION void operator()(std::uint64_t resident) const {
    auto const begin = static_cast<std::uint64_t>(market.offsets(resident));
    std::uint32_t const length = market.list_length(resident);
    for (std::uint32_t position = 0; position < length; ++position) {
      std::uint64_t const hospital = market.hospitals(begin + position);
      AtomicWord const at = Kokkos::atomic_fetch_add(&next(hospital), AtomicWord{1});
      applicants.entries(at) = {
          format.offer(resident, hospital, position, market.keys(begin + position)), position};
    }
  }
};

/// Sorts the list of one hospital, by heapsort: in place, without recursion.
template <class MemorySpace>
struct SortApplicants {
  Applicants<MemorySpace> applicants;

  KOKKOS_FUNCTION void operator()(std::uint64_t hospital) const {
    Applicant* const list = applicants.entries.data() + applicants.first(hospital);
    std::uint64_t const count = applicants.count(hospital);
    for (std::uint64_t root = count / 2; root-- > 0;) {
      sift_down(list, root, count);
    }
    for (std::uint64_t end = count; end-- > 1;) {
      swap(list[0], list[end]);
      sift_down(list, 0, end);
    }
  }

 private:
  KOKKOS_FUNCTION static void swap(Applicant& a, Applicant& b) {
    Applicant const kept = a;
    a = b;
    b = kept;
  }
  KOKKOS_FUNCTION static void sift_down(Applicant* list, std::uint64_t root, std::uint64_t count) {
    for (std::uint64_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
      if (child + 1 < count && list[child].offer < list[child + 1].offer) {
        ++child;
      }
      if (list[child].offer <= list[root].offer) {
        return;
      }
      swap(list[root], list[child]);
      root = child;
    }
  }
};

/// The hospitals' lists. Cost: 16 bytes per entry; one worker sorts the list of one hospital.
template <class Exec, class MemorySpace>
Applicants<MemorySpace> make_applicants(Exec const& where, Market<MemorySpace> const& market,
                                        OfferFormat const& format) {
  using Range = ItemRange<Exec>;
  std::uint64_t const hospitals = market.hospital_count();
  auto const places = places_of_groups(where, "applicants", market.hospitals, hospitals);
  Applicants<MemorySpace> const applicants{
      places.first, allocate_large<Kokkos::View<Applicant*, MemorySpace>>(
                        where, "taper::hospitals_residents::applicants", market.entry_count())};
  Kokkos::parallel_for("taper::hospitals_residents::scatter_entries",
                       Range(where, 0, market.resident_count()),
                       ScatterEntries<MemorySpace>{market, format, applicants, places.next});
  Kokkos::parallel_for("taper::hospitals_residents::sort_applicants", Range(where, 0, hospitals),
                       SortApplicants<MemorySpace>{applicants});
  return applicants;
}

}  // namespace taper::hospitals_residents::detail
