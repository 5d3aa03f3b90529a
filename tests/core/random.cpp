// SPDX-License-Identifier: Apache-2.0
#include <taper/random.hpp>

#include <support/backends.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <set>
#include <vector>

namespace {

using taper::RandomStream;

// The first word of SplitMix64 from state 0, from its authors' reference program.
static_assert(taper::scatter_bits(0x9E3779B97F4A7C15u) == 0xE220A8397B1DCDAFu);

TEST(RandomStream, NextReturnsTheWordsOfAtInOrder) {
  RandomStream stream(7, 3);
  RandomStream const fresh(7, 3);
  for (std::uint64_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(stream.next(), fresh.at(i));
    EXPECT_EQ(stream.at(0), fresh.at(0)) << "at() must not depend on what was drawn";
  }
}

TEST(RandomStream, SeedsAndStreamsGiveDifferentWords) {
  std::set<std::uint64_t> words;
  for (std::uint64_t seed = 0; seed < 32; ++seed) {
    for (std::uint64_t stream = 0; stream < 32; ++stream) {
      for (std::uint64_t counter = 0; counter < 8; ++counter) {
        words.insert(RandomStream(seed, stream).at(counter));
      }
    }
  }
  EXPECT_EQ(words.size(), 32u * 32u * 8u);
}

TEST(RandomStream, EveryBitIsSetHalfTheTime) {
  std::array<int, 64> ones{};
  int const draws = 40000;
  for (std::uint64_t stream = 0; stream < draws; ++stream) {
    auto const word = RandomStream(1, stream).at(stream % 3);
    for (std::size_t bit = 0; bit < ones.size(); ++bit) {
      ones[bit] += static_cast<int>(word >> bit & 1u);
    }
  }
  for (int const count : ones) {
    EXPECT_NEAR(count, draws / 2, 6 * 100);  // six standard deviations
  }
}

TEST(RandomStream, BelowOneIsZero) {
  RandomStream stream(1, 1);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(stream.below(1), 0u);
  }
}

TEST(RandomStream, BelowIsUniform) {
  for (std::uint32_t const bound : {2u, 3u, 5u, 7u, 16u, 100u}) {
    RandomStream stream(2, bound);
    std::vector<double> seen(bound, 0);
    double const expected = 2000;
    for (int i = 0; i < static_cast<int>(expected * bound); ++i) {
      auto const value = stream.below(bound);
      ASSERT_LT(value, bound);
      ++seen[value];
    }
    for (double const count : seen) {
      EXPECT_NEAR(count, expected, 6 * 45) << "bound " << bound;
    }
  }
}

// Without rejection, four of the 2^32 words would be mapped to three of the 3 * 2^30 values. Every
// third value would then be twice as likely.
TEST(RandomStream, BelowRejectsWordsThatWouldBiasTheResult) {
  RandomStream stream(5, 0);
  std::array<int, 3> share{};
  for (int i = 0; i < 30000; ++i) {
    ++share[stream.below(3u << 30) % 3];
  }
  for (int const count : share) {
    EXPECT_NEAR(count, 10000, 6 * 82);
  }
}

TEST(RandomStream, BelowReachesBothEndsForTheLargestBound) {
  RandomStream stream(6, 0);
  std::uint32_t const bound = 0xFFFFFFFFu;
  std::uint32_t low = bound;
  std::uint32_t high = 0;
  for (int i = 0; i < 10000; ++i) {
    auto const value = stream.below(bound);
    ASSERT_LT(value, bound);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  EXPECT_LT(low, bound / 1000);
  EXPECT_GT(high, bound - bound / 1000);
}

TEST(Shuffle, EveryOrderIsEquallyLikely) {
  std::map<std::vector<int>, int> seen;
  RandomStream stream(3, 0);
  for (int i = 0; i < 24 * 1000; ++i) {
    std::vector<int> items{0, 1, 2, 3};
    taper::shuffle(items.data(), items.size(), stream);
    ++seen[items];
  }
  EXPECT_EQ(seen.size(), 24u);
  for (auto const& [order, count] : seen) {
    EXPECT_NEAR(count, 1000, 6 * 31);
  }
}

TEST(Shuffle, ChangesNothingOutsideItsItems) {
  RandomStream stream(4, 0);
  std::vector<int> items(20);
  std::iota(items.begin(), items.end(), 0);
  taper::shuffle(items.data() + 5, 10, stream);
  taper::shuffle(items.data() + 2, 1, stream);
  taper::shuffle(items.data() + 3, 0, stream);
  for (int i = 0; i < 20; ++i) {
    if (i < 5 || i >= 15) {
      EXPECT_EQ(items[static_cast<std::size_t>(i)], i);
    }
  }
  std::sort(items.begin(), items.end());
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(items[static_cast<std::size_t>(i)], i);
  }
}

template <class Space>
struct RandomOn : ::testing::Test {};
TYPED_TEST_SUITE(RandomOn, taper::testing::Backends, taper::testing::BackendNames);

template <class Words>
struct Draw {
  Words words;

  KOKKOS_FUNCTION void operator()(std::size_t stream) const {
    RandomStream random(11, stream);
    auto const first = random.next();
    auto const second = random.below(static_cast<std::uint32_t>(stream) * 65537u + 1);
    words(stream) = first ^ second ^ random.at(9);
  }
};

TYPED_TEST(RandomOn, DrawsTheSameWordsAsTheHost) {
  using Words = Kokkos::View<std::uint64_t*, typename TypeParam::memory_space>;
  std::size_t const streams = 10000;
  Words const words("taper::testing::words", streams);
  TypeParam const where;
  Kokkos::parallel_for(
      "taper::testing::draw",
      Kokkos::RangePolicy<TypeParam, Kokkos::IndexType<std::size_t>>(where, 0, streams),
      Draw<Words>{words});
  auto const drawn = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), words);

  for (std::size_t stream = 0; stream < streams; ++stream) {
    RandomStream random(11, stream);
    auto const first = random.next();
    auto const second = random.below(static_cast<std::uint32_t>(stream) * 65537u + 1);
    ASSERT_EQ(drawn(stream), first ^ second ^ random.at(9)) << "stream " << stream;
  }
}

}  // namespace
