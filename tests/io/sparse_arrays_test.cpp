// SPDX-License-Identifier: Apache-2.0
//
// Sparse markets as NumPy arrays, in a folder and in an archive.
#include "npy_bytes.hpp"
#include "sparse_scratch.hpp"

#include <io/market/market_arrays.hpp>
#include <io/market/market_parts.hpp>
#include <io/matrix/npy.hpp>

#include <zlib.h>

#include <array>
#include <cstring>

namespace {

using namespace taper;
using namespace taper::io;

template <class Number>
std::string array(std::string_view type, std::vector<Number> const& numbers) {
  return npy_header(type, std::array{std::uint64_t{numbers.size()}}) +
         std::string(reinterpret_cast<char const*>(numbers.data()),
                     numbers.size() * sizeof(Number));
}

using Files = std::vector<std::pair<std::string, std::string>>;

template <class Number>
std::string bytes_of_number(Number number) {
  std::string bytes(sizeof(Number), '\0');
  std::memcpy(bytes.data(), &number, sizeof(Number));
  return bytes;
}

std::string deflated(std::string const& bytes) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(bytes.size() + 100, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

/// A zip archive as numpy.savez() writes it: sizes of 64 bits in the files' headers.
std::string zip(Files const& files, bool compress) {
  std::string bytes, directory;
  auto const u16 = [](std::size_t n) { return bytes_of_number(static_cast<std::uint16_t>(n)); };
  auto const u32 = [](std::size_t n) { return bytes_of_number(static_cast<std::uint32_t>(n)); };
  for (auto const& [name, content] : files) {
    auto const data = compress ? deflated(content) : content;
    auto const sum =
        crc32(0, reinterpret_cast<Bytef const*>(content.data()), static_cast<uInt>(content.size()));
    auto const method = u16(compress ? 8 : 0);
    auto const extra = u16(1) + u16(16) + bytes_of_number(std::uint64_t{content.size()}) +
                       bytes_of_number(std::uint64_t{data.size()});
    directory += "PK\1\2" + u16(45) + u16(45) + u16(0) + method + u32(0) + u32(sum) +
                 u32(0xffffffff) + u32(0xffffffff) + u16(name.size()) + u16(extra.size()) + u16(0) +
                 u16(0) + u16(0) + u32(0) + u32(bytes.size()) + name + extra;
    bytes += "PK\3\4" + u16(45) + u16(0) + method + u32(0) + u32(sum) + u32(0xffffffff) +
             u32(0xffffffff) + u16(name.size()) + u16(extra.size()) + name + extra + data;
  }
  return bytes + directory + "PK\5\6" + u16(0) + u16(0) + u16(files.size()) + u16(files.size()) +
         u32(directory.size()) + u32(bytes.size()) + u16(0);
}

Files market_files() {
  return {{"offsets.npy", array<std::int64_t>("<i8", {0, 2, 2, 4})},
          {"hospitals.npy", array<std::uint16_t>("<u2", {1, 0, 0, 1})},
          {"keys.npy", array<std::int32_t>("<i4", {5, 0, 7, 5})},
          {"seats.npy", array<std::uint8_t>("|u1", {2, 0, 3})}};
}

constexpr auto words = "residents 0: 1 5, 0 0; 1:; 2: 0 7, 1 5 | hospitals 0 2, 1 0, 2 3";

class SparseArrays : public SparseScratch {
 protected:
  std::filesystem::path write_folder(std::string const& name, Files const& files) const {
    std::filesystem::remove_all(path(name));
    std::filesystem::create_directory(path(name));
    for (auto const& [file, bytes] : files) {
      write(name + '/' + file, bytes);
    }
    return path(name);
  }

  /// The error if one of the files is replaced; no bytes: if it is missing.
  std::string error_with(std::string const& file, std::string const& bytes) const {
    auto files = market_files();
    std::erase_if(files, [&](auto const& other) { return other.first == file; });
    if (!bytes.empty()) {
      files.emplace_back(file, bytes);
    }
    write_folder("m", files);
    return error_of([&] { read_any({"m"}); });
  }
};

TEST_F(SparseArrays, FoldersAndArchives) {
  write_folder("m", market_files());
  EXPECT_EQ(in_words(sparse({"m"})), words);
  for (auto const compress : {false, true}) {
    write("m.npz", zip(market_files(), compress));
    EXPECT_EQ(in_words(sparse({"m.npz"})), words);
  }
  EXPECT_TRUE(sparse({"m"}).notes.empty());
}

TEST_F(SparseArrays, OtherNamesScoresAndTies) {
  Files const files{{"offsets.npy", array<std::int32_t>("<i4", {0, 3, 4})},
                    {"entries.npy", array<std::int64_t>("<i8", {2, 0, 1, 0})},
                    {"scores.npy", array<float>("<f4", {1.5f, 2, -1, 1.5f})},
                    {"resident_tiers.npy", array<std::uint8_t>("|u1", {0, 1, 1, 0})}};
  write_folder("m", files);
  auto const market = sparse({"m"});
  EXPECT_EQ(in_words(market), "residents 0: 2 1, (0 0, 1 2); 1: 0 1 | hospitals 0 1, 1 1, 2 1");
  EXPECT_EQ(market.scores, (std::vector<double>{2, 1.5, -1}));
  EXPECT_EQ(market.notes.size(), 1u) << "seats";
  EXPECT_EQ(sparse({"m"}, {.lowest_first = true}).keys, (Ids{1, 2, 0, 1}));
}

TEST_F(SparseArrays, PartsAreTheWhole) {
  auto files = market_files();
  files.emplace_back("resident_tiers.npy", array<std::uint8_t>("|u1", {0, 1, 0, 0}));
  write_folder("m", files);
  write("m.npz", zip(files, false));
  auto const whole = sparse({"m"});
  for (std::uint64_t const parts : {1u, 2u, 3u, 7u}) {
    auto const* const market = parts % 2 == 0 ? "m" : "m.npz";
    SparseMarket all = whole;
    all.offsets = {0};
    all.hospitals.clear();
    all.keys.clear();
    all.seats.clear();
    all.resident_tiers.clear();
    for (std::uint64_t part = 0; part < parts; ++part) {
      auto const read = read_market_part(path(market), part, parts);
      EXPECT_EQ(read.residents, 3u);
      EXPECT_EQ(read.own.second.count, 3u);
      EXPECT_EQ(read.own.offsets.size(), read.own.first.count + 1);
      auto const before = all.offsets.back();
      for (std::size_t resident = 1; resident < read.own.offsets.size(); ++resident) {
        all.offsets.push_back(before + read.own.offsets[resident]);
      }
      auto const add = [](auto& to, auto const& from) {
        to.insert(to.end(), from.begin(), from.end());
      };
      add(all.hospitals, read.own.hospitals);
      add(all.keys, read.own.keys);
      add(all.seats, read.own.seats);
      add(all.resident_tiers, read.own.resident_tiers);
    }
    EXPECT_EQ(in_words(all), in_words(whole)) << parts;
  }
}

TEST_F(SparseArrays, PartsHaveScores) {
  auto files = market_files();
  files[2] = {"scores.npy", array<double>("<f8", {1.5, -1, 2, 1.5})};
  write_folder("m", files);
  auto const last = read_market_part(path("m"), 2, 3);
  EXPECT_TRUE(last.has_scores && !last.lowest_first && last.own.keys.empty());
  EXPECT_EQ(last.scores, (std::vector<double>{2, 1.5}));
  EXPECT_TRUE(read_market_part(path("m"), 0, 3, {.lowest_first = true}).lowest_first);
  files[2].first = "priorities.npy";
  write_folder("m", files);
  EXPECT_TRUE(read_market_part(path("m"), 0, 3).lowest_first);
  files[2].second = array<double>("<f8", {1, 2, 3, std::numeric_limits<double>::quiet_NaN()});
  write_folder("m", files);
  EXPECT_EQ(error_of([&] { read_market_part(path("m"), 2, 3); }),
            "m/priorities.npy: entry 3 is nan, which is out of range");
}

TEST_F(SparseArrays, PartsOfArchivesAreNotCompressed) {
  write("m.npz", zip(market_files(), true));
  EXPECT_EQ(error_of([&] { read_market_part(path("m.npz"), 0, 2); }),
            "m.npz/offsets.npy: expected an array without compression, as numpy.savez() writes it: "
            "several processes read it");
  write("m.npz", zip(market_files(), false).substr(0, 300));
  EXPECT_TRUE(error_of([&] {
                read_market_part(path("m.npz"), 0, 2);
              }).starts_with("m.npz: the archive is damaged"));
  write("m.npz", "");
  EXPECT_EQ(error_of([&] { read_market_part(path("m.npz"), 0, 2); }),
            "m.npz: expected a table (.csv), or a folder or .npz archive of NumPy arrays, of which "
            "each process reads a part");
}

// Entries and residents in messages are those of the whole arrays.
TEST_F(SparseArrays, PartsWithWrongArraysAreErrors) {
  auto const error_of_last = [&](std::string const& file, std::string const& bytes) {
    auto files = market_files();
    std::erase_if(files, [&](auto const& other) { return other.first == file; });
    files.emplace_back(file, bytes);
    write_folder("m", files);
    EXPECT_EQ(read_market_part(path("m"), 0, 3).own.first.count, 1u);
    return error_of([&] { read_market_part(path("m"), 2, 3); });
  };
  EXPECT_EQ(error_of_last("hospitals.npy", array<std::uint16_t>("<u2", {1, 0, 0, 3})),
            "m/hospitals.npy: entry 3: expected an id below 3, found 3");
  EXPECT_EQ(error_of_last("hospitals.npy", array<std::uint16_t>("<u2", {1, 0, 2, 2})),
            "m/hospitals.npy: entry 3: 2 appears twice in the list of resident 2");
  EXPECT_EQ(error_of_last("keys.npy", array<std::int32_t>("<i4", {5, 0, 7, -5})),
            "m/keys.npy: entry 3 is -5, which is out of range");
  EXPECT_EQ(error_of_last("resident_tiers.npy", array<std::uint8_t>("|u1", {0, 1, 0, 3})),
            "m/resident_tiers.npy: entry 3: expected classes 0, 1, 2, ... that do not fall in a "
            "list, found 3");
  write_folder("m", market_files());
  write("m/keys.npy", npy_header("|u1", std::array{std::uint64_t{2}, std::uint64_t{2}}) + "abcd");
  EXPECT_EQ(error_of([&] { read_market_part(path("m"), 0, 1); }),
            "m/keys.npy: expected an array of one dimension, found 2");
  EXPECT_EQ(error_of_last("offsets.npy", array<std::int64_t>("<i8", {0, 2, 2, 3})),
            "m/offsets.npy: expected 4 at the end, the number of entries, found 3");
  write_folder("m", market_files());
  write("m/keys.npy", array<std::int32_t>("<i4", {5, 0, 7, 5}).substr(0, 143));
  EXPECT_EQ(error_of([&] { read_market_part(path("m"), 0, 1); }),
            "m/keys.npy: expected a file of 144 bytes, found 143");
}

TEST_F(SparseArrays, WithoutKeysAllTie) {
  auto files = market_files();
  files.erase(files.begin() + 2);
  write_folder("m", files);
  auto const market = sparse({"m"});
  EXPECT_EQ(market.keys, (Ids{0, 0, 0, 0}));
  EXPECT_EQ(market.notes.size(), 1u);
}

TEST_F(SparseArrays, WrongArraysAreErrors) {
  EXPECT_EQ(error_with("offsets.npy", ""), "m: expected an array offsets.npy");
  EXPECT_EQ(error_with("hospitals.npy", ""), "m: expected an array hospitals.npy");
  EXPECT_EQ(error_with("offsets.npy", array<std::int64_t>("<i8", {0, 2, 1, 4})),
            "m/offsets.npy: entry 2 is 1, less than the entry before it");
  EXPECT_EQ(error_with("offsets.npy", array<std::int64_t>("<i8", {1, 2, 2, 4})),
            "m/offsets.npy: expected offsets that begin with 0");
  EXPECT_EQ(error_with("offsets.npy", array<std::int64_t>("<i8", {})),
            "m/offsets.npy: expected offsets that begin with 0");
  EXPECT_EQ(error_with("offsets.npy", array<std::int64_t>("<i8", {0, 2, 2, 5})),
            "m/offsets.npy: expected 4 at the end, the number of entries, found 5");
  EXPECT_EQ(error_with("hospitals.npy", array<std::int8_t>("|i1", {1, 0, -1, 1})),
            "m/hospitals.npy: entry 2 is -1, which is out of range");
  EXPECT_EQ(error_with("hospitals.npy", array<std::uint64_t>("<u8", {1, 0, 1ull << 32, 1})),
            "m/hospitals.npy: entry 2 is 4294967296, which is out of range");
  EXPECT_EQ(error_with("hospitals.npy", array<std::uint16_t>("<u2", {1, 0, 3, 1})),
            "m/hospitals.npy: entry 2: expected an id below 3, found 3");
  EXPECT_EQ(error_with("hospitals.npy", array<std::uint16_t>("<u2", {1, 1, 0, 1})),
            "m/hospitals.npy: entry 1: 1 appears twice in the list of resident 0");
  EXPECT_EQ(error_with("keys.npy", array<std::int32_t>("<i4", {5, 0, 7})),
            "m/keys.npy: expected 4 numbers, one per entry, found 3");
  EXPECT_EQ(error_with("keys.npy", array<float>("<f4", {5, 0, 7, 1})),
            "m/keys.npy: expected little-endian whole numbers, found dtype '<f4'");
  EXPECT_EQ(error_with("keys.npy", npy_header("<u4", std::array<std::uint64_t, 2>{2, 2})),
            "m/keys.npy: expected an array of one dimension, found 2");
  EXPECT_EQ(error_with("keys.npy", npy_header("<u4", std::array{std::uint64_t{1} << 60})),
            "m/keys.npy: the table is cut short: expected 4,611,686,018,427,387,904 bytes of data, "
            "found 0");
  EXPECT_EQ(error_with("resident_tiers.npy", array<std::uint8_t>("|u1", {0, 1, 1, 0})),
            "m/resident_tiers.npy: entry 2: expected classes 0, 1, 2, ... that do not fall in a "
            "list, found 1");
  EXPECT_EQ(error_with("resident_tiers.npy", array<std::uint8_t>("|u1", {0, 2, 0, 0})),
            "m/resident_tiers.npy: entry 1: expected classes 0, 1, 2, ... that do not fall in a "
            "list, found 2");
  auto files = market_files();
  files[2] = {"scores.npy", array<double>("<f8", {1, 2, std::nan(""), 3})};
  write_folder("m", files);
  EXPECT_EQ(error_of([&] { read_any({"m"}); }),
            "m/scores.npy: entry 2 is nan, which is out of range");
}

TEST_F(SparseArrays, DamagedArchivesAreErrors) {
  auto const whole = zip(market_files(), true);
  for (std::size_t length = 60; length < whole.size(); length += 7) {
    write("m.npz", whole.substr(0, length));
    EXPECT_TRUE(error_of([&] { read_any({"m.npz"}); }).starts_with("m.npz: ")) << length;
  }
  // A changed byte of the data, the headers or the directory is found, or does not matter.
  std::size_t refused = 0;
  for (std::size_t at = 0; at < whole.size(); ++at) {
    auto changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    Source source("m", changed);
    try {
      auto const market = read_market_archive(source);
      // If the name of an array is changed, another one may be missing, and a note says so.
      EXPECT_TRUE(in_words(market) == words || !market.notes.empty()) << at;
    } catch (InputError const&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, whole.size() / 3);
}

TEST_F(SparseArrays, MarketsReadBack) {
  write_folder("m", market_files());
  for (std::string const form : {"keys", "scores", "priorities"}) {
    auto market = sparse({"m"});
    if (form != "keys") {
      market.scores = {7.5, 3, 2, 1, 0, -1, -2, -3.25};
      market.resident_tiers = {0, 0, 0, 1};
    }
    if (form == "priorities") {
      std::ranges::reverse(market.scores);
    }
    write_market_arrays(path(form), market);
    auto const back = sparse({form});
    EXPECT_EQ(back.lowest_score_first(), form == "priorities");
    EXPECT_EQ(back.offsets, market.offsets);
    EXPECT_EQ(back.hospitals, market.hospitals);
    EXPECT_EQ(back.seats, market.seats);
    EXPECT_EQ(back.resident_tiers, market.resident_tiers);
    for (std::size_t entry = 0; entry < market.entries(); ++entry) {
      if (market.scores.empty()) {
        EXPECT_EQ(back.keys[entry], market.keys[entry]);
      } else {
        EXPECT_EQ(back.scores[back.keys[entry]], market.scores[market.keys[entry]]);
      }
    }
  }
}

}  // namespace
