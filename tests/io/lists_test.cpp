// SPDX-License-Identifier: Apache-2.0
#include "scratch.hpp"

#include <io/text/error.hpp>

#include <atomic>

namespace {

using namespace taper;
using namespace taper::io;

using Lists = Scratch;

constexpr auto one_based = "3\n1 2 3\n2 3 1\n3 1 2\n3 2 1\n1 3 2\n2 1 3\n";
const Ids men{0, 1, 2, 1, 2, 0, 2, 0, 1};
const Ids women{2, 1, 0, 0, 2, 1, 1, 0, 2};

void expect_sample(Market const& market) {
  EXPECT_EQ(ids_of(market.men.preferences), men);
  EXPECT_EQ(ids_of(market.women.preferences), women);
}

TEST_F(Lists, ReadsOneBasedIds) {
  write("m.txt", one_based);
  const Market market = read({"m.txt"});
  expect_sample(market);
  EXPECT_EQ(market.id_base, 1);
  EXPECT_FALSE(market.named());
  EXPECT_EQ(market.name_of(market.men, 0), "1");
  ASSERT_EQ(market.notes.size(), 1u);
  EXPECT_EQ(market.notes[0],
            path("m.txt").string() + ": ids run from 1 to 3: read as 1-based (set --base 0|1)");
}

TEST_F(Lists, ReadsZeroBasedIds) {
  write("m.txt", "3\n0 1 2\n1 2 0\n2 0 1\n2 1 0\n0 2 1\n1 0 2\n");
  const Market market = read({"m.txt"});
  expect_sample(market);
  EXPECT_EQ(market.id_base, 0);
  EXPECT_TRUE(read({"m.txt"}, {.base = IdBase::zero}).notes.empty());
}

TEST_F(Lists, StopEndsTheReadingOfEveryForm) {
  std::atomic<bool> stop = true;
  write("m.txt", one_based);
  write("m.json", R"({"men": {"a": ["b"]}, "women": {"b": ["a"]}})");
  write("m.yaml", "men: {a: [b]}\nwomen: {b: [a]}\n");
  write("m.csv", "resident,hospital,rank\na,b,1\n");
  write("glasgow.txt", "0\n1\n1\n1 1\n1 1 1\n");
  for (auto const* name : {"m.txt", "m.json", "m.yaml", "m.csv", "glasgow.txt"}) {
    std::vector<std::filesystem::path> const files{path(name)};
    EXPECT_NO_THROW(read_any_market(files)) << name;
    EXPECT_THROW(read_any_market(files, {.stop = &stop}), Interrupted) << name;
  }
}

TEST_F(Lists, AcceptsCommentsBlanksCommasAndWindowsLines) {
  write("m.txt",
        "\xef\xbb\xbf# by hand\r\n\r\n  3 % people \r\n1, 2, 3\r\n\t2 3\t1  \r\n%\r\n3,1,2,\r\n"
        "3 2 1 # Ann\r\n1 3 2\r\n\r\n2 1 3");
  expect_sample(read({"m.txt"}));
}

TEST_F(Lists, ReadsTwoFiles) {
  write("a.txt", "3\n1 2 3\n2 3 1\n3 1 2\n");
  write("b", "3\n3 2 1\n1 3 2\n2 1 3\n");
  expect_sample(read({"a.txt", "b"}));
  write("c.txt", "2\n1 2\n1 2\n");
  EXPECT_EQ(
      error_of([&] {
        read({"a.txt", "c.txt"});
      }),
      "a.txt: 3 men and 2 women: unequal sides are not supported in this form; JSON, YAML and "
      "CSV have them");
  write("d.txt", "3\n2 1 0\n0 2 1\n1 0 2\n");
  EXPECT_EQ(error_of([&] {
              read({"a.txt", "d.txt"});
            }),
            "d.txt:2: women, list 1, entry 3: 0 is out of range 1..3 (a.txt:2 is 1-based)");
}

TEST_F(Lists, RanksAreInverted) {
  // Man 1 ranks woman 1 second, woman 2 third and woman 3 first.
  write("m.txt", "3\n2 3 1\n1 2 3\n3 2 1\n1 2 3\n1 2 3\n1 2 3\n");
  const Market market = read({"m.txt"}, {.preferences = ListMeaning::rank});
  EXPECT_EQ(ids_of(market.men.preferences), (Ids{2, 0, 1, 0, 1, 2, 2, 1, 0}));
  EXPECT_NE(market.notes[0].find("ranks run from 1 to 3"), std::string::npos);
  EXPECT_EQ(error_in("n.txt", "2\n1 1\n1 2\n1 2\n1 2\n", {.preferences = ListMeaning::rank}),
            "n.txt:2: men, list 1, entry 2: 1 appears twice (first in entry 1)");
}

TEST_F(Lists, ReadsEmptyMarketsAndOnePair) {
  write("0.txt", "0\n");
  EXPECT_EQ(read({"0.txt"}).size(), 0u);
  EXPECT_TRUE(read({"0.txt"}).notes.empty());
  write("1.txt", "1\n0\n0\n");
  EXPECT_EQ(read({"1.txt"}).id_base, 0);
  write("1.txt", "1\n1\n1\n");
  EXPECT_EQ(read({"1.txt"}).id_base, 1);
  EXPECT_EQ(ids_of(read({"1.txt"}).women.preferences), Ids{0});
  EXPECT_EQ(error_in("1.txt", "1\n2\n1\n"),
            "1.txt:2: men, list 1, entry 1: 2 is out of range 0..0 or 1..1");
}

TEST_F(Lists, ListsMustBePermutations) {
  EXPECT_EQ(error_in("m.txt", "3\n1 2 3\n2 2 1\n"),
            "m.txt:3: men, list 2, entry 2: 2 appears twice (first in entry 1)");
  EXPECT_EQ(error_in("m.txt", "3\n1 2 3\n2 3 1\n3 1 2\n\n3 2 4\n"),
            "m.txt:6: women, list 1, entry 3: 4 is out of range 1..3 (m.txt:2 is 1-based)");
  EXPECT_EQ(error_in("m.txt", "3\n1 2 3\n0 2 1\n"),
            "m.txt:3: men, list 2, entry 1: 0 is out of range 1..3 (m.txt:2 is 1-based)");
  EXPECT_EQ(error_in("m.txt", "3\n1 0 3\n"),
            "m.txt:2: men, list 1: 0 (entry 2) and 3 (entry 3) both occur: expected 0..2 or 1..3");
  EXPECT_EQ(error_in("m.txt", "3\n1 2 2\n"),
            "m.txt:2: men, list 1, entry 3: 2 appears twice (first in entry 2)");
  EXPECT_EQ(error_in("m.txt", "3\n1 2 3\n", {.base = IdBase::zero}),
            "m.txt:2: men, list 1, entry 3: 3 is out of range 0..2 (--base 0)");
  EXPECT_EQ(error_in("m.txt", "3\n0 1 2\n", {.base = IdBase::one}),
            "m.txt:2: men, list 1, entry 1: 0 is out of range 1..3 (--base 1)");
  EXPECT_EQ(error_in("m.txt", "3\n1 -2 3\n"),
            "m.txt:2: men, list 1, entry 2: -2 is out of range 0..2 or 1..3");
  EXPECT_EQ(error_in("m.txt", "3\n1 99999999999 3\n"),
            "m.txt:2: men, list 1, entry 2: 99999999999 is out of range 0..2 or 1..3");
  EXPECT_EQ(error_in("m.txt", "3\n1 4294967296 3\n"),
            "m.txt:2: men, list 1, entry 2: 4294967296 is out of range 0..2 or 1..3");
  EXPECT_EQ(
      error_in("m.txt", "3\n1 2.5 3\n"),
      "m.txt:2: men, list 1, entry 2: '2.5' is not a whole number, expected an id in 0..2 or 1..3");
  EXPECT_EQ(error_in("m.txt", "3\n1 2 3\n1 NA 3\n"),
            "m.txt:3: men, list 2, entry 2: 'NA' is not a whole number, expected an id in 1..3 "
            "(m.txt:2 is 1-based)");
  EXPECT_EQ(
      error_in("m.txt", "3\n1 x 3\n", {.preferences = ListMeaning::rank}),
      "m.txt:2: men, list 1, entry 2: 'x' is not a whole number, expected a rank in 0..2 or 1..3");
}

TEST_F(Lists, NumbersOfListsAndEntriesMustFit) {
  EXPECT_EQ(
      error_in("m.txt", "3\n1 2 3\n2 1\n"),
      "m.txt:3: men, list 2: expected 3 entries, found 2 (incomplete lists are not supported yet)");
  EXPECT_EQ(error_in("m.txt", "3\n1 2 3 1\n"), "m.txt:2: men, list 1: expected 3 entries, found 4");
  EXPECT_EQ(error_in("m.txt", "2\n1 2\n2 1\n1 2\n"),
            "m.txt:4: the file ends before women, list 2: expected 2 lists of the women");
  EXPECT_EQ(error_in("m.txt", "1\n1\n1\n\n7 8\n"),
            "m.txt:5: expected the end of the file after 2 lists, found '7'");
  EXPECT_EQ(error_in("m.txt", ""),
            "m.txt: expected n, the number of people on each side, found no entries");
  EXPECT_EQ(error_in("m.txt", "# nothing\n"),
            "m.txt: expected n, the number of people on each side, found no entries");
  EXPECT_EQ(
      error_in("m.txt", "4 3\n"),
      "m.txt:1: sides of 4 and 3: unequal sides are not supported in this form; JSON, YAML and "
      "CSV have them");
  EXPECT_EQ(error_in("m.txt", "1 2 3\n2 1 3\n"),
            "m.txt:1: expected n, the number of people on each side, alone in the first line, "
            "found '2' after it");
  EXPECT_EQ(error_in("m.txt", "-3\n"),
            "m.txt:1: expected n, the number of people on each side, found '-3'");
}

TEST_F(Lists, RefusesMarketsLargerThanMemory) {
  EXPECT_NE(error_in("m.txt", "2000000\n").find("m.txt: n = 2,000,000 needs 29,802.3 GiB for both"),
            std::string::npos);
  for (std::string const n : {"2,097,152", "4,294,967,295", "100,000,000,000"}) {
    std::string digits = n;
    std::erase(digits, ',');
    EXPECT_EQ(error_in("m.txt", digits + "\n"),
              "m.txt: n = " + n + " is more than 2,097,151, the maximum per side");
  }
}

TEST_F(Lists, RefusesBinaryData) {
  EXPECT_EQ(error_in("m.txt", std::string_view("\x89PNG\r\n\x1a\n\0\0\0", 11)),
            "m.txt: this looks like binary data: write n, then a line of n ids per person, or "
            "mappings of names in JSON");
  EXPECT_EQ(error_in("junk", std::string_view("\0\1\2\3:\n", 6)),
            "junk: this looks like binary data: write n, then a line of n ids per person, or "
            "mappings of names in JSON");
}

TEST_F(Lists, ReportsFilesThatCannotBeRead) {
  EXPECT_EQ(error_of([&] { read({"none.txt"}); }),
            "none.txt: cannot be opened: No such file or directory");
  std::filesystem::create_directory(path("folder"));
  EXPECT_EQ(error_of([&] { read({"folder"}); }), "folder: expected an array offsets.npy");
  EXPECT_EQ(error_of([&] { read({}); }), "expected one or two files, found 0");
  EXPECT_EQ(error_of([&] { read({"a", "b", "c"}); }), "expected one or two files, found 3");
  write("a.txt", "1\n1\n");
  write("b.json", R"({"Ann": ["Bob"]})");
  EXPECT_EQ(error_of([&] { read({"a.txt", "b.json"}); }), "b.json: expected numbers, as in a.txt");
  EXPECT_EQ(error_of([&] { read({"b.json", "a.txt"}); }), "a.txt: expected names, as in b.json");
}

}  // namespace
