// SPDX-License-Identifier: Apache-2.0
#include "npy_bytes.hpp"
#include "scratch.hpp"

namespace {

using namespace taper;
using namespace taper::io;

using Npy = Scratch;

TEST_F(Npy, ReadsEveryIntegerType) {
  const auto check = [&]<class Number>(std::string const& type, int version, Number) {
    SCOPED_TRACE(type);
    write("a.npy", npy(type, "(2, 2)", raw<Number>({1, 0, 0, 1}), version));
    write("b.npy", npy(type, "(2, 2)", raw<Number>({0, 1, 1, 0}), version));
    const Market market = read({"a.npy", "b.npy"});
    EXPECT_EQ(ids_of(market.men.preferences), (Ids{1, 0, 0, 1}));
    EXPECT_EQ(ids_of(market.women.preferences), (Ids{0, 1, 1, 0}));
    EXPECT_EQ(market.id_base, 0);
  };
  check("|u1", 1, std::uint8_t{});
  check("|i1", 1, std::int8_t{});
  check("<u2", 1, std::uint16_t{});
  check("<i2", 2, std::int16_t{});
  check("<u4", 3, std::uint32_t{});
  check("<i4", 1, std::int32_t{});
  check("<u8", 1, std::uint64_t{});
  check("<i8", 1, std::int64_t{});
}

TEST_F(Npy, ReadsOneFileOfOneBasedRanks) {
  write("m.npy", npy("<i8", "(2, 3, 3)",
                     raw<std::int64_t>({2, 3, 1, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3})));
  const Market market = read({"m.npy"}, {.preferences = ListMeaning::rank});
  EXPECT_EQ(ids_of(market.men.preferences), (Ids{2, 0, 1, 0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(market.id_base, 1);
  write("e.npy", npy("<i8", "(2, 0, 0)", ""));
  EXPECT_EQ(read({"e.npy"}).size(), 0u);
}

TEST_F(Npy, RefusesWrongData) {
  const std::string shape = "(2, 2, 2)";
  EXPECT_EQ(error_in("m.npy", npy("<u2", shape, raw<std::uint16_t>({1, 0, 0, 1}))),
            "m.npy: the table is cut short: expected 16 bytes of data, found 8");
  EXPECT_EQ(error_in("m.npy", npy("<u2", shape, "12345678123456789"))
                .rfind("m.npy: men, list 1, entry 1: ", 0),
            0u);
  EXPECT_EQ(error_in("m.npy", npy("|u1", shape, raw<std::uint8_t>({1, 0, 0, 1, 1, 0, 0, 1, 7}))),
            "m.npy: expected the end of the file after the table, found more bytes");
  EXPECT_EQ(error_in("m.npy", npy("<i8", shape, raw<std::int64_t>({1, 0, -1, 0, 1, 0, 1, 0}))),
            "m.npy: men, list 2, entry 1: -1 is out of range 0..1 (list 1 of m.npy is 0-based)");
  EXPECT_EQ(
      error_in("m.npy", npy("<u8", shape,
                            raw<std::uint64_t>({1, std::uint64_t{1} << 32, 1, 0, 1, 0, 1, 0}))),
      "m.npy: men, list 1, entry 2: 4294967296 is out of range 0..1 or 1..2");
  EXPECT_EQ(error_in("m.npy", npy("<i4", shape, raw<std::int32_t>({1, 0, 1, 1, 1, 0, 1, 0}))),
            "m.npy: men, list 2, entry 2: 1 appears twice (first in entry 1)");
}

TEST_F(Npy, RefusesWrongHeaders) {
  EXPECT_EQ(error_in("m.npy", "hello"),
            "m.npy: expected a .npy file, which begins with \\x93NUMPY");
  EXPECT_EQ(error_in("m.npy", "\x93NUMPY\x01"),
            "m.npy: the .npy header is cut short: expected 8 bytes more, found 7");
  EXPECT_EQ(error_in("m.npy", npy("<u2", "(2, 2, 2)", "", 1).substr(0, 40)),
            "m.npy: the .npy header is cut short: expected 118 bytes more, found 30");
  EXPECT_EQ(error_in("m.npy", npy("<u2", "(2, 2, 2)", "", 9)),
            "m.npy: expected .npy version 1 to 3, found 9");
  EXPECT_EQ(error_in("m.npy", npy("<f8", "(2, 2, 2)", "")),
            "m.npy: expected whole numbers of 8 to 64 bits, found dtype '<f8'");
  EXPECT_EQ(error_in("m.npy", npy(">i4", "(2, 2, 2)", "")),
            "m.npy: expected little-endian numbers, found dtype '>i4': save table.astype('<i4')");
  EXPECT_EQ(error_in("m.npy", npy("<i4", "(2, 2, 2)", "", 1, true)),
            "m.npy: expected a table in C order, found Fortran order: save "
            "numpy.ascontiguousarray(table)");
  EXPECT_EQ(error_in("m.npy", npy("<i4", "(2, 2)", "")),
            "m.npy: expected both tables, shape (2, n, n), or a second file, found shape (2, 2)");
  EXPECT_EQ(error_in("m.npy", npy("<i4", "(2, 3, 2)", "")),
            "m.npy: expected a square table, found shape (2, 3, 2): unequal sides and incomplete "
            "lists are "
            "not supported yet");
  EXPECT_EQ(error_in("m.npy", npy("<i4", "(5,)", "")),
            "m.npy: expected shape (2, n, n), found shape (5)");
  EXPECT_NE(
      error_in("m.npy", npy("<i4", "(2, 2000000, 2000000)", "")).find("m.npy: n = 2,000,000 needs"),
      std::string::npos);
}

}  // namespace
