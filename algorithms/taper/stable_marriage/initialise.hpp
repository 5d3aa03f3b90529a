// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/state.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>

namespace taper::stable_marriage::detail {

/// ranks(w, m) = the rank of m in w's list: each row scattered, a window of it at a time in team
/// scratch where the backend has that, so that what leaves for memory is written in order.
template <ExecutionSpace Exec, class Id>
struct ScatterRanks {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Window = Kokkos::View<Id*, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr std::uint64_t window_entries = RowTeams<Exec>::scratch_bytes / sizeof(Id);

  Rows<Id const> lists;
  Rows<Id> ranks;
  std::uint64_t n;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::uint64_t const person = team.league_rank();
    Id const* const list = lists[person];
    Id* const row = ranks[person];
    if constexpr (window_entries == 0) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n),
                           [&](std::uint64_t rank) { row[list[rank]] = static_cast<Id>(rank); });
    } else {
      Window const window(team.team_scratch(0), window_entries);
      for (std::uint64_t first = 0; first < n; first += window_entries) {
        std::uint64_t const size = Kokkos::min(+window_entries, n - first);
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n), [&](std::uint64_t rank) {
          std::uint64_t const slot =
              list[rank] - first;  // wraps, and so is too large, below the window
          if (slot < size) {
            window(slot) = static_cast<Id>(rank);
          }
        });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, size),
                             [&](std::uint64_t slot) { row[first + slot] = window(slot); });
        team.team_barrier();
      }
    }
  }
};

/// The rank matrix of the receivers (Section II-B): n * n ids.
/// Cost: each list read once a window, the matrix written once.
template <ExecutionSpace Exec, class Lists, class Id>
void build_rank_matrix(Exec const& where, Lists const& lists,
                       Table<Id, typename Lists::memory_space> const& ranks) {
  using Scatter = ScatterRanks<Exec, Id>;
  auto policy = row_teams(where, lists.extent(0));
  policy.set_scratch_size(0, Kokkos::PerTeam(Scatter::Window::shmem_size(Scatter::window_entries)));
  Kokkos::parallel_for("taper::stable_marriage::rank_matrix", policy,
                       Scatter{rows_of(lists), rows_of(ranks), lists.extent(0)});
}

/// Transposes a square table in place, by pairs of tiles that change places through team scratch.
template <ExecutionSpace Exec, class Id>
struct TransposeTiles {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr int width = 128 / sizeof(Id);
  static constexpr int padded =
      width + 2;  // columns of a tile fall into different banks of a GPU's scratch
  using Tile = Kokkos::View<Id[width][padded], Kokkos::LayoutRight,
                            typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Rows<Id> table;
  std::uint64_t n;
  std::uint64_t tiles;  ///< along a side

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::uint64_t const above = team.league_rank() / tiles;
    std::uint64_t const left = team.league_rank() % tiles;
    if (left > above) {
      return;
    }
    Tile const lower(team.team_scratch(0));
    Tile const upper(team.team_scratch(0));
    load(team, lower, above * width, left * width);
    load(team, upper, left * width, above * width);
    team.team_barrier();
    store_transposed(team, upper, above * width, left * width);
    store_transposed(team, lower, left * width, above * width);
  }

 private:
  KOKKOS_FUNCTION int extent_from(std::uint64_t first) const {
    return static_cast<int>(Kokkos::min<std::uint64_t>(width, n - first));
  }

  KOKKOS_FUNCTION void load(Member const& team, Tile const& tile, std::uint64_t row,
                            std::uint64_t column) const {
    int const columns = extent_from(column);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, extent_from(row)), [&](int i) {
      Id const* const from = table[row + i] + column;
      Id* const to = &tile(i, 0);
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, columns),
                           [&](int j) { to[j] = from[j]; });
    });
  }

  KOKKOS_FUNCTION void store_transposed(Member const& team, Tile const& tile, std::uint64_t row,
                                        std::uint64_t column) const {
    int const columns = extent_from(column);
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, extent_from(row)), [&](int i) {
      Id const* const from = &tile(0, i);
      Id* const to = table[row + i] + column;
      Kokkos::parallel_for(Kokkos::ThreadVectorRange(team, columns),
                           [&](int j) { to[j] = from[j * padded]; });
    });
  }
};

/// Cost: the table read and written once.
template <ExecutionSpace Exec, class Id, class MemorySpace>
void transpose(Exec const& where, Table<Id, MemorySpace> const& table) {
  using Transpose = TransposeTiles<Exec, Id>;
  std::uint64_t const n = table.extent(0);
  std::uint64_t const tiles = (n + Transpose::width - 1) / Transpose::width;
  auto policy = row_teams(where, tiles * tiles);
  policy.set_scratch_size(0, Kokkos::PerTeam(2 * Transpose::Tile::shmem_size()));
  Kokkos::parallel_for("taper::stable_marriage::transpose", policy,
                       Transpose{rows_of(table), n, tiles});
}

/// candidates(m, r) = the receiver that m likes r-th and his rank in her list, both from m's own
/// rows.
template <ExecutionSpace Exec, class Id>
struct PairCandidates {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  Rows<Id const> lists;
  Rows<Id const> ranks_by_proposer;
  Rows<CandidateWord<Id>> candidates;
  std::uint64_t n;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::uint64_t const proposer = team.league_rank();
    Id const* const list = lists[proposer];
    Id const* const ranks = ranks_by_proposer[proposer];
    CandidateWord<Id>* const row = candidates[proposer];
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n), [&](std::uint64_t position) {
      Id const receiver = list[position];
      row[position] = Candidate<Id>::pack(receiver, ranks[receiver]);
    });
  }
};

/// The PRMatrix (Section IV-A1) from the proposers' lists and the transposed rank matrix: each row
/// comes from two rows of the same proposer, where the paper's build reads a column of the rank
/// matrix for each. Cost: 4 ids a pair read or written, all in order but for the look-ups within
/// one row of ranks.
template <ExecutionSpace Exec, class Lists, class Id>
void pair_candidates(Exec const& where, Lists const& lists,
                     ConstTable<Id, typename Lists::memory_space> const& ranks_by_proposer,
                     Kokkos::View<CandidateWord<Id>**, Kokkos::LayoutRight,
                                  typename Lists::memory_space> const& candidates) {
  std::uint64_t const n = lists.extent(0);
  Kokkos::parallel_for(
      "taper::stable_marriage::pr_matrix",
      Kokkos::TeamPolicy<Exec>(where, static_cast<int>(n), RowTeams<Exec>::wide_threads,
                               RowTeams<Exec>::lanes),
      PairCandidates<Exec, Id>{rows_of(lists), rows_of(ranks_by_proposer), rows_of(candidates), n});
}

}  // namespace taper::stable_marriage::detail
