// SPDX-License-Identifier: Apache-2.0
//
// Every reader of text reads every line end and every encoding alike.
#include "graph_scratch.hpp"

#include <io/graph/cover.hpp>
#include <io/market/write.hpp>
#include <io/matrix/matrix.hpp>

#include <functional>
#include <sstream>

namespace {

using namespace taper;
using namespace taper::io;

using namespace std::string_view_literals;

using Encoding = Scratch;

/// The text with other line ends.
std::string with_line_ends(std::string_view text, std::string_view end) {
  std::string result;
  for (auto const c : text) {
    c == '\n' ? result += end : result += c;
  }
  return result;
}

/// A text as UTF-16, after a mark.
std::string utf16(std::u16string_view text, bool big_endian) {
  std::string bytes;
  auto const marked = std::u16string(u"\ufeff").append(text);
  for (auto const unit : marked) {
    auto const high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xff);
    bytes += big_endian ? high : low;
    bytes += big_endian ? low : high;
  }
  return bytes;
}

std::u16string widened(std::string_view ascii) {
  return {ascii.begin(), ascii.end()};
}

/// The spellings of a text of ASCII characters, with a name for messages.
std::vector<std::pair<std::string, std::string>> spellings(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> all;
  for (auto const& [name, end] :
       {std::pair("LF"sv, "\n"sv), std::pair("CR LF"sv, "\r\n"sv), std::pair("CR"sv, "\r"sv)}) {
    auto const ended = with_line_ends(text, end);
    auto const add = [&](std::string_view encoding, std::string bytes) {
      all.emplace_back(std::string(name).append(", ").append(encoding), std::move(bytes));
    };
    add("plain", ended);
    add("UTF-8 with a mark", "\xef\xbb\xbf" + ended);
    add("UTF-16, little-endian", utf16(widened(ended), false));
    add("UTF-16, big-endian", utf16(widened(ended), true));
    add("without the last line end", ended.substr(0, ended.find_last_not_of("\r\n") + 1));
  }
  return all;
}

TEST_F(Encoding, GraphsOfEveryFormatAreReadAlike) {
  for (auto const& [name, text] :
       {std::pair("g.txt", "1 2\n2 3\n3 4\n"), std::pair("g.txt", "4 3\n1 2\n2 3\n3 4\n"),
        std::pair("g.csv", "source,target,weight\n1,2,7\n2,3,8\n3,4,9\n"),
        std::pair("g.gr", "c x\np td 4 3\n1 2\nc y\n2 3\n3 4\n"),
        std::pair("g.clq", "c\np edge 4 3\ne 1 2\ne 2 3\ne 3 4\n"),
        std::pair("g.graph", "4 3\n2\n1 3\n2 4\n3\n"),
        std::pair(
            "g.mtx",
            "%%MatrixMarket matrix coordinate pattern general\n% c\n4 4 3\n1 2\n2 3\n3 4\n")}) {
    for (auto const& [spelling, bytes] : spellings(text)) {
      SCOPED_TRACE(std::string(name) + ", " + spelling);
      auto const file = read_graph(write(name, bytes));
      EXPECT_EQ(file.vertices, 4u);
      EXPECT_EQ(named_edges(file), "1-2 2-3 3-4");
      EXPECT_EQ(named_edges(parse_graph("g", bytes)), "1-2 2-3 3-4");
    }
  }
  for (auto const& [spelling, bytes] : spellings("Source,Target\nann,bob\nbob,New York\n")) {
    EXPECT_EQ(named_edges(read_graph(write("g.csv", bytes))), "ann-bob bob-New York") << spelling;
  }
}

TEST_F(Encoding, MarketsOfEveryFormatAreReadAlike) {
  auto const expect = [&](std::string const& name, std::string_view text) {
    for (auto const& [spelling, bytes] : spellings(text)) {
      SCOPED_TRACE(name + ", " + spelling);
      write(name, bytes);
      auto const market = read({name});
      EXPECT_EQ(ids_of(market.men.preferences), (Ids{0, 1, 1, 0}));
      EXPECT_EQ(ids_of(market.women.preferences), (Ids{1, 0, 0, 1}));
    }
  };
  for (auto const* name : {"m.txt", "m"}) {
    expect(name, "# two pairs\n2\n1 2\n2 1\n2 1\n1 2\n");
  }
  for (auto const* name : {"m.json", "m"}) {
    expect(name, "{\"a\": {\"x\": [\"u\", \"v\"],\n \"y\": [\"v\", \"u\"]},\n"
                 " \"b\": {\"u\": [\"y\", \"x\"], \"v\": [\"x\", \"y\"]}}\n");
  }
  for (auto const* name : {"m.yaml", "m"}) {
    expect(name, "a:\n  x: [u, v]\n  y: [v, u]\nb:\n  u:\n  - y\n  - x\n  v: [x, y]\n");
  }
}

TEST_F(Encoding, MatricesCoversAndMatchingsAreReadAlike) {
  for (auto const& [spelling, bytes] :
       spellings("%%MatrixMarket matrix array real general\n% c\n2 2\n1\n2\n3\n4\n")) {
    auto const matrix = read_matrix(write("m.mtx", bytes)).matrix;
    EXPECT_EQ(matrix.at(1, 0) * 10 + matrix.at(0, 1), 23) << spelling;
  }
  auto const graph = parse_graph("g", "1 2\n2 3\n");
  for (auto const& [spelling, bytes] : spellings("c x\ns vc 3 2\n1\n3\n")) {
    EXPECT_EQ(read_cover(write("c", bytes), graph), (std::vector<std::uint8_t>{1, 0, 1}))
        << spelling;
  }
  auto const market = random_market(3, 1);
  for (auto const& [name, text] :
       {std::pair("p.txt", "# c\n1 2\n2 3\n3 1\n"),
        std::pair("p.csv", "men,women\n1,2\n2,3\n3,1\n"),
        std::pair("p.json", "{\"1\": \"2\",\n\"2\": \"3\",\n\"3\": \"1\"}\n"),
        std::pair("p.yaml", "1: 2\n2: 3\n3: 1\n")}) {
    for (auto const& [spelling, bytes] : spellings(text)) {
      EXPECT_EQ(read_matching(write(name, bytes), market), (Ids{1, 2, 0})) << name << spelling;
    }
  }
}

TEST_F(Encoding, LinesAreCountedWhateverTheirEnd) {
  for (auto const& [spelling, bytes] : spellings("1 2\n\n2 x3\n")) {
    EXPECT_EQ(error_of([&] { read_graph(write("g.txt", bytes)); }),
              "g.txt:3: expected two vertices, as numbers, found 'x3'")
        << spelling;
  }
  for (auto const& [spelling, bytes] : spellings("2\n1 2\n2 2\n")) {
    EXPECT_EQ(error_in("m.txt", bytes),
              "m.txt:3: men, list 2, entry 2: 2 appears twice (first in entry 1)")
        << spelling;
  }
  for (auto const& [spelling, bytes] : spellings("{\"a\":\n\n[}\n")) {
    EXPECT_TRUE(error_in("m.json", bytes).starts_with("m.json:3: ")) << spelling;
  }
  EXPECT_EQ(named_edges(parse_graph("g", "1 2\r\r2 3\n3 4\r\n\n4 5\n\r5 6")), "1-2 2-3 3-4 4-5 5-6")
      << "line ends may be mixed";
}

/// Characters of one, two, three and four bytes in UTF-8.
TEST_F(Encoding, NamesKeepTheirCharacters) {
  constexpr auto text = u"Z\u00eb,\u5317\u4eac\n\u5317\u4eac,\U0001f600\n";
  for (auto const big_endian : {false, true}) {
    EXPECT_EQ(named_edges(read_graph(write("g.csv", utf16(text, big_endian)))),
              "Z\xc3\xab-\xe5\x8c\x97\xe4\xba\xac \xe5\x8c\x97\xe4\xba\xac-\xf0\x9f\x98\x80");
  }
}

/// A line end may fall apart where a buffer of 1 MiB ends.
TEST_F(Encoding, LineEndsMayCrossBuffers) {
  for (std::size_t before = (1 << 20) - 8; before < (1 << 20) + 4; ++before) {
    std::string text = "#" + std::string(before - 3, '-') + "\r\n1 2\r\n2 3\r\n3 4\r\n";
    EXPECT_EQ(named_edges(read_graph(write("g.txt", text))), "1-2 2-3 3-4");
    EXPECT_EQ(error_in("m.txt", "#" + std::string(before - 3, '-') + "\r\n1\r\n3\r\n1\r\n"),
              "m.txt:3: men, list 1, entry 1: 3 is out of range 0..0 or 1..1");
  }
}

TEST_F(Encoding, DamagedUtf16AndUtf32AreRefused) {
  for (auto const bytes : {"\xff\xfe"
                           "1\0 \0002"sv,
                           "\xff\xfe\x00\xd8"sv, "\xff\xfe\x00\xd8\x31\x00"sv, "\xff\xfe\x00\xdc"sv,
                           "\xfe\xff\xd8\x00"sv, "\xfe\xff\xdf\xff\x00\x31"sv}) {
    EXPECT_EQ(error_of([&] { read_graph(write("g.txt", bytes)); }),
              "g.txt: is damaged: it is not valid UTF-16");
  }
  for (auto const bytes : {"\xff\xfe\0\0"
                           "1\0\0\0"sv,
                           "\0\0\xfe\xff\0\0\0\x31"sv}) {
    EXPECT_EQ(error_in("m.txt", bytes), "m.txt: is UTF-32, which is not read: save it as UTF-8");
  }
  EXPECT_EQ(error_of([&] { parse_graph("g", "\xff\xfe"); }),
            "g: expected a graph, found no edges and no header");
}

}  // namespace
