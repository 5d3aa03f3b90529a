// SPDX-License-Identifier: Apache-2.0
//
// Sparse markets as texts with numbers: of the Glasgow solvers, of algmatch, and of PrefLib.
#include "sparse_scratch.hpp"

namespace {

using namespace taper;
using namespace taper::io;

using SparseTexts = SparseScratch;

TEST_F(SparseTexts, GlasgowWithSeatsTiesAndShortLists) {
  constexpr auto text = "0\n3\n2\n1 1 2\n2   (2 1)\n3\n1 2 (2 1)\n2   1 (1) 2\n";
  constexpr auto words = "residents 1: 1 0, 2 0; 2: (2 1, 1 0); 3: | hospitals 1 2, 2 1";
  EXPECT_EQ(in_words(sparse_in("m.instance", text)), words);
  EXPECT_EQ(in_words(sparse_in("m.txt", text)), words);
  EXPECT_EQ(in_words(sparse_in("m", text, {.format = MarketFormat::glasgow})), words);
  EXPECT_EQ(sparse_in("m", text).id_base, 1);
  EXPECT_EQ(in_words(sparse_in("m", "0\n1\n2\n1 2\n1 1\n2 1 1\n")), "men 1: 2 0 | women 1 1, 2 1");
}

TEST_F(SparseTexts, AlgmatchWithSeats) {
  constexpr auto text = "3 2\n1 1 2\n2 (1 2)\n3 1\n1 2 (2 3) 1\n2 1 1 2\n";
  constexpr auto words = "residents 1: 1 1, 2 0; 2: (1 0, 2 1); 3: 1 0 | hospitals 1 2, 2 1";
  EXPECT_EQ(in_words(sparse_in("m.txt", text)), words);
  EXPECT_EQ(in_words(sparse_in("m", text, {.format = MarketFormat::algmatch_hr})), words);
}

TEST_F(SparseTexts, AlgmatchWithoutSeats) {
  constexpr auto text = "2 3\n1 2 3\n2 (3 2)\n1\n2 2 1\n3 1 2\n";
  constexpr auto words = "men 1: 2 1, 3 0; 2: (3 1, 2 0) | women 1 1, 2 1, 3 1";
  EXPECT_EQ(in_words(sparse_in("m", text)), words) << "woman 1 has no seats that could be read";
  EXPECT_EQ(in_words(sparse_in("m", text, {.format = MarketFormat::algmatch_sm})), words);
  write("c", "2 2\n1 2 1\n2 1 2\n1 1 2\n2 2 1\n");
  EXPECT_TRUE(std::holds_alternative<Market>(read_any({"c"}))) << "complete, so without seats";
}

TEST_F(SparseTexts, AlgmatchThatMayHaveSeatsIsAnError) {
  constexpr auto text = "2 1\n1 1\n2\n1 2 1\n";
  EXPECT_EQ(in_words(sparse_in("m", text)), "residents 1: 1 0; 2: | hospitals 1 2")
      << "resident 2 does not list hospital 1";
  constexpr auto either = "2 2\n1 1\n2\n1 1 2\n2 1\n";
  EXPECT_EQ(any_error_in("m", either),
            "m: the first number of a list of the second side may be its seats or its best; give "
            "--format algmatch-hr or algmatch-sm");
  EXPECT_EQ(in_words(sparse_in("m", either, {.format = MarketFormat::algmatch_hr})),
            "men 1:; 2: | women 1 1, 2 1");
}

TEST_F(SparseTexts, WrongNumbersAreErrors) {
  for (auto const& [text, expected] : std::initializer_list<std::pair<char const*, char const*>>{
           {"0\n1\n1\n1 (1\n1 1 1\n",
            "m:4: men, list 1: expected ')', the end of a tie, found the end of the line"},
           {"0\n1\n1\n1 1)\n1 1 1\n",
            "m:4: men, list 1: expected an id, or the begin of a tie, found ')'"},
           {"0\n1\n1\n1 ()\n1 1 1\n", "m:4: men, list 1: expected an id, found ')'"},
           {"0\n1\n1\n1 ((1))\n1 1 1\n", "m:4: men, list 1: expected an id, found '('"},
           {"0\n2\n2\n1 1 (2 1)\n",
            "m:4: men, list 1, entry 3: 1 appears twice (first in entry 1)"},
           {"0\n1\n1\n1 1\n1\n",
            "m:5: expected women, list 1: a number of seats, found the end of the line"},
           {"0\n1\n1\n1 1\n1 -1 1\n", "m:5: expected women, list 1: a number of seats, found '-1'"},
           {"0\n4000000000\n4000000000\n1 1\n",
            "m: expected men, list 2, found the end of the file"},
           {"2 1\n1 1\n1 1\n", "m:3: expected men, list 2, which begins with 2"},
           {"1 1\n1 1\n1 1 1 1\n",
            "m:3: hospitals, list 1, entry 2: 1 appears twice (first in entry 1)"},
           {"1 1\n1 2\n1 1 1\n", "m:2: men, list 1, entry 1: 2 is out of range 1..1"}}) {
    EXPECT_EQ(any_error_in("m", text), expected) << text;
  }
  EXPECT_EQ(any_error_in("m", "0\n1\n1\n1\n1 2\n", {.base = IdBase::zero}),
            "m: --base 0 is for lists of numbers; agents of this form count from 1");
  EXPECT_EQ(any_error_in("m", "0\n1\n1\n1\n1 2\n", {.preferences = ListMeaning::rank}),
            "m: --preferences rank is for lists of numbers");
  write("m", "0\n1\n1\n1\n1 2\n");
  EXPECT_EQ(error_of([&] {
              read_any({"m", "m"});
            }),
            "m: an instance of the Glasgow solvers has both sides: give one file");
}

constexpr auto residents = "# FILE NAME: r.toi\n# TITLE: residents\n# NUMBER ALTERNATIVES: 2\n"
                           "# NUMBER VOTERS: 3\n# NUMBER UNIQUE ORDERS: 2\n"
                           "# ALTERNATIVE NAME 1: City Hospital\n# ALTERNATIVE NAME 2: Park\n"
                           "2: {1,2}\n1: 2\n";
constexpr auto hospitals = "# FILE NAME: h.soi\n# NUMBER ALTERNATIVES: 3\n# NUMBER VOTERS: 2\n"
                           "# ALTERNATIVE NAME 1: Ada\n# ALTERNATIVE NAME 2: Ben\n"
                           "# ALTERNATIVE NAME 3: Cy\n1: 2, 1\n1: 3,2,1\n";

TEST_F(SparseTexts, OrdersOfPrefLib) {
  write("r.toi", residents);
  write("h.soi", hospitals);
  constexpr auto words =
      "residents Ada: (City Hospital 1, Park 2); Ben: (City Hospital 0, Park 1); "
      "Cy: Park 0 | hospitals City Hospital 1, Park 1";
  EXPECT_EQ(in_words(sparse({"r.toi", "h.soi"})), words);
  write("r", residents);
  write("h", hospitals);
  EXPECT_EQ(in_words(sparse({"r", "h"})), words) << "by the content";
  write("seats.csv", "hospital,seats\nCity Hospital,2\nPark,0\n");
  EXPECT_EQ(sparse({"r", "h"}, {.seats = path("seats.csv")}).seats, (Ids{2, 0}));
}

TEST_F(SparseTexts, WrongOrdersOfPrefLibAreErrors) {
  write("h.soi", hospitals);
  auto const error = [&](std::string from, std::string const& to) {
    std::string text(residents);
    text.replace(text.find(from), from.size(), to);
    write("r.toi", text);
    return error_of([&] { read_any({"r.toi", "h.soi"}); });
  };
  EXPECT_EQ(error("2: {1", "4294967290: {1"),
            "r.toi: expected 3 voters, as the header says, found 4294967291");
  EXPECT_EQ(error("# NUMBER VOTERS: 3\n", ""), "no error");
  EXPECT_EQ(error("NUMBER VOTERS: 3\n# NUMBER UNIQUE ORDERS: 2", "NUMBER VOTERS: 4\n#"),
            "r.toi: expected 4 voters, as the header says, found 3");
  EXPECT_EQ(error("1: 2\n", ""), "r.toi: expected 3 voters, as the header says, found 2");
  EXPECT_EQ(error("1: 2\n", "1 2\n"),
            "r.toi:9: expected a colon after the number of voters, found '2'");
  EXPECT_EQ(error("1: 2\n", "1: 3\n"), "r.toi:9: order 2, entry 1: 3 is out of range 1..2");
  EXPECT_EQ(error("# ALTERNATIVE NAME 2: Park\n", ""),
            "r.toi:7: expected a header of PrefLib before the orders, with '# NUMBER ALTERNATIVES: "
            "n' and n names, found 1 names");
  EXPECT_EQ(error("Park", "City Hospital"),
            "r.toi: two alternatives have the name 'City Hospital'");
  EXPECT_EQ(error("ALTERNATIVES: 2", "ALTERNATIVES: x"),
            "r.toi:3: NUMBER ALTERNATIVES: expected a whole number, found 'x'");
  write("r.toi", residents);
  EXPECT_EQ(error_of([&] { read_any({"r.toi"}); }),
            "r.toi: expected two files of PrefLib, with the orders of each side, found one");
  EXPECT_EQ(error_of([&] {
              read_any({"r.toi", "r.toi"});
            }),
            "r.toi: expected as many voters as r.toi has alternatives, which are 2, found 3");
}

}  // namespace
