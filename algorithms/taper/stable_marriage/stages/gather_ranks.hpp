// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/rows.hpp>
#include <taper/simd.hpp>
#include <taper/stable_marriage/instance.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace taper::stable_marriage::detail {

/// Gathers one tile of the ordered ranks per team, directly from the rank matrix. If the lists of
/// neighbouring proposers are similar, they have mostly the same receivers at the same positions.
/// Each proposer reads its own entry of the receiver's row. These entries are neighbours in memory,
/// so one access reads them all.
template <ExecutionSpace Exec, class Id>
struct GatherRanks {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using IdPair = SimdVector<Id, 2>;
  /// Rows and columns of a tile: what fits a team's scratch; a core has less.
  static constexpr std::uint32_t edge = (is_gpu<Exec> ? 256 : 128) / sizeof(Id);
  static constexpr std::uint32_t threads = RowTeams<Exec>::threads;
  static constexpr std::uint32_t lanes = RowTeams<Exec>::lanes;
  static constexpr std::uint32_t rows_per_thread = edge / threads;
  /// Padded, so that neighbours in a column lie in different banks of a GPU's scratch.
  static constexpr std::uint32_t stride = edge + 4 / sizeof(Id);
  using Tile = Kokkos::View<Id[edge][stride], Kokkos::LayoutRight,
                            typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Rows<Id const> lists;
  Rows<Id const> ranks;
  Rows<Id> ordered;
  std::uint32_t n;
  std::uint32_t tiles;  ///< per row of tiles

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Tile const tile(team.team_scratch(0));
    auto const league = static_cast<std::uint32_t>(team.league_rank());
    std::uint32_t const proposer = league / tiles * edge;
    std::uint32_t const position = league % tiles * edge;
    std::uint32_t const proposers = Kokkos::min(+edge, n - proposer);
    std::uint32_t const positions = Kokkos::min(+edge, n - position);
    for_pairs(
        team, proposers, positions,
        [&](std::uint32_t i, std::uint32_t k, bool both) {
          Id const* const from = lists[proposer + i] + position + k;
          return both && is_aligned_for<IdPair>(from) ? vector_at<IdPair>(from)
                                                      : IdPair{{from[0], from[both]}};
        },
        [&](std::uint32_t i, std::uint32_t k, bool, IdPair const& ids) {
          tile(i, k) = ids.entries[0];
          tile(i, k + 1) = ids.entries[1];
        });
    team.team_barrier();
    auto const thread = static_cast<std::uint32_t>(team.team_rank());
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, proposers), [&](std::uint32_t i) {
      Id found[rows_per_thread];
      TAPER_UNROLL
      for (std::uint32_t r = 0; r < rows_per_thread; ++r) {
        std::uint32_t const k = r * threads + thread;
        found[r] = k < positions ? ranks(tile(i, k), proposer + i) : Id{};
      }
      TAPER_UNROLL
      for (std::uint32_t r = 0; r < rows_per_thread; ++r) {
        tile(i, r * threads + thread) = found[r];
      }
    });
    team.team_barrier();
    for_pairs(
        team, proposers, positions,
        [&](std::uint32_t i, std::uint32_t k, bool) {
          return IdPair{{tile(i, k), tile(i, k + 1)}};
        },
        [&](std::uint32_t i, std::uint32_t k, bool both, IdPair const& ids) {
          Id* const to = ordered[proposer + i] + position + k;
          if (both && is_aligned_for<IdPair>(to)) {
            vector_at<IdPair>(to) = ids;
          } else {
            to[0] = ids.entries[0];
            to[both] = ids.entries[both];
          }
        });
  }

 private:
  /// Calls put(row, column, both, take(row, column, both)) for two neighbouring columns at a time.
  /// `both` is false if the last column has no neighbour. Each thread takes all of its rows before
  /// it puts the first, so that its loads overlap.
  template <class Take, class Put>
  KOKKOS_FUNCTION static void for_pairs(Member const& team, std::uint32_t rows,
                                        std::uint32_t columns, Take const& take, Put const& put) {
    auto const thread = static_cast<std::uint32_t>(team.team_rank());
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, (columns + 1) / 2),
                         [&](std::uint32_t pair) {
                           std::uint32_t const k = 2 * pair;
                           bool const both = k + 1 < columns;
                           IdPair held[rows_per_thread];
                           TAPER_UNROLL
                           for (std::uint32_t r = 0; r < rows_per_thread; ++r) {
                             if (r * threads + thread < rows) {
                               held[r] = take(r * threads + thread, k, both);
                             }
                           }
                           TAPER_UNROLL
                           for (std::uint32_t r = 0; r < rows_per_thread; ++r) {
                             if (r * threads + thread < rows) {
                               put(r * threads + thread, k, both, held[r]);
                             }
                           }
                         });
  }
};

/// ordered(m, p) = the rank of m in the list of the p-th receiver of m, for similar lists. It gives
/// the result of preferences::order_ranks() from ranks that are not transposed: right for any
/// lists, but slow unless they are similar.
/// Requires: tables of ranks from allocate_ranks().
/// Cost: lists and ranks read, `ordered` written, about 256 bytes of a row at a time.
/// Used by: Execution, for its second stage.
template <ExecutionSpace Exec, class Lists, class Id>
void gather_ranks(Exec const& where, Lists const& lists,
                  Table<Id, typename Lists::memory_space> const& ranks,
                  Table<Id, typename Lists::memory_space> const& ordered) {
  using Gather = GatherRanks<Exec, Id>;
  auto const n = static_cast<std::uint32_t>(lists.extent(0));
  std::uint32_t const tiles = (n + Gather::edge - 1) / Gather::edge;
  auto policy = row_teams(where, std::size_t{tiles} * tiles);
  policy.set_scratch_size(0, Kokkos::PerTeam(Gather::Tile::shmem_size()));
  Kokkos::parallel_for("taper::stable_marriage::gather_ranks", policy,
                       Gather{rows_of(lists),
                              {ranks.data(), static_cast<std::size_t>(ranks.stride(0))},
                              {ordered.data(), static_cast<std::size_t>(ordered.stride(0))},
                              n,
                              tiles});
}

}  // namespace taper::stable_marriage::detail
