// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/contract.hpp>
#include <taper/duo.hpp>
#include <taper/event.hpp>
#include <taper/large_view.hpp>
#include <taper/matmul/launch.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/options.hpp>
#include <taper/matmul/report.hpp>
#include <taper/matmul/staging.hpp>
#include <taper/matmul/stream_plan.hpp>
#include <taper/matmul/timeline.hpp>
#include <taper/matmul/transfer.hpp>
#include <taper/resources.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

// The document's Algorithm 8, in tiles: blocks of A and B are copied to the device while others are
// multiplied and finished tiles of C are copied back. All three matrices are in host memory, and
// none of them has to fit into the device's.

namespace taper::matmul::device {
namespace detail {

/// A matrix in host memory, and how its blocks are copied: in lines of contiguous entries, its rows
/// or its columns.
template <ExecutionSpace Exec, class T>
struct Far {
  Matrix<T> whole;
  bool by_columns;
  bool alone;  ///< without the host's help

  explicit Far(Matrix<T> const& matrix)
      : whole(matrix), by_columns(matrix.has_contiguous_columns() &&
                                  (!matrix.has_contiguous_rows() || matrix.columns == 1)),
        alone((by_columns || matrix.has_contiguous_rows()) && is_copied_alone<Exec>(matrix)) {}

  Matrix<T> lines(std::int64_t i, std::int64_t j, std::int64_t rows, std::int64_t columns) const {
    Matrix<T> const block = whole.block(i, j, rows, columns);
    return by_columns ? block.transposed() : block;
  }
};

/// One streamed product. Events keep the order on the device; the calling thread waits only for
/// buffers of the ring, and where it is a thousand pieces of work ahead.
///
/// Three roles share the instances: the first copies to the device, the second back, the others
/// multiply, a tile each. Of two, the second copies back and multiplies; one does everything.
template <ExecutionSpace Exec, class Helpers, class T>
class Streamed {
 public:
  Streamed(std::span<Exec const> where, Helpers const& helpers, StreamPlan const& plan,
           Engine engine, T alpha, Matrix<T const> const& a, Matrix<T const> const& b, T beta,
           Matrix<T> const& c)
      : to_device_(where.front()), to_host_(where[std::min<std::size_t>(1, where.size() - 1)]),
        computing_(where.subspan(std::min<std::size_t>(2, where.size() - 1))), plan_(plan),
        engine_(engine), alpha_(alpha), beta_(beta), a_(a), b_(b), c_(c), timeline_(where.front()),
        staging_(helpers, staging_entries(), timeline_),
        memory_(allocate_large<Memory>(where.front(), "taper::matmul::streamed::slots",
                                       static_cast<std::size_t>(plan.entries()))),
        blocks_(static_cast<std::size_t>(plan.block_slots)),
        slot_of_block_(static_cast<std::size_t>(plan.blocks()), 0),
        tiles_(static_cast<std::size_t>(plan.tile_slots)) {
    T* slot = memory_.data();
    for (Block& block : blocks_) {
      block.data = slot;
      block.read.resize(computing_.size());
      slot += plan.block_entries;
    }
    for (Tile& tile : tiles_) {
      tile.data = slot;
      slot += plan.tile_entries;
    }
  }

  Report run() {
    std::int64_t const tiles = plan_.tiles();
    std::int64_t const slots = plan_.tile_slots;
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      if (!c_.alone && tile >= slots) {
        copy_back(tile - slots);  // by then the device has enough to do
      }
      multiply(tile);
      if (c_.alone) {
        copy_back(tile);
      }
    }
    if (!c_.alone) {
      for (std::int64_t tile = std::max<std::int64_t>(0, tiles - slots); tile < tiles; ++tile) {
        copy_back(tile);
      }
    }
    to_device_.fence("taper::matmul::streamed: memory is freed");
    for (Exec const& where : computing_) {
      where.fence("taper::matmul::streamed: memory is freed");
    }
    to_host_.fence("taper::matmul::streamed: C is complete");

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
  /// A slot for a block of A or B.
  struct Block {
    T* data = nullptr;
    std::int64_t holds = -1;
    std::uint64_t used = 0;  ///< when it was last asked for, in requests
    Event<Exec> arrived;
    std::vector<Event<Exec>> read;  ///< by each instance that computes
  };
  /// A slot for a tile of C.
  struct Tile {
    T* data = nullptr;
    Event<Exec> arrived;
    Event<Exec> finished;
    Event<Exec> left;  ///< if the host did not wait for it
  };
  struct Operand {
    Block& slot;
    Matrix<T const> matrix;
  };
  struct Range {
    std::int64_t begin;
    std::int64_t size;
  };

  static Range range(std::int64_t piece, std::int64_t size, std::int64_t extent) {
    return {piece * size, std::min(size, extent - piece * size)};
  }

  /// Of a buffer of the ring: a line at least, and a quarter of a block, but no more than 8 MiB,
  /// which take the bus long enough that calls cost nothing.
  std::int64_t staging_entries() const {
    if (a_.alone && b_.alone && c_.alone) {
      return 0;
    }
    constexpr std::int64_t most = (std::int64_t{8} << 20) / sizeof(T);
    return std::max({std::min(plan_.block_entries / 4, most), plan_.tile_rows, plan_.tile_columns,
                     plan_.depth});
  }

  /// Tiles are walked to the right and, a row below, to the left: what was used last is used next,
  /// which is what slots that drop the least recently used block are good at. So are slabs, where
  /// slots are too few to keep one row of blocks of A.
  std::int64_t row_of(std::int64_t tile) const { return tile / plan_.across; }
  std::int64_t column_of(std::int64_t tile) const {
    std::int64_t const column = tile % plan_.across;
    return row_of(tile) % 2 == 0 ? column : plan_.across - 1 - column;
  }

  std::int64_t slab_of(std::int64_t tile, std::int64_t step) const {
    bool const forth = plan_.block_slots >= 2 * plan_.slabs || tile % 2 == 0;
    return forth ? step : plan_.slabs - 1 - step;
  }

  Matrix<T> lines_of(std::int64_t tile) const {
    Range const rows = range(row_of(tile), plan_.tile_rows, c_.whole.rows);
    Range const columns = range(column_of(tile), plan_.tile_columns, c_.whole.columns);
    return c_.lines(rows.begin, columns.begin, rows.size, columns.size);
  }
  static Matrix<T> in_slot(T* slot, Matrix<T const> const& lines) {
    return {slot, lines.rows, lines.columns, row_pitch<T>(lines.columns), 1};
  }
  template <class U>
  Matrix<U> turned(Matrix<U> const& lines, bool by_columns) const {
    return by_columns ? lines.transposed() : lines;
  }

  void copy_in(bool alone, Matrix<T const> const& lines, Matrix<T> const& slot) {
    streaming_.bytes_to_device +=
        static_cast<std::uint64_t>(lines.rows * lines.columns) * sizeof(T);
    if (!alone) {
      return staging_.send(to_device_, lines, slot);
    }
    timeline_.run(Role::to_device, to_device_, [&] {
      copy_rows<typename Exec::memory_space, Kokkos::HostSpace>(to_device_, lines, slot);
    });
  }

  /// Block (i, j) of A or B, on the device or on its way.
  Operand fetch(Far<Exec, T const> const& from, std::int64_t number, Range rows, Range columns) {
    Matrix<T const> const lines = from.lines(rows.begin, columns.begin, rows.size, columns.size);
    std::size_t& slot = slot_of_block_[static_cast<std::size_t>(number)];
    if (blocks_[slot].holds != number) {
      auto const oldest =
          std::min_element(blocks_.begin(), blocks_.end(),
                           [](Block const& x, Block const& y) { return x.used < y.used; });
      slot = static_cast<std::size_t>(oldest - blocks_.begin());
      for (Event<Exec> const& read : oldest->read) {
        read.hold(to_device_);
      }
      copy_in(from.alone, lines, in_slot(oldest->data, lines));
      oldest->arrived.record(to_device_);
      oldest->holds = number;
    }
    Block& block = blocks_[slot];
    block.used = ++requests_;
    Matrix<T const> const matrix = in_slot(block.data, lines);
    return {block, turned(matrix, from.by_columns)};
  }

  void multiply(std::int64_t number) {
    Tile& tile = slot_of(number);
    std::size_t const which = static_cast<std::size_t>(number) % computing_.size();
    Exec const& where = computing_[which];
    std::int64_t const row = row_of(number);
    std::int64_t const column = column_of(number);
    Range const rows = range(row, plan_.tile_rows, c_.whole.rows);
    Range const columns = range(column, plan_.tile_columns, c_.whole.columns);
    Matrix<T> const lines = in_slot(tile.data, lines_of(number));
    if (beta_ != 0) {
      tile.left.hold(to_device_);
      copy_in(c_.alone, lines_of(number), lines);
      tile.arrived.record(to_device_);
      tile.arrived.hold(where);
    }
    tile.left.hold(where);
    T beta = beta_;
    for (std::int64_t step = 0; step < plan_.slabs; ++step) {
      std::int64_t const slab = slab_of(number, step);
      Range const depth = range(slab, plan_.depth, a_.whole.columns);
      Operand const x = fetch(a_, row * plan_.slabs + slab, rows, depth);
      Operand const y = fetch(b_, (plan_.down + column) * plan_.slabs + slab, depth, columns);
      x.slot.arrived.hold(where);
      y.slot.arrived.hold(where);
      timeline_.run(Role::compute, where, [&] {
        if (c_.by_columns) {  // engines see contiguous rows
          launch(engine_, where, alpha_, y.matrix.transposed(), x.matrix.transposed(), beta, lines);
        } else {
          launch(engine_, where, alpha_, x.matrix, y.matrix, beta, lines);
        }
      });
      x.slot.read[which].record(where);
      y.slot.read[which].record(where);
      beta = 1;
    }
    tile.finished.record(where);
  }

  void copy_back(std::int64_t number) {
    Tile& tile = slot_of(number);
    Matrix<T> const lines = lines_of(number);
    Matrix<T> const slot = in_slot(tile.data, lines);
    streaming_.bytes_to_host += static_cast<std::uint64_t>(lines.rows * lines.columns) * sizeof(T);
    tile.finished.hold(to_host_);
    if (!c_.alone) {
      return staging_.receive(to_host_, slot, lines);
    }
    timeline_.run(Role::to_host, to_host_, [&] {
      copy_rows<Kokkos::HostSpace, typename Exec::memory_space>(to_host_, slot, lines);
    });
    tile.left.record(to_host_);
  }

  Tile& slot_of(std::int64_t tile) {
    return tiles_[static_cast<std::size_t>(tile) % tiles_.size()];
  }

  Exec const& to_device_;
  Exec const& to_host_;
  std::span<Exec const> computing_;
  StreamPlan plan_;
  Engine engine_;
  T alpha_;
  T beta_;
  Far<Exec, T const> a_;
  Far<Exec, T const> b_;
  Far<Exec, T> c_;
  Timeline<Exec> timeline_;
  Staging<Exec, Helpers, T> staging_;
  Memory memory_;
  std::vector<Block> blocks_;
  std::vector<std::size_t> slot_of_block_;  ///< it may hold another block by now
  std::vector<Tile> tiles_;
  std::uint64_t requests_ = 0;
  Streaming streaming_;
};

}  // namespace detail

/// C = alpha A B + beta C in host memory, on instances of the caller's: one or more, of one device.
/// `helpers` copy what the device does not reach: a host instance, or CallingThread.
///
/// Options: streamed_engine, stream_tile, stream_memory_bytes. Tiles are summed slab by slab, so that
///   alpha and the sum so far are rounded once for each slab of the depth.
/// Cost: 2 m n k operations. A and B are copied once where the device holds them both; else A about
///   once and B once for each row of tiles, less what the slots still hold.
/// Async: returns with the instances fenced.
/// Throws: taper::Error if memory is too little for the tile, or the engine is none of a device's.
template <ExecutionSpace Exec, class Helpers, class T>
Report stream_over(std::span<Exec const> where, Helpers const& helpers, T alpha, Matrix<T const> a,
                   Matrix<T const> b, T beta, Matrix<T> c, Options const& options) {
  Engine const engine = options.streamed_engine;
  TAPER_REQUIRE(engine == Engine::automatic || engine == Engine::register_blocked ||
                    engine == Engine::team_tiled,
                "taper::matmul::multiply: streamed_engine " + std::string(to_string(engine)) +
                    " is neither register_blocked nor team_tiled");
  TAPER_REQUIRE(!where.empty(), "taper::matmul::multiply: no instance to stream over");
  if (c.rows == 0 || c.columns == 0) {
    return {.engine = Engine::streamed};
  }
  if (alpha == 0 || a.columns == 0) {  // beta C is left, and alpha is not to meet the empty sum
    alpha = 0;
    a = a.block(0, 0, a.rows, 0);
    b = b.block(0, 0, 0, b.columns);
  }
  // A tenth stays free: others allocate too, and no allocator packs perfectly.
  std::uint64_t const free = free_memory_bytes(where.front()) / 10 * 9;
  std::uint64_t const limit = options.stream_memory_bytes > 0
                                  ? static_cast<std::uint64_t>(options.stream_memory_bytes)
                              : free > 0 ? free
                                         : std::numeric_limits<std::uint64_t>::max();
  auto const computing = static_cast<std::int64_t>(where.size() > 2 ? where.size() - 2 : 1);
  StreamPlan const plan =
      plan_stream<T>(c.rows, c.columns, a.columns, limit, computing, options.stream_tile);
  Report report =
      detail::Streamed<Exec, Helpers, T>(where, helpers, plan, engine, alpha, a, b, beta, c).run();
  report.streaming.streams = where.size();
  return report;
}

}  // namespace taper::matmul::device
