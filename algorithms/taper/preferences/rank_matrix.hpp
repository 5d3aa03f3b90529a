// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/huge_pages.hpp>
#include <taper/preferences/instance.hpp>
#include <taper/preferences/offers.hpp>
#include <taper/rows.hpp>
#include <taper/simd.hpp>
#include <taper/stop.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
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

/// Teams of a GPU that keep a list, or a part of it, in registers: each lane holds up to `held`
/// vectors. So the list is read from memory once, however many windows of another row pass through
/// team scratch, which is smaller than a row.
template <ExecutionSpace Exec, class Id>
struct HeldLists {
  using Vector = SimdVector<Id, 16 / sizeof(Id)>;
  using Words = ComparisonVector<Id, Vector::size>;
  static constexpr std::uint32_t held = 8;
  static constexpr std::uint32_t lanes = RowTeams<Exec>::threads * RowTeams<Exec>::lanes;
  static constexpr std::uint32_t max_lanes = RowTeams<Exec>::max_threads * RowTeams<Exec>::lanes;
  /// The bounds tell Kokkos at compile time how large a team may be. Each lane of the largest one
  /// still has 64 registers of a GPU.
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<max_lanes, 1>>;
  using Member = typename Policy::member_type;
  using Window =
      Kokkos::View<Vector*, typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr std::uint32_t window_entries = RowTeams<Exec>::window_bytes / sizeof(Id);

  /// A policy of a team per row. Two teams of `lanes` on one processor overlap better than one of
  /// `max_lanes`, which holds twice as much.
  static Policy policy(Exec const& where, std::uint64_t rows, std::uint32_t team_lanes = lanes) {
    Policy teams(where, static_cast<int>(rows), static_cast<int>(team_lanes), 1);
    teams.set_scratch_size(0, Kokkos::PerTeam(Window::shmem_size(window_entries / Vector::size)));
    return teams;
  }

  /// Copies `size` vectors from memory to the window. All copies are in flight together.
  KOKKOS_FUNCTION static void load_window(Member const& team, Id const* from, std::uint32_t size,
                                          Window const& window) {
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size), [&](std::uint32_t i) {
      begin_copy_to_scratch(window(i), vector_at<Vector>(from + i * Vector::size));
    });
    wait_for_copies_to_scratch();
  }
};

/// ranks(w, m) = the rank of m in w's list. Each team scatters one row. A GPU scatters one window
/// of the row at a time in team scratch, so that it writes memory in order.
template <ExecutionSpace Exec, class Id>
struct ScatterRanks {
  using Teams = HeldLists<Exec, Id>;
  using Member = typename Teams::Member;
  using IdVector = typename Teams::Vector;
  using IdWords = typename Teams::Words;

  Rows<Id const> lists;
  Rows<Id> ranks;
  std::uint32_t n;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const receiver = static_cast<std::size_t>(team.league_rank());
    Id const* const list = lists[receiver];
    Id* const row = ranks[receiver];
    auto const columns = static_cast<std::uint32_t>(ranks.stride);
    if constexpr (Teams::window_entries == 0) {
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n),
                           [&](std::uint32_t rank) { row[list[rank]] = static_cast<Id>(rank); });
      Kokkos::parallel_for(Kokkos::TeamVectorRange(team, n, columns),
                           [&](std::uint32_t column) { row[column] = no_rank<Id>; });
    } else {
      AlignedRow<IdVector> const parts(list, n);
      auto const lane = static_cast<std::uint32_t>(team.team_rank());
      auto const lanes = static_cast<std::uint32_t>(team.team_size());
      std::uint32_t const in_registers = Kokkos::min(Teams::held * lanes, parts.vectors);
      IdWords people[Teams::held];
      TAPER_UNROLL
      for (std::uint32_t h = 0; h < Teams::held; ++h) {
        if (h * lanes + lane < parts.vectors) {
          people[h] = vector_at<IdWords>(list + parts.start_of(h * lanes + lane));
        }
      }
      typename Teams::Window const vectors(team.team_scratch(0),
                                           Teams::window_entries / IdVector::size);
      Id* const window = reinterpret_cast<Id*>(vectors.data());
      for (std::uint32_t first = 0; first < columns; first += Teams::window_entries) {
        std::uint32_t const size = Kokkos::min(+Teams::window_entries, columns - first);
        auto const put = [&](std::uint32_t person, std::uint32_t rank) {
          // Below the window the difference wraps to a large number.
          std::uint32_t const slot = person - first;
          if (slot < size) {
            window[slot] = static_cast<Id>(rank);
          }
        };
        TAPER_UNROLL
        for (std::uint32_t h = 0; h < Teams::held; ++h) {
          if (h * lanes + lane < parts.vectors) {
            std::uint32_t const rank = parts.start_of(h * lanes + lane);
            TAPER_UNROLL
            for (std::uint32_t k = 0; k < IdVector::size; ++k) {
              put(entry_of<Id, IdVector::size>(people[h], k), rank + k);
            }
          }
        }
        // What a team cannot hold is read again: the end of a very long list, and single entries.
        Kokkos::parallel_for(
            Kokkos::TeamThreadRange(team, in_registers, parts.vectors + parts.singles),
            [&](std::uint32_t i) {
              if (i < parts.vectors) {
                IdVector const more = vector_at<IdVector>(list + parts.start_of(i));
                for (std::uint32_t k = 0; k < IdVector::size; ++k) {
                  put(more.entries[k], parts.start_of(i) + k);
                }
              } else {
                std::uint32_t const rank = parts.position_of_single(i - parts.vectors);
                put(list[rank], rank);
              }
            });
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, Kokkos::max(n, first), first + size),
                             [&](std::uint32_t column) { put(column, no_rank<Id>); });
        team.team_barrier();
        Kokkos::parallel_for(Kokkos::TeamThreadRange(team, size / IdVector::size),
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
/// Cost: each list read once, each row written once. On a GPU the end of a list that a team cannot
/// hold is read once per window: beyond 65,536 ids of 16 bits, or 32,768 of 32 bits.
template <ExecutionSpace Exec, class Lists, class Id>
void build_rank_rows(Exec const& where, Lists const& lists,
                     Table<Id, typename Lists::memory_space> const& ranks, std::uint64_t begin,
                     std::uint64_t end) {
  using Teams = HeldLists<Exec, Id>;
  Rows<Id const> const from = rows_of(lists);
  Rows<Id> const to = rows_of(ranks);
  bool const fits = lists.extent(1) <= Teams::lanes * Teams::held * Teams::Vector::size;
  Kokkos::parallel_for("taper::preferences::rank_matrix",
                       Teams::policy(where, end - begin, fits ? Teams::lanes : Teams::max_lanes),
                       ScatterRanks<Exec, Id>{rows_from(from, begin), rows_from(to, begin),
                                              static_cast<std::uint32_t>(lists.extent(1))});
}

/// Calls build(begin, end) for all `rows` rows of a table of this width. If a host's run can be
/// stopped, it calls it for slices of the table, which take up to a tenth of a second each.
/// Throws: Stopped, between slices.
template <ExecutionSpace Exec, class Build>
void for_slices_of_rows(std::uint64_t rows, std::uint64_t columns, StopFlag stop,
                        Build const& build) {
  constexpr std::uint64_t entries = std::uint64_t{1} << 26;
  bool const whole = is_gpu<Exec> || stop.flag == nullptr || columns == 0;
  std::uint64_t const slice = whole ? rows : std::max<std::uint64_t>(1, entries / columns);
  for (std::uint64_t begin = 0; begin < rows; begin += slice) {
    stop.check();
    build(begin, std::min(rows, begin + slice));
  }
}

/// Builds the rank matrix, n * n ids.
/// Throws: Stopped, as for_slices_of_rows().
template <ExecutionSpace Exec, class Lists, class Id>
void build_rank_matrix(Exec const& where, Lists const& lists,
                       Table<Id, typename Lists::memory_space> const& ranks, StopFlag stop = {}) {
  for_slices_of_rows<Exec>(lists.extent(0), lists.extent(1), stop,
                           [&](std::uint64_t begin, std::uint64_t end) {
                             build_rank_rows(where, lists, ranks, begin, end);
                           });
}

/// Transposes a table of ranks in place, by pairs of mirrored tiles that swap. A team does a pair.
/// Its tiles pass through team scratch one after the other; a GPU's team holds the second one in
/// registers meanwhile, so that tiles are large and all loads of a pair are in flight together.
///
/// The team of the upper or of the lower tile of a pair does the work, by turns, as on a
/// chessboard. So two kernels that share a transposition (transpose_rows()) do equal parts of the
/// pairs that they have in common.
template <ExecutionSpace Exec, class Id, class Ranks>
struct TransposeTiles {
  static constexpr std::uint32_t lanes = RowTeams<Exec>::threads * RowTeams<Exec>::lanes;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<lanes, 2>>;
  using Member = typename Policy::member_type;
  using IdVector = SimdVector<Id, 16 / sizeof(Id)>;
  using IdWords = ComparisonVector<Id, IdVector::size>;
  /// Scratch consists of words, and a row of a tile has an odd number of them. So the entries that
  /// lanes access together fall into different banks of a GPU's scratch.
  using Word = SimdVector<Id, 4 / sizeof(Id)>;
  static constexpr std::uint32_t width = (is_gpu<Exec> ? 2 : 1) * tile_width<Id>;
  static constexpr std::uint32_t row_words = width / Word::size + 1;
  static constexpr std::uint32_t row_vectors = width / IdVector::size;
  static constexpr std::uint32_t lane_vectors = width * row_vectors / lanes;
  using Tile = Kokkos::View<Word[width][row_words], Kokkos::LayoutRight,
                            typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;

  Ranks table;
  std::uint32_t n;
  std::uint32_t columns;  ///< with the padding
  std::uint32_t tiles;    ///< per row and per column of tiles
  std::uint32_t first;    ///< the first row of tiles of this kernel

  /// The most pairs of a row of tiles: about half of its tiles.
  KOKKOS_FUNCTION std::uint32_t pairs_per_row() const { return tiles / 2 + 1; }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const league_rank = static_cast<std::uint32_t>(team.league_rank());
    std::uint32_t const tile_row = first + league_rank / pairs_per_row();
    std::uint32_t const pair = league_rank % pairs_per_row();
    // Every second tile from the diagonal to the right, then every second one to the left.
    std::uint32_t const rightmost = (tiles - 1 - tile_row) / 2;
    std::uint32_t tile_column = tile_row + 2 * pair;
    if (pair > rightmost) {
      std::uint32_t const to_the_left = 2 * (pair - rightmost) - 1;
      if (to_the_left > tile_row) {
        return;  // this row of tiles has a pair less
      }
      tile_column = tile_row - to_the_left;
    }
    Tile const tile(team.team_scratch(0));
    if constexpr (!is_gpu<Exec>) {
      Tile const mirrored(team.team_scratch(0));
      read_tile(tile, tile_row * width, tile_column * width);
      read_tile(mirrored, tile_column * width, tile_row * width);
      write_tile_transposed(mirrored, tile_row * width, tile_column * width);
      write_tile_transposed(tile, tile_column * width, tile_row * width);
    } else {
      auto const lane = static_cast<std::uint32_t>(team.team_rank());
      IdWords words[lane_vectors];
      IdWords mirrored[lane_vectors];
      TAPER_UNROLL
      for (std::uint32_t v = 0; v < lane_vectors; ++v) {
        words[v] = read_words(tile_row, tile_column, v * lanes + lane);
        mirrored[v] = read_words(tile_column, tile_row, v * lanes + lane);
      }
      put_words(tile, words, lane);
      team.team_barrier();  // both tiles have been read
      write_words_transposed(tile, tile_column, tile_row, lane);
      if (tile_row == tile_column) {
        return;
      }
      team.team_barrier();
      put_words(tile, mirrored, lane);
      team.team_barrier();
      write_words_transposed(tile, tile_row, tile_column, lane);
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
    std::uint32_t const end = Kokkos::min(+width, n - column);
    for (std::uint32_t i = row; i < Kokkos::min(n, row + width); ++i, ++from) {
      Id* const to = table[i] + column;
      for (std::uint32_t j = 0; j < end; ++j) {
        to[j] = from[j * row_entries];
      }
    }
  }

  /// Vector `i` of a tile of the table, in the order of the tile's rows. Outside of the table it is
  /// padding.
  KOKKOS_FUNCTION IdWords read_words(std::uint32_t tile_row, std::uint32_t tile_column,
                                     std::uint32_t i) const {
    std::uint32_t const row = tile_row * width + i / row_vectors;
    std::uint32_t const column = tile_column * width + i % row_vectors * IdVector::size;
    if (row < n && column < columns) {
      return vector_at<IdWords>(table[row] + column);
    }
    constexpr std::uint32_t padding = ~std::uint32_t{0};  // no_rank in each entry
    return {{padding, padding, padding, padding}};
  }

  /// Stores the lane's vectors of a tile in scratch.
  KOKKOS_FUNCTION static void put_words(Tile const& tile, IdWords const (&words)[lane_vectors],
                                        std::uint32_t lane) {
    TAPER_UNROLL
    for (std::uint32_t v = 0; v < lane_vectors; ++v) {
      std::uint32_t const i = v * lanes + lane;
      TAPER_UNROLL
      for (std::uint32_t k = 0; k < IdWords::size; ++k) {
        tile(i / row_vectors, i % row_vectors * IdWords::size + k) =
            vector_at<Word>(&words[v].entries[k]);
      }
    }
  }

  /// Writes the lane's vectors of the transpose of a tile in scratch to a tile of the table. The 32
  /// lanes of a warp write 4 vectors of 8 rows: whole sectors of memory, from different banks.
  KOKKOS_FUNCTION void write_words_transposed(Tile const& tile, std::uint32_t tile_row,
                                              std::uint32_t tile_column, std::uint32_t lane) const {
    TAPER_UNROLL
    for (std::uint32_t v = 0; v < lane_vectors; ++v) {
      std::uint32_t const i = v * lanes + lane;
      std::uint32_t const vector = i / 32 % (row_vectors / 4) * 4 + i % 4;
      std::uint32_t const tile_entry = i / (8 * row_vectors) * 8 + i % 32 / 4;
      std::uint32_t const row = tile_row * width + tile_entry;
      std::uint32_t const column = tile_column * width + vector * IdVector::size;
      if (row < n && column < columns) {
        Id const* const from =
            reinterpret_cast<Id const*>(&tile(vector * IdVector::size, 0)) + tile_entry;
        IdWords words = {};
        TAPER_UNROLL
        for (std::uint32_t k = 0; k < IdVector::size; ++k) {
          set_entry<Id, IdVector::size>(words, k, from[k * row_entries]);
        }
        vector_at<IdWords>(table[row] + column) = words;
      }
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
    return static_cast<std::uint32_t>((row + Transpose::width - 1) / Transpose::width);
  };
  auto const columns =
      static_cast<std::uint32_t>((n + tile_width<Id> - 1) / tile_width<Id> * tile_width<Id>);
  Transpose const kernel{ranks, static_cast<std::uint32_t>(n), columns, tiles_before(n),
                         tiles_before(begin)};
  std::uint64_t const rows = tiles_before(end) - kernel.first;
  if (rows == 0) {
    return;
  }
  typename Transpose::Policy policy(where, static_cast<int>(rows * kernel.pairs_per_row()),
                                    static_cast<int>(Transpose::lanes), 1);
  policy.set_scratch_size(0,
                          Kokkos::PerTeam((is_gpu<Exec> ? 1 : 2) * Transpose::Tile::shmem_size()));
  Kokkos::parallel_for("taper::preferences::transpose", policy, kernel);
}

/// Transposes a square table of ranks in place.
/// Requires: tables of ranks from allocate_ranks().
/// Cost: the table read and written once.
/// Throws: Stopped, as for_slices_of_rows().
template <ExecutionSpace Exec, class Id, class MemorySpace>
void transpose(Exec const& where, Table<Id, MemorySpace> const& ranks, StopFlag stop = {}) {
  std::uint64_t const n = ranks.extent(0);
  for_slices_of_rows<Exec>(n, n, stop, [&](std::uint64_t begin, std::uint64_t end) {
    transpose_rows<Exec, Id>(where, rows_of(ranks), n, begin, end);
  });
}

/// ordered(m, r) = the rank of m in the list of the r-th receiver of m: the PRMatrix without the
/// receivers, which the list has. A team of a GPU keeps a part of m's list in registers. Windows of
/// m's ranks pass through its scratch, and the ranks take the places of the ids.
template <ExecutionSpace Exec, class Id>
struct OrderRanks {
  using Teams = HeldLists<Exec, Id>;
  using Member = typename Teams::Member;
  using IdVector = typename Teams::Vector;
  using IdWords = typename Teams::Words;

  Rows<Id const> lists;
  Rows<Id const> ranks_by_proposer;
  Rows<Id> ordered;
  std::uint32_t n;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    auto const proposer = static_cast<std::size_t>(team.league_rank());
    Id const* const list = lists[proposer];
    Id const* const ranks = ranks_by_proposer[proposer];
    Id* const row = ordered[proposer];
    if constexpr (Teams::window_entries == 0) {
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, n),
                           [&](std::uint32_t position) { row[position] = ranks[list[position]]; });
    } else {
      auto const lanes = static_cast<std::uint32_t>(team.team_size());
      for (std::uint32_t begin = 0; begin < n; begin += Teams::held * lanes * IdVector::size) {
        order_part(team, begin + static_cast<std::uint32_t>(team.team_rank()) * IdVector::size,
                   list, ranks, row);
      }
    }
  }

 private:
  /// Orders a part of the row. The lane's vectors begin at `position`, a vector of each lane apart.
  KOKKOS_FUNCTION void order_part(Member const& team, std::uint32_t position, Id const* list,
                                  Id const* ranks, Id* row) const {
    static_assert(Teams::held * IdVector::size <= 64, "a bit of `done` per entry");
    auto const apart = static_cast<std::uint32_t>(team.team_size()) * IdVector::size;
    auto const columns = static_cast<std::uint32_t>(ranks_by_proposer.stride);
    bool const aligned = is_aligned_for<IdVector>(list);
    typename Teams::Window const vectors(team.team_scratch(0),
                                         Teams::window_entries / IdVector::size);
    Id const* const window = reinterpret_cast<Id const*>(vectors.data());
    IdWords entries[Teams::held];
    TAPER_UNROLL
    for (std::uint32_t h = 0; h < Teams::held; ++h) {
      if (position + h * apart < n) {
        entries[h] = read(list, position + h * apart, aligned);
      }
    }
    std::uint64_t done = 0;  // a bit per entry that is a rank already
    for (std::uint32_t first = 0; first < n; first += Teams::window_entries) {
      std::uint32_t const size = Kokkos::min(+Teams::window_entries, columns - first);
      team.team_barrier();  // all lanes have read the previous window
      Teams::load_window(team, ranks + first, size / IdVector::size, vectors);
      team.team_barrier();
      TAPER_UNROLL
      for (std::uint32_t h = 0; h < Teams::held; ++h) {
        if (position + h * apart < n) {
          TAPER_UNROLL
          for (std::uint32_t k = 0; k < IdVector::size; ++k) {
            // Every lane reads, so that the reads of a vector overlap. Those outside of the window
            // read one entry, which costs a GPU's scratch one access.
            std::uint64_t const bit = std::uint64_t{1} << (h * IdVector::size + k);
            std::uint32_t const slot = entry_of<Id, IdVector::size>(entries[h], k) - first;
            Id const rank = window[Kokkos::min(slot, size - 1)];
            bool const replace = slot < size && (done & bit) == 0;
            if (replace) {
              set_entry<Id, IdVector::size>(entries[h], k, rank);
            }
            done |= replace ? bit : 0;
          }
        }
      }
    }
    TAPER_UNROLL
    for (std::uint32_t h = 0; h < Teams::held; ++h) {
      if (position + h * apart < n) {
        vector_at<IdWords>(row + position + h * apart) = entries[h];
      }
    }
  }

  /// A vector of the list. Past the end it repeats the last entry.
  KOKKOS_FUNCTION IdWords read(Id const* list, std::uint32_t position, bool aligned) const {
    if (aligned && position + IdVector::size <= n) {
      return vector_at<IdWords>(list + position);
    }
    IdWords people = {};
    TAPER_UNROLL
    for (std::uint32_t k = 0; k < IdVector::size; ++k) {
      set_entry<Id, IdVector::size>(people, k, list[Kokkos::min(position + k, n - 1)]);
    }
    return people;
  }
};

/// Builds the ranks in the order of the lists, from the transposed rank matrix.
/// Requires: tables of ranks from allocate_ranks().
/// Cost: lists and ranks read, `ordered` written, all in order except the look-ups within one row.
/// A GPU reads a row of ranks once per part of the list that a team can hold: 32,768 ids of 16 bits,
/// or 16,384 of 32 bits.
/// Throws: Stopped, as for_slices_of_rows().
template <ExecutionSpace Exec, class Lists, class Id>
void order_ranks(Exec const& where, Lists const& lists,
                 ConstTable<Id, typename Lists::memory_space> const& ranks_by_proposer,
                 Table<Id, typename Lists::memory_space> const& ordered, StopFlag stop = {}) {
  OrderRanks<Exec, Id> const all{rows_of(lists), rows_of(ranks_by_proposer), rows_of(ordered),
                                 static_cast<std::uint32_t>(lists.extent(1))};
  for_slices_of_rows<Exec>(
      lists.extent(0), lists.extent(1), stop, [&](std::uint64_t begin, std::uint64_t end) {
        Kokkos::parallel_for("taper::preferences::order_ranks",
                             HeldLists<Exec, Id>::policy(where, end - begin),
                             OrderRanks<Exec, Id>{rows_from(all.lists, begin),
                                                  rows_from(all.ranks_by_proposer, begin),
                                                  rows_from(all.ordered, begin), all.n});
      });
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
/// Throws: Stopped, as for_slices_of_rows().
template <ExecutionSpace Exec, class Lists, class Id>
void pair_candidates(Exec const& where, Lists const& lists,
                     ConstTable<Id, typename Lists::memory_space> const& ranks_by_proposer,
                     Kokkos::View<CandidateWord<Id>**, Kokkos::LayoutRight,
                                  typename Lists::memory_space> const& candidates,
                     StopFlag stop = {}) {
  PairCandidates<Exec, Id> const all{rows_of(lists), rows_of(ranks_by_proposer),
                                     rows_of(candidates), lists.extent(1)};
  for_slices_of_rows<Exec>(
      lists.extent(0), lists.extent(1), stop, [&](std::uint64_t begin, std::uint64_t end) {
        Kokkos::parallel_for("taper::preferences::pr_matrix",
                             Kokkos::TeamPolicy<Exec>(where, static_cast<int>(end - begin),
                                                      RowTeams<Exec>::exclusive_threads,
                                                      RowTeams<Exec>::lanes),
                             PairCandidates<Exec, Id>{rows_from(all.lists, begin),
                                                      rows_from(all.ranks_by_proposer, begin),
                                                      rows_from(all.candidates, begin), all.n});
      });
}

}  // namespace taper::preferences
