// SPDX-License-Identifier: Apache-2.0
#include "agree.hpp"

namespace {

namespace mp = taper::marriage_propagator;
namespace oracle = taper::testing;
using mp::Side;

using Space = Kokkos::DefaultHostExecutionSpace;

oracle::Market const knuth{{{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}},
                           {{3, 2, 1, 0}, {2, 3, 0, 1}, {1, 0, 3, 2}, {0, 1, 2, 3}}};

/// Two couples with crossing preferences: both matchings are stable, so no person has only one
/// value.
oracle::Market const crossing{{{0, 1}, {1, 0}}, {{1, 0}, {0, 1}}};

TEST(Verify, AFixpointHasNoViolation) {
  mp::HostMarket const market(oracle::to_instance<Space>(knuth));
  auto const fixpoint = mp::greatest_fixpoint(market, mp::PairSet(4, true));
  ASSERT_TRUE(fixpoint.has_value());
  EXPECT_EQ(fixpoint->count(), 16u) << "there are ten stable matchings, and every pair is in one";
  EXPECT_FALSE(mp::find_violation(market, *fixpoint).has_value());
}

/// Two computations of the same lists that share no code.
TEST(Verify, ExtendedListsAreTheFixpointOfFullDomains) {
  std::mt19937_64 random(12);
  for (int repeat = 0; repeat < 60; ++repeat) {
    std::size_t const n = random() % 14;
    mp::HostMarket const market(oracle::to_instance<Space>(oracle::random_market(n, random)));
    for (mp::Rules const& rules : oracle::all_rules()) {
      EXPECT_EQ(mp::extended_lists(market, rules),
                mp::greatest_fixpoint(market, mp::PairSet(n, true), rules))
          << oracle::name(rules) << ", n = " << n;
    }
  }
}

TEST(Verify, FindsAnExcludedPair) {
  std::mt19937_64 random(11);
  for (int repeat = 0; repeat < 40; ++repeat) {
    std::size_t const n = 2 + random() % 9;
    mp::HostMarket const market(oracle::to_instance<Space>(oracle::random_market(n, random)));
    auto const fixpoint = *mp::greatest_fixpoint(market, mp::PairSet(n, true), {true, true});
    for (std::size_t man = 0; man < n; ++man) {
      for (std::size_t woman = 0; woman < n; ++woman) {
        if (fixpoint.has(man, woman)) {
          continue;
        }
        auto wrong = fixpoint;
        wrong.set(man, woman, true);
        // A single pair outside the GS-lists violates the constraint. Otherwise the set with it
        // would be a greater fixpoint.
        EXPECT_TRUE(mp::find_violation(market, wrong, {true, true}).has_value());
      }
    }
  }
}

TEST(Verify, FindsAPersonWithoutAPartner) {
  mp::HostMarket const market(oracle::to_instance<Space>(crossing));
  mp::PairSet pairs(2, true);
  pairs.set(1, 0, false);
  pairs.set(1, 1, false);
  EXPECT_EQ(mp::find_violation(market, pairs), (mp::Violation{2, 2}));
  EXPECT_FALSE(mp::greatest_fixpoint(market, pairs).has_value());
}

TEST(Verify, FindsAPartnerThatIsNotBound) {
  mp::HostMarket const market(oracle::to_instance<Space>(crossing));
  mp::PairSet pairs(2, true);
  pairs.set(0, 1, false);
  // Man 0 has only woman 0 left. She still has man 1, whom she prefers.
  EXPECT_FALSE(mp::find_violation(market, pairs, {false, false}).has_value());
  EXPECT_EQ(mp::find_violation(market, pairs, {false, true}), (mp::Violation{1, 0}));
}

TEST(Verify, FindsContradictingDomains) {
  auto const instance = oracle::to_instance<Space>(knuth);
  mp::HostMarket const market(instance);
  auto propagator = mp::Propagator<Space>::post(Space{}, instance);
  propagator.propagate();
  EXPECT_TRUE(mp::pairs_of(market, propagator).has_value());
  propagator.remove(Side::men, 0, 3);
  EXPECT_FALSE(mp::pairs_of(market, propagator).has_value()) << "phase 1 has not run yet";
  propagator.propagate();
  EXPECT_TRUE(mp::pairs_of(market, propagator).has_value());
}

}  // namespace
