// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/huge_pages.hpp>
#include <taper/preferences/instance.hpp>
#include <taper/preferences/offers.hpp>
#include <taper/rows.hpp>
#include <taper/simd.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

// Rank matrices, and tables that follow from them.
//
// The rank matrix of a side has a row per person: ranks(w, m) = the rank of m in the list of w.
// Used by: the stages of stable marriage, and post() of the stable marriage constraint.
// Sections are those of the Bamboo-SMP paper (Liu, Lee, Xia and Zhang).

namespace taper::preferences {

/// The width of a tile in ids. Rows of rank tables are aligned for vectors and padded to whole
/// tiles.
template <class Id>
inline constexpr std::uint32_t tile_width = rank_row_bytes / sizeof(Id);

/// The worst rank. It fills the padding of a rank matrix, so that no kernel reads memory that has
/// not been written. Elsewhere it means that a rank is unknown.
template <class Id>
inline constexpr Id no_rank = std::numeric_limits<Id>::max();

/// Allocates `rows` rows of a rank table for n people per side.
template <class Id, class MemorySpace, ExecutionSpace Exec>
Table<Id, MemorySpace> allocate_ranks(Exec const& where, std::string const& label, std::uint64_t n,
                                      std::uint64_t rows) {
  std::uint64_t const columns = (n + tile_width<Id> - 1) / tile_width<Id> * tile_width<Id>;
  return allocate_large<Table<Id, MemorySpace>>(where, label, rows, columns);
}

/// The same for all n rows.
template <class Id, class MemorySpace, ExecutionSpace Exec>
Table<Id, MemorySpace> allocate_ranks(Exec const& where, std::string const& label,
                                      std::uint64_t n) {
  return allocate_ranks<Id, MemorySpace>(where, label, n, n);
}

/// ranks(w, m) = the rank of m in w's list. Each team scatters one row. A GPU scatters one window
/// of the row at a time in team scratch, so that it writes memory in order.
template <ExecutionSpace Exec, class Id>
struct ScatterRanks {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using IdVector = SimdVector<Id, 16 / sizeof(Id)>;
  using Window =
      Kokkos::View<IdVector*, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr std::uint32_t window_entries = RowTeams<Exec>::scratch_bytes / sizeof(Id);

  Rows<Id const> lists;
  Rows<Id> ranks;
  std::uint32_t n;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const receiver = static_cast<std::size_t>(team.league_rank());
    Id const* const list = lists[receiver];
    Id* const row = ranks[receiver];
    auto const columns = static_cast<std::uint32_t>(ranks.stride);
    if constexpr (window_entries == 0) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n),
                           [&](std::uint32_t rank) { row[list[rank]] = static_cast<Id>(rank); });
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n, columns),
                           [&](std::uint32_t column) { row[column] = no_rank<Id>; });
    } else {
      AlignedRow<IdVector> const parts(list, n);
      Window const vectors(team.team_scratch(0), window_entries / IdVector::size);
      Id* const window = reinterpret_cast<Id*>(vectors.data());
      for (std::uint32_t first = 0; first < columns; first += window_entries) {
        std::uint32_t const size = Kokkos::min(+window_entries, columns - first);
        auto const put = [&](std::uint32_t person, std::uint32_t rank) {
          // Below the window the difference wraps to a large number.
          std::uint32_t const slot = person - first;
          if (slot < size) {
            window[slot] = static_cast<Id>(rank);
          }
        };
        Kokkos::parallel_for(
            Kokkos::TeamVectorRange(team, parts.vectors + parts.singles), [&](std::uint32_t i) {
              if (i < parts.vectors) {
                IdVector const people = vector_at<IdVector>(list + parts.start_of(i));
                for (std::uint32_t k = 0; k < IdVector::size; ++k) {
                  put(people.entries[k], parts.start_of(i) + k);
                }
              } else {
                std::uint32_t const rank = parts.position_of_single(i - parts.vectors);
                put(list[rank], rank);
              }
            });
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, Kokkos::max(n, first), first + size),
                             [&](std::uint32_t column) { put(column, no_rank<Id>); });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamVectorRange(team, size / IdVector::size),
                             [&](std::uint32_t i) {
                               vector_at<IdVector>(row + first + i * IdVector::size) = vectors(i);
                             });
        team.team_barrier();
      }
    }
  }
};

/// Builds the rows begin .. end-1 of the receivers' rank matrix (Section II-B). Each row needs only
/// the list of the same receiver.
/// Requires: tables of ranks from allocate_ranks().
/// Cost: each list read once per window, each row written once.
template <ExecutionSpace Exec, class Lists, class Id>
void build_rank_rows(Exec const& where, Lists const& lists,
                     Table<Id, typename Lists::memory_space> const& ranks, std::uint64_t begin,
                     std::uint64_t end) {
  using Scatter = ScatterRanks<Exec, Id>;
  Rows<Id const> const from = rows_of(lists);
  Rows<Id> const to = rows_of(ranks);
  auto policy = row_teams(where, end - begin);
  policy.set_scratch_size(0, Kokkos::PerTeam(Scatter::Window::shmem_size(Scatter::window_entries /
                                                                         Scatter::IdVector::size)));
  Kokkos::parallel_for("taper::preferences::rank_matrix", policy,
                       Scatter{{from[begin], from.stride},
                               {to[begin], to.stride},
                               static_cast<std::uint32_t>(lists.extent(1))});
}

/// Builds the rank matrix, n * n ids.
template <ExecutionSpace Exec, class Lists, class Id>
void build_rank_matrix(Exec const& where, Lists const& lists,
                       Table<Id, typename Lists::memory_space> const& ranks) {
  build_rank_rows(where, lists, ranks, 0, lists.extent(0));
}

/// Transposes a table of ranks in place, by pairs of mirrored tiles that swap through team scratch.
///
/// Each tile has a team, and one of the two teams of a pair does the work: the upper one or the
/// lower one, by turns, as on a chessboard. So two kernels that share a transposition
/// (transpose_rows()) do equal parts of the pairs that they have in common.
template <ExecutionSpace Exec, class Id, class Ranks>
struct TransposeTiles {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using IdVector = SimdVector<Id, 16 / sizeof(Id)>;
  /// Scratch consists of words, and a row of a tile has an odd number of them. So the entries that
  /// lanes access together fall into different banks of a GPU's scratch.
  using Word = SimdVector<Id, 4 / sizeof(Id)>;
  static constexpr std::uint32_t width = tile_width<Id>;
  static constexpr std::uint32_t row_words = width / Word::size + 1;
  static constexpr std::uint32_t row_vectors = width / IdVector::size;
  using Tile = Kokkos::View<Word[width][row_words], Kokkos::LayoutRight,
                            typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Ranks table;
  std::uint32_t n;
  std::uint32_t tiles;  ///< per row and per column of tiles
  std::uint32_t first;  ///< the first row of tiles of this kernel

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const league_rank = static_cast<std::uint32_t>(team.league_rank());
    std::uint32_t const tile_row = first + league_rank / tiles;
    std::uint32_t const tile_column = league_rank % tiles;
    bool const odd = (tile_row + tile_column) % 2 != 0;
    if (tile_row != tile_column && odd != (tile_row > tile_column)) {
      return;  // the team of the mirrored tile does this pair
    }
    Tile const tile(team.team_scratch(0));
    Tile const mirrored(team.team_scratch(0));
    if constexpr (!is_gpu<Exec>) {
      read_tile(tile, tile_row * width, tile_column * width);
      read_tile(mirrored, tile_column * width, tile_row * width);
      write_tile_transposed(mirrored, tile_row * width, tile_column * width);
      write_tile_transposed(tile, tile_column * width, tile_row * width);
    } else {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, width * row_vectors),
                           [&](std::uint32_t i) {
                             // Both loads are issued before the first store.
                             IdVector const vector = read_vector(tile_row, tile_column, i);
                             IdVector const mirrored_vector = read_vector(tile_column, tile_row, i);
                             put_vector(tile, i, vector);
                             put_vector(mirrored, i, mirrored_vector);
                           });
      team.team_barrier();
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, width * row_vectors),
                           [&](std::uint32_t i) {
                             write_vector_transposed(mirrored, tile_row, tile_column, i);
                             write_vector_transposed(tile, tile_column, tile_row, i);
                           });
    }
  }

 private:
  // On a core, read_tile() and write_tile_transposed() copy whole rows, which is vector code. The
  // lanes of a GPU copy vectors, with the functions after these two.
  static constexpr std::uint32_t row_entries = row_words * Word::size;

  /// Copies the tile at (row, column) of the table to scratch.
  KOKKOS_FUNCTION void read_tile(Tile const& tile, std::uint32_t row, std::uint32_t column) const {
    Id* to = reinterpret_cast<Id*>(tile.data());
    for (std::uint32_t i = row; i < Kokkos::min(n, row + width); ++i, to += row_entries) {
      Id const* const from = table[i] + column;
      for (std::uint32_t j = 0; j < width; ++j) {
        to[j] = from[j];
      }
    }
  }

  /// Writes the transpose of a tile in scratch to (row, column) of the table. The columns past n
  /// are padding and keep their values.
  KOKKOS_FUNCTION void write_tile_transposed(Tile const& tile, std::uint32_t row,
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

  /// Vector `i` of a tile of the table, in the order of the tile's rows.
  KOKKOS_FUNCTION IdVector read_vector(std::uint32_t tile_row, std::uint32_t tile_column,
                                       std::uint32_t i) const {
    std::uint32_t const row = tile_row * width + i / row_vectors;
    if (row < n) {
      return vector_at<IdVector>(table[row] + tile_column * width +
                                 i % row_vectors * IdVector::size);
    }
    IdVector padding;
    for (Id& entry : padding.entries) {
      entry = no_rank<Id>;
    }
    return padding;
  }

  /// Stores vector `i` of a tile in scratch.
  KOKKOS_FUNCTION static void put_vector(Tile const& tile, std::uint32_t i,
                                         IdVector const& vector) {
    for (std::uint32_t k = 0; k < IdVector::size; k += Word::size) {
      tile(i / row_vectors, (i % row_vectors * IdVector::size + k) / Word::size) =
          vector_at<Word>(&vector.entries[k]);
    }
  }

  /// Writes vector `i` of the transpose of a tile in scratch to a tile of the table.
  KOKKOS_FUNCTION void write_vector_transposed(Tile const& tile, std::uint32_t tile_row,
                                               std::uint32_t tile_column, std::uint32_t i) const {
    std::uint32_t const row = tile_row * width + i / row_vectors;
    if (row < n) {
      Id const* const from =
          reinterpret_cast<Id const*>(&tile(i % row_vectors * IdVector::size, 0)) + i / row_vectors;
      IdVector vector;
      for (std::uint32_t k = 0; k < IdVector::size; ++k) {
        vector.entries[k] = from[k * row_words * Word::size];
      }
      vector_at<IdVector>(table[row] + tile_column * width + i % row_vectors * IdVector::size) =
          vector;
    }
  }
};

/// Does one part of a transposition in place that several execution space instances share: the rows
/// of tiles that begin in the rows begin .. end-1 of `ranks`. Each pair of tiles belongs to one
/// part, so the parts do not overlap.
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
  Kokkos::parallel_for("taper::preferences::transpose", policy,
                       Transpose{ranks, static_cast<std::uint32_t>(n),
                                 static_cast<std::uint32_t>(tiles),
                                 static_cast<std::uint32_t>(first)});
}

/// Transposes a square table of ranks in place.
/// Requires: tables of ranks from allocate_ranks().
/// Cost: the table read and written once.
template <ExecutionSpace Exec, class Id, class MemorySpace>
void transpose(Exec const& where, Table<Id, MemorySpace> const& ranks) {
  transpose_rows<Exec, Id>(where, rows_of(ranks), ranks.extent(0), 0, ranks.extent(0));
}

/// ordered(m, r) = the rank of m in the list of the r-th receiver of m: the PRMatrix without the
/// receivers, which the list has. A team of a GPU collects the results for a part of m's list in
/// registers, while windows of m's ranks pass through its scratch.
template <ExecutionSpace Exec, class Id>
struct OrderRanks {
  /// The bounds tell Kokkos at compile time how large a team may be.
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<1024, 1>>;
  using Member = typename Policy::member_type;
  using IdVector = SimdVector<Id, 16 / sizeof(Id)>;
  using Window =
      Kokkos::View<IdVector*, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr std::uint32_t window_entries = RowTeams<Exec>::min_scratch_bytes / sizeof(Id);
  static constexpr std::uint32_t lanes = RowTeams<Exec>::max_threads * RowTeams<Exec>::lanes;
  static constexpr std::uint32_t vectors_per_thread = 4;

  Rows<Id const> lists;
  Rows<Id const> ranks_by_proposer;
  Rows<Id> ordered;
  std::uint32_t n;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const proposer = static_cast<std::size_t>(team.league_rank());
    Id const* const list = lists[proposer];
    Id const* const ranks = ranks_by_proposer[proposer];
    Id* const row = ordered[proposer];
    if constexpr (window_entries == 0) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n),
                           [&](std::uint32_t position) { row[position] = ranks[list[position]]; });
    } else {
      bool const aligned = is_aligned_for<IdVector>(list);
      Window const vectors(team.team_scratch(0), window_entries / IdVector::size);
      Id const* const window = reinterpret_cast<Id const*>(vectors.data());
      for (std::uint32_t begin = 0; begin < n;
           begin += vectors_per_thread * lanes * IdVector::size) {
        IdVector found[vectors_per_thread];
        for (std::uint32_t first = 0; first < n; first += window_entries) {
          auto const columns = static_cast<std::uint32_t>(ranks_by_proposer.stride);
          std::uint32_t const size = Kokkos::min(+window_entries, columns - first);
          team.team_barrier();  // all lanes have read the previous window
          Kokkos::parallel_for(
              Kokkos::TeamThreadRange(team, size / IdVector::size), [&](std::uint32_t i) {
                vectors(i) = vector_at<IdVector>(ranks + first + i * IdVector::size);
              });
          team.team_barrier();
          for (std::uint32_t h = 0; h < vectors_per_thread; ++h) {
            std::uint32_t const position = position_of(team, begin, h);
            if (position < n) {
              IdVector const people = read(list, position, aligned);
              for (std::uint32_t k = 0; k < IdVector::size; ++k) {
                std::uint32_t const slot = people.entries[k] - first;
                if (slot < size) {
                  found[h].entries[k] = window[slot];
                }
              }
            }
          }
        }
        for (std::uint32_t h = 0; h < vectors_per_thread; ++h) {
          std::uint32_t const position = position_of(team, begin, h);
          if (position < n) {
            vector_at<IdVector>(row + position) = found[h];
          }
        }
      }
    }
  }

 private:
  KOKKOS_FUNCTION static std::uint32_t position_of(Member const& team, std::uint32_t begin,
                                                   std::uint32_t h) {
    return begin + (h * lanes + static_cast<std::uint32_t>(team.team_rank())) * IdVector::size;
  }

  /// A vector of the list. Past the end it repeats the last entry.
  KOKKOS_FUNCTION IdVector read(Id const* list, std::uint32_t position, bool aligned) const {
    if (aligned && position + IdVector::size <= n) {
      return vector_at<IdVector>(list + position);
    }
    IdVector people;
    for (std::uint32_t k = 0; k < IdVector::size; ++k) {
      people.entries[k] = list[Kokkos::min(position + k, n - 1)];
    }
    return people;
  }
};

/// Builds the ranks in the order of the lists, from the transposed rank matrix.
/// Requires: tables of ranks from allocate_ranks().
/// Cost: lists and ranks read, `ordered` written, all in order except the look-ups within one row.
template <ExecutionSpace Exec, class Lists, class Id>
void order_ranks(Exec const& where, Lists const& lists,
                 ConstTable<Id, typename Lists::memory_space> const& ranks_by_proposer,
                 Table<Id, typename Lists::memory_space> const& ordered) {
  using Order = OrderRanks<Exec, Id>;
  using Window = typename Order::Window;
  typename Order::Policy policy(where, static_cast<int>(lists.extent(0)),
                                static_cast<int>(Order::lanes), 1);
  policy.set_scratch_size(
      0, Kokkos::PerTeam(Window::shmem_size(Order::window_entries / Order::IdVector::size)));
  Kokkos::parallel_for("taper::preferences::order_ranks", policy,
                       Order{rows_of(lists), rows_of(ranks_by_proposer), rows_of(ordered),
                             static_cast<std::uint32_t>(lists.extent(1))});
}

/// candidates(m, r) = the r-th receiver in m's list, and m's rank there. Both come from m's own
/// rows.
template <ExecutionSpace Exec, class Id>
struct PairCandidates {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;

  Rows<Id const> lists;
  Rows<Id const> ranks_by_proposer;
  Rows<CandidateWord<Id>> candidates;
  std::uint64_t n;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const proposer = static_cast<std::uint64_t>(team.league_rank());
    Id const* const list = lists[proposer];
    Id const* const ranks = ranks_by_proposer[proposer];
    CandidateWord<Id>* const row = candidates[proposer];
    Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n), [&](std::uint64_t position) {
      Id const receiver = list[position];
      row[position] = Candidate<Id>::pack(receiver, ranks[receiver]);
    });
  }
};

/// Builds the PRMatrix (Section IV-A1) of the proposers in `lists`: of all, or of those of a shard.
/// It reads their lists and their rows of the transposed rank matrix.
/// Each row comes from two rows of the same proposer. The paper's build reads a column of the rank
/// matrix instead.
/// Cost: 4 ids per pair read or written, all in order except the look-ups within one row of ranks.
template <ExecutionSpace Exec, class Lists, class Id>
void pair_candidates(Exec const& where, Lists const& lists,
                     ConstTable<Id, typename Lists::memory_space> const& ranks_by_proposer,
                     Kokkos::View<CandidateWord<Id>**, Kokkos::LayoutRight,
                                  typename Lists::memory_space> const& candidates) {
  Kokkos::parallel_for("taper::preferences::pr_matrix",
                       Kokkos::TeamPolicy<Exec>(where, static_cast<int>(lists.extent(0)),
                                                RowTeams<Exec>::exclusive_threads,
                                                RowTeams<Exec>::lanes),
                       PairCandidates<Exec, Id>{rows_of(lists), rows_of(ranks_by_proposer),
                                                rows_of(candidates), lists.extent(1)});
}

}  // namespace taper::preferences
