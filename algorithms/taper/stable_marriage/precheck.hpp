// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/rows.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::stable_marriage::detail {

/// Marks each proposer's first choice and counts the marks that were new.
template <class Lists, class MemorySpace>
struct MarkFirstChoices {
  Lists lists;
  Kokkos::View<std::uint32_t*, MemorySpace> chosen;

  KOKKOS_FUNCTION void operator()(std::uint64_t proposer, std::uint64_t& distinct) const {
    distinct += Kokkos::atomic_exchange(&chosen(lists(proposer, 0)), 1u) == 0;
  }
};

/// Receivers who are somebody's first choice. If they are as many as proposers, everyone has his
/// first choice in the proposer-optimal matching, and no list need be read further (the precheck of
/// Section IV-C2). If they are few, lists begin alike, and so many offers stand at most.
/// Cost: O(n) reads, 4n bytes for the while. Async: returns with `where` fenced.
template <ExecutionSpace Exec, class Lists>
std::uint64_t count_first_choices(Exec const& where, Lists const& lists, std::uint64_t n) {
  using MemorySpace = typename Exec::memory_space;
  Kokkos::View<std::uint32_t*, MemorySpace> const chosen(
      Kokkos::view_alloc(where, "taper::stable_marriage::chosen"), n);
  std::uint64_t distinct = 0;
  Kokkos::parallel_reduce("taper::stable_marriage::mark_first_choices",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(where, 0, n),
                          MarkFirstChoices<Lists, MemorySpace>{lists, chosen}, distinct);
  where.fence("taper::stable_marriage: the number of distinct first choices");
  return distinct;
}

}  // namespace taper::stable_marriage::detail
