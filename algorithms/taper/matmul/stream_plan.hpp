// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

namespace taper::matmul::device {

/// How a product in host memory is partitioned. C consists of tiles; each is a sum over `slabs`
/// products of a block of A and a block of B. The device keeps as many blocks as fit.
/// Used by: stream_over().
struct StreamPlan {
  std::int64_t tile_rows = 0;
  std::int64_t tile_columns = 0;
  std::int64_t depth = 0;         ///< columns of a block of A, rows of one of B
  std::int64_t tiles_down = 0;    ///< rows of tiles of C
  std::int64_t tiles_across = 0;  ///< columns of tiles of C
  std::int64_t slabs = 0;         ///< parts of k

  std::int64_t block_entries = 0;  ///< size of a slot for a block of A or B
  std::int64_t tile_entries = 0;   ///< size of a slot for a tile of C
  std::int64_t block_slots = 0;
  std::int64_t tile_slots = 0;

  std::int64_t tiles() const { return tiles_down * tiles_across; }
  std::int64_t blocks() const { return slabs * (tiles_down + tiles_across); }
  std::int64_t entries() const { return block_slots * block_entries + tile_slots * tile_entries; }

  /// True if there are enough slots: the next two blocks arrive while two are multiplied.
  bool fits() const { return block_slots >= std::min<std::int64_t>(4, blocks()); }
};

/// `columns` rounded up so that each row begins at a multiple of 16 bytes and kernels can read
/// vectors.
template <class T>
constexpr std::int64_t row_pitch(std::int64_t columns) {
  constexpr std::int64_t vector = 16 / sizeof(T);
  return (columns + vector - 1) / vector * vector;
}

namespace detail {

/// The plan with tiles of at most `tile` x `tile` and blocks of at most `depth`.
template <class T>
StreamPlan plan_with_tile(std::int64_t tile, std::int64_t depth, std::int64_t m, std::int64_t n,
                          std::int64_t k, std::int64_t max_entries, std::int64_t computing) {
  auto const count = [](std::int64_t extent, std::int64_t piece) {
    return std::max<std::int64_t>(1, (extent + piece - 1) / piece);
  };
  auto const slot = [](std::int64_t rows, std::int64_t columns) {
    constexpr std::int64_t unit = 64;  // slots begin at cache lines
    std::int64_t const entries = rows * row_pitch<T>(columns);
    return std::max(unit, (entries + unit - 1) / unit * unit);
  };
  StreamPlan plan{std::min(m, tile), std::min(n, tile), std::min(k, depth),
                  count(m, tile),    count(n, tile),    count(k, depth)};
  // A slot must hold a block by rows or by columns, as the matrix is stored.
  plan.block_entries = slot(row_pitch<T>(std::max(plan.tile_rows, plan.tile_columns)), plan.depth);
  plan.tile_entries = slot(row_pitch<T>(plan.tile_rows), plan.tile_columns);
  // More slots than tiles are computed at a time: others wait for blocks, or to be copied back.
  plan.tile_slots = std::min(plan.tiles(), std::max<std::int64_t>(4, 2 * computing));
  std::int64_t const left = max_entries - plan.tile_slots * plan.tile_entries;
  plan.block_slots = std::min(plan.blocks(), std::max<std::int64_t>(0, left) / plan.block_entries);
  return plan;
}

}  // namespace detail

/// The plan for an m x n product of depth k (m, n >= 1, k >= 0) on `computing` instances that
/// multiply.
///
/// Without `tile`, tiles are as large as memory allows, up to 8192: each copied entry serves a
/// tile's width of multiply-adds. But the longer side has at least 8 tiles, unless they would be
/// below 2048, which fills a GPU. The reason: nothing overlaps with the first copies, nor with the
/// copy back of the last tile.
/// Throws: taper::Error if not even the smallest blocks fit.
template <class T>
StreamPlan plan_stream(std::int64_t m, std::int64_t n, std::int64_t k, std::uint64_t memory_bytes,
                       std::int64_t computing, std::optional<std::int64_t> tile) {
  auto const max_entries = static_cast<std::int64_t>(memory_bytes / sizeof(T));
  constexpr std::int64_t largest = 8192;
  constexpr std::int64_t fills_a_device = 2048;
  constexpr std::int64_t along_longer_side = 8;
  std::int64_t size = tile.value_or(largest);
  std::int64_t depth = 2 * size;
  while (true) {
    StreamPlan const plan = detail::plan_with_tile<T>(size, depth, m, n, k, max_entries, computing);
    bool const enough_tiles = tile || size <= fills_a_device ||
                              std::max(plan.tiles_down, plan.tiles_across) >= along_longer_side;
    if (plan.fits() && enough_tiles) {
      return plan;
    }
    TAPER_REQUIRE(depth > 1, "taper::matmul::multiply: " + std::to_string(memory_bytes) +
                                 " bytes of device memory cannot hold blocks and tiles of " +
                                 std::to_string(plan.tile_rows) + " x " +
                                 std::to_string(plan.tile_columns));
    if (!tile) {
      size = std::max<std::int64_t>(1, size / 2);
    }
    depth /= 2;
  }
}

}  // namespace taper::matmul::device
