// SPDX-License-Identifier: Apache-2.0
#include <taper/bit_fields.hpp>
#include <taper/rows.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <tuple>

namespace {

using Offer = taper::BitFields<std::uint64_t, 21, 21, 22>;
using Pair16 = taper::BitFields<std::uint32_t, 16, 16>;
using Pair32 = taper::BitFields<std::uint64_t, 32, 32>;

static_assert(Pair16::pack(0xABCDu, 0x1234u) == 0xABCD1234u);
static_assert(Pair16::get<0>(0xABCD1234u) == 0xABCDu);
static_assert(Pair16::get<1>(0xABCD1234u) == 0x1234u);
static_assert(Pair32::pack(1u, 2u) == 0x0000000100000002u);
static_assert(Offer::largest<0> == 2'097'151 && Offer::largest<2> == 4'194'303);

TEST(BitFields, GetReturnsWhatPackStoredAtTheExtremes) {
  for (std::uint64_t const a : {std::uint64_t{0}, std::uint64_t{1}, Offer::largest<0>}) {
    for (std::uint64_t const b : {std::uint64_t{0}, std::uint64_t{1}, Offer::largest<1>}) {
      for (std::uint64_t const c : {std::uint64_t{0}, std::uint64_t{1}, Offer::largest<2>}) {
        auto const word = Offer::pack(a, b, c);
        EXPECT_EQ(Offer::get<0>(word), a);
        EXPECT_EQ(Offer::get<1>(word), b);
        EXPECT_EQ(Offer::get<2>(word), c);
      }
    }
  }
}

TEST(BitFields, WordsCompareLexicographicallyByTheirFields) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 10'000; ++i) {
    auto const draw = [&] { return std::tuple(random() % 3, random() % 3, random() % 3); };
    auto const [a, b, c] = draw();
    auto const [x, y, z] = draw();
    EXPECT_EQ(Offer::pack(a, b, c) < Offer::pack(x, y, z),
              std::tuple(a, b, c) < std::tuple(x, y, z));
  }
}

TEST(Rows, OffsetsHave64Bits) {
  // n = 100,000: the last entry of the table has the number 10^10 - 1, which exceeds 32 bits.
  // Nothing is allocated.
  taper::Rows<std::uint32_t> const table{nullptr, 100'000};
  EXPECT_EQ(table.offset(99'999, 99'999), 9'999'999'999u);
  EXPECT_EQ(table.offset(std::uint32_t{99'999}, std::uint32_t{1}), 9'999'900'001u);
  // The first sizes at which 32-bit products overflow, signed and unsigned.
  EXPECT_EQ((taper::Rows<std::uint16_t>{nullptr, 46'341}.offset(46'340, 46'340)), 2'147'488'280u);
  EXPECT_EQ((taper::Rows<std::uint32_t>{nullptr, 65'536}.offset(65'535, 65'535)), 4'294'967'295u);
  EXPECT_EQ((taper::Rows<std::uint32_t>{nullptr, 65'537}.offset(65'536, 65'536)), 4'295'098'368u);
}

}  // namespace
