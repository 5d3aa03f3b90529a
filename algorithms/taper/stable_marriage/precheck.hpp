// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>
#include <taper/stable_marriage/options.hpp>
#include <taper/stable_marriage/report.hpp>
#include <taper/stable_marriage/write_matching.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::stable_marriage::detail {

/// Marks the first choice of each proposer and counts the marks that are new.
template <class Lists, class MemorySpace>
struct MarkFirstChoices {
  Lists lists;
  Kokkos::View<std::uint32_t*, MemorySpace> chosen;

  KOKKOS_FUNCTION void operator()(std::uint64_t proposer, std::uint64_t& distinct) const {
    distinct += Kokkos::atomic_exchange(&chosen(lists(proposer, 0)), 1u) == 0;
  }
};

/// The number of receivers that are a first choice. If it is n, each proposer gets its first choice
/// in the proposer-optimal matching, and the lists need not be read further (the precheck of
/// Section IV-C2). If it is small, the lists start alike: after all first proposals, only that many
/// receivers hold an offer.
/// Cost: O(n) reads, 4n bytes during the call. Async: returns with `where` fenced.
/// Used by: precheck() below.
template <ExecutionSpace Exec, class Lists>
std::uint64_t count_first_choices(Exec const& where, Lists const& lists, std::uint64_t n) {
  using MemorySpace = typename Exec::memory_space;
  Kokkos::View<std::uint32_t*, MemorySpace> const chosen(
      Kokkos::view_alloc(where, "taper::stable_marriage::chosen"), n);
  std::uint64_t distinct = 0;
  Kokkos::parallel_reduce("taper::stable_marriage::mark_first_choices",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(where, 0, n),
                          MarkFirstChoices<Lists, MemorySpace>{lists, chosen}, distinct);
  where.fence("taper::stable_marriage: wait for the number of distinct first choices");
  return distinct;
}

/// Phase 1. If all first choices are distinct, they are the matching: writes it and sets
/// Report::perfect. Sets `first_choices` to the number of receivers that are a first choice.
///
/// Requires: `where` reaches the proposers' lists and partner_of.
template <ExecutionSpace Exec, class Lists, class Partners>
Report precheck(Exec const& where, Lists const& lists, Partners const& partner_of,
                Options const& options, std::uint64_t& first_choices) {
  std::uint64_t const n = partner_of.extent(0);
  Report report;
  {
    FencedRegion const region(where, "taper::stable_marriage::precheck");
    first_choices = count_first_choices(where, lists, n);
    report.perfect = first_choices == n;
  }
  if (report.perfect) {
    FencedRegion const region(where, "taper::stable_marriage::postprocessing");
    Kokkos::parallel_for(
        "taper::stable_marriage::write_first_choices",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(where, 0, n),
        WriteFirstChoices<Lists, Partners>{lists, partner_of, options.proposer == Proposer::men});
    report.proposals = n;
    report.acceptances = options.count ? n : 0;
  }
  return report;
}

/// The same for callers that do not need the number.
template <ExecutionSpace Exec, class Lists, class Partners>
Report precheck(Exec const& where, Lists const& lists, Partners const& partner_of,
                Options const& options) {
  std::uint64_t first_choices = 0;
  return precheck(where, lists, partner_of, options, first_choices);
}

}  // namespace taper::stable_marriage::detail
