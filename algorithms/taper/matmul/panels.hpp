// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/matmul/loops.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/stop.hpp>
#include <taper/vector_register.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

// The fastest portable product on a host: Kernel::packed and Engine::packed.
//
// Panels of A and B are packed: copied in the order in which the inner loop reads them. The sums of
// a small tile of C stay in vector registers while the loop passes over a panel.
//
// Error of an entry: (512 + ceil(k / 512)) u |a|.|b| to first order, since it adds sums of 512
//   products. u and |a|.|b| as in loops.hpp.
// Sources: Goto and van de Geijn, "Anatomy of high-performance matrix multiplication", ACM TOMS
//   34(3), 2008. The loops are those of Van Zee and van de Geijn, "BLIS: a framework for rapidly
//   instantiating BLAS functionality", ACM TOMS 41(3), 2015, with the roles of A and B exchanged,
//   since C's rows are contiguous here.

namespace taper::matmul::detail {

/// The tile of C whose sums stay in vector registers: 6 rows of 2 or 4 vectors. The other registers
/// hold a row of B and an entry of A.
///
/// At least 12 independent sums keep two multiply-add units with a latency of 4 or 5 cycles busy.
template <class T, int bytes = vector_bytes, int registers = vector_registers>
struct RegisterTile {
  static constexpr int entries_per_vector = bytes / static_cast<int>(sizeof(T));
  static constexpr int vectors = registers >= 32 ? 4 : 2;
  static constexpr int rows = 6;
  static constexpr int columns = vectors * entries_per_vector;
  using Vector = VectorRegister<T, bytes>;

  /// sums = the product of a packed panel of A and one of B. For each k the panel of A has `rows`
  /// entries and that of B `columns`.
  [[gnu::noinline]] static void multiply(std::int64_t depth, T const* a, T const* b, T* sums) {
    Vector sum[std::size_t{rows}][std::size_t{vectors}] = {};
    for (std::int64_t k = 0; k < depth; ++k) {
      Vector right[std::size_t{vectors}];
      unrolled<vectors>(
          [&](auto v) { right[v] = *reinterpret_cast<Vector const*>(b + v * entries_per_vector); });
      unrolled<rows>([&](auto i) {
        T const left = a[i];
        unrolled<vectors>([&](auto v) { sum[i][v] += left * right[v]; });
      });
      a += rows;
      b += columns;
    }
    unrolled<rows>([&](auto i) {
      unrolled<vectors>([&](auto v) {
        *reinterpret_cast<Vector*>(sums + i * columns + v * entries_per_vector) = sum[i][v];
      });
    });
  }
};

/// How a product is partitioned into panels.
///
/// For each range of `depth` steps of k and each `max_columns` columns of B, all workers pack the
/// panels of A and of B. Then each worker computes blocks of C.
template <class T>
struct PanelPlan {
  using Tile = RegisterTile<T>;
  // With doubles, a panel of A takes 24 KiB, a block of A less than an L2 cache of 1 MiB, and all
  // packed panels of B 16 MiB of the L3. Measured on a Zen 4 core: a depth of 256, or half the
  // rows, costs 2 to 5 %.
  static constexpr std::int64_t depth = 512;
  static constexpr std::int64_t max_block_rows = 32 * Tile::rows;
  static constexpr std::int64_t max_columns = 4096 / Tile::columns * Tile::columns;

  /// The number of panels, `size` wide, that cover an extent.
  static constexpr std::int64_t panels(std::int64_t extent, std::int64_t size) {
    return (extent + size - 1) / size;
  }
  /// Entries of the packed panels of A for m rows, of B for n columns, and up to `depth` of k.
  static constexpr std::int64_t panel_entries_of_a(std::int64_t m, std::int64_t k) {
    return panels(m, Tile::rows) * Tile::rows * std::min(k, depth);
  }
  static constexpr std::int64_t panel_entries_of_b(std::int64_t n, std::int64_t k) {
    return panels(std::min(n, max_columns), Tile::columns) * Tile::columns * std::min(k, depth);
  }
  /// Scratch of a product, in entries. The panels of A and of B each begin at a cache line.
  static constexpr std::int64_t scratch_entries(std::int64_t m, std::int64_t n, std::int64_t k) {
    return aligned(panel_entries_of_a(m, k)) + aligned(panel_entries_of_b(n, k));
  }
  static constexpr std::int64_t aligned(std::int64_t entries) {
    constexpr std::int64_t line = 64 / sizeof(T);
    return (entries + line - 1) / line * line;
  }
};

/// Packs `size` rows of m from row `first` into one panel: `size` entries per column, 0 for rows
/// past the last.
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

/// c = alpha * sums + beta * c, for a register tile of C or a part of one at C's edges.
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

/// c = alpha * (panels of A times panels of B) + beta * c, for one block of C. A panel of B stays
/// in a near cache while the loop passes over the block's panels of A.
template <class T>
void multiply_block_from_panels(std::int64_t depth, T alpha, T const* a, T const* b, T beta,
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

/// C = alpha A B + beta C for `workers` workers.
///
/// each(count, f) must call f(0) ... f(count-1), in parallel or not, and return when all are done.
/// `scratch` must begin at a cache line and have PanelPlan::scratch_entries() entries.
/// If the flag is set, it leaves the rest of C as it is: a block takes up to 40 ms.
/// Used by: the engine packed, and the kernel packed of all others.
template <class T, class Each>
void multiply_in_panels(Each const& each, std::int64_t workers, T* scratch, T alpha,
                        Matrix<T const> a, Matrix<T const> b, T beta, Matrix<T> c, StopFlag stop) {
  using Plan = PanelPlan<T>;
  using Tile = typename Plan::Tile;
  T* const panels_of_a = scratch;
  T* const panels_of_b = scratch + Plan::aligned(Plan::panel_entries_of_a(a.rows, a.columns));

  for (std::int64_t column = 0; column < c.columns; column += Plan::max_columns) {
    std::int64_t const n = std::min(Plan::max_columns, c.columns - column);
    for (std::int64_t k = 0; k < a.columns && !stop.is_set(); k += Plan::depth) {
      std::int64_t const depth = std::min(Plan::depth, a.columns - k);
      auto const left = a.block(0, k, a.rows, depth);
      auto const right = b.block(k, column, depth, n).transposed();
      std::int64_t const a_panels = Plan::panels(a.rows, Tile::rows);
      std::int64_t const b_panels = Plan::panels(n, Tile::columns);
      each(a_panels + b_panels, [&](std::int64_t panel) {
        if (panel < a_panels) {
          std::int64_t const first = panel * Tile::rows;
          pack_panel<Tile::rows>(left, first, panels_of_a + first * depth);
        } else {
          std::int64_t const first = (panel - a_panels) * Tile::columns;
          pack_panel<Tile::columns>(right, first, panels_of_b + first * depth);
        }
      });

      // Blocks of equal height; also split by columns if there are too few blocks for the workers.
      std::int64_t const bands = Plan::panels(a.rows, Plan::max_block_rows);
      std::int64_t const rows = Plan::panels(a_panels, bands) * Tile::rows;
      std::int64_t const cuts =
          workers == 1 ? 1
                       : std::clamp<std::int64_t>(Plan::panels(4 * workers, bands), 1, b_panels);
      std::int64_t const columns = Plan::panels(b_panels, cuts) * Tile::columns;
      T const beta_here = k == 0 ? beta : T(1);
      each(Plan::panels(a.rows, rows) * Plan::panels(n, columns), [&](std::int64_t block) {
        if (stop.is_set()) {
          return;
        }
        std::int64_t const i = block / Plan::panels(n, columns) * rows;
        std::int64_t const j = block % Plan::panels(n, columns) * columns;
        multiply_block_from_panels(
            depth, alpha, panels_of_a + i * depth, panels_of_b + j * depth, beta_here,
            c.block(i, column + j, std::min(rows, c.rows - i), std::min(columns, n - j)));
      });
    }
  }
}

}  // namespace taper::matmul::detail
