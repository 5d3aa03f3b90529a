// SPDX-License-Identifier: Apache-2.0
#include <fzn/stable_matching.hpp>
#include <support/oracles.hpp>

#include <Kokkos_Core.hpp>
#include <gecode/driver.hh>
#include <gecode/int.hh>
#include <gecode/minimodel.hh>
#include <gecode/search.hh>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace mp = taper::marriage_propagator;
namespace oracle = taper::testing;
using oracle::Market;
using oracle::Matching;

/// Which variables and values a search takes first; one order can hide a wrong propagator.
enum class Order { men_best_first, women_best_first, men_worst_first, women_halved, random };
constexpr Order orders[] = {Order::men_best_first, Order::women_best_first, Order::men_worst_first,
                            Order::women_halved, Order::random};

struct Setting {
  int base = 0;
  bool twice = false;  ///< a second constraint, with the roles exchanged
  mp::Options options = {.schedule = mp::Schedule::serial};
};

class Matchings : public Gecode::IntMinimizeSpace {
 public:
  Matchings(Market const& market, Setting const& setting)
      : men(*this, static_cast<int>(market.size()), setting.base,
            setting.base + std::max<int>(0, static_cast<int>(market.size()) - 1)),
        women(*this, static_cast<int>(market.size()), setting.base,
              setting.base + std::max<int>(0, static_cast<int>(market.size()) - 1)),
        total(*this, 0, static_cast<int>(4 * market.size() * market.size() + 1)) {
    auto const pm = flat(market.men, setting.base);
    auto const pw = flat(market.women, setting.base);
    taper::fzn::stable_matching(*this, men, women, pm, pw, setting.base, setting.options);
    if (setting.twice) {
      taper::fzn::stable_matching(*this, women, men, pw, pm, setting.base, setting.options);
    }
    if (market.size() > 0) {
      Gecode::rel(*this, Gecode::sum(men) + Gecode::sum(women) == total);
    }
  }
  Matchings(Matchings& from) : IntMinimizeSpace(from) {
    men.update(*this, from.men);
    women.update(*this, from.women);
    total.update(*this, from.total);
  }
  Gecode::Space* copy() override { return new Matchings(*this); }
  Gecode::IntVar cost() const override { return total; }

  void branch_by(Order order) {
    switch (order) {
    case Order::men_best_first:
      return Gecode::branch(*this, men, Gecode::INT_VAR_NONE(), Gecode::INT_VAL_MIN());
    case Order::women_best_first:
      return Gecode::branch(*this, women, Gecode::INT_VAR_SIZE_MIN(), Gecode::INT_VAL_MIN());
    case Order::men_worst_first:
      return Gecode::branch(*this, men, Gecode::INT_VAR_SIZE_MAX(), Gecode::INT_VAL_MAX());
    case Order::women_halved:
      return Gecode::branch(*this, women, Gecode::INT_VAR_NONE(), Gecode::INT_VAL_SPLIT_MAX());
    case Order::random:
      return Gecode::branch(*this, men + women, Gecode::INT_VAR_RND(Gecode::Rnd(7)),
                            Gecode::INT_VAL_RND(Gecode::Rnd(8)));
    }
  }

  Matching matching(Market const& market, int base) const {
    Matching partner_of;
    for (std::size_t man = 0; man < market.size(); ++man) {
      partner_of.push_back(
          market.men[man][static_cast<std::size_t>(men[static_cast<int>(man)].val() - base)]);
    }
    for (std::size_t woman = 0; woman < market.size(); ++woman) {
      std::size_t const rank =
          static_cast<std::size_t>(women[static_cast<int>(woman)].val() - base);
      EXPECT_EQ(partner_of[market.women[woman][rank]], woman);
    }
    return partner_of;
  }

  static Gecode::IntArgs flat(oracle::Lists const& lists, int base) {
    Gecode::IntArgs ids(static_cast<int>(lists.size() * lists.size()));
    int i = 0;
    for (auto const& list : lists) {
      for (auto const id : list) {
        ids[i++] = static_cast<int>(id) + base;
      }
    }
    return ids;
  }

  Gecode::IntVarArray men;
  Gecode::IntVarArray women;
  Gecode::IntVar total;
};

template <template <class> class Engine>
std::vector<Matching> all_of(Matchings* root, Market const& market, int base,
                             Gecode::Search::Options const& options) {
  Engine<Matchings> engine(root, options);
  std::vector<Matching> found;
  while (std::unique_ptr<Matchings> const solution{engine.next()}) {
    found.push_back(solution->matching(market, base));
  }
  std::sort(found.begin(), found.end());
  return found;
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
      setting.options.engage = random() % 2 == 0;
      setting.options.schedule = std::vector{mp::Schedule::serial, mp::Schedule::parallel,
                                             mp::Schedule::hybrid}[random() % 3];
      auto const root = std::make_unique<Matchings>(market, setting);
      root->branch_by(order);
      Gecode::Search::Options options;
      options.c_d = 1 + random() % 8;
      EXPECT_EQ(all_of<Gecode::DFS>(root.get(), market, setting.base, options), expected);
    }
  }
}

TEST(StableMatching, KnuthsTenAndTheManOptimalOneFirst) {
  Market const market{{{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}},
                      {{3, 2, 1, 0}, {2, 3, 0, 1}, {1, 0, 3, 2}, {0, 1, 2, 3}}};
  for (Order const order : orders) {
    auto const root = std::make_unique<Matchings>(market, Setting{});
    root->branch_by(order);
    EXPECT_EQ(all_of<Gecode::DFS>(root.get(), market, 0, {}).size(), 10u);
  }
  auto const root = std::make_unique<Matchings>(market, Setting{});
  root->branch_by(Order::men_best_first);
  Gecode::DFS<Matchings> engine(root.get());
  std::unique_ptr<Matchings> const first(engine.next());
  EXPECT_EQ(first->matching(market, 0), oracle::man_optimal(market));
}

/// Places from 1, as published, as lists.
oracle::Lists lists_of_places(oracle::Lists const& places) {
  oracle::Lists lists(places.size(), std::vector<std::size_t>(places.size()));
  for (std::size_t person = 0; person < places.size(); ++person) {
    for (std::size_t other = 0; other < places.size(); ++other) {
      lists[person][places[person][other] - 1] = other;
    }
  }
  return lists;
}

/// Markets whose numbers of stable matchings are known from elsewhere: MathWorld's of nine ("Stable
/// Marriage Problem"; places), and the one of eight of Gusfield and Irving, "The Stable Marriage
/// Problem", 1989 (lists).
TEST(StableMatching, CountsKnownFromTheLiterature) {
  Market const nine{lists_of_places({{3, 1, 5, 2, 8, 7, 6, 9, 4},
                                     {9, 4, 8, 1, 7, 6, 3, 2, 5},
                                     {3, 1, 8, 9, 5, 4, 2, 6, 7},
                                     {8, 7, 5, 3, 2, 6, 4, 9, 1},
                                     {6, 9, 2, 5, 1, 4, 7, 3, 8},
                                     {2, 4, 5, 1, 6, 8, 3, 9, 7},
                                     {9, 3, 8, 2, 7, 5, 4, 6, 1},
                                     {6, 3, 2, 1, 8, 4, 5, 9, 7},
                                     {8, 2, 6, 4, 9, 1, 3, 7, 5}}),
                    lists_of_places({{7, 3, 8, 9, 6, 4, 2, 1, 5},
                                     {5, 4, 8, 3, 1, 2, 6, 7, 9},
                                     {4, 8, 3, 9, 7, 5, 6, 1, 2},
                                     {9, 7, 4, 2, 5, 8, 3, 1, 6},
                                     {2, 6, 4, 9, 8, 7, 5, 1, 3},
                                     {2, 7, 8, 6, 5, 3, 4, 1, 9},
                                     {1, 6, 2, 3, 8, 5, 4, 9, 7},
                                     {5, 6, 9, 1, 2, 8, 4, 3, 7},
                                     {6, 1, 4, 7, 5, 8, 3, 9, 2}})};
  Market const eight{{{2, 0, 4, 6, 3, 1, 7, 5},
                      {5, 0, 2, 3, 7, 6, 4, 1},
                      {6, 3, 2, 5, 4, 0, 1, 7},
                      {4, 2, 7, 1, 5, 0, 3, 6},
                      {3, 0, 1, 7, 6, 2, 5, 4},
                      {5, 1, 4, 6, 7, 3, 2, 0},
                      {6, 7, 0, 5, 1, 2, 3, 4},
                      {1, 5, 6, 0, 7, 2, 3, 4}},
                     {{3, 2, 7, 0, 1, 4, 6, 5},
                      {2, 6, 4, 7, 5, 3, 0, 1},
                      {6, 4, 7, 2, 5, 1, 0, 3},
                      {5, 3, 1, 6, 2, 0, 4, 7},
                      {7, 6, 0, 4, 5, 3, 2, 1},
                      {4, 3, 6, 5, 1, 7, 2, 0},
                      {0, 3, 4, 5, 1, 7, 2, 6},
                      {1, 4, 3, 2, 6, 7, 0, 5}}};
  for (auto const& [market, count] : {std::pair{nine, 6u}, std::pair{eight, 23u}}) {
    for (bool const twice : {false, true}) {
      for (Order const order : orders) {
        auto const root = std::make_unique<Matchings>(market, Setting{.twice = twice});
        root->branch_by(order);
        EXPECT_EQ(all_of<Gecode::DFS>(root.get(), market, 0, {}).size(), count);
      }
    }
  }
  // MathWorld gives each woman's man.
  auto const root = std::make_unique<Matchings>(nine, Setting{});
  root->branch_by(Order::men_best_first);
  Gecode::DFS<Matchings> engine(root.get());
  std::unique_ptr<Matchings> const first(engine.next());
  EXPECT_EQ(first->matching(nine, 0), (Matching{1, 7, 6, 2, 4, 0, 8, 3, 5}));
}

/// Values that others have taken out before or after the constraint was posted.
TEST(StableMatching, NarrowedDomains) {
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

TEST(StableMatching, BranchAndBoundRestartsAndThreads) {
  std::mt19937_64 random(3);
  for (int repeat = 0; repeat < 12; ++repeat) {
    auto const market = oracle::random_market(7, random);
    auto const expected = oracle::stable_matchings(market);
    int least = 1 << 20;
    for (auto const& matching : expected) {
      int sum = 0;
      for (std::size_t man = 0; man < 7; ++man) {
        sum += static_cast<int>(oracle::rank_in(market.men[man], matching[man]) +
                                oracle::rank_in(market.women[matching[man]], man));
      }
      least = std::min(least, sum);
    }
    for (double const threads : {1.0, 3.0}) {
      Gecode::Search::Options options;
      options.threads = threads;
      {
        auto const root = std::make_unique<Matchings>(market, Setting{});
        root->branch_by(Order::men_worst_first);
        Gecode::BAB<Matchings> engine(root.get(), options);
        int best = -1;
        while (std::unique_ptr<Matchings> const solution{engine.next()}) {
          best = solution->total.val();
        }
        EXPECT_EQ(best, least);
      }
      {
        auto const root = std::make_unique<Matchings>(market, Setting{});
        root->branch_by(Order::random);
        EXPECT_EQ(all_of<Gecode::DFS>(root.get(), market, 0, options), expected);
      }
      {
        auto const root = std::make_unique<Matchings>(market, Setting{});
        root->branch_by(Order::random);
        options.cutoff = Gecode::Search::Cutoff::geometric(2, 1.5);
        Gecode::RBS<Matchings, Gecode::BAB> engine(root.get(), options);
        int best = -1;
        while (std::unique_ptr<Matchings> const solution{engine.next()}) {
          best = solution->total.val();
        }
        EXPECT_EQ(best, least);
      }
    }
  }
}

TEST(StableMatching, NobodyAndOneCouple) {
  auto const nobody = std::make_unique<Matchings>(Market{}, Setting{});
  nobody->branch_by(Order::men_best_first);
  EXPECT_EQ(nobody->status(), Gecode::SS_SOLVED);
  auto const couple = std::make_unique<Matchings>(Market{{{0}}, {{0}}}, Setting{});
  couple->branch_by(Order::men_best_first);
  EXPECT_EQ(couple->status(), Gecode::SS_SOLVED);
  EXPECT_EQ(couple->men[0].val(), 0);
}

TEST(StableMatching, SaysWhatDoesNotFit) {
  auto const message_of = [](auto const& function) -> std::string {
    try {
      function();
    } catch (Gecode::Exception const& error) {
      return error.what();
    }
    return "no Gecode::Exception was thrown";
  };
  struct Empty : Gecode::Space {
    Empty() = default;
    Empty(Empty& from) : Space(from) {}
    Gecode::Space* copy() override { return new Empty(*this); }
  };
  auto const root = std::make_unique<Empty>();
  Empty& space = *root;
  Gecode::IntVarArgs const two(space, 2, 0, 1);
  Gecode::IntVarArgs const three(space, 3, 0, 2);
  Gecode::IntArgs const lists{0, 1, 1, 0};
  EXPECT_EQ(message_of([&] { taper::fzn::stable_matching(space, two, three, lists, lists); }),
            "stable_matching: there are 2 men and 3 women: the sides must be equal");
  EXPECT_EQ(message_of([&] { taper::fzn::stable_matching(space, three, three, lists, lists); }),
            "stable_matching: men's lists has 4 entries, but 3 people a side need 9");
  EXPECT_EQ(message_of([&] {
              taper::fzn::stable_matching(space, two, two, lists, Gecode::IntArgs{0, 1, 2, 0});
            }),
            "stable_matching: women's lists: entry 0 of row 1 (both from 0) is 2, which is not in "
            "0..1");
  EXPECT_EQ(
      message_of([&] {
        taper::fzn::stable_matching(space, two, two, Gecode::IntArgs{0, 1, 1, 1}, lists);
      }),
      "stable_matching: men: row 1 is no permutation of 0 .. 1: entry 1 is 1, which is out of "
      "range or there before");
}

}  // namespace
