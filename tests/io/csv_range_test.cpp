// SPDX-License-Identifier: Apache-2.0
#include "sparse_scratch.hpp"

#include <io/market/csv_range.hpp>
#include <io/market/read_csv_market.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

using namespace taper;
using namespace taper::io;

class CsvRanges : public SparseScratch {
 protected:
  /// The rows of all parts, each with its line.
  std::vector<std::string> rows(std::uint64_t parts) const {
    std::vector<std::string> found;
    std::size_t lines_before = 0;
    for (std::uint64_t part = 0; part < parts; ++part) {
      CsvRange const range(path("m.csv"), part, parts);
      CsvMarketReader reader({});
      range.read(reader, lines_before);
      lines_before += range.lines();
      auto const& entries = reader.residents();
      for (std::size_t entry = 0; entry < entries.owners.size(); ++entry) {
        found.push_back(std::to_string(entries.lines[entry]) + ' ' +
                        entries.agents.names()[entries.owners[entry]] + ' ' +
                        reader.hospitals().names()[entries.ids[entry]]);
      }
    }
    return found;
  }
};

TEST_F(CsvRanges, HaveEachRowOnceInTheOrderOfTheFile) {
  std::vector<std::string> const expected{"4 Ada X", "6 Ben X", "7 Ada Y", "9 a long name Z",
                                          "10 Cy Y"};
  for (std::string const end : {"\n", "\r\n"}) {
    for (bool const closed : {false, true}) {
      std::string text = "\xef\xbb\xbf";  // a byte order mark
      for (auto const* const line : {"# comment", "", "student,school,rank", "Ada,X,1", "# none",
                                     "Ben,X,1", "Ada,Y,2", "", "\"a long name\",Z,1", "Cy,Y,1"}) {
        text += line + end;
      }
      write("m.csv", closed ? text : text.substr(0, text.size() - end.size()));
      for (std::uint64_t parts = 1; parts < 40; ++parts) {
        EXPECT_EQ(rows(parts), expected) << parts << " parts";
      }
    }
  }
}

TEST_F(CsvRanges, MayBeEmpty) {
  for (auto const* const text : {"student,school,rank", "student,school,rank\n"}) {
    write("m.csv", text);
    EXPECT_TRUE(rows(3).empty());
  }
}

TEST_F(CsvRanges, AreOfPlainTextAlone) {
  auto const error = [&](std::string const& text) {
    write("m.csv", text);
    return error_of([&] { rows(2); });
  };
  EXPECT_EQ(error(""), "m.csv: expected a line of column titles, found no entries");
  EXPECT_EQ(error("a,b\rc,d\re,f\r"),
            "m.csv: expected lines that end with LF or CR LF: several processes read them");
  EXPECT_EQ(error("student,school,rank\nAda,X,1\nBen,X\r,1\n"),
            "m.csv: expected lines that end with LF or CR LF: several processes read them");
  EXPECT_EQ(error("\xff\xfe" + std::string("a\0,\0", 4)),
            "m.csv: expected UTF-8: several processes read it");
  EXPECT_EQ(error("\x1f\x8b..."),
            "m.csv: expected a table without compression: several processes read it");
  EXPECT_EQ(error("student,school,rank\nAda,X,1\nBen,X,1\nCy,X,one\n"),
            "m.csv:4: rank: expected a number, found 'one'");
}

}  // namespace
