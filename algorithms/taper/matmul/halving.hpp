// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/fork_join.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/recursion.hpp>

#include <cstdint>

namespace taper::matmul::detail {

/// The parts of an extent: two halves if it is above the threshold, else one.
struct Halves {
  std::int64_t extent;
  bool cut;  ///< there are two parts

  Halves(std::int64_t whole, std::int64_t threshold) : extent(whole), cut(whole > threshold) {}
  std::int64_t parts() const { return cut ? 2 : 1; }
  std::int64_t begin(std::int64_t part) const { return part == 0 ? 0 : extent / 2; }
  std::int64_t size(std::int64_t part) const {
    return !cut ? extent : part == 0 ? extent / 2 : extent - extent / 2;
  }
};

/// C = alpha A B + beta C, halving every extent above the threshold (Algorithm 6).
///
/// Each quadrant of C is the sum of two products. With temporaries both run in parallel: one into C
/// and one into a temporary that is added afterwards; or, with two_temporaries as in the document,
/// each into a temporary. Without, the second follows the first, in place.
///
/// Cost: the critical path has O(log n) levels with temporaries, O(n) without. If all extents are
///   halved equally often, the temporaries of one branch take four thirds of C; with
///   two_temporaries, eight thirds. At most one branch per worker is open.
/// Source: the document's Section 7.5; Frigo, Leiserson, Prokop and Ramachandran, "Cache-oblivious
///   algorithms", ACM TALG 8(1), 2012.
template <class T>
void multiply_by_halving(Recursion<T>& shared, Fork& fork, T alpha, Matrix<T const> a,
                         Matrix<T const> b, T beta, Matrix<T> c) {
  Halves const m(c.rows, shared.threshold);
  Halves const n(c.columns, shared.threshold);
  Halves const k(a.columns, shared.threshold);
  if (!m.cut && !n.cut && !k.cut) {
    return shared.leaf(fork, alpha, a, b, beta, c);
  }
  auto const quadrant = [&](Matrix<T> const& of, std::int64_t i, std::int64_t j) {
    return of.block(m.begin(i), n.begin(j), m.size(i), n.size(j));
  };
  // Runs products quadrants * from .. quadrants * to - 1. Those of one half of k write to one of
  // the two matrices.
  struct Target {
    Matrix<T> matrix;
    T beta;
  };
  std::int64_t const quadrants = m.parts() * n.parts();
  auto const multiply = [&](std::int64_t from, std::int64_t to, Target const& first,
                            Target const& second) {
    fork.each(quadrants * from, quadrants * to, [&](std::int64_t product, Fork& inner) {
      std::int64_t const half_of_k = product / quadrants;
      std::int64_t const i = product % quadrants / n.parts();
      std::int64_t const j = product % n.parts();
      Target const& target = half_of_k == 0 ? first : second;
      multiply_by_halving(shared, inner, alpha,
                          a.block(m.begin(i), k.begin(half_of_k), m.size(i), k.size(half_of_k)),
                          b.block(k.begin(half_of_k), n.begin(j), k.size(half_of_k), n.size(j)),
                          target.beta, quadrant(target.matrix, i, j));
    });
  };
  Target const out{c, beta};
  if (!k.cut) {
    multiply(0, 1, out, out);
  } else if (!shared.temporaries) {
    multiply(0, 1, out, out);
    multiply(1, 2, out, {c, T(1)});
  } else if (shared.two_temporaries) {
    TemporaryMatrix<T> const first(shared.memory, c.rows, c.columns);
    TemporaryMatrix<T> const second(shared.memory, c.rows, c.columns);
    multiply(0, 2, {*first, T(0)}, {*second, T(0)});
    add_two<T>(*first, *second, beta, c);
  } else {
    TemporaryMatrix<T> const second(shared.memory, c.rows, c.columns);
    multiply(0, 2, out, {*second, T(0)});
    shared.for_line_ranges(fork, c.rows, c.columns, [&](std::int64_t first, std::int64_t count) {
      add_rows<T>(*second, c, first, count);
    });
  }
}

/// The depth of the recursion of multiply_by_halving().
inline std::uint64_t halving_levels(std::int64_t longest, std::int64_t threshold) {
  std::uint64_t levels = 0;
  for (; longest > threshold; longest -= longest / 2) {
    ++levels;
  }
  return levels;
}

}  // namespace taper::matmul::detail
