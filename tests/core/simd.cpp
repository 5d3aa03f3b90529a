// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <taper/simd.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace {

namespace oracle = taper::testing;

template <class Space>
struct SimdVectors : ::testing::Test {};
TYPED_TEST_SUITE(SimdVectors, oracle::Backends, oracle::BackendNames);

/// Replaces each second entry of a vector by the entry before it.
template <class T, std::uint32_t size>
void expect_entries() {
  taper::ComparisonVector<T, size> vector = {};
  auto const entry = [](std::uint32_t k) {
    return static_cast<T>(std::numeric_limits<T>::max() - k);
  };
  for (std::uint32_t k = 0; k < size; ++k) {
    taper::set_entry<T, size>(vector, k, entry(k));
  }
  for (std::uint32_t k = 1; k < size; k += 2) {
    taper::set_entry<T, size>(vector, k, taper::entry_of<T, size>(vector, k - 1));
  }
  alignas(16) T in_memory[size];
  taper::vector_at<taper::ComparisonVector<T, size>>(in_memory) = vector;
  for (std::uint32_t k = 0; k < size; ++k) {
    EXPECT_EQ((taper::entry_of<T, size>(vector, k)), entry(k / 2 * 2));
    EXPECT_EQ(in_memory[k], entry(k / 2 * 2)) << "entries are in order";
  }
}

TEST(SimdVectorEntries, AreReadAndReplaced) {
  expect_entries<std::uint16_t, 8>();
  expect_entries<std::uint16_t, 4>();
  expect_entries<std::uint32_t, 4>();
}

/// Compares vector i of two rows in a kernel.
template <class T, std::uint32_t size, class Memory>
struct Compare {
  using Vector = taper::ComparisonVector<T, size>;
  Kokkos::View<T*, Memory> one;
  Kokkos::View<T*, Memory> other;
  Kokkos::View<int*, Memory> below;
  Kokkos::View<int*, Memory> equal;

  KOKKOS_FUNCTION void operator()(std::uint32_t i) const {
    auto const& mine = taper::vector_at<Vector>(&one(i * size));
    below(i) = taper::any_below<T, size>(mine, taper::vector_at<Vector>(&other(i * size)));
    equal(i) = taper::any_equal<T, size>(mine, other(i * size), other(i * size + 1));
  }
};

template <class T, std::uint32_t size, class Space>
void expect_comparisons(std::uint32_t vectors) {
  using Memory = typename Space::memory_space;
  Kokkos::View<T*, Memory> const one("test::one", vectors * size);
  Kokkos::View<T*, Memory> const other("test::other", vectors * size);
  Kokkos::View<int*, Memory> const below("test::below", vectors);
  Kokkos::View<int*, Memory> const equal("test::equal", vectors);
  auto const ones = Kokkos::create_mirror_view(one);
  auto const others = Kokkos::create_mirror_view(other);
  // Few entries are below or equal, so that both answers occur. The values include both ends of the
  // range.
  T const last = static_cast<T>(~T{0});
  std::vector<T> const values{
      0, 1, static_cast<T>(last / 2), static_cast<T>(last / 2 + 1), static_cast<T>(last - 1), last};
  std::mt19937 random(3);
  for (std::uint32_t i = 0; i < vectors * size; ++i) {
    others(i) = values[random() % values.size()];
    ones(i) = random() % (4 * size) == 0 ? values[random() % values.size()]
                                         : std::max<T>(others(i), values[random() % values.size()]);
  }
  Kokkos::deep_copy(one, ones);
  Kokkos::deep_copy(other, others);
  Kokkos::parallel_for("test::compare",
                       Kokkos::RangePolicy<Space, Kokkos::IndexType<std::uint32_t>>(0, vectors),
                       Compare<T, size, Memory>{one, other, below, equal});
  auto const belows = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, below);
  auto const equals = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, equal);
  int answers[2][2] = {};
  for (std::uint32_t i = 0; i < vectors; ++i) {
    bool is_below = false;
    bool is_equal = false;
    for (std::uint32_t k = i * size; k < (i + 1) * size; ++k) {
      is_below |= ones(k) < others(k);
      is_equal |= ones(k) == others(i * size) || ones(k) == others(i * size + 1);
    }
    EXPECT_EQ(belows(i) != 0, is_below);
    EXPECT_EQ(equals(i) != 0, is_equal);
    ++answers[0][is_below];
    ++answers[1][is_equal];
  }
  EXPECT_GT(answers[0][0], 0);
  EXPECT_GT(answers[0][1], 0);
  EXPECT_GT(answers[1][1], 0);
}

TYPED_TEST(SimdVectors, ComparisonsEqualThoseOfTheEntries) {
  expect_comparisons<std::uint16_t, 8, TypeParam>(2'000);
  expect_comparisons<std::uint16_t, 4, TypeParam>(2'000);
  expect_comparisons<std::uint32_t, 4, TypeParam>(2'000);
  expect_comparisons<std::uint16_t, 256, TypeParam>(200);
}

TEST(AlignedRow, CoversEveryEntryOnce) {
  using Vector = taper::SimdVector<std::uint16_t, 8>;
  alignas(16) std::uint16_t const entries[64] = {};
  for (std::uint32_t begin = 0; begin < 10; ++begin) {
    for (std::uint32_t n = 0; n < 40; ++n) {
      taper::AlignedRow<Vector> const cut(entries + begin, n);
      std::vector<int> seen(n, 0);
      for (std::uint32_t i = 0; i < cut.vectors; ++i) {
        EXPECT_TRUE(taper::is_aligned_for<Vector>(entries + begin + cut.start_of(i)));
        for (std::uint32_t k = 0; k < Vector::size; ++k) {
          ++seen.at(cut.start_of(i) + k);
        }
      }
      for (std::uint32_t i = 0; i < cut.singles; ++i) {
        ++seen.at(cut.position_of_single(i));
      }
      EXPECT_EQ(seen, std::vector<int>(n, 1)) << "begin " << begin << ", n " << n;
    }
  }
}

}  // namespace
