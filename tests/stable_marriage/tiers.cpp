// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/generated.hpp>
#include <support/shards.hpp>
#include <taper/error.hpp>
#include <taper/stable_marriage/sharded/solve.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

namespace {

namespace sm = taper::stable_marriage;
namespace oracle = taper::testing;

/// Lists with the same candidates in each tier, shuffled within the tiers.
oracle::Lists tiered_lists(std::vector<std::size_t> const& sizes, std::mt19937& random) {
  std::size_t const n = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
  auto order = oracle::identity(n);
  std::shuffle(order.begin(), order.end(), random);
  oracle::Lists lists(n, order);
  for (auto& list : lists) {
    auto begin = list.begin();
    for (std::size_t const size : sizes) {
      std::shuffle(begin, begin + static_cast<std::ptrdiff_t>(size), random);
      begin += static_cast<std::ptrdiff_t>(size);
    }
  }
  return lists;
}

oracle::Market tiered_market(std::vector<std::size_t> const& sizes, unsigned seed) {
  std::mt19937 random(seed);
  auto men = tiered_lists(sizes, random);
  return {std::move(men), tiered_lists(sizes, random)};
}

/// The number of tiers and the size of the largest, by the definition. A tier ends at each cut
/// before which all lists of a side have the same candidates.
std::pair<std::size_t, std::size_t> tiers_of(oracle::Market const& market) {
  using Set = std::bitset<1024>;
  std::vector<Set> men(market.size());
  std::vector<Set> women(market.size());
  std::size_t tiers = 0;
  std::size_t largest = 0;
  std::size_t last = 0;
  auto const all_equal = [](std::vector<Set> const& sets) {
    return std::all_of(sets.begin(), sets.end(),
                       [&](Set const& set) { return set == sets.front(); });
  };
  for (std::size_t cut = 1; cut <= market.size(); ++cut) {
    for (std::size_t person = 0; person < market.size(); ++person) {
      men[person].set(market.men[person][cut - 1]);
      women[person].set(market.women[person][cut - 1]);
    }
    if (all_equal(men) && all_equal(women)) {
      ++tiers;
      largest = std::max(largest, cut - last);
      last = cut;
    }
  }
  return {tiers, largest};
}

template <class Space>
struct Tiers : ::testing::Test {
  static oracle::Answer solve(oracle::Market const& market, sm::Options const& options) {
    return oracle::answer_of(Space{}, oracle::to_instance<Space>(market), options);
  }

  /// Expects the number of tiers, and the matching and the proposals of the textbook algorithm.
  /// Either side proposes, and the men propose on shards too.
  static void expect_tiers(oracle::Market const& market, std::uint64_t tiers) {
    auto const men = oracle::gale_shapley(market);
    auto const answer = solve(market, {.count = true});
    EXPECT_EQ(answer.report.tiers, tiers);
    EXPECT_EQ(answer.partner_of, men.partner_of);
    EXPECT_EQ(answer.report.proposals, men.proposals);
    EXPECT_GE(answer.report.acceptances, market.size());
    EXPECT_EQ(answer.report.acceptances + answer.report.rejections, men.proposals);

    auto const women = oracle::gale_shapley(oracle::exchanged(market));
    auto const by_women = solve(market, {.proposer = sm::Proposer::women});
    EXPECT_EQ(by_women.report.tiers, tiers);
    EXPECT_EQ(by_women.partner_of, oracle::inverse(women.partner_of));
    EXPECT_EQ(by_women.report.proposals, women.proposals);

    for (std::uint32_t const count : {1u, 3u}) {
      auto const shards = oracle::shards<Space>(count);
      Kokkos::View<std::uint16_t*, typename Space::memory_space> const partner_of(
          "test::partner_of", market.size());
      auto const report = sm::solve(shards, oracle::to_sharded(shards, market), partner_of);
      EXPECT_EQ(report.tiers, tiers) << count << " shards";
      EXPECT_EQ(oracle::to_matching(partner_of), men.partner_of) << count << " shards";
      EXPECT_EQ(report.proposals, men.proposals) << count << " shards";
    }
  }
};

TYPED_TEST_SUITE(Tiers, oracle::Backends, oracle::BackendNames);

TYPED_TEST(Tiers, UpTo64PeopleAreSolved) {
  std::mt19937 random(3);
  for (std::size_t const largest : {1u, 5u, 64u}) {
    for (unsigned seed = 1; seed <= 3; ++seed) {
      std::vector<std::size_t> sizes;
      for (std::size_t n = 0; n < 300; n += sizes.back()) {
        sizes.push_back(n == 0 ? largest : 1 + random() % largest);
      }
      auto const market = tiered_market(sizes, seed);
      auto const [tiers, found] = tiers_of(market);
      ASSERT_LE(found, 64u);
      ASSERT_GE(tiers, sizes.size());
      TestFixture::expect_tiers(market, tiers);
    }
  }
}

/// One list that differs merges the tiers that it spans. If the merged tier is too large, the run
/// uses none. The list may be outside the sample that is read first.
TYPED_TEST(Tiers, AreThoseOfAllLists) {
  for (bool const of_women : {false, true}) {
    for (std::size_t const far : {1u, 7u, 63u, 64u, 290u}) {
      for (std::size_t const person : {1u, 150u, 299u}) {
        auto market = tiered_market(std::vector<std::size_t>(300, 1), 7);
        auto& list = (of_women ? market.women : market.men)[person];
        std::swap(list[5], list[5 + far]);
        auto const [tiers, largest] = tiers_of(market);
        ASSERT_EQ(tiers, 300 - far);
        TestFixture::expect_tiers(market, largest <= 64 ? tiers : 0);
      }
    }
  }
}

TYPED_TEST(Tiers, LargerThan64AreLeftToAnEngine) {
  TestFixture::expect_tiers(tiered_market({100, 65, 100, 35}, 1), 0);
  TestFixture::expect_tiers(tiered_market({300}, 1), 0);
}

TYPED_TEST(Tiers, AreUsedOnlyIfOptionsAllow) {
  auto const market = tiered_market(std::vector<std::size_t>(300, 1), 5);
  auto const expected = oracle::gale_shapley(market).partner_of;
  for (auto const& options :
       {sm::Options{.tiers = false}, sm::Options{.tail_threshold = 3},
        sm::Options{.tail = sm::Tail::device}, sm::Options{.schedule = sm::Schedule::parallel}}) {
    auto const answer = TestFixture::solve(market, options);
    EXPECT_EQ(answer.report.tiers, 0u);
    EXPECT_EQ(answer.partner_of, expected);
  }
  auto const few = tiered_market(std::vector<std::size_t>(255, 1), 5);
  EXPECT_EQ(TestFixture::solve(few, {}).report.tiers, 0u);
}

TYPED_TEST(Tiers, With32BitIdsAreTheSame) {
  auto const market = tiered_market(std::vector<std::size_t>(60, 5), 11);
  auto const [partner_of, report] =
      oracle::answer_of(TypeParam{}, oracle::to_instance<TypeParam, std::uint32_t>(market));
  EXPECT_EQ(report.tiers, tiers_of(market).first);
  EXPECT_EQ(partner_of, oracle::gale_shapley(market).partner_of);
}

TYPED_TEST(Tiers, LeaveARowThatIsNoPermutationToTheErrorOfAnEngine) {
  auto market = tiered_market(std::vector<std::size_t>(300, 1), 5);
  for (auto& list : market.men) {
    list[299] = list[0];
  }
  EXPECT_THROW(TestFixture::solve(market, {}), taper::Error);
}

}  // namespace
