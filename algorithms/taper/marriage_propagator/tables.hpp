// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/huge_pages.hpp>
#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/options.hpp>
#include <taper/marriage_propagator/published/lists.hpp>
#include <taper/preferences/instance.hpp>
#include <taper/preferences/list_similarity.hpp>
#include <taper/preferences/rank_matrix.hpp>
#include <taper/preferences/validate.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace taper::marriage_propagator::detail {

/// The tables that never change, in the memory of the execution space and in host memory. The Views
/// are the same if the memories are. Copies of a propagator share them.
template <ExecutionSpace Exec, class Id>
struct Tables {
  using Memory = typename Exec::memory_space;
  template <class Space>
  using Candidates = Kokkos::View<CandidateWord<Id> const**, Kokkos::LayoutRight, Space>;

  std::array<Candidates<Memory>, 2> parallel;         ///< for the execution space; may be empty
  std::array<Candidates<Kokkos::HostSpace>, 2> host;  ///< the same in host memory
  std::array<bool, 2>
      similar_lists;  ///< per side: whether its lists are similar (list_similarity.hpp)
  published::Lists<Id, Memory> published_parallel;           ///< of Engine::published_parallel
  published::Lists<Id, Kokkos::HostSpace> published_serial;  ///< of Engine::published_serial

  /// The tables of the same market with the sides exchanged.
  Tables exchanged() const {
    Tables result = *this;
    auto const exchange = [](auto&... pairs) { (std::swap(pairs[0], pairs[1]), ...); };
    exchange(result.parallel, result.host, result.similar_lists,
             result.published_parallel.preferences, result.published_parallel.inverse,
             result.published_serial.preferences, result.published_serial.inverse);
    return result;
  }
};

/// Throws: taper::Error if a row of `lists` is not a permutation. `side`: the name for the message.
template <class Exec, class Preferences>
void require_permutations(Exec const& where, char const* side, Preferences const& lists) {
  auto const bad = preferences::find_bad_row(where, lists);
  if (!bad) {
    return;
  }
  auto const row = Kokkos::create_mirror_view_and_copy(
      Kokkos::HostSpace{}, Kokkos::subview(lists, bad->row, Kokkos::ALL));
  TAPER_REQUIRE(false, std::string("taper::marriage_propagator::post: ") + side + ": row " +
                           std::to_string(bad->row) + " is no permutation of 0 .. " +
                           std::to_string(lists.extent(1) - 1) + ": entry " +
                           std::to_string(bad->entry) + " is " + std::to_string(row(bad->entry)) +
                           ", which is out of range or repeated");
}

/// Joins a side's preference lists with the other side's inverse lists. Entry (person, value) holds
/// the candidate, and the value of the person on the candidate's list. So a reverse pair costs one
/// load.
template <class Exec, class Preferences>
auto join(Exec const& where, Preferences const& lists, Preferences const& others) {
  using Id = typename Preferences::non_const_value_type;
  using Memory = typename Preferences::memory_space;
  std::uint64_t const n = lists.extent(0);
  auto const ranks =
      preferences::allocate_ranks<Id, Memory>(where, "taper::marriage_propagator::ranks", n);
  auto const candidates =
      allocate_large<Kokkos::View<CandidateWord<Id>**, Kokkos::LayoutRight, Memory>>(
          where, "taper::marriage_propagator::candidates", n, n);
  if (n > 0) {
    preferences::build_rank_matrix(where, others, ranks);
    preferences::transpose<Exec, Id, Memory>(where, ranks);
    preferences::pair_candidates<Exec, Preferences, Id>(where, lists, ranks, candidates);
  }
  where.fence("taper::marriage_propagator::post: wait for the table of candidates");
  return candidates;
}

/// The table in host memory: itself if it is there, else a copy.
template <class Exec, class Table>
auto on_host(Exec const& where, Table const& table) {
  using Memory = typename Table::memory_space;
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace, Memory>::accessible) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, table);
  } else {
    Kokkos::View<typename Table::non_const_value_type**, Kokkos::LayoutRight,
                 Kokkos::HostSpace> const
        copy(Kokkos::view_alloc(Kokkos::WithoutInitializing,
                                "taper::marriage_propagator::host_candidates"),
             table.extent(0), table.extent(1));
    advise_huge_pages(copy.data(), copy.span() * sizeof(*copy.data()));
    Kokkos::deep_copy(where, copy, table);
    where.fence("taper::marriage_propagator::post: wait for the host copy of the table");
    return copy;
  }
}

/// The same as join(), for lists in host memory, on the calling thread. For small tables: to start
/// threads or a GPU's kernels takes longer than to build them.
template <class Lists>
auto join_on_host(Lists const& lists, Lists const& others) {
  using Id = typename Lists::non_const_value_type;
  std::size_t const n = lists.extent(0);
  Kokkos::View<CandidateWord<Id>**, Kokkos::LayoutRight, Kokkos::HostSpace> const candidates(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "taper::marriage_propagator::candidates"), n,
      n);
  std::vector<Id> ranks(n * n);  // ranks[other * n + person]
  for (std::size_t other = 0; other < n; ++other) {
    for (std::size_t rank = 0; rank < n; ++rank) {
      ranks[other * n + others(other, rank)] = static_cast<Id>(rank);
    }
  }
  for (std::size_t person = 0; person < n; ++person) {
    for (std::size_t value = 0; value < n; ++value) {
      std::size_t const candidate = lists(person, value);
      candidates(person, value) = Candidate<Id>::pack(candidate, ranks[candidate * n + person]);
    }
  }
  return candidates;
}

/// The tables of Taper's engine, and those of `engine`. `parallel`: whether calls of Taper's engine
/// may go to the execution space. If not, and the tables are small, they are in host memory only.
template <class Exec, class Preferences>
auto build_tables(Exec const& where, preferences::Instance<Preferences> const& instance,
                  Engine engine, bool parallel) {
  using Id = typename Preferences::non_const_value_type;
  constexpr std::size_t small = 256;  // persons per side
  auto const host = [&](auto const& table) { return on_host(where, table); };
  Tables<Exec, Id> tables;
  if (!parallel && instance.size() <= small) {
    where.fence("taper::marriage_propagator::post: wait for the lists");
    auto const men = host(instance.men);
    auto const women = host(instance.women);
    tables.host = {join_on_host(men, women), join_on_host(women, men)};
  } else {
    tables.parallel = {join(where, instance.men, instance.women),
                       join(where, instance.women, instance.men)};
    tables.host = {host(tables.parallel[0]), host(tables.parallel[1])};
  }
  for (std::size_t side = 0; side < 2; ++side) {
    tables.similar_lists[side] = preferences::are_similar(
        instance.size(), [&](std::size_t person, std::size_t value) -> std::size_t {
          return Candidate<Id>::template get<0>(tables.host[side](person, value));
        });
  }
  if (engine == Engine::published_parallel) {
    tables.published_parallel = published::build_lists(where, instance);
  } else if (engine == Engine::published_serial) {
    auto const lists = published::build_lists(where, instance);
    for (std::size_t side = 0; side < 2; ++side) {
      tables.published_serial.preferences[side] = host(lists.preferences[side]);
      tables.published_serial.inverse[side] = host(lists.inverse[side]);
    }
  }
  return tables;
}

}  // namespace taper::marriage_propagator::detail
