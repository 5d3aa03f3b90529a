// SPDX-License-Identifier: Apache-2.0
//
// Instances whose numbers of stable matchings are known from elsewhere.
#include "matchings.hpp"

#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace oracle = taper::testing;
using oracle::all_of;
using oracle::Market;
using oracle::Matching;
using oracle::Matchings;
using oracle::Order;
using oracle::orders;
using oracle::Setting;

/// Expects `count` matchings in every search order.
void expect_count(Market const& market, Setting const& setting, std::size_t count) {
  for (Order const order : orders) {
    auto const root = std::make_unique<Matchings>(market, setting);
    root->branch_by(order);
    EXPECT_EQ(all_of<Gecode::DFS>(root.get(), market, 0, {}).size(), count);
  }
}

/// The matching that is found first if the men take their best places first.
Matching first_matching(Market const& market) {
  auto const root = std::make_unique<Matchings>(market, Setting{});
  root->branch_by(Order::men_best_first);
  Gecode::DFS<Matchings> engine(root.get());
  std::unique_ptr<Matchings> const first(engine.next());
  return first->matching(market, 0);
}

/// Lists from text: one word per row, one digit per id.
oracle::Lists lists_of(std::string const& text) {
  oracle::Lists lists;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    lists.emplace_back();
    for (char const digit : word) {
      lists.back().push_back(static_cast<std::size_t>(digit - '0'));
    }
  }
  return lists;
}

struct Known {
  char const* name;
  char const* men;
  char const* women;
  char const* forbidden;  ///< pairs of a man and a woman
  std::size_t matchings;
};

/// The test instances of the paper's authors, with their names. The counts are by brute force.
Known const known[] = {
    {"1solution", "012 012 012", "012 012 012", "", 1},
    {"2solutions", "210 021 120", "120 102 201", "", 2},
    {"3solutions", "201 012 102", "201 012 120", "", 3},
    {"input_n4", "2130 1023 3021 0213", "1302 3210 2130 0213", "", 3},
    {"input_n4_doms", "2130 1023 3021 0213", "1302 3210 2130 0213", "00 01 20 21 22", 1},
    {"input_n4_partial", "2031 3012 1032 2013", "3201 0312 2310 3210", "10 31", 2},
    {"input_n5_1", "34120 01324 04321 21430 01423", "13402 23041 02143 03214 14032", "", 2},
    {"input_n5_2", "31204 42103 14032 41320 30124", "31420 10324 02431 30214 14023", "", 2},
    {"input_n5_3", "01234 10234 24013 32401 43012", "43210 43201 41302 21043 10324", "", 7},
    {"input_n5_partial", "02413 20134 41230 24130 24301", "23041 34210 31402 14230 04213",
     "00 01 11 14 20 32 40 41", 0},
    {"paper87", "46015732 12643075 74035126 21630574 61402573 05647312 14652370 27346150",
     "42650173 75246103 04513762 76213045 53627014 17435260 64107532 63041257", "", 9},
    {"paper87_doms", "46015732 12643075 74035126 21630574 61402573 05647312 14652370 27346150",
     "42650173 75246103 04513762 76213045 53627014 17435260 64107532 63041257", "00 01 02 40", 4},
    {"paper87_doms_2", "46015732 12643075 74035126 21630574 61402573 05647312 14652370 27346150",
     "42650173 75246103 04513762 76213045 53627014 17435260 64107532 63041257",
     "00 01 02 05 40 41 62", 3},
    {"no_sol_n5_bis", "34012 42031 34102 04312 23140", "32014 14032 12403 31402 12034",
     "00 01 02 04 10 11 13 14 20 23 24 31 32 33 34 40 41 43 44", 0},
    {"input_n3_partial", "012 201 201", "201 210 021", "22", 1},
    {"input_n3_partial_bis", "120 012 210", "102 102 021", "02", 1},
    {"all_empty_domains_n5", "01243 02314 41320 34102 20143", "42013 23041 03241 01243 23401",
     "00 01 02 03 04 11 13 14 20 21 22 24 30 31 32 33 34 40 41 42 43", 0},
};

TEST(KnownCounts, TheTestsOfThePapersAuthorsHaveTheirCounts) {
  for (auto const& [name, men, women, forbidden, count] : known) {
    Market const market{lists_of(men), lists_of(women)};
    std::vector<Matching> expected;
    for (auto const& matching : oracle::stable_matchings(market)) {
      bool fits = true;
      for (auto const& pair : lists_of(forbidden)) {
        fits = fits && matching[pair[0]] != pair[1];
      }
      if (fits) {
        expected.push_back(matching);
      }
    }
    EXPECT_EQ(expected.size(), count) << name;
    for (bool const twice : {false, true}) {
      for (Order const order : orders) {
        auto const root = std::make_unique<Matchings>(market, Setting{.twice = twice});
        bool at_the_man = true;
        for (auto const& pair : lists_of(forbidden)) {
          auto const& list = at_the_man ? market.men[pair[0]] : market.women[pair[1]];
          auto const place = static_cast<int>(oracle::rank_in(list, pair[at_the_man ? 1 : 0]));
          Gecode::rel(*root,
                      at_the_man ? root->men[static_cast<int>(pair[0])]
                                 : root->women[static_cast<int>(pair[1])],
                      Gecode::IRT_NQ, place);
          at_the_man = !at_the_man;
        }
        root->branch_by(order);
        EXPECT_EQ(all_of<Gecode::DFS>(root.get(), market, 0, {}), expected) << name;
      }
    }
  }
}

TEST(KnownCounts, KnuthsInstanceHasTenMatchingsTheManOptimalFirst) {
  Market const market{{{0, 1, 2, 3}, {1, 0, 3, 2}, {2, 3, 0, 1}, {3, 2, 1, 0}},
                      {{3, 2, 1, 0}, {2, 3, 0, 1}, {1, 0, 3, 2}, {0, 1, 2, 3}}};
  expect_count(market, {}, 10);
  EXPECT_EQ(first_matching(market), oracle::man_optimal(market));
}

/// Lists from tables of places, which count from 1, as published.
oracle::Lists lists_of_places(oracle::Lists const& places) {
  oracle::Lists lists(places.size(), std::vector<std::size_t>(places.size()));
  for (std::size_t person = 0; person < places.size(); ++person) {
    for (std::size_t other = 0; other < places.size(); ++other) {
      lists[person][places[person][other] - 1] = other;
    }
  }
  return lists;
}

/// Instances with published counts: MathWorld's of nine ("Stable Marriage Problem"; places), and
/// the one of eight in Gusfield and Irving, "The Stable Marriage Problem", 1989 (lists).
TEST(KnownCounts, PublishedInstancesHaveTheirCounts) {
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
      expect_count(market, {.twice = twice}, count);
    }
  }
  // MathWorld gives each woman's man.
  EXPECT_EQ(first_matching(nine), (Matching{1, 7, 6, 2, 4, 0, 8, 3, 5}));
}

}  // namespace
