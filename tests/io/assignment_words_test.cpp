// SPDX-License-Identifier: Apache-2.0
//
// A matching of a sparse market in words: the report of `taper match`, the proofs of `taper verify`.
#include "sparse_scratch.hpp"

#include <io/market/assignment_words.hpp>
#include <io/market/write.hpp>

namespace {

using namespace taper;
using namespace taper::io;

using AssignmentWordsTest = SparseScratch;
using Lines = std::vector<std::string>;

constexpr auto market_text = R"({
  "residents": {"Ada": ["City", "Park"], "Ben": ["City", ["Park", "North"]], "Cy": ["City"],
                "Di": []},
  "hospitals": {"City": ["Ben", ["Ada", "Cy"]], "Park": ["Ada", "Ben"], "North": ["Ben"]},
  "capacities": {"City": 2, "Park": 1}
})";

TEST_F(AssignmentWordsTest, TheReportHasWhatPeopleAsk) {
  auto const market = sparse_in("m.json", market_text);
  auto const lines = [&](Ids const& matching) {
    return report_lines(market, summarize_assignment(market, matching));
  };
  EXPECT_EQ(lines({1, 0, 0, unassigned}),
            (Lines{"assigned  3 of 4 (residents); unassigned: Di",
                   "seats     3 of 4 filled (hospitals)", "choices   1st 2, 2nd 1; mean 1.33",
                   "cut-offs  City 2nd (2 of 2), Park 1st (1 of 1), North - (0 of 1)"}));
  EXPECT_EQ(lines(Ids(4, unassigned)),
            (Lines{"assigned  0 of 4 (residents); unassigned: Ada, Ben, Cy, Di",
                   "seats     0 of 4 filled (hospitals)",
                   "cut-offs  City - (0 of 2), Park - (0 of 1), North - (0 of 1)"}));
}

TEST_F(AssignmentWordsTest, LargeReportsCount) {
  std::string text = "student,school,rank,score,seats\n";
  for (int school = 0; school < 13; ++school) {
    text += fmt::format("s0,h{},{},{},1\n", school, school + 1, school + 0.5);
  }
  for (int student = 1; student < 13; ++student) {
    text += fmt::format("s{},,,,\n", student);
  }
  auto const market = sparse_in("m.csv", text);
  Ids matching(13, unassigned);
  matching[0] = 11;
  auto const summary = summarize_assignment(market, matching);
  EXPECT_EQ(
      report_lines(market, summary),
      (Lines{"assigned  1 of 13 (student); 12 unassigned", "seats     1 of 13 filled (school)",
             "choices   1st 0, 2nd 0, 3rd 0, 4th 0, 5th 0, 6th 0, 7th 0, 8th 0, 9th 0, 10th 0, "
             "later 1; mean 12.00",
             "cut-offs  of all with --report json"}));
  auto const json = report_json(market, summary);
  EXPECT_EQ(json["unassigned"].size(), 12u);
  EXPECT_EQ(json["unassigned"][0], "s1");
  EXPECT_EQ(json["hospitals"][11].dump(),
            R"({"name":"h11","seats":1,"filled":1,"last_score":11.5})");
  EXPECT_TRUE(json["hospitals"][0]["last_score"].is_null());
  EXPECT_EQ(json["by_choice"].size(), 12u);
}

TEST_F(AssignmentWordsTest, JsonHasRanksWithoutScores) {
  auto const market = sparse_in("m.json", market_text);
  auto const json = report_json(market, summarize_assignment(market, Ids{1, 0, 0, unassigned}));
  EXPECT_EQ(json.dump(),
            R"({"residents":4,"assigned":3,"unassigned":["Di"],"seats":4,"by_choice":[2,1],)"
            R"("mean_choice":1.3333333333333333,"hospitals":[)"
            R"({"name":"City","seats":2,"filled":2,"last_rank":2},)"
            R"({"name":"Park","seats":1,"filled":1,"last_rank":1},)"
            R"({"name":"North","seats":1,"filled":0,"last_rank":null}]})");
}

TEST_F(AssignmentWordsTest, CertificatesSayWhatBothThink) {
  auto const market = sparse_in("m.json", market_text);
  AgentWords const words(market);
  auto const proof = [&](Ids const& matching, std::uint32_t resident, std::uint32_t hospital) {
    return certificate(market, words, facts_of_pair(market, matching, resident, hospital));
  };
  EXPECT_EQ(proof({0, 2, 0, unassigned}, 1, 0),
            "Ben ranks City 1st and has North, 2nd; City ranks Ben 1st and has Ada, 2nd");
  EXPECT_EQ(proof({unassigned, unassigned, unassigned, unassigned}, 2, 0),
            "Cy ranks City 1st and is unassigned; City has a free seat");
  EXPECT_EQ(proof({unassigned, 1, unassigned, unassigned}, 0, 1),
            "Ada ranks Park 2nd and is unassigned; Park ranks Ada 1st and has Ben, 2nd");
  auto const full = sparse_in("f.json", R"({"r": {"X": ["h"], "Y": ["h"], "Z": ["h"], "V": ["h"]},
                    "h": {"h": ["X", "Y", "Z", "V"]}, "capacities": {"h": 3}})");
  EXPECT_EQ(
      certificate(full, AgentWords(full), facts_of_pair(full, Ids{unassigned, 0, 0, 0}, 0, 0)),
      "X ranks h 1st and is unassigned; h ranks X 1st and has V, 4th")
      << "the worst of those that it has";
  auto const scored = sparse_in("s.csv", "student,school,rank,score\n1,1,1,80.5\n2,1,1,70\n");
  EXPECT_EQ(
      certificate(scored, AgentWords(scored), facts_of_pair(scored, Ids{unassigned, 0}, 0, 0)),
      "1 of the student ranks 1 of the school 1st and is unassigned; 1 of the school scores 1 "
      "of the student 80.5 and has 2 of the student, 70");
}

}  // namespace
