// SPDX-License-Identifier: Apache-2.0
//
// Markets, matrices, covers and matchings are read as they were meant, or refused by name.
#include "graph_scratch.hpp"

#include <io/graph/cover.hpp>
#include <io/market/write.hpp>
#include <io/matrix/matrix.hpp>

#include <array>

namespace {

using namespace taper;
using namespace taper::io;

using namespace std::string_view_literals;

using MarketForms = Scratch;

std::filesystem::path case_file(std::string const& name) {
  return std::filesystem::path(__FILE__).parent_path() / "cases" / name;
}

/// The proposer-optimal stable matching by Gale and Shapley: the partner of each of the first side.
Ids propose(Market const& market) {
  auto const n = static_cast<std::uint32_t>(market.size());
  auto const men = ids_of(market.men.preferences), women = ids_of(market.women.preferences);
  auto const rank = [&](std::uint32_t w, std::uint32_t m) {
    return std::find(women.begin() + w * n, women.begin() + (w + 1) * n, m) - women.begin();
  };
  Ids partner(n, n), holder(n, n), next(n, 0), free;
  for (std::uint32_t m = 0; m < n; ++m) {
    free.push_back(m);
  }
  while (!free.empty()) {
    auto m = free.back();
    free.pop_back();
    auto const w = men[m * n + next[m]++];
    if (holder[w] < n && rank(w, holder[w]) < rank(w, m)) {
      free.push_back(m);
      continue;
    }
    if (holder[w] < n) {
      free.push_back(holder[w]);
    }
    holder[w] = m;
    partner[m] = w;
  }
  return partner;
}

TEST_F(MarketForms, FilesOfPublicReports) {
  auto const market = [&](std::string const& name) {
    return read_market(std::array{case_file(name)});
  };
  auto const indexed = market("market_index_lists.json");
  EXPECT_EQ(ids_of(indexed.men.preferences), (Ids{1, 0, 2, 0, 1, 2, 0, 2, 1}));
  EXPECT_EQ(ids_of(indexed.women.preferences), (Ids{0, 1, 2, 1, 0, 2, 2, 1, 0}));
  EXPECT_EQ(indexed.men.title, "men");
  EXPECT_EQ(indexed.id_base, 0);
  EXPECT_EQ(propose(indexed), (Ids{1, 0, 2}));
  auto const glasgow = market("market_glasgow.instance");
  EXPECT_EQ(glasgow.id_base, 1);
  EXPECT_EQ(propose(glasgow), (Ids{1, 0, 2})) << "1-2, 2-1, 3-3";
  auto const refused = [&](std::string const& name) {
    auto const error = error_of([&] { market(name); });
    return error.substr(error.find(name));
  };
  EXPECT_TRUE(
      refused("market_colon.txt")
          .starts_with("market_colon.txt: this looks like lists with names before a colon; "
                       "markets are read as lists of numbers, JSON, YAML, CSV and .npy: lists "
                       "with names belong into JSON or YAML, such as {"));
  auto const seats =
      std::get<SparseMarket>(read_any_market(std::array{case_file("market_capacities.json")}));
  EXPECT_EQ(seats.seats, (Ids{2, 0}));
  EXPECT_EQ(seats.keys, (Ids{1, 2, 0, 0}));
}

TEST_F(MarketForms, ListsOfIdsInJsonAndYaml) {
  auto const expect = [&](std::string const& name, std::string_view text) {
    SCOPED_TRACE(text);
    write(name, text);
    auto const market = read({name});
    EXPECT_EQ(ids_of(market.men.preferences), (Ids{0, 1, 1, 0}));
    EXPECT_EQ(ids_of(market.women.preferences), (Ids{1, 0, 0, 1}));
  };
  for (auto const* text : {R"({"men": [[0, 1], [1, 0]], "women": [[1, 0], [0, 1]]})",
                           R"({"men": [[1, 2], [2, 1]], "women": [[2, 1], [1, 2]]})",
                           R"({"a": [["0", "1"], ["1", "0"]], "b": [["1", "0"], ["0", "1"]]})",
                           "{\"a\": [[0, 1],\r\n [1, 0]],\r\n\"b\": [[1, 0], [0, 1]]}"}) {
    expect("m.json", text);
    expect("m", text);
    expect("m.txt", text);
  }
  for (auto const* text : {"men:\n- [0, 1]\n- [1, 0]\nwomen:\n- [1, 0]\n- [0, 1]\n",
                           "men: [[0, 1], [1, 0]]\nwomen: [[1, 0], [0, 1]]\n",
                           "a:\n  - - 1\n    - 2\n  - [2, 1]\nb: [[2, 1], [1, 2]]\n",
                           "{men: [[0, 1], [1, 0]], women: [[1, 0], [0, 1]]}"}) {
    expect("m.yaml", text);
  }
  write("a.json", R"({"residents": [[0, 1], [1, 0]]})");
  write("b.json", R"({"hospitals": [[1, 0], [0, 1]]})");
  auto const two = read({"a.json", "b.json"});
  EXPECT_EQ(two.men.title, "residents");
  EXPECT_EQ(two.women.title, "hospitals");
  write("b.txt", "2\n1 0\n0 1\n");
  EXPECT_EQ(ids_of(read({"a.json", "b.txt"}).women.preferences), (Ids{1, 0, 0, 1}));
  write("r.json", R"({"m": [[1, 0], [0, 1]], "w": [[0, 1], [0, 1]]})");
  EXPECT_EQ(ids_of(read({"r.json"}, {.preferences = ListMeaning::rank}).men.preferences),
            (Ids{1, 0, 0, 1}));
}

TEST_F(MarketForms, WrongListsOfIdsAreErrors) {
  for (auto const& [text, expected] : std::initializer_list<std::pair<char const*, char const*>>{
           {R"({"m": [[0, 1], [1]], "w": [[0, 1], [0, 1]]})",
            "m.json:1: m, list 2: expected 2 entries, as there are lists, found 1"},
           {R"({"m": [[0, 0], [1, 0]], "w": [[0, 1], [0, 1]]})",
            "m.json:1: m, list 1, entry 2: 0 appears twice (first in entry 1)"},
           {R"({"m": [[0, 1], [1, "x"]], "w": [[0, 1], [0, 1]]})",
            "m.json:1: m, list 2, entry 2: expected an id, a whole number, found 'x'"},
           {R"({"m": [[0, 1], [1, -1]], "w": [[0, 1], [0, 1]]})",
            "m.json:1: m, list 2, entry 2: expected an id, a whole number, found '-1'"},
           {R"({"m": [[0, [1]], [1, 0]], "w": [[0, 1], [0, 1]]})",
            "m.json:1: m, list 1, entry 2: expected an id, a whole number (lists of ids have no "
            "ties; use names), found a list"},
           {R"({"m": [[0, 1], 5], "w": [[0, 1], [0, 1]]})",
            "m.json:1: m: expected a list of ids, found '5'"},
           {R"({"m": [[0, 1], [1, 0]], "w": [[0]]})",
            "m.json: 2 m and 1 w: unequal sides are not supported in this form; JSON, YAML and CSV "
            "have them"},
           {R"({"m": [[0]], "w": {"A": ["x"]}})",
            "m.json: expected names or ids on both sides, found one of each"},
           {R"({"m": {"x": ["A"]}, "w": [[0]]})",
            "m.json: expected names or ids on both sides, found one of each"},
           {R"([[0, 1], [1, 0]])",
            "m.json:1: expected a mapping from names to lists of names, found a list"}}) {
    EXPECT_EQ(error_in("m.json", text), expected);
  }
}

TEST_F(MarketForms, InstancesOfTheGlasgowSolvers) {
  auto const expect = [&](std::string_view text, MarketReadOptions const& options = {}) {
    SCOPED_TRACE(text);
    write("m", text);
    auto const market = read({"m"}, options);
    EXPECT_EQ(ids_of(market.men.preferences), (Ids{0, 1, 1, 0}));
    EXPECT_EQ(ids_of(market.women.preferences), (Ids{1, 0, 0, 1}));
  };
  constexpr auto plain = "0\n2\n2\n1 1 2\n2 2 1\n1 1 2 1\n2 1 1 2\n";
  expect(plain);
  expect(plain, {.format = MarketFormat::glasgow});
  expect("0\r\n2\r\n2\r\n1 1 2\r\n2 2 1\r\n1 1 2 1\r\n2 1 1 2\r\n");
  expect("# c\n0\n2\n2\n\n1 1 2\n2 2 1\n1 1 2 1\n2 1 1 2");
  for (auto const& [text, expected] : std::initializer_list<std::pair<char const*, char const*>>{
           {"0\n2\n2\n1 1 3\n", "m:4: men, list 1, entry 2: 3 is out of range 1..2"},
           {"0\n2\n2\n1 1 0\n", "m:4: men, list 1, entry 2: 0 is out of range 1..2"},
           {"0\n2\n2\n1 2 1 2\n", "m:4: men, list 1, entry 3: 2 appears twice (first in entry 1)"},
           {"0\n2\n2\n2 1 2\n", "m:4: expected men, list 1, which begins with 1"},
           {"0\n2\n2\n1 1 2\n", "m: expected men, list 2, found the end of the file"},
           {"0\n1\n1\n1 1\n1 1 1\n9\n", "m:6: expected the end of the file after 2 lists, found "
                                        "'9'"},
           {"0\n1\n1\n1 1\n1 1 x\n", "m:5: expected women, list 1: an id, found 'x'"}}) {
    EXPECT_EQ(error_in("m", text), expected);
  }
  EXPECT_EQ(read({[&] {
              write("0.txt", "0\n");
              return std::string("0.txt");
            }()})
                .size(),
            0u)
      << "lists with n = 0";
}

TEST_F(MarketForms, OtherFormsAreRefusedByName) {
  for (auto const& [text, expected] : std::initializer_list<std::pair<std::string, char const*>>{
           {"Al: Di Eve\nBo: Eve Di\n", "lists with names before a colon"},
           {"1: 2 1\n2: 1 2\n", "lists with names before a colon"},
           {"Al : Di Eve\n", "lists with names before a colon"},
           {"Al:\tDi\tEve\n", "lists with names before a colon"},
           {"# men\nAl: Di, Eve\n", "lists with names before a colon"},
           {"Al Ba: Di, Eve\n", "lists with names before a colon"},
           {"Al: Di > Eve\r\nBo: Eve > Di\r\n", "lists with names before a colon"},
           {"\xef\xbb\xbf"
            "Al: 2 1\n",
            "lists with names before a colon"},
           {"Al: (Di Eve)\n", "lists with names before a colon"},
           {"m1: w2 w1\n\nw1: m1 m2\n", "lists with names before a colon"},
           {"graph [\n node [\n", "GML"},
           {"<?xml version='1.0'?>\n<graphml>\n", "GraphML"},
           {"<html>\n", "a web page (HTML)"},
           {"%%MatrixMarket matrix array integer general\n", "Matrix Market"},
           {"*Vertices 2\n", "Pajek"},
           {"p cnf 1 1\n1 0\n", "a formula (DIMACS CNF)"},
           {"PK\3\4xxxx", "a zip archive"},
           {"BZh91AY&SY", "bzip2 data"},
           {"%PDF-1.4\n", "a PDF document"}}) {
    for (std::string const name : {"m", "m.txt", "m.json", "m.yaml"}) {
      EXPECT_TRUE(error_in(name, text).starts_with(name + ": this looks like " + expected))
          << error_in(name, text);
    }
  }
  EXPECT_TRUE(error_in("m.txt", "PK\3\4xxxx", {.format = MarketFormat::lists})
                  .starts_with("m.txt: this looks like a zip archive"));
  EXPECT_EQ(error_in("m.txt", "graph [\n", {.format = MarketFormat::lists}),
            "m.txt:1: expected n, the number of people on each side, found 'graph'");
}

/// Inputs that fuzzing found. error_in() expects one line.
TEST_F(MarketForms, ErrorsAboutAnyBytesNameTheFile) {
  EXPECT_EQ(error_in("m", "BZh"),
            "m:1: expected n, the number of people on each side, found 'BZh'");
  for (auto const bytes : {"# 2 2\n\xff\xfe"
                           "31 2\n"sv,
                           "%1 2\n\xfe\xff\xff\xff(1\n"sv}) {
    EXPECT_TRUE(error_in("m", bytes).starts_with("m:")) << error_in("m", bytes);
  }
  EXPECT_EQ(error_in("m.json", R"({"m\nen": {"1": [1]}, "wo\nmen": {"1": [2]}})"),
            "m.json:1: wo\\x0amen, list of '1', entry 1: '2' is not among the m\\x0aen");
}

TEST_F(MarketForms, MatricesOfOtherFormsAreRefusedByName) {
  for (auto const& [text, expected] : std::initializer_list<std::pair<std::string, char const*>>{
           {"1,2\n3,4\n", "a table of numbers as text"},  // writematrix, NumPy
           {"1 2\n3 4\n", "a table of numbers as text"},
           {"1.000000000000000000e+00 2.0e+00\n", "a table of numbers as text"},  // savetxt
           {"   1.0000000e+00   2.0000000e+00\n", "a table of numbers as text"},  // save -ascii
           {"a;b\n1;2\n", "a table of numbers as text"},
           {"[[1, 2], [3, 4]]\n", "JSON"},
           {"PK\3\4xxxx", "a zip archive"},
           {"MATLAB 5.0 MAT-file", "a MATLAB file (.mat)"},
           {"\x89HDF\r\n\x1a\n", "a file of tables"},
           {"<?xml?>\n", "XML"}}) {
    auto const error = error_of([&] { read_matrix(write("m", text)); });
    EXPECT_TRUE(error.starts_with(std::string("m: this looks like ") + expected)) << error;
  }
}

TEST_F(MarketForms, CoversAndMatchingsThatAreNoTextAreRefused) {
  auto const graph = parse_graph("g", "1 2\n");
  EXPECT_EQ(error_of([&] { read_cover(write("c", "PK\3\4xxxx"), graph); }),
            "c: this looks like a zip archive: unpack it first");
  auto const market = random_market(2, 1);
  EXPECT_EQ(error_of([&] { read_matching(write("p", "BZh91AY&SY"), market); }),
            "p: this looks like bzip2 data: unpack it first");
}

}  // namespace
