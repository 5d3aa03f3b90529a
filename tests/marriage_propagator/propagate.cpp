// SPDX-License-Identifier: Apache-2.0
#include "agree.hpp"

#include <taper/backend.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace {

namespace mp = taper::marriage_propagator;
namespace oracle = taper::testing;
using mp::Schedule;
using mp::Side;
using mp::Status;

template <class Space>
struct Propagate : ::testing::Test {
  using Propagator = mp::Propagator<Space>;
  Space space;

  Propagator post(oracle::Market const& market, mp::Options const& options = {}) {
    return Propagator::post(space, oracle::to_instance<Space>(market), options);
  }
};

TYPED_TEST_SUITE(Propagate, oracle::Backends, oracle::BackendNames);

constexpr Schedule schedules[] = {Schedule::serial, Schedule::parallel, Schedule::hybrid};

mp::PairSet transposed(mp::PairSet const& pairs) {
  mp::PairSet result(pairs.size(), false);
  for (std::size_t man = 0; man < pairs.size(); ++man) {
    for (std::size_t woman = 0; woman < pairs.size(); ++woman) {
      result.set(woman, man, pairs.has(man, woman));
    }
  }
  return result;
}

mp::PairSet common(mp::PairSet const& a, mp::PairSet const& b) {
  mp::PairSet result(a.size(), false);
  for (std::size_t man = 0; man < a.size(); ++man) {
    for (std::size_t woman = 0; woman < a.size(); ++woman) {
      result.set(man, woman, a.has(man, woman) && b.has(man, woman));
    }
  }
  return result;
}

TYPED_TEST(Propagate, FullDomainsBecomeTheExtendedGaleShapleyLists) {
  std::mt19937_64 random(1);
  for (std::size_t n = 1; n <= 60; n += n < 8 ? 1 : 13) {
    for (int repeat = 0; repeat < 6; ++repeat) {
      auto const market = oracle::random_market(n, random);
      mp::HostMarket const lists(oracle::to_instance<TypeParam>(market));
      auto const mgs = oracle::extended_gale_shapley(market);
      auto const wgs = transposed(oracle::extended_gale_shapley(oracle::exchanged(market)));
      for (Schedule const schedule : schedules) {
        auto men = this->post(market, oracle::options(schedule, {false, false}));
        ASSERT_EQ(men.propagate().status, Status::fixpoint);
        EXPECT_EQ(mp::pairs_of(lists, men), mgs);
        for (bool const bind_partner : {false, true}) {
          auto both = this->post(market, oracle::options(schedule, {true, bind_partner}));
          ASSERT_EQ(both.propagate().status, Status::fixpoint);
          EXPECT_EQ(mp::pairs_of(lists, both), common(mgs, wgs))
              << "bind_partner changes no GS-list";
        }
        auto engaged = this->post(market, oracle::options(schedule, {false, true}));
        auto const report = engaged.propagate();
        EXPECT_EQ(mp::pairs_of(lists, engaged), mp::greatest_fixpoint(lists, mp::PairSet(n, true)));
        EXPECT_EQ(report.removed, n * n - mp::pairs_of(lists, engaged)->count());
        for (std::uint32_t man = 0; man < n; ++man) {
          EXPECT_EQ(engaged.partner(Side::men, man, engaged.least(Side::men, man)),
                    oracle::gale_shapley(market).partner_of[man]);
        }
      }
    }
  }
}

/// Every value of an allowed stable matching stays. A call fails if and only if no stable matching
/// is allowed.
TYPED_TEST(Propagate, KeepsEveryStableMatchingThatIsAllowed) {
  std::mt19937_64 random(2);
  for (int repeat = 0; repeat < 300; ++repeat) {
    std::size_t const n = 1 + random() % 7;
    auto const market = oracle::random_market(n, random);
    auto propagator = this->post(
        market, oracle::options(schedules[repeat % 3], oracle::all_rules()[random() % 4]));
    std::set<std::pair<std::size_t, std::size_t>> gone;
    for (std::size_t removals = random() % (n * n / 2 + 1); removals > 0; --removals) {
      std::uint32_t const man = static_cast<std::uint32_t>(random() % n);
      std::uint32_t const value = static_cast<std::uint32_t>(random() % n);
      propagator.remove(Side::men, man, value);
      gone.insert({man, market.men[man][value]});
    }
    auto const status = propagator.propagate().status;
    std::size_t allowed = 0;
    for (auto const& matching : oracle::stable_matchings(market)) {
      bool fits = true;
      for (std::size_t man = 0; man < n; ++man) {
        fits = fits && gone.count({man, matching[man]}) == 0;
      }
      allowed += fits;
      for (std::uint32_t man = 0; fits && man < n; ++man) {
        ASSERT_EQ(status, Status::fixpoint);
        EXPECT_TRUE(propagator.contains(
            Side::men, man,
            static_cast<std::uint32_t>(oracle::rank_in(market.men[man], matching[man]))));
      }
    }
    // The men's minima are always a stable matching, so the constraint alone never fails late.
    EXPECT_EQ(status == Status::fixpoint, allowed > 0);
  }
}

/// Random sequences of removals, assignments and backtracks. After each call serial, parallel and
/// hybrid hold the same words, and these are the fixpoint by definition.
TYPED_TEST(Propagate, SchedulesAgreeOnRandomSearches) {
  std::mt19937_64 random(3);
  std::uint64_t calls = 0;
  std::uint64_t failures = 0;
  std::map<Schedule, std::uint64_t> hybrid_answers;
  // Posting a constraint on a GPU takes as long as a hundred calls. So it has fewer searches, all
  // long.
  constexpr std::size_t long_searches = 160;
  constexpr std::size_t searches = taper::is_gpu<TypeParam> ? long_searches : 2000;
  for (std::size_t search = 0; search < searches; ++search) {
    bool const is_long = search < long_searches;
    std::size_t const n = search % (is_long ? 4 : 40) == 0 ? 40 + random() % 21 : 1 + random() % 24;
    auto const market = oracle::random_market(n, random);
    mp::HostMarket const lists(oracle::to_instance<TypeParam>(market));
    mp::Rules const rules = oracle::all_rules()[search % 4];
    typename TestFixture::Propagator propagators[] = {
        this->post(market, oracle::options(Schedule::serial, rules)),
        this->post(market, oracle::options(Schedule::parallel, rules)),
        this->post(market, oracle::options(Schedule::hybrid, rules))};
    oracle::SolverPairs solver{lists, mp::PairSet(n, true)};
    mp::PairSet const& pairs = solver.pairs;
    mp::Decisions decisions(random());
    bool failed = false;
    bool pending = true;
    for (int act = 0; act < (is_long ? 160 : 32); ++act) {
      mp::Decision const decision = act == 0 ? mp::Decision{mp::Decision::Act::propagate}
                                             : decisions.next(propagators[0], failed, pending);
      for (auto& propagator : propagators) {
        mp::apply_decision(decision, propagator);
      }
      solver.apply(decision);
      if (decision.act == mp::Decision::Act::restore) {
        failed = pending = false;
        for (auto const& propagator : propagators) {
          ASSERT_EQ(mp::pairs_of(lists, propagator), pairs);
        }
        continue;
      }
      if (decision.act != mp::Decision::Act::propagate) {
        pending = pending || decision.act != mp::Decision::Act::save;
        continue;
      }
      auto const expected = mp::greatest_fixpoint(lists, pairs, rules);
      ++calls;
      failures += !expected;
      pending = false;
      failed = !expected;
      for (auto& propagator : propagators) {
        auto const report = propagator.propagate();
        ASSERT_EQ(report.status, expected ? Status::fixpoint : Status::failed)
            << oracle::name(rules) << ", " << to_string(propagator.options().schedule);
        if (propagator.options().schedule == Schedule::hybrid) {
          ++hybrid_answers[report.schedule];
        } else {
          EXPECT_EQ(report.schedule, propagator.options().schedule);
        }
      }
      if (failed && propagators[0].depth() == 0) {
        break;
      }
      if (!failed) {
        solver.pairs = *expected;
        ASSERT_EQ(mp::pairs_of(lists, propagators[0]), pairs)
            << oracle::name(rules) << ", n = " << n;
        ASSERT_EQ(oracle::words_of(propagators[1]), oracle::words_of(propagators[0]))
            << oracle::name(rules);
        ASSERT_EQ(oracle::words_of(propagators[2]), oracle::words_of(propagators[0]))
            << oracle::name(rules);
        ASSERT_FALSE(mp::find_violation(lists, pairs, rules).has_value());
      }
    }
  }
  EXPECT_GT(calls, taper::is_gpu<TypeParam> ? 5000u : 12'000u);
  EXPECT_GT(failures, 100u);
  EXPECT_GT(hybrid_answers[Schedule::serial], 100u);
  EXPECT_GT(hybrid_answers[Schedule::parallel], 100u);
}

/// A whole search of two constraints with the sides exchanged. Each call leaves the fixpoint of
/// what both sides had before it, and finds all, two or no proposers free. The first solution is
/// the man-optimal matching.
TYPED_TEST(Propagate, SearchesFindTheManOptimalMatchingFirst) {
  std::mt19937_64 random(11);
  mp::Rules const rules{false, false};
  for (std::size_t n = 1; n <= 41; n += n < 8 ? 1 : 11) {
    auto const market = oracle::random_market(n, random);
    mp::HostMarket const lists(oracle::to_instance<TypeParam>(market));
    mp::HostMarket const exchanged(oracle::to_instance<TypeParam>(oracle::exchanged(market)));
    for (Schedule const schedule : schedules) {
      auto first = this->post(market, oracle::options(schedule, rules));
      auto second = first.exchanged();
      mp::search(first, second, [&](auto& propagator) {
        auto const& its = &propagator == &first ? lists : exchanged;
        mp::PairSet before(n, false);
        for (std::uint32_t man = 0; man < n; ++man) {
          for (std::uint32_t value = 0; value < n; ++value) {
            std::uint32_t const woman = propagator.partner(Side::men, man, value);
            before.set(man, woman,
                       propagator.contains(Side::men, man, value) &&
                           propagator.contains(Side::women, woman,
                                               propagator.reverse_value(Side::men, man, value)));
          }
        }
        auto const report = propagator.propagate();
        ASSERT_EQ(report.status, Status::fixpoint);
        ASSERT_EQ(mp::pairs_of(its, propagator), mp::greatest_fixpoint(its, before, rules));
        auto const free = report.situation.free_people;
        EXPECT_TRUE(free == n || free == 2 || free == 0) << free;
      });
      auto const best = oracle::gale_shapley(market).partner_of;
      for (std::uint32_t man = 0; man < n; ++man) {
        ASSERT_EQ(first.count(Side::men, man), 1u);
        EXPECT_EQ(first.partner(Side::men, man, first.least(Side::men, man)), best[man]);
      }
    }
  }
}

/// The solver's own removals do not count as changes.
TYPED_TEST(Propagate, ChangedNamesEveryPersonWhoseRowHasChanged) {
  std::mt19937_64 random(4);
  for (Schedule const schedule : schedules) {
    std::size_t const n = 30;
    auto const market = oracle::random_market(n, random);
    auto propagator = this->post(market, oracle::options(schedule, {}));
    for (int call = 0; call < 8; ++call) {
      mp::remove_at_random(propagator, call == 0 ? 1000 : 100, random());
      auto const before = oracle::words_of(propagator);
      if (propagator.propagate().status == Status::failed) {
        break;
      }
      auto const after = oracle::words_of(propagator);
      for (Side const side : {Side::men, Side::women}) {
        auto const changed = propagator.changed(side);
        std::set<std::uint32_t> const named(changed.begin(), changed.end());
        EXPECT_EQ(named.size(), changed.size());
        for (std::uint32_t person = 0; person < n; ++person) {
          std::size_t const at = 2 * (mp::index_of(side) * n + person);
          if (before[at] != after[at]) {
            EXPECT_TRUE(named.count(person)) << to_string(side) << ' ' << person;
          }
        }
      }
    }
  }
}

TYPED_TEST(Propagate, SchedulesAgreeOnRowsOfSeveralWords) {
  std::mt19937_64 random(5);
  for (std::size_t const n : {63u, 64u, 65u, 128u, 200u}) {
    auto const market = oracle::random_market(n, random);
    mp::HostMarket const lists(oracle::to_instance<TypeParam>(market));
    for (mp::Rules const& rules : oracle::all_rules()) {
      typename TestFixture::Propagator propagators[] = {
          this->post(market, oracle::options(Schedule::serial, rules)),
          this->post(market, oracle::options(Schedule::parallel, rules)),
          this->post(market, oracle::options(Schedule::hybrid, rules))};
      for (int call = 0; call < 6; ++call) {
        std::uint64_t const seed = random();
        Status status = Status::fixpoint;
        for (auto& propagator : propagators) {
          if (call == 1) {
            mp::remove_between(propagator, 40, seed);
          } else if (call % 2 == 0 && call > 0) {
            mp::remove_minima(propagator, 2, seed);
          }
          status = propagator.propagate().status;
          if (call == 1) {
            EXPECT_EQ(status, Status::fixpoint);
          }
        }
        if (status == Status::failed) {
          break;
        }
        auto const pairs = mp::pairs_of(lists, propagators[0]);
        ASSERT_TRUE(pairs.has_value());
        EXPECT_FALSE(mp::find_violation(lists, *pairs, rules).has_value());
        EXPECT_EQ(oracle::words_of(propagators[1]), oracle::words_of(propagators[0]));
        EXPECT_EQ(oracle::words_of(propagators[2]), oracle::words_of(propagators[0]));
      }
    }
  }
}

/// Random searches on domains of several words with few values left. After backtracks, persons have
/// the positions that they had before.
TYPED_TEST(Propagate, SchedulesAgreeOnSparseRows) {
  std::mt19937_64 random(10);
  std::uint64_t calls = 0;
  constexpr std::size_t searches = taper::is_gpu<TypeParam> ? 8 : 40;
  for (std::size_t search = 0; search < searches; ++search) {
    std::size_t const n = 70 + random() % 130;
    auto const market = oracle::random_market(n, random);
    mp::HostMarket const lists(oracle::to_instance<TypeParam>(market));
    mp::Rules const rules = oracle::all_rules()[search % 4];
    auto serial = this->post(market, oracle::options(Schedule::serial, rules));
    auto parallel = this->post(market, oracle::options(Schedule::parallel, rules));
    mp::Decisions decisions(random());
    bool failed = false;
    bool pending = true;
    for (int act = 0; act < 160; ++act) {
      mp::Decision const decision = act == 0 ? mp::Decision{mp::Decision::Act::propagate}
                                             : decisions.next(serial, failed, pending);
      mp::apply_decision(decision, serial);
      mp::apply_decision(decision, parallel);
      if (decision.act != mp::Decision::Act::propagate) {
        pending =
            decision.act != mp::Decision::Act::save && decision.act != mp::Decision::Act::restore;
        failed = false;
        continue;
      }
      ++calls;
      pending = false;
      failed = serial.propagate().status == Status::failed;
      ASSERT_EQ(parallel.propagate().status == Status::failed, failed) << oracle::name(rules);
      if (failed) {
        continue;
      }
      ASSERT_EQ(oracle::words_of(serial), oracle::words_of(parallel))
          << oracle::name(rules) << ", n = " << n;
      auto const pairs = mp::pairs_of(lists, serial);
      ASSERT_TRUE(pairs.has_value());
      if (calls % 64 == 0) {
        ASSERT_FALSE(mp::find_violation(lists, *pairs, rules).has_value());
      }
    }
  }
  EXPECT_GT(calls, taper::is_gpu<TypeParam> ? 200u : 1000u);
}

/// Hybrid takes the thresholds of its lists' kind and size from the profile. The men's lists count,
/// and with `symmetric` all lists.
TYPED_TEST(Propagate, HybridReadsTheThresholdsOfItsListsFromTheProfile) {
  taper::MachineProfile machine;
  machine.host.propagator = {{false, 300, {.free_people = 1}}, {true, 300, {}}};
  machine.device = machine.host;
  auto const answers = [&](auto const& propagators) {
    std::vector<Schedule> found;
    for (auto* propagator : propagators) {
      found.push_back(propagator->propagate().schedule);
    }
    return found;
  };
  std::size_t const n = 300;
  std::mt19937_64 random(4);
  auto market = oracle::random_market(n, random);
  for (auto& list : market.men) {
    list = market.men[0];  // all men agree
  }
  auto similar = this->post(market, {.machine = &machine});
  auto exchanged = similar.exchanged();
  auto symmetric = this->post(market, {.symmetric = true, .machine = &machine});
  auto overruled =
      this->post(market, {.thresholds = mp::Thresholds{.free_people = 1}, .machine = &machine});
  EXPECT_EQ(
      answers(std::array{&similar, &exchanged, &symmetric, &overruled}),
      (std::vector{Schedule::serial, Schedule::parallel, Schedule::parallel, Schedule::parallel}));
  std::swap(machine.host.propagator[0].similar_lists, machine.host.propagator[1].similar_lists);
  machine.device = machine.host;
  auto other = this->post(market, {.machine = &machine});
  auto other_exchanged = other.exchanged();
  auto copy = other.copy();
  EXPECT_EQ(answers(std::array{&other, &other_exchanged, &copy}),
            (std::vector{Schedule::parallel, Schedule::serial, Schedule::parallel}));
  EXPECT_EQ(oracle::words_of(other), oracle::words_of(similar));
  EXPECT_EQ(oracle::words_of(other_exchanged), oracle::words_of(exchanged));
}

/// A proposer that is displaced later must try its missing values, whichever propagator removed
/// them. A man loses his second choice in a serial call, since another man is freed in it. He loses
/// the next ten, more than NextValues holds, in a parallel call, since none is freed. Then he loses
/// his first choice. Copies must agree.
TYPED_TEST(Propagate, DisplacedProposersTryMissingValuesOfBothPropagators) {
  std::mt19937_64 random(12);
  std::map<Schedule, std::uint64_t> answers;
  std::uint64_t fixpoints = 0;
  constexpr std::size_t searches = taper::is_gpu<TypeParam> ? 8 : 32;
  for (std::size_t search = 0; search < searches; ++search) {
    std::size_t const n = 130 + random() % 70;
    auto const market = oracle::random_market(n, random);
    mp::Rules const rules = oracle::all_rules()[search % 4];
    auto by_turns = oracle::options(Schedule::hybrid, rules);
    by_turns.thresholds = mp::Thresholds{
        .free_people = mp::Thresholds::never, .modified_values = 1, .domain_size = 0};
    typename TestFixture::Propagator propagators[] = {
        this->post(market, oracle::options(Schedule::serial, rules)), this->post(market, by_turns)};
    auto& [serial, hybrid] = propagators;
    auto const agree = [&] {
      auto const status = serial.propagate().status;
      auto const report = hybrid.propagate();
      ++answers[report.schedule];
      EXPECT_EQ(report.status, status);
      if (status == Status::fixpoint) {
        EXPECT_EQ(oracle::words_of(hybrid), oracle::words_of(serial))
            << oracle::name(rules) << ", n = " << n;
      }
      return status == Status::fixpoint;
    };
    auto const choice = [&](std::uint32_t man, std::uint32_t place) {
      std::uint32_t value = serial.least(Side::men, man);
      for (; place > 0; --place) {
        do {
          ++value;
        } while (!serial.contains(Side::men, man, value));
      }
      return value;
    };
    ASSERT_TRUE(agree());
    for (std::uint32_t man = 0; man < n && !this->HasFailure(); ++man) {
      auto const freed = static_cast<std::uint32_t>(random() % n);
      if (freed == man || serial.count(Side::men, man) < 6 || serial.count(Side::men, freed) < 2) {
        continue;
      }
      std::uint32_t const second = choice(man, 1);
      std::uint32_t const his_first = choice(freed, 0);
      for (auto& propagator : propagators) {
        propagator.save();
        propagator.remove(Side::men, man, second);
        propagator.remove(Side::men, freed, his_first);
      }
      if (agree() && serial.count(Side::men, man) >= 4) {
        std::vector<std::uint32_t> more;
        for (std::uint32_t place = 1; place <= 10 && place + 2 < serial.count(Side::men, man);
             ++place) {
          more.push_back(choice(man, place));
        }
        for (auto& propagator : propagators) {
          for (std::uint32_t const value : more) {
            propagator.remove(Side::women, propagator.partner(Side::men, man, value),
                              propagator.reverse_value(Side::men, man, value));
          }
        }
        if (agree()) {
          std::uint32_t const first = choice(man, 0);
          auto copy = hybrid.copy();
          for (auto* propagator : {&serial, &hybrid, &copy}) {
            propagator->remove(Side::men, man, first);
          }
          bool const is_fixpoint = agree();
          fixpoints += is_fixpoint;
          EXPECT_EQ(copy.propagate().status == Status::fixpoint, is_fixpoint);
          if (is_fixpoint) {
            EXPECT_EQ(oracle::words_of(copy), oracle::words_of(serial));
          }
        }
      }
      for (auto& propagator : propagators) {
        propagator.restore();
      }
    }
  }
  EXPECT_GT(answers[Schedule::serial], 100u);
  EXPECT_GT(answers[Schedule::parallel], 100u);
  EXPECT_GT(fixpoints, 50u);
}

/// If only values between bounds are gone, no proposer is free, and phase 2 is not launched.
TYPED_TEST(Propagate, WithoutFreeProposersPhaseTwoIsNotLaunched) {
  std::mt19937_64 random(6);
  auto propagator = this->post(oracle::random_market(50, random),
                               oracle::options(Schedule::parallel, {true, true}));
  auto const first = propagator.propagate();
  EXPECT_EQ(first.situation.free_people, 100u);
  EXPECT_GE(first.rounds, 1u);
  mp::remove_between(propagator, 10, 1);
  auto const second = propagator.propagate();
  EXPECT_EQ(second.situation.free_people, 0u);
  EXPECT_EQ(second.rounds, 0u);
  EXPECT_EQ(second.status, Status::fixpoint);
  auto const third = propagator.propagate();
  EXPECT_EQ(third.removed, 0u);
}

/// restore() recovers the state before a failure, even if propagate() was called again after it.
TYPED_TEST(Propagate, RestoreUndoesAFailureAfterRepeatedCalls) {
  std::mt19937_64 random(13);
  int failures = 0;
  for (std::size_t search = 0; search < (taper::is_gpu<TypeParam> ? 100u : 1000u); ++search) {
    std::size_t const n = 3 + random() % 4;
    auto const market = oracle::random_market(n, random);
    mp::Rules const rules = oracle::all_rules()[search % 4];
    for (Schedule const schedule : schedules) {
      auto undone = this->post(market, oracle::options(schedule, rules));
      auto fresh = this->post(market, oracle::options(schedule, rules));
      ASSERT_EQ(undone.propagate().status, fresh.propagate().status);
      undone.save();
      auto const man = static_cast<std::uint32_t>(random() % n);
      undone.remove(Side::men, man, undone.least(Side::men, man));
      if (undone.propagate().status != Status::failed) {
        continue;
      }
      ++failures;
      EXPECT_EQ(undone.propagate().status, Status::failed) << "it stays failed";
      undone.restore();
      for (int removals = 0; removals < 3; ++removals) {
        Side const side = random() % 2 == 0 ? Side::men : Side::women;
        auto const person = static_cast<std::uint32_t>(random() % n);
        auto const value = static_cast<std::uint32_t>(random() % n);
        undone.remove(side, person, value);
        fresh.remove(side, person, value);
      }
      auto const status = fresh.propagate().status;
      ASSERT_EQ(undone.propagate().status, status) << oracle::name(rules);
      if (status == Status::fixpoint) {
        ASSERT_EQ(oracle::words_of(undone), oracle::words_of(fresh)) << oracle::name(rules);
      }
    }
  }
  EXPECT_GT(failures, 50);
}

TYPED_TEST(Propagate, FailsOnAnEmptyDomain) {
  std::mt19937_64 random(7);
  auto const market = oracle::random_market(9, random);
  for (Schedule const schedule : schedules) {
    for (Side const side : {Side::men, Side::women}) {
      auto at_post = this->post(market, oracle::options(schedule, {}));
      for (std::uint32_t value = 0; value < 9; ++value) {
        at_post.remove(side, 4, value);
      }
      EXPECT_EQ(at_post.propagate().status, Status::failed);
      EXPECT_EQ(at_post.propagate().status, Status::failed) << "it stays failed";

      auto later = this->post(market, oracle::options(schedule, {}));
      ASSERT_EQ(later.propagate().status, Status::fixpoint);
      auto const before = oracle::words_of(later);
      later.save();
      std::vector<mp::Word> const nothing(mp::words_for(9), 0);
      later.keep(side, 4, nothing);
      EXPECT_EQ(later.propagate().status, Status::failed);
      later.restore();
      EXPECT_EQ(oracle::words_of(later), before);
      EXPECT_EQ(later.propagate().removed, 0u);
    }
  }
}

/// All women rank the men alike, and all men the women. The best man must not marry the best woman.
/// In any matching these two block, so there is no stable one.
TYPED_TEST(Propagate, FailsIfAMissingPairBlocksEveryMatching) {
  oracle::Market const market{{{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}, {{0, 1, 2}, {0, 1, 2}, {0, 1, 2}}};
  for (Schedule const schedule : schedules) {
    auto propagator = this->post(market, oracle::options(schedule, {}));
    propagator.remove(Side::women, 0, 0);
    EXPECT_EQ(propagator.propagate().status, Status::failed);
  }
}

TYPED_TEST(Propagate, EmptyMarketsAndSingleCouplesReachTheFixpoint) {
  for (Schedule const schedule : schedules) {
    for (mp::Rules const& rules : oracle::all_rules()) {
      auto empty = this->post({}, oracle::options(schedule, rules));
      EXPECT_EQ(empty.propagate().status, Status::fixpoint);
      empty.save();
      empty.restore();

      auto couple = this->post({{{0}}, {{0}}}, oracle::options(schedule, rules));
      EXPECT_EQ(couple.propagate().status, Status::fixpoint);
      EXPECT_TRUE(couple.contains(Side::men, 0, 0));
      couple.save();
      couple.remove(Side::women, 0, 0);
      EXPECT_EQ(couple.propagate().status, Status::failed);
      couple.restore();
      EXPECT_EQ(couple.propagate().status, Status::fixpoint);
      EXPECT_EQ(couple.count(Side::women, 0), 1u);
    }
  }
}

TYPED_TEST(Propagate, CopiesAreIndependent) {
  std::mt19937_64 random(8);
  auto const market = oracle::random_market(40, random);
  for (Schedule const schedule : schedules) {
    auto first = this->post(market, oracle::options(schedule, {}));
    auto alone = this->post(market, oracle::options(Schedule::serial, {}));
    first.propagate();
    alone.propagate();
    auto second = first.copy();
    for (std::uint64_t call = 0; call < 4; ++call) {
      mp::remove_minima(first, 1, call);
      mp::remove_minima(alone, 1, call);
      mp::remove_between(second, 3, call);
      auto const status = first.propagate().status;
      EXPECT_EQ(status, alone.propagate().status);
      if (status == Status::failed || second.propagate().status == Status::failed) {
        break;
      }
      EXPECT_EQ(oracle::words_of(first), oracle::words_of(alone));
    }
  }
}

/// Copies before the first call, and with removals that no call has seen. One of these can empty a
/// domain.
TYPED_TEST(Propagate, CopiesHaveThePendingRemovals) {
  std::mt19937_64 random(12);
  auto const market = oracle::random_market(40, random);
  for (Schedule const schedule : schedules) {
    auto first = this->post(market, oracle::options(schedule, {}));
    for (std::uint32_t call = 0; call < 5; ++call) {
      auto second = first.copy();
      auto const status = first.propagate().status;
      EXPECT_EQ(second.propagate().status, status);
      if (status == Status::failed) {
        break;
      }
      EXPECT_EQ(oracle::words_of(second), oracle::words_of(first));
      if (call == 3) {
        first.keep(Side::men, 3, std::vector<mp::Word>(mp::words_for(40), 0));
      } else {
        mp::remove_between(first, 20, call);
        mp::remove_minima(first, 1, call);
      }
    }
  }
}

TYPED_TEST(Propagate, IdsOf32BitsGiveTheSameDomains) {
  std::mt19937_64 random(9);
  auto const market = oracle::random_market(70, random);
  for (Schedule const schedule : schedules) {
    auto ids_16 = this->post(market, oracle::options(schedule, {}));
    auto ids_32 = mp::Propagator<TypeParam, std::uint32_t>::post(
        this->space, oracle::to_instance<TypeParam, std::uint32_t>(market),
        oracle::options(schedule, {}));
    ids_16.propagate();
    ids_32.propagate();
    EXPECT_EQ(oracle::words_of(ids_32), oracle::words_of(ids_16));
    mp::remove_minima(ids_16, 2, 1);
    mp::remove_minima(ids_32, 2, 1);
    EXPECT_EQ(ids_16.propagate().status, ids_32.propagate().status);
  }
}

TYPED_TEST(Propagate, WithoutCheckListsTheListsAreNotChecked) {
  std::mt19937_64 random(12);
  auto const market = oracle::random_market(70, random);
  auto checked = this->post(market);
  auto taken = this->post(market, {.check_lists = false});
  EXPECT_EQ(taken.propagate().status, checked.propagate().status);
  EXPECT_EQ(oracle::words_of(taken), oracle::words_of(checked));
  // Nothing is checked. The domains of such a propagator are meaningless.
  EXPECT_EQ(oracle::message_of([&] {
              this->post({{{0, 1}, {1, 0}}, {{0, 1}, {1, 1}}}, {.check_lists = false});
            }),
            "no taper::Error was thrown");
}

TYPED_TEST(Propagate, ErrorsNameTheArgumentAtFault) {
  using Ids = taper::preferences::Table<std::uint16_t, typename TypeParam::memory_space>;
  using Instance = taper::preferences::Instance<
      taper::preferences::ConstTable<std::uint16_t, typename TypeParam::memory_space>>;
  EXPECT_EQ(oracle::message_of([&] {
              TestFixture::Propagator::post(
                  this->space, Instance{Ids("test::men", 4, 4), Ids("test::women", 4, 3)});
            }),
            "taper::marriage_propagator::post: the tables must be n x n for one n, but men is 4 x "
            "4 and women is 4 x 3");
  EXPECT_EQ(oracle::message_of([&] {
              this->post({{{0, 1}, {1, 0}}, {{0, 1}, {1, 1}}});
            }),
            "taper::marriage_propagator::post: women: row 1 is no permutation of 0 .. 1: entry 1 "
            "is 1, which is out of range or repeated");
  EXPECT_EQ(oracle::message_of([&] {
              this->post({{{0, 7}, {1, 0}}, {{0, 1}, {1, 0}}});
            }),
            "taper::marriage_propagator::post: men: row 0 is no permutation of 0 .. 1: entry 1 is "
            "7, which is out of range or repeated");

  auto propagator = this->post({{{0, 1}, {1, 0}}, {{0, 1}, {1, 0}}}, {.max_levels = 1});
  EXPECT_EQ(
      oracle::message_of([&] { propagator.save(); }),
      "taper::marriage_propagator::save: no fixpoint has been reached: call propagate() first");
  EXPECT_EQ(oracle::message_of([&] { propagator.restore(); }),
            "taper::marriage_propagator::restore: no save() is open");
  propagator.propagate();
  EXPECT_EQ(oracle::message_of([&] { propagator.remove(Side::men, 0, 2); }),
            "taper::marriage_propagator::remove: person 0 of the men, value 2: both must be below "
            "n = 2");
  EXPECT_EQ(oracle::message_of([&] { propagator.assign(Side::women, 2, 0); }),
            "taper::marriage_propagator::assign: person 2 of the women, value 0: both must be "
            "below n = 2");
  EXPECT_EQ(
      oracle::message_of([&] { propagator.keep(Side::men, 0, {}); }),
      "taper::marriage_propagator::keep: `values` must have 1 words, as row() has, but has 0");
  propagator.save();
  EXPECT_EQ(oracle::message_of([&] { propagator.save(); }),
            "taper::marriage_propagator::save: 1 saves are open, which is Options::max_levels");
}

}  // namespace
