// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/device_info.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/place.hpp>
#include <taper/simd.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace taper::matmul::device {

/// The sizes of a kernel's blocks, at compile time.
///
/// A team computes a block_rows x block_columns block of C from slices of A and B of `depth`, in
/// scratch. Each thread keeps an interleaved thread_rows x thread_columns part of the block in
/// registers. The lanes of a warp form a grid of lane_rows x lane_columns.
template <int block_rows_, int block_columns_, int depth_, int thread_rows_, int thread_columns_,
          int lane_rows_, int lane_columns_, int teams_per_processor_>
struct Blocking {
  static constexpr int block_rows = block_rows_;
  static constexpr int block_columns = block_columns_;
  static constexpr int depth = depth_;
  static constexpr int thread_rows = thread_rows_;
  static constexpr int thread_columns = thread_columns_;
  static constexpr int lane_rows = lane_rows_;
  static constexpr int lane_columns = lane_columns_;
  static constexpr int teams_per_processor = teams_per_processor_;
  static constexpr int threads = block_rows / thread_rows * (block_columns / thread_columns);
  static constexpr int lanes = lane_rows * lane_columns;
  static_assert(threads % lanes == 0 && block_rows % (thread_rows * lane_rows) == 0 &&
                block_columns % (thread_columns * lane_columns) == 0);
};

/// Entries of one 16-byte access.
template <class T>
inline constexpr int vector_entries = 16 / sizeof(T);

/// The direction in which an operand is contiguous in memory: along the depth k, or along its other
/// extent (rows of A, columns of B).
enum class Contiguous { depth, extent };

/// Copies slices of one operand from memory to scratch, one after another. A slice has `extent` x
/// `depth` entries; in scratch it is stored step by step of the depth.
///
/// The copy goes through registers: load() starts the reads of the next slice while the team
/// multiplies the current one, and store() writes it to scratch. A thread reads `width` adjacent
/// entries per access.
template <class T, int extent, int depth, int threads, int width, Contiguous contiguous>
class Slice {
  static constexpr int accesses = extent * depth / (threads * width);
  static_assert(accesses * threads * width == extent * depth);
  using Word = SimdVector<T, std::uint32_t{width}>;

 public:
  /// Entries from one step of the depth to the next in scratch. It has 16 bytes of padding: lanes
  /// write 8 steps of 4 entries, or 2 steps of 16, at a time, and these fall into different banks.
  static constexpr int pitch = extent + vector_entries<T>;

  /// Starts at row `first` of `from`, whose columns are the depth. Rows past the last one repeat
  /// it; the sums that they contribute to are never written to C.
  KOKKOS_FORCEINLINE_FUNCTION Slice(Matrix<T const> const& from, std::int64_t first, int thread)
      : remaining_(from.columns), step_(from.column_stride * depth), thread_(thread) {
    TAPER_UNROLL
    for (int i = 0; i < accesses; ++i) {
      std::int64_t const last = from.rows - (contiguous == Contiguous::extent ? width : 1);
      from_[i] = &from(Kokkos::min(first + position(i), last), step(i));
    }
  }

  /// Starts to load the next slice; entries past the end of the depth are 0.
  KOKKOS_FORCEINLINE_FUNCTION void load() {
    if (remaining_ >= depth) {
      TAPER_UNROLL
      for (int i = 0; i < accesses; ++i) {
        loaded_[i] = vector_at<Word>(from_[i]);
      }
    } else {
      TAPER_UNROLL
      for (int i = 0; i < accesses; ++i) {
        loaded_[i] = step(i) < remaining_ ? vector_at<Word>(from_[i]) : Word{};
      }
    }
    TAPER_UNROLL
    for (int i = 0; i < accesses; ++i) {
      from_[i] += step_;
    }
    remaining_ -= depth;
  }

  /// Stores the loaded slice to scratch.
  KOKKOS_FORCEINLINE_FUNCTION void store(T* scratch) const {
    TAPER_UNROLL
    for (int i = 0; i < accesses; ++i) {
      T* const to = scratch + step(i) * pitch + position(i);
      if constexpr (contiguous == Contiguous::extent) {
        vector_at<Word>(to) = loaded_[i];
      } else {
        TAPER_UNROLL
        for (int j = 0; j < width; ++j) {
          to[j * pitch] = loaded_[i].entries[j];
        }
      }
    }
  }

 private:
  // The position along the extent, and the step of the depth, of access i of this thread. Adjacent
  // lanes read whole sectors of 32 bytes and write to different banks. If the depth is contiguous,
  // the sectors are those of `lines` rows.
  static constexpr int words = depth / width;
  static constexpr int lines = width == 1 ? 1 : std::min(16, extent);

  KOKKOS_FORCEINLINE_FUNCTION int position(int i) const {
    int const access = i * threads + thread_;
    return contiguous == Contiguous::extent ? access % (extent / width) * width
                                            : access / (lines * words) * lines + access % lines;
  }
  KOKKOS_FORCEINLINE_FUNCTION int step(int i) const {
    int const access = i * threads + thread_;
    return contiguous == Contiguous::extent ? access / (extent / width)
                                            : access / lines % words * width;
  }

  std::int64_t remaining_;
  std::int64_t step_;
  int thread_;
  T const* from_[std::size_t{accesses}];
  Word loaded_[std::size_t{accesses}];
};

/// The kernel: C = alpha A B + beta C, one block of C per team. Accesses to memory have `width`
/// entries; width 1 suits every matrix, others need has_vectors().
template <ExecutionSpace Exec, class T, class Blocking, int width, Contiguous contiguous_a,
          Contiguous contiguous_b>
struct MultiplyBlocks {
  using Policy = Kokkos::TeamPolicy<
      Exec, Kokkos::LaunchBounds<static_cast<unsigned>(Blocking::threads),
                                 static_cast<unsigned>(Blocking::teams_per_processor)>>;
  using Member = typename Policy::member_type;
  using SliceOfA =
      Slice<T, Blocking::block_rows, Blocking::depth, Blocking::threads, width, contiguous_a>;
  using SliceOfB =
      Slice<T, Blocking::block_columns, Blocking::depth, Blocking::threads, width, contiguous_b>;
  using Vector = SimdVector<T, std::uint32_t{vector_entries<T>}>;
  static constexpr int vectors =
      Blocking::depth * (SliceOfA::pitch + SliceOfB::pitch) / vector_entries<T>;
  /// Two buffers: one is filled while the other is read.
  using Scratch = Kokkos::View<Vector[2][std::size_t{vectors}], Kokkos::LayoutRight,
                               typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  static constexpr int rows_of_vectors = Blocking::thread_rows / vector_entries<T>;
  static constexpr int columns_of_vectors = Blocking::thread_columns / vector_entries<T>;
  static constexpr int row_step = Blocking::lane_rows * vector_entries<T>;
  static constexpr int column_step = Blocking::lane_columns * vector_entries<T>;
  /// Consecutive teams compute groups of blocks of C, `group` blocks high. Teams that run at the
  /// same time then share slices in the L2 cache.
  static constexpr int group = 8;

  T alpha;
  Matrix<T const> a;
  Matrix<T const> b;
  T beta;
  Matrix<T> c;

  KOKKOS_FUNCTION static int blocks(std::int64_t extent, int block) {
    return static_cast<int>((extent + block - 1) / block);
  }

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    int const thread = team.team_rank();
    int const lane = thread % Blocking::lanes;
    int const warp = thread / Blocking::lanes;
    constexpr int warps_per_row =
        Blocking::block_columns / (Blocking::thread_columns * Blocking::lane_columns);
    int const row = warp / warps_per_row * (Blocking::thread_rows * Blocking::lane_rows) +
                    lane / Blocking::lane_columns * vector_entries<T>;
    int const column = warp % warps_per_row * (Blocking::thread_columns * Blocking::lane_columns) +
                       lane % Blocking::lane_columns * vector_entries<T>;

    int const blocks_down = blocks(c.rows, Blocking::block_rows);
    int const blocks_across = blocks(c.columns, Blocking::block_columns);
    int const group_top = team.league_rank() / (group * blocks_across) * group;
    int const within = team.league_rank() % (group * blocks_across);
    int const group_rows = Kokkos::min(+group, blocks_down - group_top);
    std::int64_t const top =
        static_cast<std::int64_t>(group_top + within % group_rows) * Blocking::block_rows;
    std::int64_t const left =
        static_cast<std::int64_t>(within / group_rows) * Blocking::block_columns;

    Scratch const scratch(team.team_scratch(0));
    T* const first = scratch(0, 0).entries;
    constexpr int offset_of_b = Blocking::depth * SliceOfA::pitch;
    constexpr int buffer = vectors * vector_entries<T>;

    SliceOfA slice_of_a(a, top, thread);
    SliceOfB slice_of_b(b.transposed(), left, thread);
    T sums[std::size_t{Blocking::thread_rows}][std::size_t{Blocking::thread_columns}] = {};
    Vector from_a[2][std::size_t{rows_of_vectors}];
    Vector from_b[2][std::size_t{columns_of_vectors}];
    auto const read = [&](int which, T const* slices, int step) {
      TAPER_UNROLL
      for (int q = 0; q < rows_of_vectors; ++q) {
        from_a[which][q] = vector_at<Vector>(slices + step * SliceOfA::pitch + row + q * row_step);
      }
      TAPER_UNROLL
      for (int q = 0; q < columns_of_vectors; ++q) {
        from_b[which][q] = vector_at<Vector>(slices + offset_of_b + step * SliceOfB::pitch +
                                             column + q * column_step);
      }
    };

    slice_of_a.load();
    slice_of_b.load();
    slice_of_a.store(first);
    slice_of_b.store(first + offset_of_b);
    team.team_barrier();
    int current = 0;
    read(0, first, 0);
    int const slices = blocks(a.columns, Blocking::depth);
    for (int slice = 1; slice <= slices; ++slice) {
      if (slice < slices) {
        slice_of_a.load();
        slice_of_b.load();
      }
      TAPER_UNROLL
      for (int step = 0; step < Blocking::depth; ++step) {
        if (step + 1 == Blocking::depth) {
          // All threads have read the other buffer before the last barrier, so it can take the next
          // slice. After the last slice it takes that one again, and nothing reads it.
          current = buffer - current;
          slice_of_a.store(first + current);
          slice_of_b.store(first + current + offset_of_b);
          team.team_barrier();
        }
        read((step + 1) % 2, first + current, (step + 1) % Blocking::depth);
        TAPER_UNROLL
        for (int i = 0; i < Blocking::thread_rows; ++i) {
          TAPER_UNROLL
          for (int j = 0; j < Blocking::thread_columns; ++j) {
            sums[i][j] += from_a[step % 2][i / vector_entries<T>].entries[i % vector_entries<T>] *
                          from_b[step % 2][j / vector_entries<T>].entries[j % vector_entries<T>];
          }
        }
      }
    }

    TAPER_UNROLL
    for (int i = 0; i < Blocking::thread_rows; ++i) {
      std::int64_t const y = top + row + i / vector_entries<T> * row_step + i % vector_entries<T>;
      TAPER_UNROLL
      for (int q = 0; q < columns_of_vectors; ++q) {
        std::int64_t const x = left + column + q * column_step;
        if (y < c.rows) {
          write_vector(y, x, &sums[i][q * vector_entries<T>]);
        }
      }
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void write_vector(std::int64_t y, std::int64_t x,
                                                T const* sums) const {
    using Word = SimdVector<T, std::uint32_t{width}>;
    TAPER_UNROLL
    for (int j = 0; j < vector_entries<T>; j += width) {
      if (x + j < c.columns) {
        Word& to = vector_at<Word>(&c(y, x + j));
        Word out;
        TAPER_UNROLL
        for (int l = 0; l < width; ++l) {
          out.entries[l] = alpha * sums[j + l];
        }
        if (beta != 0) {
          Word const old = to;
          TAPER_UNROLL
          for (int l = 0; l < width; ++l) {
            out.entries[l] += beta * old.entries[l];
          }
        }
        to = out;
      }
    }
  }
};

/// The partition for a backend: large blocks and many threads on a GPU, one thread per team on a
/// host.
template <ExecutionSpace Exec, class T>
using LargeBlocking =
    std::conditional_t<is_gpu<Exec>,
                       std::conditional_t<sizeof(T) == 4, Blocking<256, 128, 8, 16, 8, 4, 8, 1>,
                                          Blocking<64, 128, 8, 8, 8, 4, 8, 2>>,
                       Blocking<8, 16, 32, 8, 16, 1, 1, 1>>;
/// The partition for products of floats that have too few large blocks for all processors.
using SmallBlocking = Blocking<128, 128, 8, 8, 8, 4, 8, 1>;

namespace detail {

/// True if all rows are aligned to 16 bytes and a multiple of 16 bytes long.
template <class T>
bool has_vectors(Matrix<T> const& m) {
  return m.column_stride == 1 && m.columns % vector_entries<T> == 0 &&
         m.row_stride % vector_entries<T> == 0 &&
         reinterpret_cast<std::uintptr_t>(m.data) % 16 == 0;
}

template <class Blocking, int width, Contiguous contiguous_a, Contiguous contiguous_b,
          ExecutionSpace Exec, class T>
void launch_blocks(Exec const& where, T alpha, Matrix<T const> const& a, Matrix<T const> const& b,
                   T beta, Matrix<T> const& c) {
  using Multiply = MultiplyBlocks<Exec, T, Blocking, width, contiguous_a, contiguous_b>;
  typename Multiply::Policy policy(where,
                                   Multiply::blocks(c.rows, Blocking::block_rows) *
                                       Multiply::blocks(c.columns, Blocking::block_columns),
                                   Blocking::threads, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(Multiply::Scratch::shmem_size()));
  Kokkos::parallel_for("taper::matmul::register_blocked", policy, Multiply{alpha, a, b, beta, c});
}

}  // namespace detail

/// C = alpha A B + beta C with the given Blocking; chooses the kernel for the layouts of A, B and
/// C.
/// Async: returns after the launch.
template <class Blocking, ExecutionSpace Exec, class T>
void multiply_by_blocking(Exec const& where, T alpha, Matrix<T const> const& a,
                          Matrix<T const> const& b, T beta, Matrix<T> const& c) {
  if (c.rows == 0 || c.columns == 0) {
    return;
  }
  if (detail::has_vectors(a) && detail::has_vectors(b) && detail::has_vectors(c)) {
    return detail::launch_blocks<Blocking, vector_entries<T>, Contiguous::depth,
                                 Contiguous::extent>(where, alpha, a, b, beta, c);
  }
  bool const a_by_depth = a.column_stride <= a.row_stride;
  bool const b_by_depth = b.row_stride < b.column_stride;
  if (a_by_depth && b_by_depth) {
    detail::launch_blocks<Blocking, 1, Contiguous::depth, Contiguous::depth>(where, alpha, a, b,
                                                                             beta, c);
  } else if (a_by_depth) {
    detail::launch_blocks<Blocking, 1, Contiguous::depth, Contiguous::extent>(where, alpha, a, b,
                                                                              beta, c);
  } else if (b_by_depth) {
    detail::launch_blocks<Blocking, 1, Contiguous::extent, Contiguous::depth>(where, alpha, a, b,
                                                                              beta, c);
  } else {
    detail::launch_blocks<Blocking, 1, Contiguous::extent, Contiguous::extent>(where, alpha, a, b,
                                                                               beta, c);
  }
}

/// True if a product takes less time with large blocks than with small ones, which are half as
/// large. It has `large` blocks of the one size, or `small` of the other.
///
/// The model: each processor computes one block at a time. A large block takes 7/8 of the time of
/// two small ones. The last round takes as long as the others, even if few processors have a block.
inline bool large_blocks_pay(std::int64_t large, std::int64_t small, std::int64_t processors) {
  auto const rounds = [&](std::int64_t blocks) { return (blocks + processors - 1) / processors; };
  return 2 * rounds(large) * 7 <= rounds(small) * 8;
}

/// C = alpha A B + beta C; each thread keeps a block of C in its registers.
///
/// Cost: 2 m n k operations. On one H100, compared with cuBLAS without tensor cores: float reaches
///   89 to 94 % for n >= 2048 and 62 % at n = 1024. Double reaches 38 % of cuBLAS, which then uses
///   tensor cores.
/// Async: returns after the launch.
template <ExecutionSpace Exec, class T>
void register_blocked(Exec const& where, T alpha, Matrix<T const> const& a,
                      Matrix<T const> const& b, T beta, Matrix<T> const& c) {
  using Large = LargeBlocking<Exec, T>;
  if constexpr (is_gpu<Exec> && sizeof(T) == 4) {
    auto const blocks = [&](std::int64_t rows, std::int64_t columns) {
      return ((c.rows + rows - 1) / rows) * ((c.columns + columns - 1) / columns);
    };
    if (!large_blocks_pay(blocks(Large::block_rows, Large::block_columns),
                          blocks(SmallBlocking::block_rows, SmallBlocking::block_columns),
                          processors(where))) {
      return multiply_by_blocking<SmallBlocking>(where, alpha, a, b, beta, c);
    }
  }
  multiply_by_blocking<Large>(where, alpha, a, b, beta, c);
}

}  // namespace taper::matmul::device
