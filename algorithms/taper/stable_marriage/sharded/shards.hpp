// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/place.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/sharded/limits.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Work on several devices of one host. A table is partitioned by rows, and each device stores its
/// shard of the rows in its own memory. Kernels access the rows of other devices by plain pointers.
///
/// Used by: sharded solves (sharded/), generate() and the verifier.
namespace taper::stable_marriage {

/// The execution space instances of the shards, which the caller provides: one per device, several
/// on one device, or the same one several times.
///
/// Kernels of each instance must be able to access the memory of all. For GPUs, call
/// enable_peer_access() once per process (device_info.hpp).
///
/// The first is the leader. It does the work that is too small to be distributed.
template <ExecutionSpace Exec>
struct Shards {
  std::vector<Exec> spaces;

  std::uint32_t size() const { return static_cast<std::uint32_t>(spaces.size()); }
  Exec const& leader() const { return spaces.front(); }
  Exec const& operator[](std::uint32_t shard) const { return spaces[shard]; }
  void fence(std::string const& reason) const {
    for (Exec const& space : spaces) {
      space.fence(reason);
    }
  }
};

template <ExecutionSpace Exec>
Shards(std::vector<Exec>) -> Shards<Exec>;

/// A partition of the row numbers 0 .. rows()-1 into consecutive ranges, one per shard. Ranges may
/// be empty.
class RowPartition {
 public:
  /// Ranges of equal size, up to one row.
  static RowPartition even(std::uint64_t rows, std::uint32_t shards) {
    std::vector<std::uint32_t> ends;
    for (std::uint64_t k = 1; k <= shards; ++k) {
      ends.push_back(static_cast<std::uint32_t>(rows * k / shards));
    }
    return RowPartition(std::move(ends));
  }

  /// Shard k has the rows from the end of shard k-1 to before ends[k].
  explicit RowPartition(std::vector<std::uint32_t> ends) : ends_(std::move(ends)) {
    TAPER_REQUIRE(!ends_.empty() && ends_.size() <= max_shards,
                  "taper::stable_marriage::RowPartition: expected 1 to " +
                      std::to_string(max_shards) + " shards, got " + std::to_string(ends_.size()));
    for (std::size_t k = 1; k < ends_.size(); ++k) {
      TAPER_REQUIRE(ends_[k - 1] <= ends_[k], "taper::stable_marriage::RowPartition: shard " +
                                                  std::to_string(k) + " ends at " +
                                                  std::to_string(ends_[k]) + ", before shard " +
                                                  std::to_string(k - 1));
    }
  }

  std::uint32_t shards() const { return static_cast<std::uint32_t>(ends_.size()); }
  std::uint32_t rows() const { return ends_.back(); }
  std::uint32_t begin(std::uint32_t shard) const { return shard == 0 ? 0 : ends_[shard - 1]; }
  std::uint32_t end(std::uint32_t shard) const { return ends_[shard]; }
  std::uint32_t size(std::uint32_t shard) const { return end(shard) - begin(shard); }

 private:
  std::vector<std::uint32_t> ends_;
};

/// A non-owning view of one shard's rows, for kernels. Rows are numbered as in the whole table.
template <class T>
struct ShardRows {
  Rows<T> rows;
  std::size_t first = 0;  ///< the number of the shard's first row

  KOKKOS_FUNCTION constexpr T& operator()(std::size_t row, std::size_t column) const {
    return rows(row - first, column);
  }
  KOKKOS_FUNCTION constexpr T* operator[](std::size_t row) const { return rows[row - first]; }
};

/// A non-owning view of all rows of a table that is partitioned into shards, for kernels: Rows for
/// any shard. It finds a row's shard by a few comparisons, without a memory access.
template <class T>
struct ShardedRows {
  T* data[max_shards] = {};
  std::uint32_t first[max_shards] = {};  ///< the number of each shard's first row
  std::size_t stride = 0;
  std::size_t extents[2] = {};

  KOKKOS_FUNCTION constexpr T* operator[](std::size_t row) const {
    T* base = data[0];
    std::uint32_t begin = 0;
    for (std::uint32_t k = 1; k < max_shards; ++k) {
      bool const beyond = row >= first[k];
      base = beyond ? data[k] : base;
      begin = beyond ? first[k] : begin;
    }
    return base + (row - begin) * stride;
  }
  KOKKOS_FUNCTION constexpr T& operator()(std::size_t row, std::size_t column) const {
    return (*this)[row][column];
  }
  KOKKOS_FUNCTION constexpr std::size_t extent(int dimension) const { return extents[dimension]; }
};

/// The rows of all shards as one table. tables[k] has the rows of shard k; all rows are equally
/// long.
template <class View>
ShardedRows<typename View::value_type> sharded_rows_of(RowPartition const& partition,
                                                       std::vector<View> const& tables) {
  static_assert(View::rank == 2 && std::is_same_v<typename View::array_layout, Kokkos::LayoutRight>,
                "sharded_rows_of: expected LayoutRight Views of rank 2");
  ShardedRows<typename View::value_type> rows;
  for (std::uint32_t k = 0; k < max_shards; ++k) {
    bool const exists = k < partition.shards();
    rows.data[k] = exists ? tables[k].data() : nullptr;
    rows.first[k] = exists ? partition.begin(k) : std::numeric_limits<std::uint32_t>::max();
    if (exists && partition.size(k) > 0) {
      rows.stride = static_cast<std::size_t>(tables[k].stride(0));
    }
  }
  rows.extents[0] = partition.rows();
  rows.extents[1] = tables.front().extent(1);
  return rows;
}

}  // namespace taper::stable_marriage
