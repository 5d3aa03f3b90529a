// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>

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
/// Used by: precheck() in phases.hpp.
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

}  // namespace taper::stable_marriage::detail
