// SPDX-License-Identifier: Apache-2.0
//
// Markets in tables with titles.
#include "sparse_scratch.hpp"

namespace {

using namespace taper;
using namespace taper::io;

using SparseCsv = SparseScratch;

constexpr auto words = "student Ada: City 0, North 1; Ben: North 0, City 1; Cy: | school City 2, "
                       "North 1, Park 3";

TEST_F(SparseCsv, ARowPerEntry) {
  constexpr auto rows = "student,school,rank,priority,seats\n"
                        "Ada,City,1,1,2\n"
                        "Ben,City,2,2,\n"
                        "Ada,North,2,2,1\n"
                        "Ben,North,1,1,1\n"
                        "Cy,,,,\n"
                        ",Park,,,3\n";
  EXPECT_EQ(in_words(sparse_in("m.csv", rows)), words);
  EXPECT_EQ(in_words(sparse_in("m", rows)), words) << "by the content";
  EXPECT_EQ(in_words(sparse_in("m.txt", rows)), words) << "by the content";
  std::string semicolons(rows);
  std::ranges::replace(semicolons, ',', ';');
  EXPECT_EQ(in_words(sparse_in("m.csv", semicolons)), words);
  std::ranges::replace(semicolons, ';', '\t');
  EXPECT_EQ(in_words(sparse_in("m.tsv", "\xef\xbb\xbf" + semicolons)), words);
  auto const market = sparse_in("m.csv", rows);
  EXPECT_EQ(market.scores, (std::vector<double>{1, 2}));
  EXPECT_TRUE(market.notes.empty());
}

TEST_F(SparseCsv, ARowPerAgent) {
  write("students.csv", "student,choice 1,choice 2\nAda,City,North\nBen,North,City\nCy,,\n");
  write("schools.csv", "school,1st,2nd,seats\nCity,Ada,Ben,2\nNorth,Ben,Ada,1\nPark,,,3\n");
  EXPECT_EQ(in_words(sparse({"students.csv", "schools.csv"})), words);
  write("students.csv", "choice 2,student,choice 1\nNorth,Ada,City\nCity,Ben,North\n,Cy\n");
  EXPECT_EQ(in_words(sparse({"students.csv", "schools.csv"})), words) << "columns in any order";
}

TEST_F(SparseCsv, PrioritiesInASecondTableAndSeatsInAThird) {
  write("a.csv", "student,school,rank\nAda,City,1\nBen,City,2\nAda,North,2\nBen,North,1\nCy,,\n");
  write("b.csv", "school,student,priority\nCity,Ben,2\nCity,Ada,1\nNorth,Ada,9\nNorth,Ben,4\n");
  write("c.csv", "school,district,seats\nCity,west,2\nNorth,east,1\nPark,east,3\n");
  auto const market = sparse({"a.csv", "b.csv"}, {.seats = path("c.csv")});
  EXPECT_EQ(in_words(market), "student Ada: City 0, North 3; Ben: North 2, City 1; Cy: | school "
                              "City 2, North 1, Park 3");
  EXPECT_EQ(market.scores, (std::vector<double>{1, 2, 4, 9}));
  write("b.csv", "school,student,rank\nCity,Ben,2\nCity,Ada,1\nNorth,Ada,9\nNorth,Ben,4\n");
  EXPECT_EQ(in_words(sparse({"a.csv", "b.csv"}, {.seats = path("c.csv")})), words);
}

TEST_F(SparseCsv, ScoresOfEntriesAndOfResidents) {
  constexpr auto entries = "student,school,rank,score\n"
                           "Ada,City,1,80.5\nAda,North,2,-3\nBen,City,1,91\nCy,North,1,-3e0\n";
  auto const market = sparse_in("m.csv", entries);
  EXPECT_EQ(in_words(market), "student Ada: City 1, North 2; Ben: City 0; Cy: North 2 | school "
                              "City 1, North 1");
  EXPECT_EQ(market.scores, (std::vector<double>{91, 80.5, -3}));
  auto const reversed = sparse_in("m.csv", entries, {.lowest_first = true});
  EXPECT_EQ(reversed.keys, (Ids{1, 0, 2, 0}));
  EXPECT_EQ(reversed.scores, (std::vector<double>{-3, 80.5, 91}));
  write("s.csv", "student,exam,pref1,pref2\nAda,80,City,North\nBen,91,City,\n");
  write("c.csv", "school,seats\nCity,1\nNorth,0\n");
  auto const exam = sparse({"s.csv", "c.csv"}, {.columns = {.score = "exam"}});
  EXPECT_EQ(in_words(exam), "student Ada: City 1, North 1; Ben: City 0 | school City 1, North 0");
}

TEST_F(SparseCsv, ScoresOfASecondTable) {
  write("a.csv", "student,1,2\nAda,City,North\nBen,City,\n");
  write("b.csv", "school,student,score,seats\nCity,Ada,10,2\nCity,Ben,20,2\nNorth,Ada,20,1\n");
  auto const market = sparse({"a.csv", "b.csv"});
  EXPECT_EQ(in_words(market), "student Ada: City 1, North 0; Ben: City 0 | school City 2, North 1");
  EXPECT_EQ(market.scores, (std::vector<double>{20, 10}));
}

TEST_F(SparseCsv, WithoutPrioritiesAllTie) {
  auto const market = sparse_in("m.csv", "student,school,rank\nAda,City,1\nBen,City,1\n");
  EXPECT_EQ(in_words(market), "student Ada: City 0; Ben: City 0 | school City 1");
  ASSERT_EQ(market.notes.size(), 1u);
  EXPECT_TRUE(market.notes[0].ends_with(
      "m.csv: no column is a score or a priority: all tie at each school"));
}

TEST_F(SparseCsv, EqualRanksAreTies) {
  auto const market = sparse_in(
      "m.csv", "student,school,rank,priority\nAda,City,2,1\nAda,North,1,1\nAda,Park,2,1\n");
  EXPECT_EQ(in_words(market),
            "student Ada: North 0, (City 0, Park 0) | school City 1, North 1, Park 1");
}

TEST_F(SparseCsv, ColumnsByTitle) {
  constexpr auto rows = "year,mrun,code,wish,lottery\n2024,7,A,1,5\n2024,8,A,1,3\n2024,8,B,2,1\n";
  MarketReadOptions options;
  options.columns = {.resident = "mrun", .hospital = "code", .rank = "wish", .priority = "lottery"};
  EXPECT_EQ(in_words(sparse_in("m.csv", rows, options)),
            "mrun 7: A 2; 8: A 1, B 0 | code A 1, B 1");
  options.columns.rank = "rang";
  EXPECT_EQ(any_error_in("m.csv", rows, options),
            "m.csv:1: expected a column of residents, and one of hospitals and one of ranks, or "
            "columns choice1, choice2, ...; found the titles year, mrun, code, wish, lottery "
            "(--columns says what they mean)");
  options.columns.rank = "wish";
  options.columns.seats = "places";
  EXPECT_EQ(any_error_in("m.csv", rows, options),
            "m.csv: --columns: no table has the title 'places'");
}

TEST_F(SparseCsv, OtherColumnsArePassedOver) {
  EXPECT_EQ(in_words(sparse_in("m.csv", "applicant_id,grade_id,program_id,program_name,ranking,"
                                        "quota_id,Points\n7,13,A,Arts,1,3,9\n8,13,A,Arts,1,5,8\n")),
            "applicant_id 7: A 0; 8: A 1 | program_id A 1")
      << "a grade is no score, a quota's id no number of seats";
}

TEST_F(SparseCsv, ColumnsByOrderAreNoted) {
  auto const market = sparse_in("m.csv", "bride,groom,rank,priority\nA,x,1,1\n");
  EXPECT_EQ(in_words(market), "bride A: x 0 | groom x 1");
  ASSERT_EQ(market.notes.size(), 2u);
  EXPECT_TRUE(market.notes[0].ends_with("m.csv: the column 'bride' is read as the agents of the "
                                        "first side (set --columns)"));
}

TEST_F(SparseCsv, QuotedCells) {
  EXPECT_EQ(in_words(sparse_in("m.csv", "student,school,rank,priority\r\n"
                                        "\"Ng, Ada\",\"St. \"\"Mary\"\"\", 1 ,1\r\n"
                                        "# a comment, with a comma\r\n\r\n"
                                        "\"#2\",\" City \",1,1\r\n")),
            "student Ng, Ada: St. \"Mary\" 0; #2:  City  0 | school St. \"Mary\" 1,  City  1");
}

TEST_F(SparseCsv, OneSidedEntries) {
  write("a.csv", "student,school,rank\nAda,City,1\nAda,North,2\nBen,North,1\n");
  write("b.csv", "school,student,priority\nCity,Ada,1\nNorth,Ada,1\nNorth,Zoe,2\n");
  auto const market = sparse({"a.csv", "b.csv"});
  EXPECT_EQ(in_words(market), "student Ada: City 0, North 0; Ben: | school City 1, North 1");
  EXPECT_EQ(market.one_sided.of_first, 1u);
  EXPECT_EQ(market.one_sided.of_second, 1u);
  EXPECT_EQ(error_of([&] {
              read_any({"a.csv", "b.csv"}, {.strict = true});
            }),
            "b.csv:4: 'North' lists 'Zoe', which has no row in a.csv");
  write("b.csv", "school,student,priority\nCity,Ada,1\nNorth,Ada,1\n");
  EXPECT_EQ(error_of([&] {
              read_any({"a.csv", "b.csv"}, {.strict = true});
            }),
            "a.csv:4: 'Ben' of the student lists 'North', which does not list 'Ben'");
}

TEST_F(SparseCsv, WrongTablesAreErrors) {
  for (auto const& [text, expected] : std::initializer_list<std::pair<char const*, char const*>>{
           {"student,school,rank\nAda,City,x\n", "m.csv:2: rank: expected a number, found 'x'"},
           {"student,school,rank\nAda,City,\n", "m.csv:2: rank: expected a number, found ''"},
           {"student,school,rank,score\nAda,City,1,nan\n",
            "m.csv:2: score: expected a number, found 'nan'"},
           {"student;school;rank;score\nAda;City;1;3,5\n",
            "m.csv:2: score: expected a number, found '3,5' (write a decimal point)"},
           {"student,school,rank,seats\nAda,City,1,-1\n",
            "m.csv:2: seats: expected a number of seats, found '-1'"},
           {"student,school,rank,seats\nAda,City,1,2\nBen,City,1,3\n",
            "m.csv:3: 'City' has 3 seats, and 2 in m.csv:2"},
           {"student,school,rank\nAda,City,1\n\nAda,City,2\n",
            "m.csv:4: student, list of 'Ada': 'City' appears twice (first on line 2)"},
           {"student,choice1,choice2\nAda,City,City\n",
            "m.csv:2: student, list of 'Ada': 'City' appears twice (first on line 2)"},
           {"student,choice1\nAda,City\nAda,North\n",
            "m.csv:3: student: 'Ada' appears twice (first on line 2)"},
           {"student,choice1\n,City\n", "m.csv:2: student: expected a name, found an empty cell"},
           {"student,school,rank\n,,\n", "m.csv:2: expected student and school, found empty cells"},
           {"student,school,rank\nAda,City,1,4\n",
            "m.csv:2: expected 3 cells, as there are titles, found 4"},
           {"student,school,rank\n\"Ada,City,1\n",
            "m.csv:2: expected a closing double quote in this line"},
           {"student,school,rank,rank\nAda,City,1,1\n", "m.csv:1: the title 'rank' appears twice"},
           {"student,school,rank,choice\nAda,City,1,1\n",
            "m.csv:1: the columns 'rank' and 'choice' may hold the same; say which with --columns"},
           {"student,school,rank,score,priority\nAda,City,1,1,1\n",
            "m.csv:1: the columns 'score' and 'priority' both say what the second side wants; keep "
            "one"},
           {"Ada,City\nBen,City\n",
            "m.csv:1: expected a column of residents, and one of hospitals and one of ranks, or "
            "columns choice1, choice2, ...; found the titles Ada, City (--columns says what they "
            "mean)"},
           {"student\nAda\n",
            "m.csv:1: expected column titles with commas, semicolons or tabs between them"},
           {"student,school,rank\nZo\xeb,City,1\n", "m.csv:2: expected UTF-8, found the byte 0xeb"},
           {"", "m.csv: expected a line of column titles, found no entries"}}) {
    EXPECT_EQ(any_error_in("m.csv", text), expected) << text;
  }
  write("a.csv", "student,school,rank\nAda,City,1\nBen,Norht,1\n");
  write("c.csv", "school,seats\nCity,1\nNorth,2\n");
  EXPECT_EQ(error_of([&] {
              read_any({"a.csv", "c.csv"});
            }),
            "c.csv: expected the seats of 'Norht', which a.csv names; did you mean 'North'?");
  write("c.csv", "school,seats\nCity,1\nNorht,2\nCity,1\n");
  EXPECT_EQ(error_of([&] {
              read_any({"a.csv", "c.csv"});
            }),
            "c.csv:4: 'City' appears twice (first on line 2)");
  write("b.json", R"({"h": {"City": ["Ada"]}})");
  EXPECT_EQ(error_of([&] {
              read_any({"a.csv", "b.json"});
            }),
            "b.json: expected a table with titles (CSV), as in a.csv");
  EXPECT_EQ(error_of([&] {
              read_any({"b.json", "a.csv"});
            }),
            "a.csv: expected lists, as in b.json");
}

TEST_F(SparseCsv, ListsOfNumbersStayLists) {
  write("m.csv", "2\n0,1\n1,0\n0,1\n1,0\n");
  EXPECT_TRUE(std::holds_alternative<Market>(read_any({"m.csv"})));
}

}  // namespace
