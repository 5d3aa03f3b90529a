// SPDX-License-Identifier: Apache-2.0
//
// Matchings of sparse markets are written and read back, and summarized.
#include "sparse_scratch.hpp"

#include <io/market/assignment_summary.hpp>
#include <io/market/hospital_lists.hpp>
#include <io/market/write.hpp>
#include <io/text/atomic_file.hpp>

namespace {

using namespace taper;
using namespace taper::io;

using SparseMatching = SparseScratch;
using SparseWrite = SparseScratch;

constexpr auto market_text = R"({
  "residents": {"Ada": ["City", "Park"], "Ben": ["City", ["Park", "North"]], "Cy": ["City"],
                "Di": []},
  "hospitals": {"City": ["Ben", ["Ada", "Cy"]], "Park": ["Ada", "Ben"], "North": ["Ben"]},
  "capacities": {"City": 2, "Park": 1}
})";

TEST_F(SparseMatching, EachFormHasTheUnassigned) {
  auto const market = sparse_in("m.json", market_text);
  Ids const matching{1, 0, 0, unassigned};
  auto const written = [&](MatchingFormat format) {
    std::ostringstream out;
    write_matching(out, market, matching, format);
    return out.str();
  };
  EXPECT_EQ(written(MatchingFormat::text), "Ada Park\nBen City\nCy City\nDi -\n");
  EXPECT_EQ(written(MatchingFormat::csv),
            "residents,hospitals\r\nAda,Park\r\nBen,City\r\nCy,City\r\nDi,\r\n");
  EXPECT_EQ(
      written(MatchingFormat::json),
      "{\n  \"Ada\": \"Park\",\n  \"Ben\": \"City\",\n  \"Cy\": \"City\",\n  \"Di\": null\n}\n");
  for (auto const format : {MatchingFormat::text, MatchingFormat::csv, MatchingFormat::json}) {
    EXPECT_EQ(parse_matching("p", written(format), market, format), matching);
  }
  EXPECT_EQ(parse_matching("p", "{\"Ben\": null}", market), (Ids(4, unassigned)));
  EXPECT_EQ(
      parse_matching("p", "hospitals,residents\n,Ada\nNorth,Ben\n", market, MatchingFormat::csv),
      (Ids{unassigned, 2, unassigned, unassigned}));
  write("p.yaml", "Ada: City\nDi: null\nBen: ~\n");
  EXPECT_EQ(read_matching(path("p.yaml"), market), (Ids{0, unassigned, unassigned, unassigned}));
}

TEST_F(SparseMatching, WrongMatchingsAreErrors) {
  auto const market = sparse_in("m.json", market_text);
  auto const error = [&](std::string_view text, MatchingFormat format = MatchingFormat::text) {
    return error_of([&] { parse_matching("p", text, market, format); });
  };
  EXPECT_EQ(error("Ada City\nAda Park\n"),
            "p:2: 'Ada' of the residents appears twice (first on line 1)");
  EXPECT_EQ(error("Ada City\nBen City\nCy City\n"),
            "p:3: 'City' of the hospitals has more residents than seats, which are 2");
  EXPECT_EQ(error("Ada North\n"), "p:1: 'Ada' of the residents and 'North' do not list each other");
  EXPECT_EQ(error("Adda City\n"), "p:1: 'Adda' is not among the residents; did you mean 'Ada'?");
  EXPECT_EQ(error("Ada Sity\n"), "p:1: 'Sity' is not among the hospitals; did you mean 'City'?");
  EXPECT_EQ(error("City Ada\n"), "p:1: 'City' is not among the residents");
  EXPECT_EQ(error("Ada\n"),
            "p:1: expected two names, one of the residents and one of the hospitals, found 1");
  EXPECT_EQ(error("{\"Ada\": true}", MatchingFormat::json),
            "p:1: expected the name of the partner of 'Ada', found true");
}

/// Names that some format must quote, or that look like something else.
std::string awkward_market() {
  return R"({"#re\"s": {"-": ["-", "null"], "": ["-"], "a b": ["", ["null", "x,y"]], "%": ["{"],
                        " lead": [], "Ng;": ["-"]},
             "{h": {"-": ["-", "", "Ng;"], "null": [["a b", "-"]], "": ["a b"], "x,y": ["a b"],
                    "{": ["%"], "new\nline": []}, "capacities": {"-": 3}})";
}

TEST_F(SparseMatching, AwkwardNamesReadBack) {
  auto const market = sparse_in("m.json", awkward_market());
  Ids const matching{0, 0, 2, 4, unassigned, 0};
  for (auto const format : {MatchingFormat::text, MatchingFormat::csv, MatchingFormat::json}) {
    std::ostringstream out;
    write_matching(out, market, matching, format);
    EXPECT_EQ(parse_matching("p", out.str(), market, format), matching) << out.str();
  }
}

void expect_same(SparseMarket const& a, SparseMarket const& b) {
  EXPECT_EQ(in_words(a), in_words(b));
  EXPECT_EQ(a.offsets, b.offsets);
  EXPECT_EQ(a.resident_tiers, b.resident_tiers);
  EXPECT_EQ(a.scores, b.scores);
}

/// JSON has no scores: each list keeps its order and its ties.
void expect_same_order(SparseMarket const& a, SparseMarket const& b) {
  EXPECT_EQ(a.offsets, b.offsets);
  EXPECT_EQ(a.hospitals, b.hospitals);
  EXPECT_EQ(a.resident_tiers, b.resident_tiers);
  EXPECT_EQ(a.seats, b.seats);
  HospitalLists const of_a(a), of_b(b);
  for (std::size_t h = 0; h < a.second.count; ++h) {
    ASSERT_EQ(of_a.of(h).size(), of_b.of(h).size());
    for (std::size_t i = 0; i < of_a.of(h).size(); ++i) {
      EXPECT_EQ(of_a.of(h)[i].resident, of_b.of(h)[i].resident);
      EXPECT_EQ(i > 0 && of_a.of(h)[i].key == of_a.of(h)[i - 1].key,
                i > 0 && of_b.of(h)[i].key == of_b.of(h)[i - 1].key);
    }
  }
}

TEST_F(SparseWrite, MarketsReadBack) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    std::vector<std::string> r(1 + random() % 7), h(1 + random() % 5);
    for (std::size_t i = 0; i < r.size(); ++i) {
      r[i] = fmt::format("r{}", i);
    }
    for (std::size_t i = 0; i < h.size(); ++i) {
      h[i] = fmt::format("h{}", i);
    }
    std::string text = "student,school,rank,score,seats\n";
    for (auto const& school : h) {
      text += fmt::format(",{},,,{}\n", school, random() % 4);
    }
    auto const lists = random_lists(r.size(), h, random);
    for (std::size_t i = 0; i < r.size(); ++i) {
      text += lists[i].empty() ? r[i] + ",,,,\n" : "";
      for (std::size_t tie = 0; tie < lists[i].size(); ++tie) {
        for (auto const& school : lists[i][tie]) {
          text += fmt::format("{},{},{},{},\n", r[i], school, tie + 1, double(random() % 9) / 4);
        }
      }
    }
    auto const market = sparse_in("m.csv", text, {.lowest_first = round % 2 == 1});
    for (std::string const extension : {"csv", "csv.gz", "json", "yaml"}) {
      SCOPED_TRACE(extension + '\n' + text);
      AtomicFile file(path("w." + extension));
      write_market(file.stream(), market, market_format_of(path("w." + extension)));
      file.commit();
      auto const any = read_any({"w." + extension});
      if (auto const* const back = std::get_if<SparseMarket>(&any)) {
        if (extension.starts_with("csv")) {
          expect_same(*back, market);
        } else {
          expect_same_order(*back, market);
        }
      } else {
        EXPECT_EQ(std::get<Market>(any).size(), r.size());
      }
    }
  }
}

TEST_F(SparseWrite, AwkwardNamesReadBack) {
  auto const market = sparse_in("m.json", awkward_market());
  std::ostringstream json;
  write_market(json, market, MarketFormat::json);
  expect_same(sparse_in("w.json", json.str()), market);
  std::ostringstream csv;
  EXPECT_EQ(error_of([&] { write_market(csv, market, MarketFormat::csv); }),
            "CSV cannot hold the name ''; write JSON or YAML");
}

TEST_F(SparseWrite, TablesQuoteAndKeepTitles) {
  auto const market = sparse_in("m.json", R"({"schools": {"#1": ["Ng; A", "b\"c"], " x ": []},
                                              "students": {"Ng; A": ["#1"], "b\"c": [["#1"]]}})");
  std::ostringstream csv;
  write_market(csv, market, MarketFormat::csv);
  auto back = sparse_in("w.csv", csv.str());
  EXPECT_EQ(back.first.title, "resident") << "schools, students would be read the other way round";
  EXPECT_EQ(back.first.names, market.first.names);
  EXPECT_EQ(back.hospitals, market.hospitals);
  auto const kept =
      sparse_in("k.json", R"({"doctors": {"a": ["x"]}, "wards": {"x": ["a"], "y": []}})");
  std::ostringstream out;
  write_market(out, kept, MarketFormat::csv);
  EXPECT_EQ(out.str(), "doctors,wards,rank,priority,seats\r\n,x,,,1\r\n,y,,,1\r\na,x,1,1,\r\n");
}

TEST_F(SparseMatching, SummariesCountWhatPeopleAsk) {
  auto const market = sparse_in("m.json", market_text);
  auto const summary = summarize_assignment(market, Ids{1, 2, 0, unassigned});
  EXPECT_EQ(summary.unassigned, Ids{3});
  EXPECT_EQ(summary.assigned, 3u);
  EXPECT_EQ(summary.seats, 4u);
  EXPECT_EQ(summary.by_choice, (std::vector<std::uint64_t>{1, 2}))
      << "Ben's second choice is a tie of two";
  EXPECT_DOUBLE_EQ(summary.mean_choice, 5.0 / 3);
  EXPECT_EQ(summary.hospitals[0].filled, 1u);
  EXPECT_EQ(summary.hospitals[0].last_key, 1u);
  EXPECT_EQ(summary.hospitals[2].last_key, 0u);
  auto const none = summarize_assignment(market, Ids(4, unassigned));
  EXPECT_EQ(none.mean_choice, 0);
  EXPECT_FALSE(none.hospitals[0].last_key);
}

}  // namespace
