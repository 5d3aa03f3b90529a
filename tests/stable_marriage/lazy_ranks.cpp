// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/case_stride.hpp>
#include <support/generated.hpp>
#include <taper/error.hpp>
#include <taper/stable_marriage/lazy_ranks/membership_filter.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace {

namespace sm = taper::stable_marriage;
namespace oracle = taper::testing;

/// With few proposers per thread, small instances get several workers. A backend with fewer threads
/// gives several of these to one thread.
sm::Options lazy_options(sm::LazyRanks lazy_ranks, sm::Proposer proposer,
                         std::uint64_t min_proposers_per_thread) {
  return {.proposer = proposer,
          .count = true,
          .tiers = false,
          .lazy_ranks = lazy_ranks,
          .min_proposers_per_thread = min_proposers_per_thread};
}

template <class Space>
struct LazyRanks : ::testing::Test {
  using Memory = typename Space::memory_space;
  template <class Id>
  using Instance = sm::Instance<sm::ConstTable<Id, Memory>>;
  Space space;

  /// Expects the matching, the number of proposals, and consistent counts: with first columns and
  /// with shortlists, by one worker and by several.
  template <class Id>
  void expect(Instance<Id> const& instance, sm::Proposer proposer,
              oracle::Matching const& partner_of, std::uint64_t proposals,
              std::string const& what) const {
    for (auto const lazy_ranks : {sm::LazyRanks::columns, sm::LazyRanks::shortlists}) {
      for (std::uint64_t const min_proposers : {std::uint64_t{1}, std::uint64_t{1} << 20}) {
        auto const [matching, report] =
            oracle::answer_of(space, instance, lazy_options(lazy_ranks, proposer, min_proposers));
        auto const which = what + ", " + std::string(to_string(lazy_ranks));
        EXPECT_EQ(matching, partner_of) << which;
        EXPECT_EQ(report.proposals, proposals) << which;
        EXPECT_EQ(report.acceptances + report.rejections, proposals) << which;
        EXPECT_GE(report.acceptances, instance.size()) << which;
      }
    }
  }

  void expect(oracle::Market const& market, std::string const& what) const {
    auto const instance = oracle::to_instance<Space>(market);
    auto const by_men = oracle::gale_shapley(market);
    expect(instance, sm::Proposer::men, by_men.partner_of, by_men.proposals, what);
    auto const by_women = oracle::gale_shapley(oracle::exchanged(market));
    expect(instance, sm::Proposer::women, oracle::inverse(by_women.partner_of), by_women.proposals,
           what);
  }
};

TYPED_TEST_SUITE(LazyRanks, oracle::Backends, oracle::BackendNames);

TYPED_TEST(LazyRanks, SolveAllMarketsOfTwoAndManyOfThree) {
  oracle::for_each_market(2, [&](auto const& market) { this->expect(market, "two"); });
  std::size_t nth = 0;
  oracle::for_each_market(3, [&](auto const& market) {
    if (nth++ % (47 * oracle::case_stride) == 0) {
      this->expect(market, "three: number " + std::to_string(nth));
    }
  });
}

TYPED_TEST(LazyRanks, SolveRandomMarkets) {
  std::mt19937_64 random(20261128);
  for (std::size_t i = 0; i < 1000 / oracle::case_stride; ++i) {
    std::size_t const n = i % 50 == 0 ? 30 + i % 80 : 3 + i % 20;
    this->expect(oracle::random_market(n, random), "number " + std::to_string(i));
  }
}

/// Includes proposers past the first columns, runs that go on with an engine, and 32-bit ids.
TYPED_TEST(LazyRanks, AgreeWithTheSerialScheduleOnEveryFamily) {
  for (auto const family : oracle::all_families) {
    for (std::uint32_t const n : {33u, 97u, 600u}) {
      for (std::uint64_t seed = 1; seed <= 5 / oracle::case_stride + 1; ++seed) {
        auto const instance = oracle::generated_instance<std::uint32_t>(
            this->space, {.family = family, .n = n, .seed = seed});
        for (auto const proposer : {sm::Proposer::men, sm::Proposer::women}) {
          auto const [matching, report] = oracle::answer_of(
              this->space, instance, {.schedule = sm::Schedule::serial, .proposer = proposer});
          this->expect(instance, proposer, matching, report.proposals,
                       std::string(to_string(family)) + ", n = " + std::to_string(n) + ", seed " +
                           std::to_string(seed));
        }
      }
    }
  }
}

TYPED_TEST(LazyRanks, ReportARowThatIsNoPermutation) {
  auto market_of = [](auto const& market) { return oracle::to_instance<TypeParam>(market); };
  for (auto const lazy_ranks : {sm::LazyRanks::columns, sm::LazyRanks::shortlists}) {
    auto const options = lazy_options(lazy_ranks, sm::Proposer::men, 1);
    oracle::Market market = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}};
    EXPECT_THROW(oracle::answer_of(this->space, market_of(market), options), taper::Error);
    if (taper::is_gpu<TypeParam>) {
      continue;  // no lazy ranks there, and in a table the other proposers have any rank
    }
    market = {{{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}, {{2, 2, 2}, {2, 2, 2}, {2, 2, 2}}};
    EXPECT_THROW(oracle::answer_of(this->space, market_of(market), options), taper::Error);
  }
}

/// One member at each position of lists that end within a group of the filter, or with one.
template <class Id>
void expect_filter_finds_each_position() {
  namespace detail = sm::detail;
  std::mt19937_64 random(20261129);
  for (std::uint32_t const n : {1u, 2u, 7u, 8u, 9u, 31u, 32u, 33u, 70u}) {
    std::vector<Id> list(n);
    std::iota(list.begin(), list.end(), Id{0});
    std::shuffle(list.begin(), list.end(), random);
    for (std::uint32_t position = 0; position < n; ++position) {
      std::vector<std::uint8_t> marks(n);
      marks[list[position]] = 1;
      detail::MembershipFilter<Id> filter(marks.data());
      filter.insert(list[position]);
      for (std::uint32_t const end : {position, position + 1, n}) {
        auto const found = detail::find_first_member(
            filter, list.data(), end, n, [&](std::uint32_t i) { return marks[list[i]] != 0; });
        EXPECT_EQ(std::min(found, end), std::min(position, end)) << position << " of " << n;
      }
    }
  }
}

TEST(MembershipFilter, FindsAMemberAtEachPosition) {
  expect_filter_finds_each_position<std::uint16_t>();
  expect_filter_finds_each_position<std::uint32_t>();
}

}  // namespace
