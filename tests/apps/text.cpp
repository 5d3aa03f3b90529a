// SPDX-License-Identifier: Apache-2.0
#include <support/text.hpp>

#include <gtest/gtest.h>

#include <array>

namespace {

using namespace taper;
using namespace taper::app;

TEST(Text, EnumerateListsWords) {
  constexpr std::array<std::string_view, 3> words{"repetitions", "warmup", "sizes"};
  EXPECT_EQ(enumerate({}), "");
  EXPECT_EQ(enumerate(words), "repetitions, warmup and sizes");
}

TEST(Text, CountsAndOrdinals) {
  EXPECT_EQ(counted(0, "pair", "pairs"), "0 pairs");
  EXPECT_EQ(counted(1, "pair", "pairs"), "1 pair");
  EXPECT_EQ(counted(2000, "pair", "pairs"), "2,000 pairs");
  EXPECT_EQ(ordinal(1), "1st");
  EXPECT_EQ(ordinal(2), "2nd");
  EXPECT_EQ(ordinal(3), "3rd");
  EXPECT_EQ(ordinal(4), "4th");
  EXPECT_EQ(ordinal(10), "10th");
  EXPECT_EQ(ordinal(11), "11th");
  EXPECT_EQ(ordinal(112), "112th");
  EXPECT_EQ(ordinal(1021), "1,021st");
}

TEST(Text, WithoutFunctionDropsTheFunctionOfAnErrorAlone) {
  EXPECT_EQ(without_function("taper::clique::solve: the graph has 9 vertices"),
            "the graph has 9 vertices");
  for (auto const* kept : {"", "taper::clique", "taper: no file", "market.json: taper::x: y"}) {
    EXPECT_EQ(without_function(kept), kept);
  }
}

TEST(Text, ParseIntegerTakesDecimalIntegersOnly) {
  EXPECT_EQ(parse_integer("0"), 0);
  EXPECT_EQ(parse_integer("-12"), -12);
  for (auto const* wrong : {"", "-", "+1", "010", "-01", " 1", "1 ", "1.0", "1e3", "0x10", "1_000",
                            "9223372036854775808"}) {
    EXPECT_EQ(parse_integer(wrong), std::nullopt) << wrong;
  }
}

TEST(Text, ParseRealTakesFiniteNumbersOnly) {
  EXPECT_EQ(parse_real("0.25"), 0.25);
  EXPECT_EQ(parse_real("1e-3"), 1e-3);
  for (auto const* wrong : {"", "x", "nan", "inf", "0x1p3", "1,5", "1e999"}) {
    EXPECT_EQ(parse_real(wrong), std::nullopt) << wrong;
  }
}

TEST(Text, FormatSecondsChoosesTheUnit) {
  EXPECT_EQ(format_seconds(0), "0.00 ns");
  EXPECT_EQ(format_seconds(1.234e-6), "1.23 us");
  EXPECT_EQ(format_seconds(0.4129), "413 ms");
  EXPECT_EQ(format_seconds(0.9999), "1.00 s");
  EXPECT_EQ(format_seconds(26.5437), "26.5 s");
  EXPECT_EQ(format_seconds(1234.5), "1234 s");
}

}  // namespace
