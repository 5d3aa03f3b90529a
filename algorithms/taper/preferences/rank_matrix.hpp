// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/pack.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stable_marriage/workspace.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace taper::stable_marriage::detail {

/// ranks(w, m) = the rank of m in w's list: each row scattered, a window of it at a time in team
/// scratch where the backend has that, so that what leaves for memory is written in order.
template <ExecutionSpace Exec, class Id>
struct ScatterRanks {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using IdPack = Pack<Id, 16 / sizeof(Id)>;
  using Window =
      Kokkos::View<IdPack*, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr std::uint32_t window_entries = RowTeams<Exec>::scratch_bytes / sizeof(Id);

  Rows<Id const> lists;
  Rows<Id> ranks;
  std::uint32_t n;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Id const* const list = lists[team.league_rank()];
    Id* const row = ranks[team.league_rank()];
    auto const columns = static_cast<std::uint32_t>(ranks.stride);
    if constexpr (window_entries == 0) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n),
                           [&](std::uint32_t rank) { row[list[rank]] = static_cast<Id>(rank); });
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n, columns),
                           [&](std::uint32_t column) { row[column] = padding<Id>; });
    } else {
      PackedRow<IdPack> const cut(list, n);
      Window const packs(team.team_scratch(0), window_entries / IdPack::size);
      Id* const window = reinterpret_cast<Id*>(packs.data());
      for (std::uint32_t first = 0; first < columns; first += window_entries) {
        std::uint32_t const size = Kokkos::min(+window_entries, columns - first);
        auto const put = [&](std::uint32_t person, std::uint32_t rank) {
          std::uint32_t const slot =
              person - first;  // wraps, and so is too large, below the window
          if (slot < size) {
            window[slot] = static_cast<Id>(rank);
          }
        };
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, cut.packs + cut.loose),
                             [&](std::uint32_t i) {
                               if (i < cut.packs) {
                                 IdPack const people = pack_at<IdPack>(list + cut.start_of(i));
                                 for (std::uint32_t k = 0; k < IdPack::size; ++k) {
                                   put(people.entries[k], cut.start_of(i) + k);
                                 }
                               } else {
                                 std::uint32_t const rank = cut.position_of_loose(i - cut.packs);
                                 put(list[rank], rank);
                               }
                             });
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Kokkos::max(n, first), first + size),
                             [&](std::uint32_t column) { put(column, padding<Id>); });
        team.team_barrier();
        Kokkos::parallel_for(
            Kokkos::TeamVectorRange(team, size / IdPack::size),
            [&](std::uint32_t i) { pack_at<IdPack>(row + first + i * IdPack::size) = packs(i); });
        team.team_barrier();
      }
    }
  }
};

/// The rows begin .. end-1 of the rank matrix of the receivers (Section II-B), each from the same row of
/// their lists alone.
/// Requires: tables of ranks from allocate_ranks().
/// Cost: each list read once a window, each row written once.
template <ExecutionSpace Exec, class Lists, class Id>
void build_rank_rows(Exec const& where, Lists const& lists,
                     Table<Id, typename Lists::memory_space> const& ranks, std::uint64_t begin,
                     std::uint64_t end) {
  using Scatter = ScatterRanks<Exec, Id>;
  Rows<Id const> const from = rows_of(lists);
  Rows<Id> const to = rows_of(ranks);
  auto policy = row_teams(where, end - begin);
  policy.set_scratch_size(0, Kokkos::PerTeam(Scatter::Window::shmem_size(Scatter::window_entries /
                                                                         Scatter::IdPack::size)));
  Kokkos::parallel_for("taper::stable_marriage::rank_matrix", policy,
                       Scatter{{from[begin], from.stride},
                               {to[begin], to.stride},
                               static_cast<std::uint32_t>(lists.extent(1))});
}

/// The rank matrix: n * n ids.
template <ExecutionSpace Exec, class Lists, class Id>
void build_rank_matrix(Exec const& where, Lists const& lists,
                       Table<Id, typename Lists::memory_space> const& ranks) {
  build_rank_rows(where, lists, ranks, 0, lists.extent(0));
}

/// Transposes a table of ranks in place, by pairs of tiles that change places through team scratch.
/// Who has the rows of one tile and who has the other's take such pairs in turn.
template <ExecutionSpace Exec, class Id, class Ranks>
struct TransposeTiles {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using IdPack = Pack<Id, 16 / sizeof(Id)>;
  /// A word of scratch, and rows an odd number of words apart: what lanes read and write together
  /// then falls into different banks of a GPU's scratch.
  using Word = Pack<Id, 4 / sizeof(Id)>;
  static constexpr std::uint32_t width = tile_width<Id>;
  static constexpr std::uint32_t row_words = width / Word::size + 1;
  static constexpr std::uint32_t row_packs = width / IdPack::size;
  using Tile = Kokkos::View<Word[width][row_words], Kokkos::LayoutRight,
                            typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Ranks table;
  std::uint32_t n;
  std::uint32_t tiles;  ///< along a side
  std::uint32_t first;  ///< of the rows of tiles that are this kernel's

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    std::uint32_t const above = first + team.league_rank() / tiles;
    std::uint32_t const left = team.league_rank() % tiles;
    bool const odd = (above + left) % 2 != 0;
    if (above != left && odd != (above > left)) {
      return;  // the pair (left, above) is taken instead
    }
    Tile const lower(team.team_scratch(0));
    Tile const upper(team.team_scratch(0));
    if constexpr (!is_gpu<Exec>) {
      copy(lower, above * width, left * width);
      copy(upper, left * width, above * width);
      copy_transposed(upper, above * width, left * width);
      copy_transposed(lower, left * width, above * width);
    } else {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, width * row_packs), [&](std::uint32_t i) {
        IdPack const one = load(above, left, i);
        IdPack const other = load(left, above, i);
        keep(lower, i, one);
        keep(upper, i, other);
      });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, width * row_packs), [&](std::uint32_t i) {
        store_transposed(upper, above, left, i);
        store_transposed(lower, left, above, i);
      });
    }
  }

 private:
  // A core goes by rows, which are vector code; the lanes of a GPU, below, by packs.
  static constexpr std::uint32_t row_entries = row_words * Word::size;

  KOKKOS_FUNCTION void copy(Tile const& tile, std::uint32_t row, std::uint32_t column) const {
    Id* to = reinterpret_cast<Id*>(tile.data());
    for (std::uint32_t i = row; i < Kokkos::min(n, row + width); ++i, to += row_entries) {
      Id const* const from = table[i] + column;
      for (std::uint32_t j = 0; j < width; ++j) {
        to[j] = from[j];
      }
    }
  }

  /// Columns past n stay as they were: padding.
  KOKKOS_FUNCTION void copy_transposed(Tile const& tile, std::uint32_t row,
                                       std::uint32_t column) const {
    Id const* from = reinterpret_cast<Id const*>(tile.data());
    std::uint32_t const columns = Kokkos::min(+width, n - column);
    for (std::uint32_t i = row; i < Kokkos::min(n, row + width); ++i, ++from) {
      Id* const to = table[i] + column;
      for (std::uint32_t j = 0; j < columns; ++j) {
        to[j] = from[j * row_entries];
      }
    }
  }

  /// Pack `i` of a tile, row by row.
  KOKKOS_FUNCTION IdPack load(std::uint32_t above, std::uint32_t left, std::uint32_t i) const {
    std::uint32_t const row = above * width + i / row_packs;
    if (row < n) {
      return pack_at<IdPack>(table[row] + left * width + i % row_packs * IdPack::size);
    }
    IdPack none;
    for (Id& entry : none.entries) {
      entry = padding<Id>;
    }
    return none;
  }

  KOKKOS_FUNCTION static void keep(Tile const& tile, std::uint32_t i, IdPack const& pack) {
    for (std::uint32_t k = 0; k < IdPack::size; k += Word::size) {
      tile(i / row_packs, (i % row_packs * IdPack::size + k) / Word::size) =
          pack_at<Word>(&pack.entries[k]);
    }
  }

  KOKKOS_FUNCTION void store_transposed(Tile const& tile, std::uint32_t above, std::uint32_t left,
                                        std::uint32_t i) const {
    std::uint32_t const row = above * width + i / row_packs;
    if (row < n) {
      Id const* const from =
          reinterpret_cast<Id const*>(&tile(i % row_packs * IdPack::size, 0)) + i / row_packs;
      IdPack pack;
      for (std::uint32_t k = 0; k < IdPack::size; ++k) {
        pack.entries[k] = from[k * row_words * Word::size];
      }
      pack_at<IdPack>(table[row] + left * width + i % row_packs * IdPack::size) = pack;
    }
  }
};

/// What `where` does of a transposition that several share: the rows of tiles that begin in the rows
/// begin .. end-1 of `ranks`. Each tile is in one such pair, so the shares do not meet.
template <ExecutionSpace Exec, class Id, class Ranks>
void transpose_rows(Exec const& where, Ranks const& ranks, std::uint64_t n, std::uint64_t begin,
                    std::uint64_t end) {
  using Transpose = TransposeTiles<Exec, Id, Ranks>;
  auto const tiles_before = [](std::uint64_t row) {
    return (row + Transpose::width - 1) / Transpose::width;
  };
  std::uint64_t const tiles = tiles_before(n);
  std::uint64_t const first = tiles_before(begin);
  std::uint64_t const last = tiles_before(end);
  if (first == last) {
    return;
  }
  auto policy = row_teams(where, (last - first) * tiles);
  policy.set_scratch_size(0, Kokkos::PerTeam(2 * Transpose::Tile::shmem_size()));
  Kokkos::parallel_for("taper::stable_marriage::transpose", policy,
                       Transpose{ranks, static_cast<std::uint32_t>(n),
                                 static_cast<std::uint32_t>(tiles),
                                 static_cast<std::uint32_t>(first)});
}

/// Requires: tables of ranks from allocate_ranks().
/// Cost: the table read and written once.
template <ExecutionSpace Exec, class Id, class MemorySpace>
void transpose(Exec const& where, Table<Id, MemorySpace> const& ranks) {
  transpose_rows<Exec, Id>(where, rows_of(ranks), ranks.extent(0), 0, ranks.extent(0));
}

/// ordered(m, r) = the rank of m in the list of the receiver that he ranks r-th: the PRMatrix less
/// the receivers, which the list has. In team scratch a window of his ranks, in registers what
/// becomes of a part of his list.
template <ExecutionSpace Exec, class Id>
struct OrderRanks {
  /// Kokkos must know before it compiles that a team may be as large as teams get.
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<1024, 1>>;
  using Member = typename Policy::member_type;
  using IdPack = Pack<Id, 16 / sizeof(Id)>;
  using Window =
      Kokkos::View<IdPack*, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr std::uint32_t window_entries = RowTeams<Exec>::least_scratch_bytes / sizeof(Id);
  static constexpr std::uint32_t lanes = RowTeams<Exec>::most_threads * RowTeams<Exec>::lanes;
  static constexpr std::uint32_t held = 4;

  Rows<Id const> lists;
  Rows<Id const> ranks_by_proposer;
  Rows<Id> ordered;
  std::uint32_t n;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Id const* const list = lists[team.league_rank()];
    Id const* const ranks = ranks_by_proposer[team.league_rank()];
    Id* const row = ordered[team.league_rank()];
    if constexpr (window_entries == 0) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n),
                           [&](std::uint32_t position) { row[position] = ranks[list[position]]; });
    } else {
      bool const aligned = holds_packs<IdPack>(list);
      Window const packs(team.team_scratch(0), window_entries / IdPack::size);
      Id const* const window = reinterpret_cast<Id const*>(packs.data());
      for (std::uint32_t begin = 0; begin < n; begin += held * lanes * IdPack::size) {
        IdPack found[held];
        for (std::uint32_t first = 0; first < n; first += window_entries) {
          auto const columns = static_cast<std::uint32_t>(ranks_by_proposer.stride);
          std::uint32_t const size = Kokkos::min(+window_entries, columns - first);
          team.team_barrier();  // all are done with the window before
          Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size / IdPack::size),
                               [&](std::uint32_t i) {
                                 packs(i) = pack_at<IdPack>(ranks + first + i * IdPack::size);
                               });
          team.team_barrier();
          for (std::uint32_t h = 0; h < held; ++h) {
            std::uint32_t const position = position_of(team, begin, h);
            if (position < n) {
              IdPack const people = read(list, position, aligned);
              for (std::uint32_t k = 0; k < IdPack::size; ++k) {
                std::uint32_t const slot = people.entries[k] - first;
                if (slot < size) {
                  found[h].entries[k] = window[slot];
                }
              }
            }
          }
        }
        for (std::uint32_t h = 0; h < held; ++h) {
          std::uint32_t const position = position_of(team, begin, h);
          if (position < n) {
            pack_at<IdPack>(row + position) = found[h];
          }
        }
      }
    }
  }

 private:
  KOKKOS_FUNCTION static std::uint32_t position_of(Member const& team, std::uint32_t begin,
                                                   std::uint32_t h) {
    return begin + (h * lanes + team.team_rank()) * IdPack::size;
  }

  /// A pack of the list, its last entry again past the end.
  KOKKOS_FUNCTION IdPack read(Id const* list, std::uint32_t position, bool aligned) const {
    if (aligned && position + IdPack::size <= n) {
      return pack_at<IdPack>(list + position);
    }
    IdPack people;
    for (std::uint32_t k = 0; k < IdPack::size; ++k) {
      people.entries[k] = list[Kokkos::min(position + k, n - 1)];
    }
    return people;
  }
};

/// Requires: tables of ranks from allocate_ranks().
/// Cost: lists and ranks read, `ordered` written, all in order but for look-ups within one row.
template <ExecutionSpace Exec, class Lists, class Id>
void order_ranks(Exec const& where, Lists const& lists,
                 ConstTable<Id, typename Lists::memory_space> const& ranks_by_proposer,
                 Table<Id, typename Lists::memory_space> const& ordered) {
  using Order = OrderRanks<Exec, Id>;
  using Window = typename Order::Window;
  typename Order::Policy policy(where, static_cast<int>(lists.extent(0)),
                                static_cast<int>(Order::lanes), 1);
  policy.set_scratch_size(
      0, Kokkos::PerTeam(Window::shmem_size(Order::window_entries / Order::IdPack::size)));
  Kokkos::parallel_for("taper::stable_marriage::order_ranks", policy,
                       Order{rows_of(lists), rows_of(ranks_by_proposer), rows_of(ordered),
                             static_cast<std::uint32_t>(lists.extent(1))});
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
