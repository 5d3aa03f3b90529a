// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/contract.hpp>
#include <taper/duo.hpp>
#include <taper/limits.hpp>
#include <taper/rows.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// Work on several devices of one host: a table is cut by rows, and each device has the rows of its
/// own people in its own memory. Kernels reach the other devices' rows by plain pointers.
namespace taper {

/// Instances of one kind of execution space, the caller's: one for each device, or several on one
/// device, or the same one several times. Kernels of each must reach the memory of all; between
/// GPUs that takes reach_peers() (resources.hpp), once a process.
///
/// The first leads: it does what is too little to be shared.
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

/// Who lives where: ids 0 .. people-1 cut into ranges, one a shard, in order. Ranges may be empty.
class Homes {
 public:
  /// Equal ranges, as far as that goes.
  static Homes even(std::uint64_t people, std::uint32_t shards) {
    std::vector<std::uint32_t> ends;
    for (std::uint64_t k = 1; k <= shards; ++k) {
      ends.push_back(static_cast<std::uint32_t>(people * k / shards));
    }
    return Homes(std::move(ends));
  }

  /// ends[k] = one more than the last id of shard k, or where it would be.
  explicit Homes(std::vector<std::uint32_t> ends) : ends_(std::move(ends)) {
    TAPER_REQUIRE(!ends_.empty() && ends_.size() <= max_shards,
                  "taper::Homes: 1 to " + std::to_string(max_shards) + " shards, not " +
                      std::to_string(ends_.size()));
    for (std::size_t k = 1; k < ends_.size(); ++k) {
      TAPER_REQUIRE(ends_[k - 1] <= ends_[k], "taper::Homes: shard " + std::to_string(k) +
                                                  " ends at " + std::to_string(ends_[k]) +
                                                  ", before shard " + std::to_string(k - 1));
    }
  }

  std::uint32_t shards() const { return static_cast<std::uint32_t>(ends_.size()); }
  std::uint32_t people() const { return ends_.back(); }
  std::uint32_t begin(std::uint32_t shard) const { return shard == 0 ? 0 : ends_[shard - 1]; }
  std::uint32_t end(std::uint32_t shard) const { return ends_[shard]; }
  std::uint32_t size(std::uint32_t shard) const { return end(shard) - begin(shard); }

 private:
  std::vector<std::uint32_t> ends_;
};

/// A non-owning look at the rows of one shard's part of a table, for kernels: by the numbers that
/// they have in the whole.
template <class T>
struct PartRows {
  Rows<T> rows;
  std::size_t first = 0;  ///< the number of the part's first row

  KOKKOS_FUNCTION constexpr T& operator()(std::size_t row, std::size_t column) const {
    return rows(row - first, column);
  }
  KOKKOS_FUNCTION constexpr T* operator[](std::size_t row) const { return rows[row - first]; }
};

/// A non-owning look at the rows of a table that is cut by rows, for kernels: Rows, wherever the row
/// may lie. A look-up is a few comparisons: no memory is asked where a row is.
template <class T>
struct ShardedRows {
  T* data[max_shards] = {};
  std::uint32_t first[max_shards] = {};  ///< the id of each shard's first row
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

/// The tables' rows as one: tables[k] has the rows of shard k, all as long.
template <class View>
ShardedRows<typename View::value_type> rows_of(Homes const& homes,
                                               std::vector<View> const& tables) {
  static_assert(View::rank == 2 && std::is_same_v<typename View::array_layout, Kokkos::LayoutRight>,
                "rows_of: LayoutRight tables");
  ShardedRows<typename View::value_type> rows;
  for (std::uint32_t k = 0; k < max_shards; ++k) {
    bool const there = k < homes.shards();
    rows.data[k] = there ? tables[k].data() : nullptr;
    rows.first[k] = there ? homes.begin(k) : std::numeric_limits<std::uint32_t>::max();
    if (there && homes.size(k) > 0) {
      rows.stride = static_cast<std::size_t>(tables[k].stride(0));
    }
  }
  rows.extents[0] = homes.people();
  rows.extents[1] = tables.front().extent(1);
  return rows;
}

}  // namespace taper
