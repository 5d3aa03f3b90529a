// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/duo.hpp>
#include <taper/large_view.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/next_candidates.hpp>
#include <taper/stable_marriage/state.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace taper::stable_marriage {

namespace detail {

/// A table of ranks that solve allocates: its rows start at a pack and end at a tile. What pads the
/// rank matrix is written like the rest, as the worst rank, so that no kernel reads what nobody
/// wrote.
template <class Id>
inline constexpr std::uint32_t tile_width = rank_row_bytes / sizeof(Id);
template <class Id>
inline constexpr Id padding = std::numeric_limits<Id>::max();

/// `rows` of the n rows of such a table.
template <class Id, class MemorySpace, ExecutionSpace Exec>
Table<Id, MemorySpace> allocate_ranks(Exec const& where, std::string const& label, std::uint64_t n,
                                      std::uint64_t rows) {
  std::uint64_t const columns = (n + tile_width<Id> - 1) / tile_width<Id> * tile_width<Id>;
  return allocate_large<Table<Id, MemorySpace>>(where, label, rows, columns);
}

template <class Id, class MemorySpace, ExecutionSpace Exec>
Table<Id, MemorySpace> allocate_ranks(Exec const& where, std::string const& label,
                                      std::uint64_t n) {
  return allocate_ranks<Id, MemorySpace>(where, label, n, n);
}

/// What a host needs to follow a GPU's last chains, in memory that both sides reach: a copy of the
/// matching, and of everybody's next candidates.
template <class Id>
struct HostCopy {
  using Memory = Kokkos::SharedHostPinnedSpace;
  Standing<Id, Memory> standing;
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

}  // namespace detail

/// The large tables that solve works in, kept from one call to the next: a GPU takes about a
/// millisecond to allocate and free each GiB. Empty at first; a call with another n allocates anew.
///
/// For one solve at a time. Holds up to two ids a pair, of the last n; of a GPU's run with a Duo,
/// 128 candidates of two ids a proposer in the host's memory too.
template <class Id, class MemorySpace>
class Workspace {
 public:
  /// Of n people, the ranks in the lists of `rows` of them.
  template <ExecutionSpace Exec>
  Table<Id, MemorySpace> ranks(Exec const& where, std::uint64_t n, std::uint64_t rows) {
    if (n != n_ || rows != rows_) {
      ranks_.reset();
      ordered_.reset();
      n_ = n;
      rows_ = rows;
    }
    return kept(ranks_, where, "taper::stable_marriage::rank_matrix");
  }
  /// As many as ranks() gave.
  template <ExecutionSpace Exec>
  Table<Id, MemorySpace> ordered_ranks(Exec const& where) {
    return kept(ordered_, where, "taper::stable_marriage::ordered_ranks");
  }

  /// Whether ranks() of these extents allocates nothing.
  bool has_ranks(std::uint64_t n, std::uint64_t rows) const {
    return ranks_ && n == n_ && rows == rows_;
  }
  /// Whether ordered_ranks() allocates nothing.
  bool has_ordered_ranks() const { return ordered_.has_value(); }

  template <ExecutionSpace Exec>
  detail::HostCopy<Id> const& host_copy(Exec const& host, std::uint64_t n) {
    if (!host_copy_ || host_copy_->standing.best.extent(0) != n) {
      host_copy_.reset();
      host_copy_.emplace(host, n);
    }
    return *host_copy_;
  }

  /// For a run that has no use for them, so that it holds no more than footprint_bytes() says.
  void drop_ordered_ranks() { ordered_.reset(); }

 private:
  using Kept = std::optional<Table<Id, MemorySpace>>;

  template <ExecutionSpace Exec>
  Table<Id, MemorySpace> kept(Kept& table, Exec const& where, std::string const& label) const {
    if (!table) {
      table.emplace(detail::allocate_ranks<Id, MemorySpace>(where, label, n_, rows_));
    }
    return *table;
  }

  std::uint64_t n_ = 0;
  std::uint64_t rows_ = 0;
  Kept ranks_;
  Kept ordered_;
  std::optional<detail::HostCopy<Id>> host_copy_;
};

}  // namespace taper::stable_marriage
