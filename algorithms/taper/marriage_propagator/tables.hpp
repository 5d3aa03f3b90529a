// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/contract.hpp>
#include <taper/large_view.hpp>
#include <taper/marriage_propagator/domains.hpp>
#include <taper/stable_marriage/initialise.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/likeness.hpp>
#include <taper/stable_marriage/validate.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace taper::marriage_propagator::detail {

/// What never changes, in the memory of the execution space and in the calling
/// thread's: the same Views where these are one. Copies of a propagator share
/// it.
template <ExecutionSpace Exec, class Id>
struct Tables {
  using Memory = typename Exec::memory_space;
  template <class Space>
  using Candidates = Kokkos::View<CandidateWord<Id> const**, Kokkos::LayoutRight, Space>;

  std::array<Candidates<Memory>, 2> wide;
  std::array<Candidates<Kokkos::HostSpace>, 2> host;
  std::array<bool, 2> alike;  ///< whether a side's lists name the same few at the same places
};

template <class Exec, class Preferences>
void require_permutations(Exec const& where, char const* side, Preferences const& lists) {
  auto const bad = stable_marriage::find_bad_row(where, lists);
  if (!bad) {
    return;
  }
  auto const row = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace{}, Kokkos::subview(lists, bad->row, Kokkos::ALL));
  TAPER_REQUIRE(false, std::string("taper::marriage_propagator::post: ") + side + ": row " +
                           std::to_string(bad->row) + " is no permutation of 0 .. " +
                           std::to_string(lists.extent(1) - 1) + ": entry " +
                           std::to_string(bad->entry) + " is " + std::to_string(row(bad->entry)) +
                           ", which is out of range or there before");
}

/// For each person and value, whom it means and which value the person is to
/// them: the preference lists and the inverse lists of the other side, joined.
/// A pair's twin is one load away.
template <class Exec, class Preferences>
auto join(Exec const& where, Preferences const& lists, Preferences const& others) {
  using Id = typename Preferences::non_const_value_type;
  using Memory = typename Preferences::memory_space;
  std::uint64_t const n = lists.extent(0);
  auto const ranks = stable_marriage::detail::allocate_ranks<Id, Memory>(
      where, "taper::marriage_propagator::ranks", n);
  auto const candidates =
      allocate_large<Kokkos::View<CandidateWord<Id>**, Kokkos::LayoutRight, Memory>>(
          where, "taper::marriage_propagator::candidates", n, n);
  if (n > 0) {
    stable_marriage::detail::build_rank_matrix(where, others, ranks);
    stable_marriage::detail::transpose<Exec, Id, Memory>(where, ranks);
    stable_marriage::detail::pair_candidates<Exec, Preferences, Id>(where, lists, ranks,
                                                                    candidates);
  }
  where.fence("taper::marriage_propagator::post: a table of candidates is there");
  return candidates;
}

/// A table in the calling thread's memory: the same where that is one, else a copy.
template <class Exec, class Table>
auto on_host(Exec const& where, Table const& table) {
  using Memory = typename Table::memory_space;
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, table);
  } else {
    Kokkos::View<typename Table::non_const_value_type**, Kokkos::LayoutRight,
                 Kokkos::HostSpace> const
        copy(Kokkos::view_alloc(Kokkos::WithoutInitializing,
                                "taper::marriage_propagator::candidates_here"),
             table.extent(0), table.extent(1));
    advise_huge_pages(copy.data(), copy.span() * sizeof(*copy.data()));
    Kokkos::deep_copy(where, copy, table);
    where.fence("taper::marriage_propagator::post: the calling thread has its table");
    return copy;
  }
}

template <class Exec, class Preferences>
auto build_tables(Exec const& where, stable_marriage::Instance<Preferences> const& instance) {
  using Id = typename Preferences::non_const_value_type;
  auto const men = join(where, instance.men, instance.women);
  auto const women = join(where, instance.women, instance.men);
  auto const here = [&](auto const& table) { return on_host(where, table); };
  Tables<Exec, Id> tables{{men, women}, {here(men), here(women)}, {}};
  for (std::size_t side = 0; side < 2; ++side) {
    tables.alike[side] = stable_marriage::detail::are_alike(
        instance.size(), [&](std::size_t person, std::size_t value) -> std::size_t {
          return Candidate<Id>::template get<0>(tables.host[side](person, value));
        });
  }
  return tables;
}

}  // namespace taper::marriage_propagator::detail
