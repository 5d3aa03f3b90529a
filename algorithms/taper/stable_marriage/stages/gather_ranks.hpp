// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/pack.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/instance.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::stable_marriage::detail {

/// A tile of the ordered ranks for each team, straight from the rank matrix. Where neighbours' lists
/// are alike they look at the same receivers at the same positions, each at his own entry of her
/// row: neighbours in memory, for whom one access does.
template <ExecutionSpace Exec, class Id>
struct GatherRanks {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Two = Pack<Id, 2>;
  /// As much as fits a team's scratch, which a core has less of.
  static constexpr std::uint32_t side = (is_gpu<Exec> ? 256 : 128) / sizeof(Id);
  static constexpr std::uint32_t threads = RowTeams<Exec>::threads;
  static constexpr std::uint32_t lanes = RowTeams<Exec>::lanes;
  static constexpr std::uint32_t rows_a_thread = side / threads;
  /// Of a column of the tile, neighbours lie in different banks of a GPU's scratch.
  static constexpr std::uint32_t stride = side + 4 / sizeof(Id);
  using Tile = Kokkos::View<Id[side][stride], Kokkos::LayoutRight,
                            typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Rows<Id const> lists;
  Rows<Id const> ranks;
  Rows<Id> ordered;
  std::uint32_t n;
  std::uint32_t tiles;  ///< in a row of tiles

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Tile const tile(team.team_scratch(0));
    auto const league = static_cast<std::uint32_t>(team.league_rank());
    std::uint32_t const proposer = league / tiles * side;
    std::uint32_t const position = league % tiles * side;
    std::uint32_t const proposers = Kokkos::min(+side, n - proposer);
    std::uint32_t const positions = Kokkos::min(+side, n - position);
    for_pairs(
        team, proposers, positions,
        [&](std::uint32_t i, std::uint32_t k, bool both) {
          Id const* const from = lists[proposer + i] + position + k;
          return both && holds_packs<Two>(from) ? pack_at<Two>(from) : Two{{from[0], from[both]}};
        },
        [&](std::uint32_t i, std::uint32_t k, bool, Two const& two) {
          tile(i, k) = two.entries[0];
          tile(i, k + 1) = two.entries[1];
        });
    team.team_barrier();
    auto const thread = static_cast<std::uint32_t>(team.team_rank());
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, proposers), [&](std::uint32_t i) {
      Id found[rows_a_thread];
      TAPER_UNROLL
      for (std::uint32_t r = 0; r < rows_a_thread; ++r) {
        std::uint32_t const k = r * threads + thread;
        found[r] = k < positions ? ranks(tile(i, k), proposer + i) : Id{};
      }
      TAPER_UNROLL
      for (std::uint32_t r = 0; r < rows_a_thread; ++r) {
        tile(i, r * threads + thread) = found[r];
      }
    });
    team.team_barrier();
    for_pairs(
        team, proposers, positions,
        [&](std::uint32_t i, std::uint32_t k, bool) {
          return Two{{tile(i, k), tile(i, k + 1)}};
        },
        [&](std::uint32_t i, std::uint32_t k, bool both, Two const& two) {
          Id* const to = ordered[proposer + i] + position + k;
          if (both && holds_packs<Two>(to)) {
            pack_at<Two>(to) = two;
          } else {
            to[0] = two.entries[0];
            to[both] = two.entries[both];
          }
        });
  }

 private:
  /// put(row, column, take(row, column)) for two columns at a time, a row for a thread; all rows of
  /// a thread are taken before the first is put. The last column may be alone.
  template <class Take, class Put>
  KOKKOS_FUNCTION static void for_pairs(Member const& team, std::uint32_t rows,
                                        std::uint32_t columns, Take const& take, Put const& put) {
    auto const thread = static_cast<std::uint32_t>(team.team_rank());
    Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, (columns + 1) / 2),
                         [&](std::uint32_t pair) {
                           std::uint32_t const k = 2 * pair;
                           bool const both = k + 1 < columns;
                           Two held[rows_a_thread];
                           TAPER_UNROLL
                           for (std::uint32_t r = 0; r < rows_a_thread; ++r) {
                             if (r * threads + thread < rows) {
                               held[r] = take(r * threads + thread, k, both);
                             }
                           }
                           TAPER_UNROLL
                           for (std::uint32_t r = 0; r < rows_a_thread; ++r) {
                             if (r * threads + thread < rows) {
                               put(r * threads + thread, k, both, held[r]);
                             }
                           }
                         });
  }
};

/// ordered(m, p) = the rank of m in the list of the p-th receiver of m, for lists that are alike: as
/// order_ranks(), from ranks that are not transposed. Right for any lists, and slow for others.
/// Requires: tables of ranks from allocate_ranks().
/// Cost: lists and ranks read, `ordered` written; some 256 bytes of a row at a time.
template <ExecutionSpace Exec, class Lists, class Id>
void gather_ranks(Exec const& where, Lists const& lists,
                  Table<Id, typename Lists::memory_space> const& ranks,
                  Table<Id, typename Lists::memory_space> const& ordered) {
  using Gather = GatherRanks<Exec, Id>;
  auto const n = static_cast<std::uint32_t>(lists.extent(0));
  std::uint32_t const tiles = (n + Gather::side - 1) / Gather::side;
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
