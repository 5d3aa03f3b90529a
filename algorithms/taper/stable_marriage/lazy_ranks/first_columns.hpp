// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/duo.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/propose.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stable_marriage/workspace.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>

namespace taper::stable_marriage::detail {

/// The first columns of the PRMatrix, and, receiver by receiver, who may yet turn to her by them:
/// all that a short run needs of the n * n ranks, if she notes them when she looks through her list.
template <class Id_, class MemorySpace>
struct FirstColumns {
  using Id = Id_;
  using Memory = MemorySpace;
  /// Four of five proposers end within 16 positions of uniform lists, 19 of 20 within 32.
  static constexpr std::uint32_t columns = 32;

  /// candidates(m, c) = the receiver that m likes c-th, and his rank in her list, or `padding` as
  /// long as that is unknown, or worse than a proposer whom she has preferred.
  Kokkos::View<CandidateWord<Id>* [columns], Kokkos::LayoutRight, Memory> candidates;
  /// Cells m * columns + c of the candidates, receiver by receiver; those of w end where those of
  /// w + 1 begin.
  Kokkos::View<std::uint32_t*, Memory> suits;
  Kokkos::View<std::uint32_t*, Memory> suits_begin;  ///< of each receiver, and their number

  template <ExecutionSpace Exec>
  FirstColumns(Exec const& where, std::uint64_t n)
      : candidates(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                      "taper::stable_marriage::first_columns"),
                   n),
        suits(
            Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::stable_marriage::suits"),
            n * columns),
        suits_begin(Kokkos::view_alloc(where, Kokkos::WithoutInitializing,
                                       "taper::stable_marriage::suits_begin"),
                    n + 1) {}

  std::uint32_t of_each() const {
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(columns, candidates.extent(0)));
  }
  bool has(Chain const& chain) const { return chain.position < columns; }
  Proposal<Id> operator()(Chain const& chain) const {
    auto const word = candidates(chain.proposer, chain.position);
    return {static_cast<Id>(Candidate<Id>::template get<0>(word)),
            static_cast<Id>(Candidate<Id>::template get<1>(word))};
  }
  void expect(Chain const& chain) const {
    prefetch(&candidates(chain.proposer, has(chain) ? chain.position : 0));
  }
  Id receiver_of(std::uint32_t suit) const {
    return static_cast<Id>(Candidate<Id>::template get<0>(candidates.data()[suit]));
  }
  void note_rank(std::uint32_t suit, Id receiver, std::uint32_t rank) const {
    candidates.data()[suit] = Candidate<Id>::pack(receiver, static_cast<Id>(rank));
  }
};

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
    for (std::uint32_t c = 0; c < columns.of_each(); ++c) {
      columns.candidates(proposer, c) = Candidate<Id>::pack(lists(proposer, c), padding<Id>);
    }
  }
};

/// Sorts the cells by receiver, each worker those of a block of proposers: counts them, and, once
/// the counts are where its cells begin, puts them there.
template <class Columns>
struct SortSuits {
  Columns columns;
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, typename Columns::Memory> at;  ///< of a worker
  bool counting;

  void operator()(std::uint64_t worker) const {
    std::uint64_t const workers = at.extent(0);
    std::uint64_t const n = at.extent(1);
    std::uint32_t* const at_receiver = &at(worker, 0);
    std::uint32_t const width = columns.of_each();
    for (std::uint64_t m = n * worker / workers; m < n * (worker + 1) / workers; ++m) {
      for (std::uint32_t c = 0; c < width; ++c) {
        auto const suit = static_cast<std::uint32_t>(m * Columns::columns + c);
        std::uint32_t const place = at_receiver[columns.receiver_of(suit)]++;
        if (!counting) {
          columns.suits(place) = suit;
        }
      }
    }
  }
};

/// The cells of a receiver are those of the first worker, then those of the second, and so on.
template <class Columns>
struct BeginSuits {
  Columns columns;
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, typename Columns::Memory> at;

  void operator()(std::uint64_t i, std::uint32_t& before, bool last) const {
    std::uint64_t const worker = i % at.extent(0);
    std::uint64_t const receiver = i / at.extent(0);
    std::uint32_t const count = at(worker, receiver);
    if (last) {
      at(worker, receiver) = before;
      if (i == 0) {
        columns.suits_begin(0) = 0;
      }
      if (worker + 1 == at.extent(0)) {
        columns.suits_begin(receiver + 1) = before + count;
      }
    }
    before += count;
  }
};

/// Nobody's rank is known yet.
/// Cost: a line or two of each proposer's list, the cells twice; 4 bytes a receiver and worker.
template <ExecutionSpace Exec, class Id, class Lists>
FirstColumns<Id, typename Exec::memory_space>
take_first_columns(Exec const& where, Lists const& lists, std::uint64_t n, std::uint64_t workers) {
  using Columns = FirstColumns<Id, typename Exec::memory_space>;
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;
  Columns const columns(where, n);
  Kokkos::View<std::uint32_t**, Kokkos::LayoutRight, typename Exec::memory_space> const at(
      Kokkos::view_alloc(where, "taper::stable_marriage::suit_places"), workers, n);
  Kokkos::parallel_for("taper::stable_marriage::first_columns", Range(where, 0, n),
                       CopyFirstColumns<Lists, Columns>{lists, columns});
  Kokkos::parallel_for("taper::stable_marriage::count_suits", Range(where, 0, workers),
                       SortSuits<Columns>{columns, at, true});
  Kokkos::parallel_scan("taper::stable_marriage::begin_suits", Range(where, 0, workers * n),
                        BeginSuits<Columns>{columns, at});
  Kokkos::parallel_for("taper::stable_marriage::sort_suits", Range(where, 0, workers),
                       SortSuits<Columns>{columns, at, false});
  return columns;
}

}  // namespace taper::stable_marriage::detail
