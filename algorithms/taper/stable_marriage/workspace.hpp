// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/place.hpp>
#include <taper/preferences/rank_matrix.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/state.hpp>
#include <taper/stable_marriage/tails/next_candidates.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace taper::stable_marriage {

namespace detail {

/// What a host reads when it advances a GPU's last chains: a copy of the standing offers and of the
/// next candidates of all proposers, in memory that both device and host reach.
template <class Id>
struct HostCopy {
  using Memory = Kokkos::SharedHostPinnedSpace;
  StandingOffers<Id, Memory> standing;
  NextCandidates<Id, Memory> next;

  template <ExecutionSpace Exec>
  HostCopy(Exec const& host, std::uint64_t n)
      : standing(host, n),
        next{decltype(next.first)(Kokkos::view_alloc(host, Kokkos::WithoutInitializing,
                                                     "taper::stable_marriage::host_positions"),
                                  n),
             decltype(next.candidates)(
                 Kokkos::view_alloc(host, Kokkos::WithoutInitializing,
                                    "taper::stable_marriage::host_next_candidates"),
                 n)} {}
};

/// A copy of the PRMatrix for the host. Into page-locked memory, a GPU copies as fast as its bus.
template <class Id>
using HostPRMatrix =
    Kokkos::View<CandidateWord<Id>**, Kokkos::LayoutRight, Kokkos::SharedHostPinnedSpace>;

}  // namespace detail

/// The large tables that solve() works in, kept from one call to the next. A GPU takes about a
/// millisecond to allocate and free each GiB. A new workspace is empty; a call with another n
/// allocates anew.
///
/// One solve at a time may use it. It holds up to two ids per pair, for the last n. After a GPU's
/// run with a Duo it also holds, in host memory, 128 candidates of two ids per proposer. If the
/// last proposer of Bamboo-SMP moved from a GPU to the host, it holds the PRMatrix there, two ids
/// per pair.
template <class Id, class MemorySpace>
class Workspace {
 public:
  /// The rank matrix for an instance of n, of which this table has `rows` rows.
  template <ExecutionSpace Exec>
  Table<Id, MemorySpace> ranks(Exec const& where, std::uint64_t n, std::uint64_t rows) {
    if (n != n_ || rows != rows_) {
      ranks_.reset();
      ordered_.reset();
      n_ = n;
      rows_ = rows;
    }
    return get_or_allocate(ranks_, where, "taper::stable_marriage::rank_matrix");
  }
  /// A second table with the extents of the last ranks().
  template <ExecutionSpace Exec>
  Table<Id, MemorySpace> ordered_ranks(Exec const& where) {
    return get_or_allocate(ordered_, where, "taper::stable_marriage::ordered_ranks");
  }

  /// True if ranks() with these extents allocates nothing.
  bool has_ranks(std::uint64_t n, std::uint64_t rows) const {
    return ranks_ && n == n_ && rows == rows_;
  }
  /// True if ordered_ranks() allocates nothing.
  bool has_ordered_ranks() const { return ordered_.has_value(); }

  /// Room for the last chains of a GPU's run on the host. Internal.
  template <ExecutionSpace Exec>
  detail::HostCopy<Id> const& host_copy(Exec const& host, std::uint64_t n) {
    if (!host_copy_ || host_copy_->standing.best.extent(0) != n) {
      host_copy_.reset();
      host_copy_.emplace(host, n);
    }
    return *host_copy_;
  }

  /// A PRMatrix of `rows` proposers in page-locked host memory, for the last proposer of Bamboo-SMP
  /// after a run on a GPU. Internal.
  detail::HostPRMatrix<Id> const& host_pr_matrix(std::uint64_t n, std::uint64_t rows) {
    if (!host_pr_matrix_ || host_pr_matrix_->extent(0) != rows || host_pr_matrix_->extent(1) != n) {
      host_pr_matrix_.reset();
      host_pr_matrix_.emplace(
          Kokkos::view_alloc(Kokkos::WithoutInitializing, "taper::stable_marriage::host_pr_matrix"),
          rows, n);
    }
    return *host_pr_matrix_;
  }

  /// Frees the second table. A run that does not use it then holds no more than footprint_bytes()
  /// says.
  void drop_ordered_ranks() { ordered_.reset(); }

 private:
  using OptionalTable = std::optional<Table<Id, MemorySpace>>;

  template <ExecutionSpace Exec>
  Table<Id, MemorySpace> get_or_allocate(OptionalTable& table, Exec const& where,
                                         std::string const& label) const {
    if (!table) {
      table.emplace(preferences::allocate_ranks<Id, MemorySpace>(where, label, n_, rows_));
    }
    return *table;
  }

  std::uint64_t n_ = 0;
  std::uint64_t rows_ = 0;
  OptionalTable ranks_;
  OptionalTable ordered_;
  std::optional<detail::HostCopy<Id>> host_copy_;
  std::optional<detail::HostPRMatrix<Id>> host_pr_matrix_;
};

}  // namespace taper::stable_marriage
