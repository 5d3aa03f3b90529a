// SPDX-License-Identifier: Apache-2.0
#include "scratch.hpp"

#include <io/market/write.hpp>
#include <io/text/atomic_file.hpp>

namespace {

using namespace taper;
using namespace taper::io;

using Write = Scratch;
using Matching = Scratch;

void expect_same(Market const& a, Market const& b) {
  EXPECT_EQ(a.men.preferences, b.men.preferences);
  EXPECT_EQ(a.women.preferences, b.women.preferences);
}

/// Writes a file in the format of its extension, as commands do.
void write_market(std::filesystem::path const& path, Market const& market) {
  AtomicFile file(path);
  write_market(file.stream(), market, market_format_of(path));
  file.commit();
}

void write_matching(std::filesystem::path const& path, Market const& market,
                    std::span<const std::uint32_t> partner_of_man,
                    Proposer proposer = Proposer::men) {
  AtomicFile file(path);
  write_matching(file.stream(), market, partner_of_man, matching_format_of(path), proposer);
  file.commit();
}

/// Names that some format must quote.
Market awkward_market() {
  Market market = random_market(9, 0);
  market.men.title = "yes";
  market.women.title = "a \"b\": c";
  market.men.names = {"Ann",       "010", "yes", "null",      "O'Hara, \"Bo\"",
                      "two words", "#1",  "",    "Zo\xc3\xab"};
  market.women.names = {"~", "a\nb", "{x", " lead", "trail ", "50%", "- dash", "\\", "k: v"};
  return market;
}

TEST_F(Write, MarketsWithNumbersReadBack) {
  for (const std::size_t n : {0u, 1u, 2u, 3u, 9u, 70u})
    for (const int base : {0, 1})
      for (std::string const extension :
           {"txt", "npy", "json", "yaml", "lists.gz", "npy.gz", "json.gz"}) {
        SCOPED_TRACE(extension + " n " + std::to_string(n) + " base " + std::to_string(base));
        const Market market = random_market(n, base);
        write_market(path("m." + extension), market);
        const Market back = read({"m." + extension});
        expect_same(market, back);
        if (n > 0 && back.named()) {
          EXPECT_EQ(back.men.names[0], std::to_string(base));
        } else if (n > 0) {
          EXPECT_EQ(back.id_base, base);
        }
      }
}

TEST_F(Write, FilesLargerThanTheBufferReadBack) {
  const Market market = random_market(600, 1);
  for (std::string const name : {"m.txt", "m.txt.gz", "m.npy", "m.json"}) {
    SCOPED_TRACE(name);
    write_market(path(name), market);
    expect_same(read({name}), market);
  }
}

TEST_F(Write, MarketsWithNamesReadBack) {
  const Market market = awkward_market();
  for (std::string const name : {"m.json", "m.yaml", "m.yml.gz"}) {
    SCOPED_TRACE(name);
    write_market(path(name), market);
    const Market back = read({name});
    expect_same(market, back);
    EXPECT_EQ(back.men.title, market.men.title);
    EXPECT_EQ(back.women.title, market.women.title);
    EXPECT_EQ(back.men.names, market.men.names);
    EXPECT_EQ(back.women.names, market.women.names);
  }
  EXPECT_EQ(error_of([&] { write_market(path("m.txt"), market); }),
            "the lists form holds numbers, and this market has names; write JSON or YAML");
  EXPECT_FALSE(std::filesystem::exists(path("m.txt")));
}

TEST_F(Write, MarketsHaveTheExpectedBytes) {
  Market market = random_market(2, 1);
  for (Side* side : {&market.men, &market.women})
    for (std::uint32_t i = 0; i < 4; ++i)
      side->preferences.set(i / 2, i % 2, i % 2);
  write_market(path("m.txt"), market);
  EXPECT_EQ(bytes_of("m.txt"), "2\n1 2\n1 2\n1 2\n1 2\n");
  write_market(path("m.json"), market);
  EXPECT_EQ(bytes_of("m.json"),
            "{\n  \"men\": {\n    \"1\": [\"1\", \"2\"],\n    \"2\": [\"1\", \"2\"]\n  },\n"
            "  \"women\": {\n    \"1\": [\"1\", \"2\"],\n    \"2\": [\"1\", \"2\"]\n  }\n}\n");
  write_market(path("m.txt.gz"), market);
  EXPECT_TRUE(bytes_of("m.txt.gz").starts_with("\x1f\x8b"));
}

TEST_F(Write, DamagedGzipIsAnError) {
  write_market(path("m.txt.gz"), random_market(70, 1));
  const std::string bytes = bytes_of("m.txt.gz");
  EXPECT_EQ(error_in("m.txt.gz", bytes.substr(0, bytes.size() / 2)),
            "m.txt.gz: the compressed data are cut short");
  std::string damaged = bytes;
  damaged[bytes.size() - 6] ^= 0x55;
  EXPECT_EQ(error_in("m.txt.gz", damaged), "m.txt.gz: the compressed data are damaged");
}

TEST_F(Write, WithoutCommitTheFileIsUnchanged) {
  write("out", "old");
  { AtomicFile(path("out")).stream() << "new"; }
  EXPECT_EQ(bytes_of("out"), "old");
  AtomicFile file(path("out"));
  file.stream() << "new" << 1;
  EXPECT_EQ(bytes_of("out"), "old");
  file.commit();
  EXPECT_EQ(bytes_of("out"), "new1");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path("")), {}), 1);
}

TEST_F(Write, LinksAndPermissionsAreKept) {
  write("real", "old");
  std::filesystem::permissions(path("real"), std::filesystem::perms{0600});
  std::filesystem::create_symlink("real", path("link"));
  AtomicFile file(path("link"));
  file.stream() << "new";
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(bytes_of("real"), "new");
  EXPECT_EQ(std::filesystem::status(path("real")).permissions(), std::filesystem::perms{0600});
}

TEST_F(Write, ReportsFilesThatCannotBeWritten) {
  EXPECT_EQ(error_of([&] { AtomicFile file(path("none/out")); }),
            "none/out: cannot be written: No such file or directory");
  std::filesystem::create_directory(path("folder"));
  EXPECT_EQ(error_of([&] { AtomicFile file(path("folder")); }),
            "folder: cannot be written: Is a directory");
  EXPECT_EQ(error_of([&] {
              AtomicFile file("/dev/full");
              file.stream() << "x";
              file.commit();
            }),
            "/dev/full: cannot be written: No space left on device");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
}

TEST_F(Matching, ReadsBackInEveryFormat) {
  const Ids partners{3, 1, 4, 0, 5, 8, 2, 6, 7};
  for (Market const& market : {awkward_market(), random_market(9, 0), random_market(9, 1)})
    for (const auto proposer : {Proposer::men, Proposer::women})
      for (std::string const name :
           {"p.txt", "p.csv", "p.json", "p.yaml", "p.yml.gz", "p", "p.csv.gz"}) {
        SCOPED_TRACE(name);
        write_matching(path(name), market, partners, proposer);
        EXPECT_EQ(read_matching(path(name), market, MatchingFormat::automatic, proposer), partners);
      }
  const Market nobody = random_market(0, 0);
  for (std::string const name : {"0.txt", "0.csv", "0.json", "0.yaml"}) {
    write_matching(path(name), nobody, Ids{});
    EXPECT_TRUE(read_matching(path(name), nobody).empty());
  }
}

TEST_F(Matching, HasTheExpectedBytes) {
  Market market = random_market(2, 1);
  const auto written = [&](MatchingFormat format, Proposer proposer = Proposer::men) {
    std::ostringstream out;
    write_matching(out, market, Ids{1, 0}, format, proposer);
    return out.str();
  };
  EXPECT_EQ(written(MatchingFormat::text), "1 2\n2 1\n");
  EXPECT_EQ(written(MatchingFormat::csv), "men,women\r\n1,2\r\n2,1\r\n");
  EXPECT_EQ(written(MatchingFormat::text, Proposer::women), "1 2\n2 1\n");
  market.men.names = {"Ann", "Ben Hur"};
  market.women.names = {"Rome", "Os\"lo"};
  EXPECT_EQ(written(MatchingFormat::text), "Ann \"Os\\\"lo\"\n\"Ben Hur\" Rome\n");
  EXPECT_EQ(written(MatchingFormat::text, Proposer::women), "Rome \"Ben Hur\"\n\"Os\\\"lo\" Ann\n");
  EXPECT_EQ(written(MatchingFormat::csv), "men,women\r\nAnn,\"Os\"\"lo\"\r\nBen Hur,Rome\r\n");
  EXPECT_EQ(written(MatchingFormat::json),
            "{\n  \"Ann\": \"Os\\\"lo\",\n  \"Ben Hur\": \"Rome\"\n}\n");
  EXPECT_EQ(written(MatchingFormat::json, Proposer::women),
            "{\n  \"Rome\": \"Ben Hur\",\n  \"Os\\\"lo\": \"Ann\"\n}\n");
}

TEST_F(Matching, ReadsYamlWithoutBraces) {
  write("p.yaml", "# of three\n1: 2\n2: '3'\n3: 1\n");
  EXPECT_EQ(read_matching(path("p.yaml"), random_market(3, 1)), (Ids{1, 2, 0}));
}

TEST_F(Matching, NamesShowWhichSideComesFirst) {
  const Market market = awkward_market();
  const Ids partners{3, 1, 4, 0, 5, 8, 2, 6, 7};
  for (std::string const name : {"p.json", "p.txt", "p.csv"}) {
    write_matching(path(name), market, partners, Proposer::women);
    EXPECT_EQ(read_matching(path(name), market), partners) << name;
  }
}

TEST_F(Matching, NumbersOfTheProposersComeFirst) {
  const Market market = random_market(3, 1);
  const Ids partners{1, 2, 0};
  const Ids other_way{2, 0, 1};
  for (std::string const name : {"p.json", "p.txt"}) {
    write_matching(path(name), market, partners);
    EXPECT_EQ(read_matching(path(name), market), partners) << name;
    EXPECT_EQ(read_matching(path(name), market, MatchingFormat::automatic, Proposer::women),
              other_way)
        << name;
  }
  write("bare.csv", "1,2\n2,3\n3,1\n");
  EXPECT_EQ(read_matching(path("bare.csv"), market), partners);
  EXPECT_EQ(read_matching(path("bare.csv"), market, MatchingFormat::csv, Proposer::women),
            other_way);
  write("headed.csv", "men,women\n1,2\n2,3\n3,1\n");
  EXPECT_EQ(read_matching(path("headed.csv"), market, MatchingFormat::csv, Proposer::women),
            partners);
}

TEST_F(Matching, RefusesWrongPairs) {
  Market market = random_market(2, 1);
  const auto wrong = [&](std::string const& name, std::string_view bytes) {
    write(name, bytes);
    return error_of([&] { read_matching(path(name), market); });
  };
  EXPECT_EQ(wrong("p.txt", "# pairs\n1 2\n2 2\n"),
            "p.txt:3: '2' of the women appears twice (first on line 2)");
  EXPECT_EQ(wrong("p.txt", "1 2\n1 1\n"),
            "p.txt:2: '1' of the men appears twice (first on line 1)");
  EXPECT_EQ(wrong("p.txt", "1 3\n"), "p.txt:1: '3' is not among the women");
  EXPECT_EQ(wrong("p.txt", "1 2\n"),
            "p.txt: '2' of the men has no partner: expected 2 pairs, found 1");
  EXPECT_EQ(wrong("p.txt", "1 2 3\n"),
            "p.txt:1: expected two names, one of the men and one of the women, found 3");
  EXPECT_EQ(wrong("p.txt", "1 \"2\n"), "p.txt:1: expected a closing double quote");
  EXPECT_EQ(wrong("p.csv", "men,women\n1,2,3\n"),
            "p.csv:2: expected two fields, men and women, found 3");
  EXPECT_EQ(wrong("p.csv", "men,women\n1,\"2\n"), "p.csv:2: expected a closing double quote");
  EXPECT_EQ(wrong("p.json", "{\"1\": \"2\",\n\"1\": \"1\"}"),
            "p.json:2: '1' of the men appears twice (first on line 1)");
  EXPECT_EQ(wrong("p.json", "{\"1\": null}"),
            "p.json:1: expected the name of the partner of '1', found null");
  EXPECT_EQ(
      wrong("p.json", "[]"),
      "p.json:1: expected a mapping from each proposer's name to the partner's, found a list");
  market.men.names = {"Ann", "Ben"};
  market.women.names = {"Rome", "Oslo"};
  EXPECT_EQ(wrong("p.csv", "women,men\nRome,Ann\nOlso,Ben\n"),
            "p.csv:3: 'Olso' is not among the women; did you mean 'Oslo'?");
  write("q.csv", "women,men\nRome,Ben\nOslo,Ann\n");
  EXPECT_EQ(read_matching(path("q.csv"), market), (Ids{1, 0}));
}

}  // namespace
