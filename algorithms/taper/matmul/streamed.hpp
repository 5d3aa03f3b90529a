// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/device_info.hpp>
#include <taper/error.hpp>
#include <taper/huge_pages.hpp>
#include <taper/matmul/copy_rows.hpp>
#include <taper/matmul/event.hpp>
#include <taper/matmul/launch.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/options.hpp>
#include <taper/matmul/report.hpp>
#include <taper/matmul/staging_ring.hpp>
#include <taper/matmul/stream_plan.hpp>
#include <taper/matmul/timeline.hpp>
#include <taper/place.hpp>
#include <taper/stop.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

// Algorithm 8 of the document, in tiles. Three things overlap: copies of blocks of A and B to the
// device, products of other blocks, and copies of finished tiles of C to the host. All three
// matrices are in host memory, and none needs to fit into device memory.
//
// Used by: device::stream() in device.hpp, and callers with execution space instances of their own.

namespace taper::matmul::device {
namespace detail {

/// A matrix in host memory, and how its blocks are copied: in lines of contiguous entries, which
/// are its rows or its columns.
template <ExecutionSpace Exec, class T>
struct HostOperand {
  Matrix<T> matrix;
  bool by_columns;  ///< lines are columns
  bool direct;      ///< the device copies it without the staging ring

  explicit HostOperand(Matrix<T> const& x)
      : matrix(x),
        by_columns(x.has_contiguous_columns() && (!x.has_contiguous_rows() || x.columns == 1)),
        direct((by_columns || x.has_contiguous_rows()) && copies_asynchronously<Exec>(x)) {}

  /// A block, as a matrix whose rows are lines.
  Matrix<T> lines(std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns) const {
    Matrix<T> const block = matrix.block(i, j, rows, columns);
    return by_columns ? block.transposed() : block;
  }
};

/// One streamed product.
///
/// Events order the work of the execution space instances. The calling thread waits only for
/// buffers of the staging ring, and if it is 1024 pieces of work ahead of the device (Timeline).
///
/// The first instance copies to the device, the second copies to the host, and the others multiply,
/// one tile each. Of two instances, the second copies back and multiplies. A single one does all.
template <ExecutionSpace Exec, class HostCopier, class T>
class Streamed {
 public:
  Streamed(std::span<Exec const> where, HostCopier const& host_copier, StreamPlan const& plan,
           Engine engine, T alpha, Matrix<T const> const& a, Matrix<T const> const& b, T beta,
           Matrix<T> const& c)
      : to_device_(where.front()), to_host_(where[std::min<std::size_t>(1, where.size() - 1)]),
        computing_(where.subspan(std::min<std::size_t>(2, where.size() - 1))), plan_(plan),
        engine_(engine), alpha_(alpha), beta_(beta), a_(a), b_(b), c_(c), timeline_(where.front()),
        staging_(host_copier, staging_entries(), timeline_),
        memory_(allocate_large<Memory>(where.front(), "taper::matmul::streamed::slots",
                                       static_cast<std::size_t>(plan.entries()))),
        blocks_(static_cast<std::size_t>(plan.block_slots)),
        slot_of_block_(static_cast<std::size_t>(plan.blocks()), 0),
        tiles_(static_cast<std::size_t>(plan.tile_slots)) {
    T* slot = memory_.data();
    for (BlockSlot& block : blocks_) {
      block.data = slot;
      block.consumed.resize(computing_.size());
      slot += plan.block_entries;
    }
    for (TileSlot& tile : tiles_) {
      tile.data = slot;
      slot += plan.tile_entries;
    }
  }

  /// Computes the product, or the first tiles if the flag is set. Returns with all instances fenced.
  Report run(StopFlag stop) {
    std::int64_t const tiles = plan_.tiles();
    std::int64_t const slots = plan_.tile_slots;
    for (std::int64_t tile = 0; tile < tiles && !stop.is_set(); ++tile) {
      if (!c_.direct && tile >= slots) {
        copy_back(tile - slots);  // late, so that the device has queued work while the host copies
      }
      multiply(tile);
      if (c_.direct) {
        copy_back(tile);
      }
    }
    if (!c_.direct && !stop.is_set()) {
      for (std::int64_t tile = std::max<std::int64_t>(0, tiles - slots); tile < tiles; ++tile) {
        copy_back(tile);
      }
    }
    to_device_.fence("taper::matmul::streamed: wait for copies before slots are freed");
    for (Exec const& where : computing_) {
      where.fence("taper::matmul::streamed: wait for kernels before slots are freed");
    }
    to_host_.fence("taper::matmul::streamed: wait for C");

    streaming_.tile_rows = static_cast<std::uint64_t>(plan_.tile_rows);
    streaming_.tile_columns = static_cast<std::uint64_t>(plan_.tile_columns);
    streaming_.tiles = static_cast<std::uint64_t>(tiles);
    streaming_.device_bytes = memory_.span() * sizeof(T);
    timeline_.write(streaming_);
    return {.engine = Engine::streamed,
            .scratch_bytes = streaming_.device_bytes + staging_.bytes(),
            .streaming = streaming_};
  }

 private:
  using Memory = Kokkos::View<T*, typename Exec::memory_space>;
  /// Device memory for one block of A or B.
  struct BlockSlot {
    T* data = nullptr;
    std::int64_t block_number = -1;  ///< the block in it; -1: none
    std::uint64_t last_request = 0;  ///< the value of requests_ at its last use
    Event<Exec> arrived;
    /// Per computing instance: its last kernel that reads the slot is done.
    std::vector<Event<Exec>> consumed;
  };
  /// Device memory for one tile of C.
  struct TileSlot {
    T* data = nullptr;
    Event<Exec> arrived;
    Event<Exec> finished;
    Event<Exec> copied_back;  ///< recorded only for direct copies; the host waits for the others
  };
  /// A block of A or B on the device.
  struct DeviceBlock {
    BlockSlot& slot;
    Matrix<T const> matrix;
  };
  struct Range {
    std::int64_t begin;
    std::int64_t size;
  };

  /// The part of an extent that piece number `piece` covers.
  static Range range(std::int64_t piece, std::int64_t size, std::int64_t extent) {
    return {piece * size, std::min(size, extent - piece * size)};
  }

  /// Entries of a buffer of the staging ring: a quarter of a block, at most 8 MiB, at least one
  /// line. The transfer of 8 MiB takes so long that the cost of the calls does not matter.
  std::int64_t staging_entries() const {
    if (a_.direct && b_.direct && c_.direct) {
      return 0;
    }
    constexpr std::int64_t max_entries = (std::int64_t{8} << 20) / sizeof(T);
    return std::max({std::min(plan_.block_entries / 4, max_entries), plan_.tile_rows,
                     plan_.tile_columns, plan_.depth});
  }

  // The order of tiles is boustrophedon: left to right in one row of tiles, right to left in the
  // next. Then the most recently used blocks are needed first, which suits the LRU slots. The order
  // of slabs alternates in the same way if the slots cannot keep one row of blocks of A.
  std::int64_t row_of(std::int64_t tile) const { return tile / plan_.tiles_across; }
  std::int64_t column_of(std::int64_t tile) const {
    std::int64_t const column = tile % plan_.tiles_across;
    return row_of(tile) % 2 == 0 ? column : plan_.tiles_across - 1 - column;
  }

  std::int64_t slab_of(std::int64_t tile, std::int64_t step) const {
    bool const forth = plan_.block_slots >= 2 * plan_.slabs || tile % 2 == 0;
    return forth ? step : plan_.slabs - 1 - step;
  }

  /// A tile of C in host memory, as a matrix whose rows are lines.
  Matrix<T> lines_of(std::int64_t tile) const {
    Range const rows = range(row_of(tile), plan_.tile_rows, c_.matrix.rows);
    Range const columns = range(column_of(tile), plan_.tile_columns, c_.matrix.columns);
    return c_.lines(rows.begin, columns.begin, rows.size, columns.size);
  }
  /// The matrix in a slot that has the extents of `lines`.
  static Matrix<T> in_slot(T* slot, Matrix<T const> const& lines) {
    return {slot, lines.rows, lines.columns, row_pitch<T>(lines.columns), 1};
  }
  /// Converts lines to the matrix's own orientation.
  template <class U>
  Matrix<U> oriented(Matrix<U> const& lines, bool by_columns) const {
    return by_columns ? lines.transposed() : lines;
  }

  /// Starts the copy of a block or tile to a slot.
  void copy_in(bool direct, Matrix<T const> const& lines, Matrix<T> const& slot) {
    streaming_.bytes_to_device +=
        static_cast<std::uint64_t>(lines.rows * lines.columns) * sizeof(T);
    if (!direct) {
      return staging_.send(to_device_, lines, slot);
    }
    timeline_.run(StreamWork::to_device, to_device_, [&] {
      copy_rows<typename Exec::memory_space, Kokkos::HostSpace>(to_device_, lines, slot);
    });
  }

  /// Block `number` of A or B in a slot. If no slot has it, replaces the least recently used block
  /// and starts the copy; kernels must wait for the slot's `arrived`.
  DeviceBlock fetch(HostOperand<Exec, T const> const& from, std::int64_t number, Range rows,
                    Range columns) {
    Matrix<T const> const lines = from.lines(rows.begin, columns.begin, rows.size, columns.size);
    std::size_t& slot = slot_of_block_[static_cast<std::size_t>(number)];
    if (blocks_[slot].block_number != number) {
      auto const oldest = std::min_element(
          blocks_.begin(), blocks_.end(),
          [](BlockSlot const& x, BlockSlot const& y) { return x.last_request < y.last_request; });
      slot = static_cast<std::size_t>(oldest - blocks_.begin());
      for (Event<Exec> const& consumed : oldest->consumed) {
        consumed.make_wait(to_device_);
      }
      copy_in(from.direct, lines, in_slot(oldest->data, lines));
      oldest->arrived.record(to_device_);
      oldest->block_number = number;
    }
    BlockSlot& block = blocks_[slot];
    block.last_request = ++requests_;
    Matrix<T const> const matrix = in_slot(block.data, lines);
    return {block, oriented(matrix, from.by_columns)};
  }

  /// Launches the product of one tile, slab by slab, with the copies that it needs.
  void multiply(std::int64_t number) {
    TileSlot& tile = slot_of(number);
    std::size_t const instance = static_cast<std::size_t>(number) % computing_.size();
    Exec const& where = computing_[instance];
    std::int64_t const row = row_of(number);
    std::int64_t const column = column_of(number);
    Range const rows = range(row, plan_.tile_rows, c_.matrix.rows);
    Range const columns = range(column, plan_.tile_columns, c_.matrix.columns);
    Matrix<T> const lines = in_slot(tile.data, lines_of(number));
    if (beta_ != 0) {
      tile.copied_back.make_wait(to_device_);
      copy_in(c_.direct, lines_of(number), lines);
      tile.arrived.record(to_device_);
      tile.arrived.make_wait(where);
    }
    tile.copied_back.make_wait(where);
    T beta = beta_;
    for (std::int64_t step = 0; step < plan_.slabs; ++step) {
      std::int64_t const slab = slab_of(number, step);
      Range const depth = range(slab, plan_.depth, a_.matrix.columns);
      DeviceBlock const x = fetch(a_, row * plan_.slabs + slab, rows, depth);
      DeviceBlock const y =
          fetch(b_, (plan_.tiles_down + column) * plan_.slabs + slab, depth, columns);
      x.slot.arrived.make_wait(where);
      y.slot.arrived.make_wait(where);
      timeline_.run(StreamWork::compute, where, [&] {
        if (c_.by_columns) {  // engines expect contiguous rows: C^T = B^T A^T
          launch(engine_, where, alpha_, y.matrix.transposed(), x.matrix.transposed(), beta, lines);
        } else {
          launch(engine_, where, alpha_, x.matrix, y.matrix, beta, lines);
        }
      });
      x.slot.consumed[instance].record(where);
      y.slot.consumed[instance].record(where);
      beta = 1;
    }
    tile.finished.record(where);
  }

  /// Copies a tile to the host. A direct copy is only launched; by the staging ring, the tile is
  /// complete on return.
  void copy_back(std::int64_t number) {
    TileSlot& tile = slot_of(number);
    Matrix<T> const lines = lines_of(number);
    Matrix<T> const slot = in_slot(tile.data, lines);
    streaming_.bytes_to_host += static_cast<std::uint64_t>(lines.rows * lines.columns) * sizeof(T);
    tile.finished.make_wait(to_host_);
    if (!c_.direct) {
      return staging_.receive(to_host_, slot, lines);
    }
    timeline_.run(StreamWork::to_host, to_host_, [&] {
      copy_rows<Kokkos::HostSpace, typename Exec::memory_space>(to_host_, slot, lines);
    });
    tile.copied_back.record(to_host_);
  }

  TileSlot& slot_of(std::int64_t tile) {
    return tiles_[static_cast<std::size_t>(tile) % tiles_.size()];
  }

  Exec const& to_device_;
  Exec const& to_host_;
  std::span<Exec const> computing_;
  StreamPlan plan_;
  Engine engine_;
  T alpha_;
  T beta_;
  HostOperand<Exec, T const> a_;
  HostOperand<Exec, T const> b_;
  HostOperand<Exec, T> c_;
  Timeline<Exec> timeline_;
  StagingRing<Exec, HostCopier, T> staging_;
  Memory memory_;
  std::vector<BlockSlot> blocks_;
  /// The slot that had each block last. It may hold another block now.
  std::vector<std::size_t> slot_of_block_;
  std::vector<TileSlot> tiles_;
  std::uint64_t requests_ = 0;  ///< calls of fetch()
  Streaming streaming_;
};

}  // namespace detail

/// C = alpha A B + beta C in host memory, on the caller's execution space instances: one or more,
/// of one device. `host_copier`, a host instance or CallingThread, copies what the device cannot
/// copy itself: pageable memory, and matrices without contiguous lines.
///
/// Options: streamed_engine, stream_tile, stream_memory_bytes. Each tile is a sum over slabs of the
///   depth; alpha and the sum so far are rounded once per slab.
/// Cost: 2 m n k operations. A and B are copied once if the device holds both. Else A is copied
///   about once and B once per row of tiles, less the blocks that the slots still hold.
/// Async: returns with the instances fenced.
/// Throws: taper::Error if the memory is too small for the tile.
template <ExecutionSpace Exec, class HostCopier, class T>
Report stream_over(std::span<Exec const> where, HostCopier const& host_copier, T alpha,
                   Matrix<T const> a, Matrix<T const> b, T beta, Matrix<T> c,
                   Options const& options) {
  Engine const engine = options.streamed_engine == TileEngine::team_tiled
                            ? Engine::team_tiled
                            : Engine::register_blocked;
  TAPER_REQUIRE(!where.empty(),
                "taper::matmul::multiply: streaming needs at least one execution space instance");
  if (c.rows == 0 || c.columns == 0) {
    return {.engine = Engine::streamed};
  }
  if (alpha == 0 || a.columns == 0) {  // C = beta C; a NaN in alpha must not reach C
    alpha = 0;
    a = a.block(0, 0, a.rows, 0);
    b = b.block(0, 0, 0, b.columns);
  }
  // A tenth stays free for other allocations and for fragmentation.
  std::uint64_t const free = free_memory_bytes(where.front()) / 10 * 9;
  std::uint64_t const limit = options.stream_memory_bytes > 0
                                  ? static_cast<std::uint64_t>(options.stream_memory_bytes)
                              : free > 0 ? free
                                         : std::numeric_limits<std::uint64_t>::max();
  auto const computing = static_cast<std::int64_t>(where.size() > 2 ? where.size() - 2 : 1);
  StreamPlan const plan =
      plan_stream<T>(c.rows, c.columns, a.columns, limit, computing, options.stream_tile);
  Report report =
      detail::Streamed<Exec, HostCopier, T>(where, host_copier, plan, engine, alpha, a, b, beta, c)
          .run({options.stop});
  report.streaming.streams = where.size();
  return report;
}

}  // namespace taper::matmul::device
