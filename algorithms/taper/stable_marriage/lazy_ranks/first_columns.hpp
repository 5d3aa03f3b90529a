// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/place.hpp>
#include <taper/preferences/rank_matrix.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace taper::stable_marriage::detail {

/// The first columns of the PRMatrix, and an index of their cells by receiver. A *cell* is an entry
/// (proposer, column). Its rank is unknown until the receiver scans its list and stores it. A short
/// run hardly needs any other of the n * n ranks.
///
/// Used by: LazyRankRun.
template <class Id_, class MemorySpace>
struct FirstColumns {
  using Id = Id_;
  using Memory = MemorySpace;
  /// With uniform lists 4 of 5 proposers end within 16 positions, 19 of 20 within 32.
  static constexpr std::uint32_t columns = 32;

  /// candidates(m, c) = the c-th receiver in m's list, and m's rank there. The rank is `no_rank` if
  /// it is unknown or worse than that of a proposer that the receiver has preferred.
  Kokkos::View<CandidateWord<Id>* [columns], Kokkos::LayoutRight, Memory> candidates;
  /// The cells m * columns + c of `candidates`, sorted by receiver. Those of receiver w are the
  /// entries [column_index_begin(w), column_index_begin(w + 1)).
  Kokkos::View<std::uint32_t*, Memory> column_index;
  Kokkos::View<std::uint32_t*, Memory> column_index_begin;

  template <ExecutionSpace Exec>
  FirstColumns(Exec const& where, std::uint64_t n)
      : candidates(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                      "taper::stable_marriage::first_columns"),
                   n),
        column_index(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                        "taper::stable_marriage::column_index"),
                     n * columns),
        column_index_begin(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                              "taper::stable_marriage::column_index_begin"),
                           n + 1) {}

  std::uint32_t used_columns() const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(columns, candidates.extent(0)));
  }
  bool has(Chain const& chain) const { return chain.position < columns; }
  Proposal<Id> operator()(Chain const& chain) const {
    auto const word = candidates(chain.proposer, chain.position);
    return {static_cast<Id>(Candidate<Id>::template get<0>(word)),
            static_cast<Id>(Candidate<Id>::template get<1>(word))};
  }
  void prefetch_for(Chain const& chain) const {
    prefetch(&candidates(chain.proposer, has(chain) ? chain.position : 0));
  }
  Id receiver_of(std::uint32_t cell) const {
    return static_cast<Id>(Candidate<Id>::template get<0>(candidates.data()[cell]));
  }
  void set_rank(std::uint32_t cell, Id receiver, std::uint32_t rank) const {
    candidates.data()[cell] = Candidate<Id>::pack(receiver, static_cast<Id>(rank));
  }
};

/// Copies the receivers of the first columns from the lists. Their ranks are unknown.
template <class Lists, class Columns>
struct CopyFirstColumns {
  Lists lists;
  Columns columns;

  void operator()(std::uint64_t proposer) const {
    using Id = typename Columns::Id;
    constexpr std::uint64_t rows_ahead = 16;
    if (proposer + rows_ahead < columns.candidates.extent(0)) {
      prefetch(lists[proposer + rows_ahead]);
    }
    for (std::uint32_t c = 0; c < columns.used_columns(); ++c) {
      columns.candidates(proposer, c) =
          Candidate<Id>::pack(lists(proposer, c), preferences::no_rank<Id>);
    }
  }
};

/// Sorts the cells by receiver in two passes; each worker has those of a block of proposers. The
/// first pass counts them. For the second the counts have become offsets, and it stores the cells.
template <class Columns>
struct SortCells {
  using Offsets = Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, typename Columns::Memory>;

  Columns columns;
  Offsets offsets;  ///< workers x receivers
  bool counting;

  void operator()(std::uint64_t worker) const {
    std::uint64_t const workers = offsets.extent(0);
    std::uint64_t const n = offsets.extent(1);
    std::uint32_t* const own_offsets = &offsets(worker, 0);
    std::uint32_t const width = columns.used_columns();
    for (std::uint64_t m = n * worker / workers; m < n * (worker + 1) / workers; ++m) {
      for (std::uint32_t c = 0; c < width; ++c) {
        auto const cell = static_cast<std::uint32_t>(m * Columns::columns + c);
        std::uint32_t const slot = own_offsets[columns.receiver_of(cell)]++;
        if (!counting) {
          columns.column_index(slot) = cell;
        }
      }
    }
  }
};

/// Turns the counts into offsets. The cells of a receiver are those of the first worker, then those
/// of the second, and so on.
template <class Columns>
struct ScanCellCounts {
  Columns columns;
  typename SortCells<Columns>::Offsets offsets;

  void operator()(std::uint64_t i, std::uint32_t& before, bool last) const {
    std::uint64_t const worker = i % offsets.extent(0);
    std::uint64_t const receiver = i / offsets.extent(0);
    std::uint32_t const count = offsets(worker, receiver);
    if (last) {
      offsets(worker, receiver) = before;
      if (i == 0) {
        columns.column_index_begin(0) = 0;
      }
      if (worker + 1 == offsets.extent(0)) {
        columns.column_index_begin(receiver + 1) = before + count;
      }
    }
    before += count;
  }
};

/// Builds the columns and their index. No rank is known yet. Each of `workers` sorts a part.
/// Cost: one or two cache lines of each proposer's list, the cells twice; 4 bytes per receiver and
///   worker.
template <ExecutionSpace Exec, class Id, class Lists>
FirstColumns<Id, typename Exec::memory_space>
build_first_columns(Exec const& where, Lists const& lists, std::uint64_t n, std::uint64_t workers) {
  using Columns = FirstColumns<Id, typename Exec::memory_space>;
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;
  Columns const columns(where, n);
  typename SortCells<Columns>::Offsets const offsets(
      Kokkos::view_alloc(where, "taper::stable_marriage::cell_offsets"), workers, n);
  Kokkos::parallel_for("taper::stable_marriage::first_columns", Range(where, 0, n),
                       CopyFirstColumns<Lists, Columns>{lists, columns});
  Kokkos::parallel_for("taper::stable_marriage::count_cells", Range(where, 0, workers),
                       SortCells<Columns>{columns, offsets, true});
  Kokkos::parallel_scan("taper::stable_marriage::scan_cells", Range(where, 0, workers * n),
                        ScanCellCounts<Columns>{columns, offsets});
  Kokkos::parallel_for("taper::stable_marriage::sort_cells", Range(where, 0, workers),
                       SortCells<Columns>{columns, offsets, false});
  return columns;
}

}  // namespace taper::stable_marriage::detail
