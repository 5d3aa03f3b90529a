// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/like_cases.hpp>
#include <support/oracles.hpp>
#include <taper/contract.hpp>
#include <taper/stable_marriage/generate.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>

namespace {

namespace sm = taper::stable_marriage;
namespace oracle = taper::testing;

/// One to four workers, however few the people; a backend with fewer threads lets one do several
/// parts.
sm::Options courting(sm::Courtship courtship, sm::Proposer proposer,
                     std::uint64_t people_a_worker) {
  return {.proposer = proposer,
          .count = true,
          .tiers = false,
          .courtship = courtship,
          .people_a_worker = people_a_worker};
}

template <class Space>
struct Courtship : ::testing::Test {
  using Memory = typename Space::memory_space;
  template <class Id>
  using Instance = sm::Instance<sm::ConstTable<Id, Memory>>;
  Space space;

  template <class Id>
  std::pair<oracle::Matching, sm::Report> solve(Instance<Id> const& instance,
                                                sm::Options const& options) const {
    Kokkos::View<Id*, Memory> const partner_of("test::partner_of", instance.size());
    auto const report = sm::solve(space, instance, partner_of, options);
    return {oracle::to_matching(partner_of), report};
  }

  /// The matching, the proposals, and counts that add up, in both forms, by one worker and by
  /// several.
  template <class Id>
  void expect(Instance<Id> const& instance, sm::Proposer proposer,
              oracle::Matching const& partner_of, std::uint64_t proposals,
              std::string const& what) const {
    for (auto const courtship : {sm::Courtship::columns, sm::Courtship::shortlists}) {
      for (std::uint64_t const people_a_worker : {std::uint64_t{1}, std::uint64_t{1} << 20}) {
        auto const [matching, report] =
            solve(instance, courting(courtship, proposer, people_a_worker));
        auto const which = what + ", " + std::string(to_string(courtship));
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

TYPED_TEST_SUITE(Courtship, oracle::Backends, oracle::BackendNames);

TYPED_TEST(Courtship, SolvesAllMarketsOfTwoAndManyOfThree) {
  oracle::for_each_market(2, [&](auto const& market) { this->expect(market, "two"); });
  std::size_t nth = 0;
  oracle::for_each_market(3, [&](auto const& market) {
    if (nth++ % (47 * oracle::like_cases_step) == 0) {
      this->expect(market, "three: number " + std::to_string(nth));
    }
  });
}

TYPED_TEST(Courtship, SolvesThousandsOfRandomMarkets) {
  std::mt19937_64 random(20261128);
  for (std::size_t i = 0; i < 1000 / oracle::like_cases_step; ++i) {
    std::size_t const n = i % 50 == 0 ? 30 + i % 80 : 3 + i % 20;
    this->expect(oracle::random_market(n, random), "number " + std::to_string(i));
  }
}

/// Of every family, with proposers who go past the first columns, and runs that are left for an
/// engine; 32-bit ids as well.
TYPED_TEST(Courtship, AgreesWithTheSequentialEngine) {
  for (auto const family : {sm::Family::perfect, sm::Family::solo, sm::Family::congested,
                            sm::Family::random, sm::Family::uniform, sm::Family::correlated}) {
    for (std::uint32_t const n : {33, 97, 600}) {
      using Id = std::uint32_t;
      sm::Table<Id, typename TestFixture::Memory> const men("test::men", n, n);
      sm::Table<Id, typename TestFixture::Memory> const women("test::women", n, n);
      for (std::uint64_t seed = 1; seed <= 5 / oracle::like_cases_step + 1; ++seed) {
        sm::generate(this->space, sm::Workload{.family = family, .n = n, .seed = seed}, men, women);
        typename TestFixture::template Instance<Id> const instance{men, women};
        for (auto const proposer : {sm::Proposer::men, sm::Proposer::women}) {
          auto const [matching, report] =
              this->solve(instance, {.schedule = sm::Schedule::sequential, .proposer = proposer});
          this->expect(instance, proposer, matching, report.proposals,
                       std::string(to_string(family)) + ", n = " + std::to_string(n) + ", seed " +
                           std::to_string(seed));
        }
      }
    }
  }
}

TYPED_TEST(Courtship, DoesNotHideARowThatIsNoPermutation) {
  auto market_of = [](auto const& market) { return oracle::to_instance<TypeParam>(market); };
  for (auto const courtship : {sm::Courtship::columns, sm::Courtship::shortlists}) {
    auto const options = courting(courtship, sm::Proposer::men, 1);
    oracle::Market market = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}};
    EXPECT_THROW(this->solve(market_of(market), options), taper::Error);
    market = {{{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}, {{2, 2, 2}, {2, 2, 2}, {2, 2, 2}}};
    EXPECT_THROW(this->solve(market_of(market), options), taper::Error);
  }
}

}  // namespace
