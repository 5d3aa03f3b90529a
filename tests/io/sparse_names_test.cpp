// SPDX-License-Identifier: Apache-2.0
//
// Markets in JSON and YAML with short lists, ties, unequal sides and seats.
#include "sparse_scratch.hpp"

#include <map>
#include <optional>

namespace {

using namespace taper;
using namespace taper::io;

using SparseNames = SparseScratch;

constexpr auto hospital_file = R"({
  "residents": {
    "Ada": ["City", "Mercy"],
    "Ben": [["Mercy", "City"], "North"],
    "Cy": []
  },
  "hospitals": {
    "City": ["Ben", "Ada"],
    "Mercy": [["Ada", "Ben"]],
    "North": ["Ben"],
    "Park": []
  },
  "capacities": {"City": 2, "Park": 0}
}
)";

constexpr auto hospital_words = "residents Ada: City 1, Mercy 0; Ben: (Mercy 0, City 0), North 0; "
                                "Cy: | hospitals City 2, Mercy 1, North 1, Park 0";

TEST_F(SparseNames, ShortListsTiesAndSeats) {
  auto const market = sparse_in("m.json", hospital_file);
  EXPECT_EQ(in_words(market), hospital_words);
  EXPECT_TRUE(market.has_resident_ties());
  EXPECT_EQ(market.one_sided.count(), 0u);
  EXPECT_TRUE(market.notes.empty());
  EXPECT_EQ(in_words(sparse_in("m", hospital_file)), hospital_words) << "by the content";
  EXPECT_EQ(in_words(sparse_in("m.yaml", "residents:\n  Ada: [City, Mercy]\n"
                                         "  Ben:\n  - [Mercy, City]\n  - North\n  Cy: []\n"
                                         "capacities: {City: 2, Park: 0}\n"
                                         "hospitals:\n  City: [Ben, Ada]\n"
                                         "  Mercy:\n  -\n    - Ada\n    - Ben\n"
                                         "  North: [Ben]\n  Park: []\n")),
            hospital_words);
}

TEST_F(SparseNames, TwoFilesWithSeatsInEither) {
  auto const words = "residents A: x 0; B: x 1 | h x 2";
  auto const expect = [&](std::string_view first, std::string_view second) {
    write("residents.json", first);
    write("h.yaml", second);
    EXPECT_EQ(in_words(sparse({"residents.json", "h.yaml"})), words) << second;
  };
  constexpr auto bare = R"({"A": ["x"], "B": ["x"]})";
  expect(bare, "h: {x: [A, B]}\ncapacities: {x: 2}\n");
  expect(bare, "capacities: {x: 2}\nx: [A, B]\n");
  expect(R"({"residents": {"A": ["x"], "B": ["x"]}, "capacities": {"x": 2}})", "x: [A, B]\n");
  write("residents.json", R"({"capacities": {"x": 1}, "A": ["x"]})");
  write("h.yaml", "x: [A]\ncapacities: [B]\n");
  EXPECT_EQ(error_of([&] {
              read_any({"residents.json", "h.yaml"});
            }),
            "h.yaml:2: h, list of 'capacities', entry 1: 'B' is not among the residents");
  write("h.yaml", "h: {x: [A]}\ncapacities: {x: 2}\n");
  EXPECT_EQ(error_of([&] {
              read_any({"residents.json", "h.yaml"});
            }),
            "h.yaml:2: capacities appear twice (first in residents.json)");
}

TEST_F(SparseNames, ABareMappingMayBeginWithATie) {
  write("a.json", R"({"A": [["x", "y"]], "B": ["y"]})");
  write("b.json", R"({"x": ["A"], "y": [["A", "B"]]})");
  EXPECT_EQ(in_words(sparse({"a.json", "b.json"})), "a A: (x 0, y 0); B: y 0 | b x 1, y 1");
}

TEST_F(SparseNames, CompleteMarketsStayDense) {
  auto const is_dense = [&](std::string_view text) {
    write("m.json", text);
    return std::holds_alternative<Market>(read_any({"m.json"}));
  };
  EXPECT_TRUE(is_dense(R"({"m": {"a": ["x", "y"], "b": ["x", "y"]},
                           "w": {"x": ["a", "b"], "y": ["b", "a"]}})"));
  EXPECT_TRUE(is_dense(R"({"m": {"a": ["x"]}, "w": {"x": ["a"]}, "capacities": {"x": 1}})"));
  EXPECT_TRUE(is_dense(R"({"m": {"a": [["x"]]}, "w": {"x": ["a"]}})")) << "a tie of one";
  EXPECT_FALSE(is_dense(R"({"m": {"a": ["x"]}, "w": {"x": ["a"]}, "capacities": {"x": 2}})"));
  EXPECT_FALSE(is_dense(R"({"m": {"a": ["x"]}, "w": {"x": ["a"]}, "capacities": {"x": 0}})"));
  EXPECT_FALSE(is_dense(R"({"m": {"a": [["x", "y"]], "b": ["x", "y"]},
                            "w": {"x": ["a", "b"], "y": ["b", "a"]}})"));
  EXPECT_FALSE(is_dense(R"({"m": {"a": ["x", "y"], "b": ["x", "y"]},
                            "w": {"x": ["a", "b"], "y": [["b", "a"]]}})"));
  EXPECT_FALSE(is_dense(R"({"m": {"a": ["x"]}, "w": {"x": ["a"], "y": ["a"]}})"));
}

TEST_F(SparseNames, OneSidedEntriesAreDroppedAndCounted) {
  constexpr auto text = "{\"r\": {\"A\": [\"x\"],\n\"B\": [\"y\", [\"x\", \"z\"]]},\n"
                        "\"h\": {\"x\": [\"A\", \"B\"], \"y\": [\"A\"], \"z\": [\"B\"]}}";
  auto const market = sparse_in("m.json", text);
  EXPECT_EQ(in_words(market), "r A: x 0; B: (x 1, z 0) | h x 1, y 1, z 1");
  EXPECT_EQ(market.one_sided.of_first, 1u);
  EXPECT_EQ(market.one_sided.of_second, 1u);
  ASSERT_EQ(market.notes.size(), 1u);
  EXPECT_TRUE(market.notes[0].starts_with(
      "2 entries are one-sided and dropped (--strict refuses the file); the first: "))
      << market.notes[0];
  EXPECT_TRUE(
      market.notes[0].ends_with("m.json:2: 'B' of the r lists 'y', which does not list 'B'"))
      << market.notes[0];
  EXPECT_EQ(any_error_in("m.json", text, {.strict = true}),
            "m.json:2: 'B' of the r lists 'y', which does not list 'B'");
  EXPECT_EQ(any_error_in("m.json", R"({"r": {"A": []}, "h": {"x": ["A"]}})", {.strict = true}),
            "m.json:1: 'x' of the h lists 'A', which does not list 'x'");
}

TEST_F(SparseNames, TiesThatLoseTheirEntriesAreNoTies) {
  auto const market = sparse_in("m.json", R"({"r": {"A": ["z", ["x", "y"]], "B": ["y"]},
                    "h": {"x": ["A"], "y": ["B"], "z": ["A"]}, "capacities": {}})");
  EXPECT_EQ(in_words(market), "r A: z 0, x 0; B: y 0 | h x 1, y 1, z 1");
  EXPECT_FALSE(market.has_resident_ties());
}

TEST_F(SparseNames, NumbersAreNames) {
  EXPECT_EQ(in_words(sparse_in("m.json", R"({"s": {"7": [1, 2.50], "8": [2.50]},
                                            "c": {"1": [7], "2.50": [[7, 8]]},
                                            "capacities": {"2.50": 3}})")),
            "s 7: 1 0, 2.50 0; 8: 2.50 0 | c 1 1, 2.50 3");
}

TEST_F(SparseNames, EmptySidesAreLegal) {
  EXPECT_EQ(in_words(sparse_in("m.json", R"({"r": {"A": []}, "h": {}})")), "r A: | h");
  EXPECT_EQ(in_words(sparse_in("m.json", R"({"r": {}, "h": {"x": []}})")), "r | h x 1");
}

TEST_F(SparseNames, WrongSeatsAndTiesAreErrors) {
  for (auto const& [text, expected] : std::initializer_list<std::pair<char const*, char const*>>{
           {R"({"r": {"A": ["x"]}, "h": {"x": ["A"]}, "capacities": {"y": 2}})",
            "m.json:1: capacities: 'y' is not among the h, the second side"},
           {"{\"r\": {\"A\": [\"x\"]}, \"h\": {\"x\": [\"A\"]}, \"capacities\": {\"x\": 1,\n"
            "\"x\": 2}}",
            "m.json:2: capacities: 'x' appears twice (first on line 1)"},
           {R"({"r": {"A": ["x"]}, "h": {"x": ["A"]}, "capacities": {"x": -1}})",
            "m.json:1: capacities, 'x': expected a number of seats, found '-1'"},
           {R"({"r": {"A": ["x"]}, "h": {"x": ["A"]}, "capacities": {"x": 1.5}})",
            "m.json:1: capacities, 'x': expected a number of seats, found '1.5'"},
           {R"({"r": {"A": ["x"]}, "h": {"x": ["A"]}, "capacities": {"x": 4294967296}})",
            "m.json:1: capacities, 'x': expected a number of seats, found '4294967296'"},
           {R"({"r": {"A": ["x"]}, "h": {"x": ["A"]}, "capacities": {"x": [1]}})",
            "m.json:1: capacities, 'x': expected a number of seats, found a list"},
           {R"({"r": {"A": ["x"]}, "h": {"x": ["A"]}, "capacities": 2})",
            "m.json:1: capacities: expected a mapping from names to numbers of seats, found '2'"},
           {R"({"capacities": {}, "r": {}, "h": {}, "capacities": {}})",
            "m.json:1: the key 'capacities' appears twice (first on line 1)"},
           {R"({"r": {"A": ["x", ["y", ["z"]]]}})",
            "m.json:1: r, list of 'A', entry 3: expected a name in a tie, found a list"},
           {R"({"r": {"A": ["x", []]}})",
            "m.json:1: r, list of 'A', entry 2: expected a name in a tie, found an empty list"},
           {R"({"r": {"A": [["x", "x"]]}})",
            "m.json:1: r, list of 'A', entry 2: 'x' appears twice (first in entry 1)"},
           {R"({"r": {"A": ["x", {}]}})",
            "m.json:1: r, list of 'A', entry 2: expected a name, or a list of names that are a "
            "tie, found a mapping"},
           {R"({"r": {"A": ["x"]}, "h": {"x": {"seats": 2}}})",
            "m.json:1: h, list of 'x': expected a list of names (seats belong into a mapping under "
            "the key capacities), found a mapping"},
           {R"({"r": {"A": ["x"]}, "quota": {"x": 4}})",
            "m.json:1: quota, list of 'x': expected a list of names (seats belong into a mapping "
            "under the key capacities), found '4'"},
           {R"({"men": [[0, 1], [1, 0]], "women": [[0, 1], [1, 0]], "capacities": {"0": 1}})",
            "m.json:1: seats are for agents with names"},
           {R"({"r": {"A": ["x"]}, "capacities": {"x": 2}})",
            "m.json: expected two mappings from names to lists, found 1"}}) {
    EXPECT_EQ(any_error_in("m.json", text), expected) << text;
  }
}

TEST_F(SparseNames, ReadMarketWantsCompleteLists) {
  EXPECT_EQ(error_in("m.json", hospital_file),
            "m.json: expected equal sides, complete lists without ties, and one seat each; found 3 "
            "residents with 5 entries, and 4 hospitals");
}

std::string json_of(std::vector<TiedList> const& lists, char letter) {
  std::string text = "{";
  for (std::size_t i = 0; i < lists.size(); ++i) {
    text += fmt::format("{}\"{}{}\": [", i > 0 ? ", " : "", letter, i);
    for (std::size_t c = 0; c < lists[i].size(); ++c) {
      text += fmt::format("{}[\"{}\"]", c > 0 ? ", " : "", fmt::join(lists[i][c], "\", \""));
    }
    text += ']';
  }
  return text + '}';
}

/// The class of each name in a list among the names that `returned` allows.
std::map<std::string, std::size_t> classes(TiedList const& list, auto const& returned) {
  std::map<std::string, std::size_t> result;
  std::size_t next = 0;
  for (auto const& tie : list) {
    auto const before = result.size();
    for (auto const& name : tie) {
      if (returned(name)) {
        result.emplace(name, next);
      }
    }
    next += result.size() > before;
  }
  return result;
}

TEST_F(SparseNames, JoinsAgreeWithSets) {
  std::mt19937 random(21);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> r(1 + random() % 6), h(1 + random() % 6);
    for (std::size_t i = 0; i < r.size(); ++i) {
      r[i] = fmt::format("r{}", i);
    }
    for (std::size_t i = 0; i < h.size(); ++i) {
      h[i] = fmt::format("h{}", i);
    }
    auto const of_r = random_lists(r.size(), h, random), of_h = random_lists(h.size(), r, random);
    auto const lists_it = [](TiedList const& list, std::string const& name) {
      return std::ranges::any_of(
          list, [&](auto const& tie) { return std::ranges::find(tie, name) != tie.end(); });
    };
    auto const market = sparse_in("m.json", fmt::format("{{\"r\": {}, \"h\": {}, \"capacities\": "
                                                        "{{\"h0\": 2}}}}",
                                                        json_of(of_r, 'r'), json_of(of_h, 'h')));
    std::size_t listed = 0;
    for (std::size_t a = 0; a < r.size(); ++a) {
      auto const mine = classes(of_r[a], [&](auto const& name) {
        return lists_it(of_h[std::stoul(name.substr(1))], r[a]);
      });
      ASSERT_EQ(static_cast<std::size_t>(market.offsets[a + 1] - market.offsets[a]), mine.size());
      for (auto entry = static_cast<std::size_t>(market.offsets[a]);
           entry < static_cast<std::size_t>(market.offsets[a + 1]); ++entry) {
        auto const b = market.hospitals[entry];
        auto const theirs = classes(of_h[b], [&](auto const& name) {
          return lists_it(of_r[std::stoul(name.substr(1))], h[b]);
        });
        ASSERT_EQ(market.tier(a, entry), mine.at(h[b]));
        ASSERT_EQ(market.keys[entry], theirs.at(r[a]));
      }
      for (auto const& tie : of_r[a]) {
        listed += tie.size();
      }
    }
    EXPECT_EQ(market.one_sided.of_first, listed - market.entries());
  }
}

}  // namespace
