// SPDX-License-Identifier: Apache-2.0
#include "scratch.hpp"

namespace {

using namespace taper;
using namespace taper::io;

using Json = Scratch;
using Yaml = Scratch;

constexpr auto json = R"({
  "students": {
    "Ann": ["Oslo", "Rome"],
    "Ben": ["Rome", "Oslo"]
  },
  "cities": {
    "Rome": ["Ann", "Ben"],
    "Oslo": ["Ben", "Ann"]
  }
}
)";

void expect_sample(Market const& market) {
  EXPECT_EQ(market.men.title, "students");
  EXPECT_EQ(market.women.title, "cities");
  EXPECT_EQ(market.men.names, (std::vector<std::string>{"Ann", "Ben"}));
  EXPECT_EQ(market.women.names, (std::vector<std::string>{"Rome", "Oslo"}));
  EXPECT_EQ(ids_of(market.men.preferences), (Ids{1, 0, 0, 1}));
  EXPECT_EQ(ids_of(market.women.preferences), (Ids{0, 1, 1, 0}));
  EXPECT_TRUE(market.notes.empty());
}

TEST_F(Json, ReadsOneFile) {
  write("m.json", json);
  expect_sample(read({"m.json"}));
  write("m", json);
  expect_sample(read({"m"}));
}

TEST_F(Json, ReadsTwoFiles) {
  write("students.json", R"({"Ann": ["Oslo", "Rome"], "Ben": ["Rome", "Oslo"]})");
  write("b.json", R"({"cities": {"Rome": ["Ann", "Ben"], "Oslo": ["Ben", "Ann"]}})");
  expect_sample(read({"students.json", "b.json"}));
  write("cities.yaml", "Rome: [Ann, Ben]\nOslo: [Ben, Ann]\n");
  expect_sample(read({"students.json", "cities.yaml"}));
  write("m.json", json);
  EXPECT_EQ(error_of([&] {
              read({"m.json", "b.json"});
            }),
            "m.json: expected one mapping from names to lists, found 2");
}

TEST_F(Json, NumbersAreNames) {
  write("m.json", R"({"a": {"1": [7, 1.50], "2": [1.50, 7]}, "b": {"7": [1, 2], "1.50": [2, 1]}})");
  const Market market = read({"m.json"});
  EXPECT_EQ(market.women.names, (std::vector<std::string>{"7", "1.50"}));
  EXPECT_EQ(ids_of(market.men.preferences), (Ids{0, 1, 1, 0}));
}

TEST_F(Json, ReadsEmptyMarketsAndOnePair) {
  write("0.json", R"({"a": {}, "b": {}})");
  EXPECT_EQ(read({"0.json"}).size(), 0u);
  write("1.json", R"({"a": {"x": ["y"]}, "b": {"y": ["x"]}})");
  EXPECT_EQ(ids_of(read({"1.json"}).men.preferences), Ids{0});
  write("e.json", "{}");
  EXPECT_EQ(read({"e.json", "e.json"}).size(), 0u);
}

TEST_F(Json, RefusesWrongNames) {
  EXPECT_EQ(error_in("m.json",
                     "{\"men\": {\"Ann\": [\"Rome\",\n \"Olso\"], \"Ben\": [\"Rome\", \"Oslo\"]},\n"
                     "\"cities\": {\"Rome\": [\"Ann\", \"Ben\"], \"Oslo\": [\"Ben\", \"Ann\"]}}"),
            "m.json:2: men, list of 'Ann', entry 2: 'Olso' is not among the cities; did you mean "
            "'Oslo'?");
  EXPECT_EQ(error_in("m.json",
                     "{\"men\": {\"Ann\": [\"Rome\", \"Oslo\"],\n\"Ben\": [\"Rome\"]},\n"
                     "\"cities\": {\"Rome\": [\"Ann\", \"Ben\"], \"Oslo\": [\"Ben\", \"Ann\"]}}"),
            "m.json: expected equal sides, complete lists without ties, and one seat each; found 2 "
            "men with 3 entries, and 2 cities");
  EXPECT_EQ(error_in("m.json", "{\"men\": {\"Ann\": [\"Rome\",\n\"Rome\"]}}"),
            "m.json:2: men, list of 'Ann', entry 2: 'Rome' appears twice (first in entry 1)");
  EXPECT_EQ(error_in("m.json", "{\"men\": {\n\"Ann\": [],\n\"Ann\": []}}"),
            "m.json:3: men: 'Ann' appears twice (first on line 2)");
  EXPECT_EQ(error_in("m.json", "{\"men\": {},\n\"men\": {}}"),
            "m.json:2: the key 'men' appears twice (first on line 1)");
  EXPECT_EQ(
      error_in(
          "m.json",
          R"({"men": {"A": ["x", "y"], "B": ["x", "y"]}, "cities": {"x": [], "y": [], "z": []}})"),
      "m.json: expected equal sides, complete lists without ties, and one seat each; found 2 men "
      "with 0 entries, and 3 cities");
}

TEST_F(Json, RefusesOtherStructures) {
  EXPECT_EQ(error_in("m.json", "[1, 2]"),
            "m.json:1: expected a mapping from names to lists of names, found a list");
  EXPECT_EQ(error_in("m.json", "{\"men\": {\"Ann\":\n\"Bob\"}}"),
            "m.json:2: men, list of 'Ann': expected a list of names, found 'Bob'");
  EXPECT_EQ(error_in("m.json", "{\"men\": {\"Ann\": [\"x\", null]}}"),
            "m.json:1: men, list of 'Ann', entry 2: expected a name, or a list of names that are a "
            "tie, found null");
  EXPECT_EQ(error_in("m.json", "{\"men\": {\"Ann\": [\"x\", [\"y\", \"z\"]]}}"),
            "m.json: expected two mappings from names to lists, found 1");
  EXPECT_EQ(error_in("m.json", R"({"Ann": ["x"]})"),
            "m.json: expected two mappings from names to lists, each under a key, or a second "
            "file; found one mapping");
  EXPECT_EQ(error_in("m.json", R"({"a": {}, "b": {}, "c": {}})"),
            "m.json: expected two mappings from names to lists, found 3");
  EXPECT_EQ(error_in("m.json", "{}"), error_in("m.json", R"({"Ann": ["x"]})"));
  EXPECT_EQ(error_in("m.json", "{\"a\": {},\n\"b\": 3}"),
            "m.json:2: 'b': expected a mapping from names to lists, found '3'");
  EXPECT_EQ(error_in("m.json", json, {.preferences = ListMeaning::rank}),
            "m.json: --preferences rank is for numbered lists, and this file has names");
  EXPECT_EQ(error_in("m.json", json, {.base = IdBase::one}),
            "m.json: --base is for numbered lists, and this file has names");
}

TEST_F(Json, RefusesMalformedFiles) {
  EXPECT_EQ(error_in("m.json", "{\"a\": {\n\"x\": [\"y\",]}}")
                .rfind("m.json:2: not valid JSON: syntax error", 0),
            0u);
  EXPECT_EQ(error_in("m.json", "{\"a\": {\n").rfind("m.json:1: not valid JSON: ", 0), 0u);
  EXPECT_EQ(error_in("m.json", ""), "m.json: expected a mapping, found no entries");
  EXPECT_EQ(error_in("m.json", std::string(json) + "}").rfind("m.json:11: not valid JSON: ", 0),
            0u);
  EXPECT_TRUE(error_in("m.json", std::string_view("\x7f\x45LF\0\1", 6))
                  .starts_with("m.json: this looks like binary data"));
  EXPECT_EQ(error_in("m.json", "{\"\xff\": 1}").rfind("m.json:1: not valid JSON: ", 0), 0u);
  EXPECT_EQ(error_in("m.json", "{\"a\": 1e999}").rfind("m.json:1: not valid JSON: number", 0), 0u);
}

TEST_F(Json, AcceptsByteOrderMarkAndWindowsLines) {
  std::string text = "\xef\xbb\xbf";
  for (const char c : std::string_view(json))
    text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  write("m.json", text);
  expect_sample(read({"m.json"}));
}

TEST_F(Yaml, ReadsBlockAndFlowStyle) {
  write("m.yaml",
        "# a market\r\nstudents:\r\n  Ann: [Oslo, Rome]\r\n  Ben:\r\n    - Rome\r\n    - Oslo\r\n"
        "cities:\r\n  Rome: [Ann, Ben]\r\n  Oslo: [Ben, Ann]\r\n");
  expect_sample(read({"m.yaml"}));
  std::filesystem::rename(path("m.yaml"), path("m"));
  expect_sample(read({"m"}));
}

TEST_F(Yaml, ScalarsAreNamesAsWritten) {
  write("m.yml", "a:\n  010: [yes, 1e3]\n  8: [1e3, yes]\nb:\n  yes: [010, 8]\n  1e3: [8, 010]\n");
  const Market market = read({"m.yml"});
  EXPECT_EQ(market.men.names, (std::vector<std::string>{"010", "8"}));
  EXPECT_EQ(market.women.names, (std::vector<std::string>{"yes", "1e3"}));
}

TEST_F(Yaml, RefusesWrongFiles) {
  EXPECT_EQ(error_in("m.yaml", "a:\n  x: [y]\n  x: [y]\n"),
            "m.yaml:3: a: 'x' appears twice (first on line 2)");
  EXPECT_EQ(error_in("m.yaml", "a:\n  x: [y]\nb:\n  y: [x]\na:\n  z: [y]\n"),
            "m.yaml:5: the key 'a' appears twice (first on line 1)");
  EXPECT_EQ(error_in("m.yaml", "a:\n  x: [y, y]\n"),
            "m.yaml:2: a, list of 'x', entry 2: 'y' appears twice (first in entry 1)");
  EXPECT_EQ(error_in("m.yaml", "a:\n  x:\n  z: [y]\n"),
            "m.yaml:2: a, list of 'x': expected a list of names, found null");
  EXPECT_EQ(error_in("m.yaml", "a:\n  x: &l [y]\n  z: *l\n"),
            "m.yaml:3: expected the list itself, found an alias (*name)");
  EXPECT_EQ(error_in("m.yaml", "a:\n  x: [y, z\nb: 1"),
            "m.yaml:3: not valid YAML: end of sequence flow not found");
  EXPECT_EQ(error_in("m.yaml", ""), "m.yaml: expected a mapping, found no entries");
  EXPECT_EQ(error_in("m.yaml", "# only this\n"), "m.yaml: expected a mapping, found no entries");
  EXPECT_EQ(error_in("m.yaml", "a: {}\nb: {}\n---\na: {}\n"),
            "m.yaml:3: expected one YAML document, found a second");
  EXPECT_EQ(error_in("m.yaml", std::string_view("a: \0\n", 5)),
            "m.yaml: this looks like binary data: write n, then a line of n ids per person, or "
            "mappings of names in JSON");
  EXPECT_EQ(error_in("m.yaml", "m: {Zoe: [a]}\nw: {Zo\xeb: [b]}\n"),
            "m.yaml:2: expected UTF-8, found the byte 0xeb");
  EXPECT_EQ(error_in("m.yaml", "m: {a: [x], b: [y"),
            "m.yaml:1: not valid YAML: end of sequence flow not found");
  EXPECT_EQ(error_in("m.yaml", "- a\n- b\n"),
            "m.yaml:1: expected a mapping from names to lists of names, found a list");
}

/// For these texts the parser finds empty documents without end.
TEST_F(Yaml, TextsThatAreEndlessDocumentsAreRefused) {
  for (auto const* const text : {",", "\n,\n", "]", "}"}) {
    write("m.yaml", text);
    const auto error = error_of([&] { read({"m.yaml"}); });
    EXPECT_TRUE(error.starts_with("m.yaml")) << text << ": " << error;
  }
}

}  // namespace
