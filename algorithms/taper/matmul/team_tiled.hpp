// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

namespace taper::matmul::device {

/// The kernel of Algorithm 7: a team computes a tile of C from tiles of A and B that it copies to
/// scratch. On a GPU each thread computes one entry of C. On a host the team has one thread, which
/// computes all entries.
template <ExecutionSpace Exec, class T, int tile>
struct MultiplyTiles {
  static constexpr int threads = is_gpu<Exec> ? tile * tile : 1;
  using Policy = Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<static_cast<unsigned>(threads), 1>>;
  using Member = typename Policy::member_type;
  /// One column of padding: writes along a column then go to different banks.
  using Tile = Kokkos::View<T[std::size_t{tile}][std::size_t{tile + 1}], Kokkos::LayoutRight,
                            typename Exec::scratch_memory_space, Kokkos::MemoryUnmanaged>;
  /// The part of a tile that one thread computes.
  static constexpr int thread_rows = is_gpu<Exec> ? 1 : tile;
  static constexpr int thread_columns = is_gpu<Exec> ? 1 : tile;

  T alpha;
  Matrix<T const> a;
  Matrix<T const> b;
  T beta;
  Matrix<T> c;
  int tiles_per_row;

  KOKKOS_FUNCTION void operator()(Member const& team) const {
    Tile const from_a(team.team_scratch(0));
    Tile const from_b(team.team_scratch(0));
    int const row = team.team_rank() * thread_columns / tile;
    int const column = team.team_rank() * thread_columns % tile;
    std::int64_t const top = static_cast<std::int64_t>(team.league_rank() / tiles_per_row) * tile;
    std::int64_t const left = static_cast<std::int64_t>(team.league_rank() % tiles_per_row) * tile;
    T sums[std::size_t{thread_rows}][std::size_t{thread_columns}] = {};
    for (std::int64_t k = 0; k < a.columns; k += tile) {
      copy(from_a, a, top, k, row, column);
      copy(from_b, b, k, left, row, column);
      team.team_barrier();
      for (int y = 0; y < thread_rows; ++y) {
        for (int step = 0; step < tile; ++step) {
          T const factor = from_a(row + y, step);
          for (int x = 0; x < thread_columns; ++x) {
            sums[y][x] += factor * from_b(step, column + x);
          }
        }
      }
      team.team_barrier();
    }
    for (int y = 0; y < thread_rows; ++y) {
      for (int x = 0; x < thread_columns; ++x) {
        std::int64_t const i = top + row + y;
        std::int64_t const j = left + column + x;
        if (i < c.rows && j < c.columns) {
          T const product = alpha * sums[y][x];
          c(i, j) = beta == 0 ? product : product + beta * c(i, j);
        }
      }
    }
  }

 private:
  /// Copies a tile to scratch; entries past the edge of the matrix are 0. Adjacent lanes read
  /// adjacent entries, whether rows or columns are contiguous.
  KOKKOS_FUNCTION static void copy(Tile const& to, Matrix<T const> const& from, std::int64_t top,
                                   std::int64_t left, int row, int column) {
    bool const by_columns = from.row_stride < from.column_stride;
    for (int y = 0; y < thread_rows; ++y) {
      for (int x = 0; x < thread_columns; ++x) {
        int const i = by_columns ? column + x : row + y;
        int const j = by_columns ? row + y : column + x;
        bool const inside = top + i < from.rows && left + j < from.columns;
        to(i, j) = inside ? from(top + i, left + j) : T(0);
      }
    }
  }
};

/// C = alpha A B + beta C by Algorithm 7, tiles of `tile` x `tile`.
///
/// Cost: 2 m n k operations. Each entry of A is read n / tile times from memory, each of B m / tile
///   times. Scratch bandwidth limits the speed: each multiply-add needs two loads from it.
/// Async: returns after the launch.
template <int tile = 32, ExecutionSpace Exec, class T>
void team_tiled(Exec const& where, T alpha, Matrix<T const> const& a, Matrix<T const> const& b,
                T beta, Matrix<T> const& c) {
  using Multiply = MultiplyTiles<Exec, T, tile>;
  if (c.rows == 0 || c.columns == 0) {
    return;
  }
  auto const tiles_per_column = static_cast<int>((c.rows + tile - 1) / tile);
  auto const tiles_per_row = static_cast<int>((c.columns + tile - 1) / tile);
  typename Multiply::Policy policy(where, tiles_per_column * tiles_per_row, Multiply::threads, 1);
  policy.set_scratch_size(0, Kokkos::PerTeam(2 * Multiply::Tile::shmem_size()));
  Kokkos::parallel_for("taper::matmul::team_tiled", policy,
                       Multiply{alpha, a, b, beta, c, tiles_per_row});
}

}  // namespace taper::matmul::device
