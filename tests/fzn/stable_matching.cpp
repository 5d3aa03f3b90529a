// SPDX-License-Identifier: Apache-2.0
#include "matchings.hpp"

#include <taper/marriage_propagator/marriage_propagator.hpp>

#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace mp = taper::marriage_propagator;
namespace oracle = taper::testing;
using oracle::all_of;
using oracle::Cost;
using oracle::Market;
using oracle::Matching;
using oracle::Matchings;
using oracle::Order;
using oracle::orders;
using oracle::Setting;

/// Draws an engine that can have the options, and a schedule. The thresholds make hybrid use both
/// propagators on small markets.
void schedule_by(std::mt19937_64& random, mp::Options& options) {
  if (!options.symmetric && random() % 2 == 0) {
    options.engine =
        options.bind_partner ? mp::Engine::published_serial : mp::Engine::published_parallel;
  }
  options.schedule =
      std::vector{mp::Schedule::serial, mp::Schedule::parallel, mp::Schedule::hybrid}[random() % 3];
  options.thresholds = {.free_people = 2, .modified_values = 4, .domain_size = 0};
}

TEST(StableMatching, FindsAllMatchingsInEveryOrder) {
  std::mt19937_64 random(1);
  for (int repeat = 0; repeat < 60; ++repeat) {
    auto const market = oracle::random_market(1 + random() % 8, random);
    auto const expected = oracle::stable_matchings(market);
    for (Order const order : orders) {
      Setting setting;
      setting.base = static_cast<int>(random() % 2);
      setting.twice = random() % 2 == 0;
      setting.options.symmetric = random() % 2 == 0;
      setting.options.bind_partner = random() % 2 == 0;
      schedule_by(random, setting.options);
      auto const root = std::make_unique<Matchings>(market, setting);
      root->branch_by(order);
      Gecode::Search::Options options;
      options.c_d = 1 + random() % 8;
      EXPECT_EQ(all_of<Gecode::DFS>(root.get(), market, setting.base, options), expected);
    }
  }
}

/// Values are removed before or after the constraint is posted.
TEST(StableMatching, FindsAllMatchingsWithinNarrowedDomains) {
  std::mt19937_64 random(2);
  for (int repeat = 0; repeat < 100; ++repeat) {
    std::size_t const n = 2 + random() % 6;
    auto const market = oracle::random_market(n, random);
    auto const root = std::make_unique<Matchings>(market, Setting{});
    std::set<std::pair<std::size_t, std::size_t>> gone;
    for (std::size_t i = random() % n; i > 0; --i) {
      int const person = static_cast<int>(random() % n);
      int const value = static_cast<int>(random() % n);
      bool const man = random() % 2 == 0;
      Gecode::rel(*root, (man ? root->men : root->women)[person], Gecode::IRT_NQ, value);
      auto const other =
          (man ? market.men
               : market.women)[static_cast<std::size_t>(person)][static_cast<std::size_t>(value)];
      man ? gone.insert({static_cast<std::size_t>(person), other})
          : gone.insert({other, static_cast<std::size_t>(person)});
    }
    taper::fzn::stable_matching(*root, root->men, root->women, Matchings::flat(market.men, 0),
                                Matchings::flat(market.women, 0), 0,
                                {.schedule = mp::Schedule::serial});
    root->branch_by(orders[repeat % 5]);
    std::vector<Matching> expected;
    for (auto const& matching : oracle::stable_matchings(market)) {
      bool fits = true;
      for (std::size_t man = 0; man < n; ++man) {
        fits = fits && gone.count({man, matching[man]}) == 0;
      }
      if (fits) {
        expected.push_back(matching);
      }
    }
    EXPECT_EQ(all_of<Gecode::DFS>(root.get(), market, 0, {}), expected);
  }
}

/// Rows of one word and of several, some of them full to the last bit. After each change the
/// variables have the domains of a propagator outside Gecode.
TEST(StableMatching, VariablesHaveThePropagatorsDomains) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  std::mt19937_64 random(9);
  std::uint32_t changes = 0;
  for (std::uint32_t const n : {63u, 64u, 65u, 128u, 200u}) {
    for (bool const symmetric : {false, true}) {
      auto const market = oracle::random_market(n, random);
      Setting setting;
      setting.options.symmetric = symmetric;
      auto const root = std::make_unique<Matchings>(market, setting);
      auto state =
          mp::Propagator<Host>::post(Host{}, oracle::to_instance<Host>(market),
                                     {.schedule = mp::Schedule::serial, .symmetric = symmetric});
      for (std::uint32_t person = 0; person < n; ++person) {
        auto const value = n / 2 + static_cast<std::uint32_t>(random() % (n / 2));
        Gecode::rel(*root, root->men[static_cast<int>(person)], Gecode::IRT_NQ,
                    static_cast<int>(value));
        state.remove(mp::Side::men, person, value);
        ++changes;
      }
      for (int step = 0; step < 60; ++step) {
        bool const failed = state.propagate().status == mp::Status::failed;
        ASSERT_EQ(root->status() == Gecode::SS_FAILED, failed) << n << ' ' << step;
        if (failed) {
          break;
        }
        std::vector<std::pair<mp::Side, std::uint32_t>> open;
        for (mp::Side const side : {mp::Side::men, mp::Side::women}) {
          for (std::uint32_t person = 0; person < n; ++person) {
            auto const& variable = root->of(side)[static_cast<int>(person)];
            ASSERT_EQ(variable.size(), state.count(side, person));
            for (std::uint32_t value = 0; value < n; ++value) {
              ASSERT_EQ(variable.in(static_cast<int>(value)), state.contains(side, person, value));
            }
            if (variable.size() > 1) {
              open.emplace_back(side, person);
            }
          }
        }
        if (open.empty()) {
          break;
        }
        auto const [side, person] = open[random() % open.size()];
        auto const& variable = root->of(side)[static_cast<int>(person)];
        int const least = variable.min();
        int const middle = variable.med();
        if (random() % 3 == 0) {
          Gecode::rel(*root, variable, Gecode::IRT_NQ, middle);
          state.remove(side, person, static_cast<std::uint32_t>(middle));
        } else {
          Gecode::rel(*root, variable, Gecode::IRT_GR, least);
          state.remove(side, person, 0, static_cast<std::uint32_t>(least));
        }
        ++changes;
      }
    }
  }
  EXPECT_GT(changes, 1'040u + 30u);
}

/// A man and a woman may have the same variable. Narrowing one view then narrows the other.
TEST(StableMatching, TwoSidesMayShareVariables) {
  std::mt19937_64 random(6);
  std::size_t matchings = 0;
  for (int repeat = 0; repeat < 400; ++repeat) {
    auto const market = oracle::random_market(1 + random() % 4, random);
    Setting setting;
    setting.options.symmetric = random() % 2 == 0;
    setting.options.bind_partner = random() % 2 == 0;
    schedule_by(random, setting.options);
    auto const root = std::make_unique<Matchings>(market, setting);
    taper::fzn::stable_matching(*root, root->men, root->men, Matchings::flat(market.men, 0),
                                Matchings::flat(market.women, 0), 0, setting.options);
    root->branch_by(orders[repeat % 5]);
    std::vector<Matching> expected;
    for (auto const& matching : oracle::stable_matchings(market)) {
      bool fits = true;
      for (std::size_t man = 0; man < market.size(); ++man) {
        std::size_t const wife = matching[man];
        // Woman w and man w have the same variable.
        fits = fits && oracle::rank_in(market.women[wife], man) ==
                           oracle::rank_in(market.men[wife], matching[wife]);
      }
      if (fits) {
        expected.push_back(matching);
      }
    }
    matchings += expected.size();
    EXPECT_EQ(all_of<Gecode::DFS>(root.get(), market, 0, {}), expected);
  }
  EXPECT_GT(matchings, 20u);
}

/// Finds the optimum of three costs by branch and bound, with and without restarts, and all
/// matchings. On one thread and on three, with one constraint or with two that exchange the sides.
TEST(StableMatching, WorksWithBranchAndBoundRestartsAndThreads) {
  std::mt19937_64 random(3);
  for (int repeat = 0; repeat < 18; ++repeat) {
    auto const market = oracle::random_market(7, random);
    auto const expected = oracle::stable_matchings(market);
    Setting setting{.base = static_cast<int>(random() % 2),
                    .twice = random() % 2 == 0,
                    .cost = std::vector{Cost::egalitarian, Cost::regret,
                                        Cost::sex_equal}[static_cast<std::size_t>(repeat) % 3]};
    setting.options.symmetric = random() % 2 == 0;
    schedule_by(random, setting.options);
    int least = 1 << 20;
    for (auto const& matching : expected) {
      least = std::min(least, oracle::cost_of(setting.cost, market, matching));
    }
    auto const root_by = [&](Order order) {
      auto root = std::make_unique<Matchings>(market, setting);
      root->branch_by(order);
      return root;
    };
    auto const best_of = [&](auto&& engine) {
      int best = -1;
      while (std::unique_ptr<Matchings> const solution{engine.next()}) {
        best = solution->total.val();
        EXPECT_EQ(best,
                  oracle::cost_of(setting.cost, market, solution->matching(market, setting.base)));
      }
      return best;
    };
    for (double const threads : {1.0, 3.0}) {
      Gecode::Search::Options options;
      options.threads = threads;
      EXPECT_EQ(best_of(Gecode::BAB<Matchings>(root_by(Order::men_worst_first).get(), options)),
                least);
      EXPECT_EQ(all_of<Gecode::DFS>(root_by(Order::random).get(), market, setting.base, options),
                expected);
      options.cutoff = Gecode::Search::Cutoff::geometric(2, 1.5);  // the engine deletes it
      EXPECT_EQ(best_of(Gecode::RBS<Matchings, Gecode::BAB>(root_by(Order::random).get(), options)),
                least);
    }
  }
}

/// Variables of n persons per side, without a constraint.
struct Couples : Gecode::Space {
  explicit Couples(int n) : men(*this, n, 0, n - 1), women(*this, n, 0, n - 1) {}
  Couples(Couples& from) : Space(from) {
    men.update(*this, from.men);
    women.update(*this, from.women);
  }
  Gecode::Space* copy() override { return new Couples(*this); }

  Gecode::IntVarArray men;
  Gecode::IntVarArray women;
};

/// Knuth's instance of four couples, which has ten stable matchings.
Market const knuths{{{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}},
                    {{3, 2, 1, 0}, {2, 3, 0, 1}, {1, 0, 3, 2}, {0, 1, 2, 3}}};

void post_knuths(Gecode::Home home, Couples const& couples, mp::Schedule schedule) {
  taper::fzn::stable_matching(home, couples.men, couples.women, Matchings::flat(knuths.men, 0),
                              Matchings::flat(knuths.women, 0), 0, {.schedule = schedule});
}

/// A man whose only woman must not marry him, and a space that has failed before.
TEST(StableMatching, FailsIfADomainIsEmptyAtPost) {
  for (auto const schedule : {mp::Schedule::serial, mp::Schedule::parallel}) {
    Couples excluded(4);
    Gecode::rel(excluded, excluded.men[1], Gecode::IRT_EQ, 2);
    Gecode::rel(excluded, excluded.women[3], Gecode::IRT_NQ, 1);
    post_knuths(excluded, excluded, schedule);
    EXPECT_EQ(excluded.status(), Gecode::SS_FAILED);

    Couples failed(4);
    Gecode::rel(failed, failed.men[1], Gecode::IRT_GR, 3);
    post_knuths(failed, failed, schedule);
    EXPECT_EQ(failed.status(), Gecode::SS_FAILED);
  }
}

/// A propagator group is disabled before or after its first run, the space is copied, and the group
/// is enabled in the copy. Then the group is killed, and variables still change.
TEST(StableMatching, PropagatorsCanBeDisabledEnabledAndKilled) {
  for (auto const schedule : {mp::Schedule::serial, mp::Schedule::parallel}) {
    for (bool const runs_before : {false, true}) {
      Gecode::PropagatorGroup group;
      Couples root(4);
      post_knuths(root(group), root, schedule);
      if (runs_before) {
        EXPECT_EQ(root.status(), Gecode::SS_SOLVED);
      }
      group.disable(root);
      Gecode::rel(root, root.men[0], Gecode::IRT_NQ, 0);
      EXPECT_EQ(root.status(), Gecode::SS_SOLVED);
      std::unique_ptr<Couples> const copy(static_cast<Couples*>(root.clone()));
      group.enable(*copy);
      Gecode::branch(*copy, copy->men, Gecode::INT_VAR_NONE(), Gecode::INT_VAL_MIN());
      std::size_t found = 0;
      Gecode::DFS<Couples> engine(copy.get());
      while (std::unique_ptr<Couples> const solution{engine.next()}) {
        ++found;
      }
      std::size_t expected = 0;
      for (auto const& matching : oracle::stable_matchings(knuths)) {
        expected += matching[0] != 0;
      }
      EXPECT_EQ(found, expected);

      group.kill(root);
      Gecode::rel(root, root.men[0], Gecode::IRT_EQ, 3);
      EXPECT_EQ(root.status(), Gecode::SS_SOLVED);
    }
  }
}

TEST(StableMatching, EmptyMarketsAndSingleCouplesAreSolved) {
  auto const empty = std::make_unique<Matchings>(Market{}, Setting{});
  empty->branch_by(Order::men_best_first);
  EXPECT_EQ(empty->status(), Gecode::SS_SOLVED);
  auto const couple = std::make_unique<Matchings>(Market{{{0}}, {{0}}}, Setting{});
  couple->branch_by(Order::men_best_first);
  EXPECT_EQ(couple->status(), Gecode::SS_SOLVED);
  EXPECT_EQ(couple->men[0].val(), 0);
}

TEST(StableMatching, ErrorsNameTheArgumentAtFault) {
  auto const message_of = [](auto const& function) -> std::string {
    try {
      function();
    } catch (Gecode::Exception const& error) {
      return error.what();
    }
    return "no Gecode::Exception was thrown";
  };
  Couples space(1);
  Gecode::IntVarArgs const two(space, 2, 0, 1);
  Gecode::IntVarArgs const three(space, 3, 0, 2);
  Gecode::IntArgs const lists{0, 1, 1, 0};
  EXPECT_EQ(message_of([&] { taper::fzn::stable_matching(space, two, three, lists, lists); }),
            "stable_matching: there are 2 men and 3 women: the sides must be equal");
  EXPECT_EQ(message_of([&] { taper::fzn::stable_matching(space, three, three, lists, lists); }),
            "stable_matching: pm (the men's lists) has 4 entries, but 3 people per side need 9");
  EXPECT_EQ(
      message_of([&] {
        taper::fzn::stable_matching(space, two, two, lists, Gecode::IntArgs{0, 1, 2, 0});
      }),
      "stable_matching: pw (the women's lists): entry 0 of row 1 (both from 0) is 2, which is "
      "not in 0..1");
  EXPECT_EQ(message_of([&] {
              taper::fzn::stable_matching(space, two, two, Gecode::IntArgs{1, 2, 2, 2}, lists, 1);
            }),
            "stable_matching: pm (the men's lists): entry 1 of row 1 (both from 0) is 2, which is "
            "repeated");
  EXPECT_EQ(message_of([&] { taper::fzn::stable_matching(space, two, two, lists, lists, -1); }),
            "stable_matching: pm (the men's lists): entry 1 of row 0 (both from 0) is 1, which is "
            "not in -1..0");
  Gecode::IntVarArgs const late(space, 2, 1, 2);
  EXPECT_EQ(message_of([&] { taper::fzn::stable_matching(space, late, two, lists, lists); }),
            "stable_matching: men: variable 0 (from 0) has 1..2, but places are 0..1");
  EXPECT_EQ(message_of([&] {
              taper::fzn::stable_matching(space, late, two, Gecode::IntArgs{1, 2, 2, 1},
                                          Gecode::IntArgs{1, 2, 2, 1}, 1);
            }),
            "stable_matching: women: variable 0 (from 0) has 0..1, but places are 1..2");
  taper::fzn::Lists const of_three =
      taper::preferences::Table<std::uint16_t, taper::fzn::Lists::memory_space>("test::lists", 3,
                                                                                3);
  EXPECT_EQ(message_of([&] { taper::fzn::stable_matching(space, two, two, of_three, of_three); }),
            "stable_matching: the lists are for 3 people, but there are 2 variables per side");
  EXPECT_EQ(
      message_of([&] { taper::fzn::stable_matching(space, three, three, of_three, of_three); }),
      "stable_matching: men: row 0 is no permutation of 0 .. 2: entry 1 is 0, which is out of "
      "range or repeated");
}

}  // namespace
