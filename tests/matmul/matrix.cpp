// SPDX-License-Identifier: Apache-2.0
#include <taper/matmul/matrix.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <set>
#include <vector>

namespace {

using namespace taper::matmul;

TEST(Matrix, RefersToTheEntriesOfItsView) {
  Kokkos::View<double**, Kokkos::LayoutLeft, Kokkos::HostSpace> const view("view", 3, 5);
  auto const matrix = matrix_of(view);
  EXPECT_EQ(matrix.rows, 3);
  EXPECT_EQ(matrix.columns, 5);
  EXPECT_TRUE(matrix.has_contiguous_columns());
  EXPECT_FALSE(matrix.has_contiguous_rows());
  EXPECT_EQ(&matrix(2, 4), &view(2, 4));
  EXPECT_EQ(&matrix.transposed()(4, 2), &view(2, 4));
  EXPECT_EQ(&matrix.block(1, 2, 2, 3)(1, 1), &view(2, 3));
}

std::set<double const*> entries(Matrix<double const> const& x) {
  std::set<double const*> all;
  for (std::int64_t i = 0; i < x.rows; ++i) {
    for (std::int64_t j = 0; j < x.columns; ++j) {
      all.insert(&x(i, j));
    }
  }
  return all;
}

bool share_entries(Matrix<double const> const& x, Matrix<double const> const& y) {
  auto const of_x = entries(x);
  for (double const* const entry : entries(y)) {
    if (of_x.count(entry) > 0) {
      return true;
    }
  }
  return false;
}

/// overlap() is exact for blocks of one matrix, even if their rows wrap around its edge. For
/// strides that differ, false means that no entry is shared.
TEST(Matrix, OverlapIsExactForBlocksOfOneMatrix) {
  std::mt19937_64 random(1);
  std::vector<double> const memory(400);
  auto const below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(bound));
  };
  int disjoint = 0;
  for (int repeat = 0; repeat < 20'000; ++repeat) {
    std::int64_t const pitch = 6 + below(3);
    auto const block = [&](std::int64_t row_stride) {
      return Matrix<double const>{memory.data() + below(200), below(7), below(7), row_stride, 1};
    };
    auto x = block(pitch);
    auto y = block(pitch);
    if (random() % 2 == 0) {
      x = x.transposed();
      y = y.transposed();
    }
    EXPECT_EQ(detail::overlap(x, y), share_entries(x, y));
    auto const z = block(pitch + 1).transposed();
    if (!detail::overlap(x, z)) {
      EXPECT_FALSE(share_entries(x, z));
      ++disjoint;
    }
  }
  EXPECT_GT(disjoint, 1000);
}

}  // namespace
