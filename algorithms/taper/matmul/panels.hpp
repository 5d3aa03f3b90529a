// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/matmul/loops.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/vector_register.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

// The best portable product on a host. Panels of A and B are copied in the order in which they are
// read, and the sums of a small block of C stay in vector registers while a panel goes by.
//
// Error of an entry: (512 + ceil(k / 512)) u |a|.|b| to first order: sums of 512 products, added up.
// Sources: Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", ACM TOMS 34(3),
//   2008; the loops are those of Van Zee and van de Geijn, "BLIS: a framework for rapidly
//   instantiating BLAS functionality", ACM TOMS 41(3), 2015, with the roles of A and B exchanged,
//   since C's rows are contiguous here.

namespace taper::matmul::detail {

/// The block of C whose sums live in registers: 6 rows of as many vectors as leave registers for a row
/// of B and an entry of A. Twelve sums at least keep two multiply-add units of four or five cycles of
/// latency busy.
template <class T, int bytes = vector_bytes, int registers = vector_registers>
struct RegisterTile {
  static constexpr int lanes = bytes / static_cast<int>(sizeof(T));
  static constexpr int vectors = registers >= 32 ? 4 : 2;
  static constexpr int rows = 6;
  static constexpr int columns = vectors * lanes;
  using Vector = VectorRegister<T, bytes>;

  /// sums = the product of a packed panel of A, `rows` entries for each k, and one of B, `columns`.
  [[gnu::noinline]] static void multiply(std::int64_t depth, T const* a, T const* b, T* sums) {
    Vector sum[rows][vectors] = {};
    for (std::int64_t k = 0; k < depth; ++k) {
      Vector right[vectors];
      unrolled<vectors>(
          [&](auto v) { right[v] = *reinterpret_cast<Vector const*>(b + v * lanes); });
      unrolled<rows>([&](auto i) {
        T const left = a[i];
        unrolled<vectors>([&](auto v) { sum[i][v] += left * right[v]; });
      });
      a += rows;
      b += columns;
    }
    unrolled<rows>([&](auto i) {
      unrolled<vectors>(
          [&](auto v) { *reinterpret_cast<Vector*>(sums + i * columns + v * lanes) = sum[i][v]; });
    });
  }
};

/// How a product is cut into panels. A's panels of a whole k-range, and B's of as many columns as
/// `most_columns`, are packed by all workers; then each takes blocks of C.
template <class T>
struct PackedPlan {
  using Tile = RegisterTile<T>;
  // A panel of A of this depth takes 24 KiB of doubles, a block of A less than an L2 cache of 1 MiB,
  // B's panels at a time 16 MiB of the L3. Measured on a Zen 4 core, where a depth of 256 or half as
  // many rows cost 2 to 5 %.
  static constexpr std::int64_t depth = 512;
  static constexpr std::int64_t most_block_rows = 32 * Tile::rows;
  static constexpr std::int64_t most_columns = 4096 / Tile::columns * Tile::columns;

  static constexpr std::int64_t panels(std::int64_t extent, std::int64_t size) {
    return (extent + size - 1) / size;
  }
  /// Entries of packed panels: `a` for m rows, `b` for n columns, of up to `depth` of k.
  static constexpr std::int64_t a_entries(std::int64_t m, std::int64_t k) {
    return panels(m, Tile::rows) * Tile::rows * std::min(k, depth);
  }
  static constexpr std::int64_t b_entries(std::int64_t n, std::int64_t k) {
    return panels(std::min(n, most_columns), Tile::columns) * Tile::columns * std::min(k, depth);
  }
  /// What a product needs beside its matrices, in entries; each part begins a cache line.
  static constexpr std::int64_t scratch_entries(std::int64_t m, std::int64_t n, std::int64_t k) {
    return aligned(a_entries(m, k)) + aligned(b_entries(n, k));
  }
  static constexpr std::int64_t aligned(std::int64_t entries) {
    constexpr std::int64_t line = 64 / sizeof(T);
    return (entries + line - 1) / line * line;
  }
};

/// `size` rows of m from row `first`, as one panel: `size` entries for each column, missing ones 0.
template <int size, class T>
void pack_panel(Matrix<T const> const& m, std::int64_t first, T* to) {
  std::int64_t const rows = std::min<std::int64_t>(size, m.rows - first);
  if (rows < size) {
    for (std::int64_t k = 0; k < m.columns; ++k) {
      for (std::int64_t i = 0; i < size; ++i) {
        to[k * size + i] = i < rows ? m(first + i, k) : T(0);
      }
    }
  } else if (m.row_stride == 1) {
    for (std::int64_t k = 0; k < m.columns; ++k) {
      T const* KOKKOS_RESTRICT const from = &m(first, k);
      T* KOKKOS_RESTRICT const group = to + k * size;
      for (int i = 0; i < size; ++i) {
        group[i] = from[i];
      }
    }
  } else {
    for (std::int64_t k = 0; k < m.columns; ++k) {
      for (int i = 0; i < size; ++i) {
        to[k * size + i] = m(first + i, k);
      }
    }
  }
}

/// c = alpha * sums + beta * c; `c` is a register tile of C or what is left of one at its edges.
template <class Tile, class T>
void store_tile(T alpha, T const* KOKKOS_RESTRICT sums, T beta, Matrix<T> const& c) {
  if (c.rows == Tile::rows && c.columns == Tile::columns && c.column_stride == 1) {
    for (int i = 0; i < Tile::rows; ++i) {
      T* KOKKOS_RESTRICT const to = &c(i, 0);
      T const* KOKKOS_RESTRICT const from = sums + i * Tile::columns;
      if (beta == 0) {
        for (int j = 0; j < Tile::columns; ++j) {
          to[j] = alpha * from[j];
        }
      } else {
        for (int j = 0; j < Tile::columns; ++j) {
          to[j] = alpha * from[j] + beta * to[j];
        }
      }
    }
    return;
  }
  for (std::int64_t i = 0; i < c.rows; ++i) {
    for (std::int64_t j = 0; j < c.columns; ++j) {
      c(i, j) = alpha * sums[i * Tile::columns + j] + scaled(beta, c(i, j));
    }
  }
}

/// A block of C from packed panels of A and B: a panel of B stays near while the block's panels of A
/// go by.
template <class T>
void multiply_panels(std::int64_t depth, T alpha, T const* a, T const* b, T beta,
                     Matrix<T> const& c) {
  using Tile = RegisterTile<T>;
  alignas(64) T sums[Tile::rows * Tile::columns];
  for (std::int64_t j = 0; j < c.columns; j += Tile::columns) {
    for (std::int64_t i = 0; i < c.rows; i += Tile::rows) {
      auto const out = c.block(i, j, std::min<std::int64_t>(Tile::rows, c.rows - i),
                               std::min<std::int64_t>(Tile::columns, c.columns - j));
      for (std::int64_t row = 0; row < out.rows; ++row) {
        prefetch(&out(row, 0));
      }
      Tile::multiply(depth, a + i * depth, b + j * depth, sums);
      store_tile<Tile>(alpha, sums, beta, out);
    }
  }
}

/// C = alpha A B + beta C for `workers` workers: each(count, f) calls f(0) ... f(count-1), perhaps at
/// the same time, and returns when all are done. `scratch` has PackedPlan::scratch_entries() entries
/// and begins a cache line.
template <class T, class Each>
void multiply_packed(Each const& each, std::int64_t workers, T* scratch, T alpha, Matrix<T const> a,
                     Matrix<T const> b, T beta, Matrix<T> c) {
  using Plan = PackedPlan<T>;
  using Tile = typename Plan::Tile;
  T* const packed_a = scratch;
  T* const packed_b = scratch + Plan::aligned(Plan::a_entries(a.rows, a.columns));

  for (std::int64_t column = 0; column < c.columns; column += Plan::most_columns) {
    std::int64_t const n = std::min(Plan::most_columns, c.columns - column);
    for (std::int64_t k = 0; k < a.columns; k += Plan::depth) {
      std::int64_t const depth = std::min(Plan::depth, a.columns - k);
      auto const left = a.block(0, k, a.rows, depth);
      auto const right = b.block(k, column, depth, n).transposed();
      std::int64_t const a_panels = Plan::panels(a.rows, Tile::rows);
      std::int64_t const b_panels = Plan::panels(n, Tile::columns);
      each(a_panels + b_panels, [&](std::int64_t panel) {
        if (panel < a_panels) {
          std::int64_t const first = panel * Tile::rows;
          pack_panel<Tile::rows>(left, first, packed_a + first * depth);
        } else {
          std::int64_t const first = (panel - a_panels) * Tile::columns;
          pack_panel<Tile::columns>(right, first, packed_b + first * depth);
        }
      });

      // Blocks of equal height; cut in width too where there are few for so many workers.
      std::int64_t const bands = Plan::panels(a.rows, Plan::most_block_rows);
      std::int64_t const rows = Plan::panels(a_panels, bands) * Tile::rows;
      std::int64_t const cuts =
          workers == 1 ? 1
                       : std::clamp<std::int64_t>(Plan::panels(4 * workers, bands), 1, b_panels);
      std::int64_t const columns = Plan::panels(b_panels, cuts) * Tile::columns;
      T const kept = k == 0 ? beta : T(1);
      each(Plan::panels(a.rows, rows) * Plan::panels(n, columns), [&](std::int64_t block) {
        std::int64_t const i = block / Plan::panels(n, columns) * rows;
        std::int64_t const j = block % Plan::panels(n, columns) * columns;
        multiply_panels(
            depth, alpha, packed_a + i * depth, packed_b + j * depth, kept,
            c.block(i, column + j, std::min(rows, c.rows - i), std::min(columns, n - j)));
      });
    }
  }
}

}  // namespace taper::matmul::detail
