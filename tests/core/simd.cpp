// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <taper/pack.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace {

namespace oracle = taper::testing;

template <class Space>
struct Packs : ::testing::Test {};
TYPED_TEST_SUITE(Packs, oracle::Backends, oracle::BackendNames);

/// What a kernel makes of pack i of two rows.
template <class T, std::uint32_t size, class Memory>
struct Compare {
  using Pack = taper::Compared<T, size>;
  Kokkos::View<T*, Memory> one;
  Kokkos::View<T*, Memory> other;
  Kokkos::View<int*, Memory> below;
  Kokkos::View<int*, Memory> has;

  KOKKOS_FUNCTION void operator()(std::uint32_t i) const {
    auto const& mine = taper::pack_at<Pack>(&one(i * size));
    below(i) = taper::any_below<T, size>(mine, taper::pack_at<Pack>(&other(i * size)));
    has(i) = taper::any_of<T, size>(mine, other(i * size), other(i * size + 1));
  }
};

template <class T, std::uint32_t size, class Space>
void expect_comparisons(std::uint32_t packs) {
  using Memory = typename Space::memory_space;
  Kokkos::View<T*, Memory> const one("test::one", packs * size);
  Kokkos::View<T*, Memory> const other("test::other", packs * size);
  Kokkos::View<int*, Memory> const below("test::below", packs);
  Kokkos::View<int*, Memory> const has("test::has", packs);
  auto const ones = Kokkos::create_mirror_view(one);
  auto const others = Kokkos::create_mirror_view(other);
  // Mostly not below, and few alike, so that both answers occur; the ends of the range among them.
  T const last = static_cast<T>(~T{0});
  std::vector<T> const values{
      0, 1, static_cast<T>(last / 2), static_cast<T>(last / 2 + 1), static_cast<T>(last - 1), last};
  std::mt19937 random(3);
  for (std::uint32_t i = 0; i < packs * size; ++i) {
    others(i) = values[random() % values.size()];
    ones(i) = random() % (4 * size) == 0 ? values[random() % values.size()]
                                         : std::max<T>(others(i), values[random() % values.size()]);
  }
  Kokkos::deep_copy(one, ones);
  Kokkos::deep_copy(other, others);
  Kokkos::parallel_for("test::compare",
                       Kokkos::RangePolicy<Space, Kokkos::IndexType<std::uint32_t>>(0, packs),
                       Compare<T, size, Memory>{one, other, below, has});
  auto const belows = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, below);
  auto const hases = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, has);
  int answers[2][2] = {};
  for (std::uint32_t i = 0; i < packs; ++i) {
    bool is_below = false;
    bool is_there = false;
    for (std::uint32_t k = i * size; k < (i + 1) * size; ++k) {
      is_below |= ones(k) < others(k);
      is_there |= ones(k) == others(i * size) || ones(k) == others(i * size + 1);
    }
    EXPECT_EQ(belows(i) != 0, is_below);
    EXPECT_EQ(hases(i) != 0, is_there);
    ++answers[0][is_below];
    ++answers[1][is_there];
  }
  EXPECT_GT(answers[0][0], 0);
  EXPECT_GT(answers[0][1], 0);
  EXPECT_GT(answers[1][1], 0);
}

TYPED_TEST(Packs, CompareAsTheirEntriesDo) {
  expect_comparisons<std::uint16_t, 8, TypeParam>(2'000);
  expect_comparisons<std::uint16_t, 4, TypeParam>(2'000);
  expect_comparisons<std::uint32_t, 4, TypeParam>(2'000);
  expect_comparisons<std::uint16_t, 256, TypeParam>(200);
}

TEST(PackedRow, CoversARowOnce) {
  using Pack = taper::Pack<std::uint16_t, 8>;
  alignas(16) std::uint16_t const entries[64] = {};
  for (std::uint32_t begin = 0; begin < 10; ++begin) {
    for (std::uint32_t n = 0; n < 40; ++n) {
      taper::PackedRow<Pack> const cut(entries + begin, n);
      std::vector<int> seen(n, 0);
      for (std::uint32_t pack = 0; pack < cut.packs; ++pack) {
        EXPECT_TRUE(taper::holds_packs<Pack>(entries + begin + cut.start_of(pack)));
        for (std::uint32_t k = 0; k < Pack::size; ++k) {
          ++seen.at(cut.start_of(pack) + k);
        }
      }
      for (std::uint32_t i = 0; i < cut.loose; ++i) {
        ++seen.at(cut.position_of_loose(i));
      }
      EXPECT_EQ(seen, std::vector<int>(n, 1)) << "begin " << begin << ", n " << n;
    }
  }
}

}  // namespace
