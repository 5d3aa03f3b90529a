// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/contract.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace taper::matmul::device {

/// How a product in host memory is cut up: C into tiles, each the sum of `slabs` products of blocks
/// of A and of B. The device holds as many blocks as its memory does.
struct StreamPlan {
  std::int64_t tile_rows = 0;
  std::int64_t tile_columns = 0;
  std::int64_t depth = 0;   ///< columns of a block of A, rows of one of B
  std::int64_t down = 0;    ///< tiles of C, one below the other
  std::int64_t across = 0;  ///< and side by side
  std::int64_t slabs = 0;

  std::int64_t block_entries = 0;  ///< of a slot for a block of A or B
  std::int64_t tile_entries = 0;   ///< of a slot for a tile of C
  std::int64_t block_slots = 0;
  std::int64_t tile_slots = 0;

  std::int64_t tiles() const { return down * across; }
  std::int64_t blocks() const { return slabs * (down + across); }
  std::int64_t entries() const { return block_slots * block_entries + tile_slots * tile_entries; }

  /// Enough that the next two blocks arrive while two are multiplied.
  bool fits() const { return block_slots >= std::min<std::int64_t>(4, blocks()); }
};

/// Entries in a row that start at a multiple of 16 bytes, so that kernels read them by vectors.
template <class T>
constexpr std::int64_t row_pitch(std::int64_t columns) {
  constexpr std::int64_t vector = 16 / sizeof(T);
  return (columns + vector - 1) / vector * vector;
}

namespace detail {

template <class T>
StreamPlan plan_stream_by(std::int64_t tile, std::int64_t depth, std::int64_t m, std::int64_t n,
                          std::int64_t k, std::int64_t most_entries, std::int64_t computing) {
  auto const count = [](std::int64_t extent, std::int64_t piece) {
    return std::max<std::int64_t>(1, (extent + piece - 1) / piece);
  };
  auto const slot = [](std::int64_t rows, std::int64_t columns) {
    constexpr std::int64_t unit = 64;  // slots start where a cache line does
    std::int64_t const entries = rows * row_pitch<T>(columns);
    return std::max(unit, (entries + unit - 1) / unit * unit);
  };
  StreamPlan plan{std::min(m, tile), std::min(n, tile), std::min(k, depth),
                  count(m, tile),    count(n, tile),    count(k, depth)};
  // By rows or by columns, as the matrix lies.
  plan.block_entries = slot(row_pitch<T>(std::max(plan.tile_rows, plan.tile_columns)), plan.depth);
  plan.tile_entries = slot(row_pitch<T>(plan.tile_rows), plan.tile_columns);
  // More than are computed at a time, since others wait for their operands or to be copied back.
  plan.tile_slots = std::min(plan.tiles(), std::max<std::int64_t>(4, 2 * computing));
  std::int64_t const left = most_entries - plan.tile_slots * plan.tile_entries;
  plan.block_slots = std::min(plan.blocks(), std::max<std::int64_t>(0, left) / plan.block_entries);
  return plan;
}

}  // namespace detail

/// The plan for an m x n product of depth k, extents from 1 (k from 0), on `computing` instances.
///
/// Tiles are as large as memory allows, up to 8192: an entry that is copied serves a tile's width
/// of multiply-adds. Where all is small enough, they are small enough for 8 along the longer side,
/// since nothing is multiplied before the first blocks have arrived, and nothing else is done while
/// the last tile is copied back; but not below 2048, which fill a GPU.
/// Throws: taper::Error if not even the smallest blocks fit.
template <class T>
StreamPlan plan_stream(std::int64_t m, std::int64_t n, std::int64_t k, std::uint64_t memory_bytes,
                       std::int64_t computing, std::optional<std::int64_t> tile) {
  auto const most_entries = static_cast<std::int64_t>(memory_bytes / sizeof(T));
  constexpr std::int64_t largest = 8192;
  constexpr std::int64_t fills_a_device = 2048;
  constexpr std::int64_t along_longer_side = 8;
  std::int64_t size = tile.value_or(largest);
  std::int64_t depth = 2 * size;
  while (true) {
    StreamPlan const plan =
        detail::plan_stream_by<T>(size, depth, m, n, k, most_entries, computing);
    bool const many =
        tile || size <= fills_a_device || std::max(plan.down, plan.across) >= along_longer_side;
    if (plan.fits() && many) {
      return plan;
    }
    TAPER_REQUIRE(depth > 1, "taper::matmul::multiply: " + std::to_string(memory_bytes) +
                                 " bytes of device memory are too few to stream tiles of " +
                                 std::to_string(plan.tile_rows) + " x " +
                                 std::to_string(plan.tile_columns));
    if (!tile) {
      size = std::max<std::int64_t>(1, size / 2);
    }
    depth /= 2;
  }
}

}  // namespace taper::matmul::device
