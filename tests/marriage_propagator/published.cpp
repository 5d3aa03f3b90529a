// SPDX-License-Identifier: Apache-2.0
#include "agree.hpp"

#include <taper/backend.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// The propagators as published, against the definition of the fixpoint, and against Algorithm 1.

namespace {

namespace mp = taper::marriage_propagator;
namespace oracle = taper::testing;
using mp::Engine;
using mp::Side;
using mp::Status;

/// The published engines with the rules that they can have.
std::vector<mp::Options> published_engines() {
  return {{.engine = Engine::published_serial},
          {.engine = Engine::published_serial, .bind_partner = false},
          {.engine = Engine::published_parallel, .bind_partner = false}};
}
mp::Rules rules_of(mp::Options const& options) {
  return {options.symmetric, options.bind_partner};
}
std::string name(mp::Options const& options) {
  return std::string(to_string(options.engine)) + ", " + oracle::name(rules_of(options));
}

template <class Space>
struct Published : ::testing::Test {
  using Propagator = mp::Propagator<Space>;
  Space space;

  Propagator post(oracle::Market const& market, mp::Options const& options) {
    return Propagator::post(space, oracle::to_instance<Space>(market), options);
  }
};

TYPED_TEST_SUITE(Published, oracle::Backends, oracle::BackendNames);

/// People who all have the same list.
oracle::Market identical_lists(std::size_t n) {
  return {oracle::Lists(n, oracle::identity(n)), oracle::Lists(n, oracle::identity(n))};
}

TYPED_TEST(Published, FullDomainsBecomeTheListsOfAlgorithm1) {
  std::mt19937_64 random(1);
  for (std::size_t n = 0; n <= 70; n += n < 8 ? 1 : 13) {
    for (int repeat = 0; repeat < 6; ++repeat) {
      auto const market = repeat == 0 ? identical_lists(n) : oracle::random_market(n, random);
      mp::HostMarket const lists(oracle::to_instance<TypeParam>(market));
      auto const mgs = oracle::extended_gale_shapley(market);
      for (auto const& options : published_engines()) {
        auto propagator = this->post(market, options);
        auto const report = propagator.propagate();
        ASSERT_EQ(report.status, Status::fixpoint);
        auto const expected =
            options.bind_partner ? mp::greatest_fixpoint(lists, mp::PairSet(n, true)) : mgs;
        ASSERT_EQ(mp::pairs_of(lists, propagator), expected) << name(options) << ", n = " << n;
        EXPECT_EQ(report.removed, n * n - expected->count());
        EXPECT_EQ(report.schedule, options.engine == Engine::published_serial
                                       ? mp::Schedule::serial
                                       : mp::Schedule::parallel);
      }
    }
  }
}

/// The check that the test above makes fails for each answer that has a pair too many or too few.
TYPED_TEST(Published, TheOracleRefusesAnswersThatAreOffByOnePair) {
  std::mt19937_64 random(2);
  for (auto const& options : published_engines()) {
    std::uint64_t added = 0;
    std::uint64_t taken = 0;
    for (int repeat = 0; repeat < 12; ++repeat) {
      std::size_t const n = 4 + random() % 8;
      auto const market = oracle::random_market(n, random);
      mp::HostMarket const lists(oracle::to_instance<TypeParam>(market));
      auto propagator = this->post(market, options);
      ASSERT_EQ(propagator.propagate().status, Status::fixpoint);
      auto const right = *mp::pairs_of(lists, propagator);
      EXPECT_FALSE(mp::find_violation(lists, right, rules_of(options)).has_value());
      for (std::size_t man = 0; man < n; ++man) {
        for (std::size_t woman = 0; woman < n; ++woman) {
          bool const was_there = right.has(man, woman);
          auto wrong = right;
          wrong.set(man, woman, !was_there);
          EXPECT_NE(wrong, mp::extended_lists(lists, rules_of(options)));
          if (was_there) {
            ++taken;
            EXPECT_NE(wrong, mp::greatest_fixpoint(lists, mp::PairSet(n, true), rules_of(options)));
          } else {
            ++added;
            EXPECT_TRUE(mp::find_violation(lists, wrong, rules_of(options)).has_value());
          }
        }
      }
    }
    EXPECT_GT(added, 100u);
    EXPECT_GT(taken, 50u);
  }
}

/// Random removals, assignments, failures and backtracks. After each call the domains are the
/// fixpoint by definition, and after each backtrack those that were saved.
TYPED_TEST(Published, RandomSearchesReachTheFixpoint) {
  using Act = mp::Decision::Act;
  std::mt19937_64 random(3);
  std::uint64_t calls = 0;
  std::uint64_t failures = 0;
  std::uint64_t restores = 0;
  std::uint64_t relaunches = 0;
  constexpr std::size_t searches = taper::is_gpu<TypeParam> ? 60 : 600;
  for (std::size_t search = 0; search < searches; ++search) {
    std::size_t const n = search % 10 == 0 ? 40 + random() % 40 : 1 + random() % 24;
    auto const market = oracle::random_market(n, random);
    mp::HostMarket const lists(oracle::to_instance<TypeParam>(market));
    mp::Options const options = published_engines()[search % 3];
    auto propagator = this->post(market, options);
    oracle::SolverPairs solver{lists, mp::PairSet(n, true)};
    mp::Decisions decisions(random());
    bool failed = false;
    bool pending = true;
    for (int act = 0; act < 120; ++act) {
      // Every other search removes values before its first call.
      mp::Decision const decision = act == 0 && search % 2 == 0
                                        ? mp::Decision{Act::propagate}
                                        : decisions.next(propagator, failed, pending);
      mp::apply_decision(decision, propagator);
      solver.apply(decision);
      if (decision.act == Act::save || decision.act == Act::restore) {
        failed = pending = false;
        restores += decision.act == Act::restore;
        ASSERT_EQ(mp::pairs_of(lists, propagator), solver.pairs) << name(options);
        continue;
      }
      if (decision.act != Act::propagate) {
        pending = true;
        continue;
      }
      auto const expected = mp::greatest_fixpoint(lists, solver.pairs, rules_of(options));
      auto const report = propagator.propagate();
      ++calls;
      relaunches += report.rounds > 1;
      failed = !expected;
      failures += failed;
      pending = false;
      ASSERT_EQ(report.status, expected ? Status::fixpoint : Status::failed)
          << name(options) << ", n = " << n;
      if (failed && propagator.depth() == 0) {
        break;
      }
      if (!failed) {
        solver.pairs = *expected;
        ASSERT_EQ(mp::pairs_of(lists, propagator), expected) << name(options) << ", n = " << n;
      }
    }
  }
  std::uint64_t const share = taper::is_gpu<TypeParam> ? 10 : 1;
  EXPECT_GT(calls, 10'000 / share);
  EXPECT_GT(failures, 100 / share);
  EXPECT_GT(restores, 1000 / share);
  EXPECT_GT(relaunches, 10 / share) << "missing values free more men";
}

/// Counts, domains, the trail and the people that are free are the same as with Taper's engine.
TYPED_TEST(Published, AgreesWithTapersEngineOnRowsOfSeveralWords) {
  std::mt19937_64 random(4);
  for (std::size_t const n : {63u, 64u, 65u, 128u, 200u}) {
    auto const market = oracle::random_market(n, random);
    for (auto const& options : published_engines()) {
      auto published = this->post(market, options);
      auto taper = this->post(market, oracle::options(mp::Schedule::serial, rules_of(options)));
      for (int call = 0; call < 8; ++call) {
        std::uint64_t const seed = random();
        mp::Report reports[2];
        for (auto* propagator : {&published, &taper}) {
          if (call == 1) {
            mp::remove_between(*propagator, 40, seed);
          } else if (call > 1 && propagator->depth() < 3) {
            propagator->save();
            mp::remove_minima(*propagator, 2, seed);
          }
          reports[propagator == &taper] = propagator->propagate();
        }
        auto const& [mine, its] = reports;
        ASSERT_EQ(mine.status, its.status) << name(options);
        EXPECT_EQ(mine.situation.free_people, its.situation.free_people);
        EXPECT_EQ(mine.situation.modified_values, its.situation.modified_values);
        EXPECT_EQ(mine.situation.domain_size, its.situation.domain_size);
        EXPECT_EQ(mine.removed, its.removed);
        if (mine.status == Status::fixpoint) {
          ASSERT_EQ(oracle::words_of(published), oracle::words_of(taper)) << name(options);
        }
        if (mine.status == Status::failed || call % 3 == 2) {
          published.restore();
          taper.restore();
          ASSERT_EQ(oracle::words_of(published), oracle::words_of(taper)) << name(options);
        }
      }
    }
  }
}

/// Whole searches of two constraints with the sides exchanged, as in the paper's Section 5.
TYPED_TEST(Published, SearchesFindTheManOptimalMatchingFirst) {
  std::mt19937_64 random(5);
  for (std::size_t n = 1; n <= 41; n += n < 8 ? 1 : 11) {
    auto const market = oracle::random_market(n, random);
    auto const best = oracle::gale_shapley(market).partner_of;
    for (auto const& options : published_engines()) {
      auto first = this->post(market, options);
      auto second = first.exchanged();
      mp::search(first, second, [&](auto& propagator) {
        ASSERT_EQ(propagator.propagate().status, Status::fixpoint) << name(options);
      });
      for (std::uint32_t man = 0; man < n; ++man) {
        ASSERT_EQ(first.count(Side::men, man), 1u) << name(options);
        EXPECT_EQ(first.partner(Side::men, man, first.least(Side::men, man)), best[man]);
      }
    }
  }
}

/// Copies have the removals that no call has seen, and go on independently.
TYPED_TEST(Published, CopiesAreIndependent) {
  std::mt19937_64 random(6);
  auto const market = oracle::random_market(40, random);
  for (auto const& options : published_engines()) {
    auto first = this->post(market, options);
    for (std::uint32_t call = 0; call < 5; ++call) {
      auto second = first.copy();
      auto const status = first.propagate().status;
      ASSERT_EQ(second.propagate().status, status) << name(options);
      if (status == Status::failed) {
        break;
      }
      EXPECT_EQ(oracle::words_of(second), oracle::words_of(first)) << name(options);
      mp::remove_minima(second, 3, call);
      second.propagate();
      mp::remove_between(first, 20, call);
      mp::remove_minima(first, 1, call);
    }
  }
}

/// If only values between bounds are gone, no man is free.
TYPED_TEST(Published, WithoutFreeMenPhaseTwoIsNotLaunched) {
  std::mt19937_64 random(7);
  auto propagator = this->post(oracle::random_market(50, random),
                               {.engine = Engine::published_parallel, .bind_partner = false});
  auto const first = propagator.propagate();
  EXPECT_EQ(first.situation.free_people, 50u);
  EXPECT_EQ(first.rounds, 1u) << "no value is missing, so one launch suffices";
  mp::remove_between(propagator, 10, 1);
  auto const second = propagator.propagate();
  EXPECT_EQ(second.situation.free_people, 0u);
  EXPECT_EQ(second.rounds, 0u);
  EXPECT_EQ(propagator.propagate().removed, 0u);
}

TYPED_TEST(Published, IdsOf32BitsGiveTheSameDomains) {
  std::mt19937_64 random(8);
  auto const market = oracle::random_market(70, random);
  for (auto const& options : published_engines()) {
    auto ids_16 = this->post(market, options);
    auto ids_32 = mp::Propagator<TypeParam, std::uint32_t>::post(
        this->space, oracle::to_instance<TypeParam, std::uint32_t>(market), options);
    ids_16.propagate();
    ids_32.propagate();
    EXPECT_EQ(oracle::words_of(ids_32), oracle::words_of(ids_16)) << name(options);
  }
}

TYPED_TEST(Published, RefusesOptionsThatThePaperDoesNotHave) {
  std::mt19937_64 random(9);
  auto const market = oracle::random_market(3, random);
  EXPECT_EQ(oracle::message_of([&] {
              this->post(market, {.engine = Engine::published_serial, .symmetric = true});
            }),
            "taper::marriage_propagator::post: the engine published_serial lets only the men "
            "propose: `symmetric` must be false");
  EXPECT_EQ(oracle::message_of([&] { this->post(market, {.engine = Engine::published_parallel}); }),
            "taper::marriage_propagator::post: the engine published_parallel has no inst: "
            "`bind_partner` must be false");
  EXPECT_EQ(mp::Options{}.engine, Engine::taper);
}

}  // namespace
