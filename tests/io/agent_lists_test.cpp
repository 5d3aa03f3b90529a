// SPDX-License-Identifier: Apache-2.0
#include <io/agents/agent_lists.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace taper;
using namespace taper::io;

using Names = std::vector<std::string>;
using Offsets = std::vector<std::int64_t>;
using Ids = std::vector<std::int32_t>;

constexpr auto json = R"({
  "residents": {
    "Ada": ["City", "Park"],
    "Bob": [],
    "Cy": ["Park"]
  },
  "hospitals": {
    "Park": ["Cy", "Ada"],
    "City": ["Ada"]
  }
})";
constexpr auto yaml = "residents:\n  Ada: [City, Park]\n  Bob: []\n  Cy:\n  - Park\n"
                      "hospitals:\n  Park: [Cy, Ada]\n  City: [Ada]\n";

std::string error_of_two(std::string_view text) {
  try {
    parse_two_sides("m", text);
  } catch (InputError const& error) {
    return error.what();
  }
  return "no InputError";
}

std::string error_of_one(std::string_view text) {
  try {
    parse_roommates("m", text);
  } catch (InputError const& error) {
    return error.what();
  }
  return "no InputError";
}

TEST(AgentLists, ReadTwoSides) {
  for (std::string_view const text : {json, yaml}) {
    auto const [first, second] = parse_two_sides("m", text);
    EXPECT_EQ(first.title, "residents");
    EXPECT_EQ(second.title, "hospitals");
    EXPECT_EQ(first.names, (Names{"Ada", "Bob", "Cy"}));
    EXPECT_EQ(second.names, (Names{"Park", "City"}));
    EXPECT_EQ(first.offsets, (Offsets{0, 2, 2, 3}));
    EXPECT_EQ(first.ids, (Ids{1, 0, 0}));
    EXPECT_EQ(second.offsets, (Offsets{0, 2, 3}));
    EXPECT_EQ(second.ids, (Ids{2, 0, 0}));
  }
}

TEST(AgentLists, SidesMayShareNames) {
  auto const [first, second] =
      parse_two_sides("m", R"({"a": {"1": ["2"], "2": []}, "b": {"2": ["1"], "1": ["2"]}})");
  EXPECT_EQ(first.ids, (Ids{0}));
  EXPECT_EQ(second.ids, (Ids{0, 1}));
}

TEST(AgentLists, ReadRoommatesWithAndWithoutAKey) {
  for (std::string_view const text :
       {R"({"Ada": ["Cy", "Bob"], "Bob": [], "Cy": ["Ada"]})", "Ada: [Cy, Bob]\nBob: []\nCy: [Ada]",
        "flat: {Ada: [Cy, Bob], Bob: [], Cy: [Ada]}"}) {
    auto const agents = parse_roommates("m", text);
    EXPECT_EQ(agents.title, text.starts_with("flat") ? "flat" : "agents");
    EXPECT_EQ(agents.names, (Names{"Ada", "Bob", "Cy"}));
    EXPECT_EQ(agents.offsets, (Offsets{0, 2, 2, 3}));
    EXPECT_EQ(agents.ids, (Ids{2, 1, 0}));
  }
  EXPECT_TRUE(parse_roommates("m", "{}").names.empty());
}

TEST(AgentLists, BadMarketsGetOneLine) {
  EXPECT_EQ(error_of_two("[1]"),
            "m:1: expected a mapping from names to lists of names, found a list");
  EXPECT_EQ(error_of_two("a: {x: [y]}"), "m: expected two mappings from names to lists, found 1");
  EXPECT_EQ(error_of_two("a: {}\nb: {}\nc: {}"),
            "m: expected two mappings from names to lists, found 3");
  EXPECT_EQ(error_of_two("a: {}\na: {}"), "m:2: the key 'a' appears twice");
  EXPECT_EQ(error_of_two("a: [x]"),
            "m:1: 'a': expected a mapping from names to lists of names, found a list");
  EXPECT_EQ(error_of_two("a:\n  x: [y]\n  z: [q]\nb:\n  y: []"),
            "m:3: a, list of 'z', entry 1: 'q' is not among the b");
  EXPECT_EQ(error_of_two("a:\n  x: [yes, yse]\nb:\n  yes: []"),
            "m:2: a, list of 'x', entry 2: 'yse' is not among the b; did you mean 'yes'?");
  EXPECT_EQ(error_of_two("a:\n  x: [y, z, y]\nb: {}"),
            "m:2: a, list of 'x', entry 3: 'y' appears twice");
  EXPECT_EQ(error_of_two("a:\n  x: []\n  x: []\nb: {}"),
            "m:3: a: 'x' appears twice (first on line 2)");
  EXPECT_EQ(error_of_two("a:\n  x: 3\nb: {}"),
            "m:2: a, list of 'x': expected a list of names, found '3'");
  EXPECT_EQ(error_of_two("a:\n  x:\n  z: []\nb: {}"),
            "m:2: a, list of 'x': expected a list of names, found null");
  EXPECT_EQ(
      error_of_two("a:\n  x: [[y, z]]\nb: {}"),
      "m:2: a, list of 'x', entry 1: expected a name (this command has no ties), found a list");
  EXPECT_TRUE(error_of_two("{\"a\": {\"x\": [\"y\"").starts_with("m:1: not valid JSON: "));
}

TEST(AgentLists, BadRoommatesGetOneLine) {
  EXPECT_EQ(error_of_one("a: [b]\nb: [a, b]"),
            "m:2: agents, list of 'b', entry 2: expected another agent, found itself");
  EXPECT_EQ(error_of_one("a: [b]\nc: [a]"),
            "m:1: agents, list of 'a', entry 1: 'b' is not among the agents");
  EXPECT_EQ(error_of_one("a: {x: [y], y: []}\nb: {}"),
            "m: expected one mapping from names to lists, found 2");
  EXPECT_EQ(
      error_of_one("a: 1"),
      "m:1: 'a': expected a mapping from names to lists of names, or a list of names, found '1'");
}

TEST(AgentLists, WritesPartners) {
  std::ostringstream out;
  write_partners(out, Names{"Ada", "B b", "-", ""}, Names{"Cy", "\"q\""}, Ids{1, -1, 0, -1});
  EXPECT_EQ(out.str(), "Ada \"\\\"q\\\"\"\n\"B b\" -\n\"-\" Cy\n\"\" -\n");
}

}  // namespace
