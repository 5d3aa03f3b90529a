// SPDX-License-Identifier: Apache-2.0
#include <io/market/id_table.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <gtest/gtest.h>

#include <limits>

namespace {

using namespace taper;
using namespace taper::io;

TEST(IdTable, IdsTakeTwoBytesUpTo65535) {
  EXPECT_EQ(id_bytes(0), 2u);
  EXPECT_EQ(id_bytes(65'535), 2u);
  EXPECT_EQ(id_bytes(65'536), 4u);
}

TEST(IdTable, OffsetsHave64Bits) {
  EXPECT_EQ(table_offset(46'341, 46'340, 46'340), 2'147'488'280u);
  EXPECT_EQ(table_offset(100'000, 99'999, 99'999), 9'999'999'999u);
  EXPECT_EQ(market_bytes(100'000), 80'000'000'000u);
  EXPECT_EQ(market_bytes(65'535), std::uint64_t{4} * 65'535 * 65'535);
  EXPECT_EQ(market_bytes(0), 0u);
  EXPECT_EQ(market_bytes(std::size_t{1} << 40), std::numeric_limits<std::uint64_t>::max());
}

TEST(IdTable, ReturnsWhatWasSet) {
  IdTable table(3, 4);
  EXPECT_EQ(table.rows(), 3u);
  EXPECT_EQ(table.columns(), 4u);
  table.set(2, 1, 65'535);
  EXPECT_EQ(table.get(2, 1), 65'535u);
  EXPECT_EQ(table.get(1, 2), 0u);
  EXPECT_EQ(table.visit([](auto ids) { return ids.size(); }), 12u);
  EXPECT_EQ(table.visit_list(2, [](auto list) { return list.size(); }), 4u);
  EXPECT_EQ(table.visit_list(2, [](auto list) { return std::uint32_t{list[1]}; }), 65'535u);
}

TEST(IdTable, RefusalsNameNeededAndFreeMemory) {
  const auto message = [](std::size_t n, std::uint64_t free) -> std::string {
    try {
      require_memory(n, free);
    } catch (InputError const& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(
      message(400'000, 24'588'687'770),
      "n = 400,000 needs 1,192.1 GiB for both preference tables, this machine has 22.9 GiB free");
  EXPECT_EQ(message(1000, 4'000'000), "");
  EXPECT_NE(message(1000, 3'999'999), "");
  EXPECT_EQ(message(0, 0), "");
  EXPECT_EQ(message(3'000'000, 0), "n = 3,000,000 is more than 2,097,151, the maximum per side");
  EXPECT_GT(free_memory(), 0u);
}

TEST(Strings, EditDistanceCountsSwapsOnce) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("algoritm", "algorithm"), 1u);
  EXPECT_EQ(edit_distance("ahmed", "hamed"), 1u);
}

TEST(Strings, NearestToleratesTyposAndLetterCase) {
  const std::vector<std::string_view> people{"Alice", "Bob", "Carol"};
  EXPECT_EQ(nearest("Alicia", people), "Alice");
  EXPECT_EQ(nearest("Bo", people), "Bob");
  EXPECT_EQ(nearest("Zebediah", people), "");
  EXPECT_EQ(nearest("X", std::vector<std::string_view>{"Y"}), "");
  const std::vector<std::string_view> keys{"repetitions", "warmup", "sizes"};
  EXPECT_EQ(nearest("warmpu", keys), "warmup");
  EXPECT_EQ(nearest("WARMUP", keys), "warmup");
  EXPECT_EQ(nearest("repititions", keys), "repetitions");
  EXPECT_EQ(nearest("size", keys), "sizes");
  EXPECT_EQ(nearest("baseline", keys), "");
  EXPECT_EQ(nearest("", keys), "");
  EXPECT_EQ(did_you_mean("Carrol", people), "; did you mean 'Carol'?");
  EXPECT_EQ(did_you_mean("Carrol", std::vector<std::string>{"Carol"}), "; did you mean 'Carol'?");
  EXPECT_EQ(did_you_mean("Zebediah", people), "");
}

TEST(Strings, Utf8LengthRejectsInvalidBytes) {
  EXPECT_EQ(utf8_length(""), 0u);
  EXPECT_EQ(utf8_length("ab"), 1u);
  EXPECT_EQ(utf8_length("\xc3\xab."), 2u);
  EXPECT_EQ(utf8_length("\xe2\x82\xac"), 3u);
  EXPECT_EQ(utf8_length("\xf0\x9f\x98\x80"), 4u);
  EXPECT_EQ(utf8_length("\xf4\x8f\xbf\xbf"), 4u);
  // A lone continuation byte, truncated, overlong, a surrogate, above U+10FFFF, an invalid first
  // byte.
  for (std::string_view const wrong :
       {"\xab", "\xc3", "\xc3.", "\xe2\x82", "\xe2\x82.", "\xc0\xaf", "\xe0\x9f\xbf",
        "\xf0\x8f\xbf\xbf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"}) {
    EXPECT_EQ(utf8_length(wrong), 0u) << in_quotes(wrong);
  }
}

TEST(Strings, CsvFieldsAreQuotedIfNecessary) {
  EXPECT_EQ(csv_field(""), "");
  EXPECT_EQ(csv_field("two words"), "two words");
  EXPECT_EQ(csv_field("a,b"), "\"a,b\"");
  EXPECT_EQ(csv_field("a\nb"), "\"a\nb\"");
  EXPECT_EQ(csv_field("say \"x\""), "\"say \"\"x\"\"\"");
  EXPECT_EQ(csv_field(" lead"), "\" lead\"");
  EXPECT_EQ(csv_field("trail "), "\"trail \"");
}

TEST(Strings, FormatsNumbersAndSizes) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1'234'567), "1,234,567");
  EXPECT_EQ(human_bytes(1023), "1023 B");
  EXPECT_EQ(human_bytes(1536), "1.5 KiB");
  EXPECT_EQ(human_bytes((1u << 20) - 1), "1.0 MiB");
  EXPECT_EQ(human_bytes(std::uint64_t{5} << 40), "5,120.0 GiB");
}

TEST(Strings, QuotedWordsStayOnOneLine) {
  EXPECT_EQ(in_quotes("a\nb"), "'a\\x0ab'");
  auto const cut = [](std::size_t count) { return std::string("'").append(count, 'x') + "...'"; };
  EXPECT_EQ(in_quotes(std::string(100, 'x')), cut(60));
  EXPECT_EQ(in_quotes(std::string(59, 'x').append("\xc3\xaby")), cut(59));
  EXPECT_EQ(in_quotes("Zo\xc3\xab"), "'Zo\xc3\xab'");
  EXPECT_EQ(in_quotes("Zo\xeb"), "'Zo\\xeb'");
}

}  // namespace
