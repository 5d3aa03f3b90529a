// SPDX-License-Identifier: Apache-2.0
//
// A graph is read as it was meant, or refused by name. The files in cases/ come from public
// reports; each kind has further cases here. An answer is compared with a cover by brute force.
#include "graph_scratch.hpp"

#include <io/form/form.hpp>
#include <io/graph/format_readers.hpp>

#include <bit>
#include <cstdint>
#include <iterator>
#include <set>

namespace {

using namespace taper;
using namespace taper::io;

using namespace std::string_literals;
using namespace std::string_view_literals;

using Forms = GraphScratch;

std::filesystem::path case_file(std::string const& name) {
  return std::filesystem::path(__FILE__).parent_path() / "cases" / name;
}

/// "2 of 3": the size of a smallest cover, found by trying all sets, and the number of vertices.
std::string answer_of(GraphFile const& file) {
  EXPECT_LE(file.vertices, 16u);
  auto smallest = file.vertices;
  for (std::uint32_t set = 0; set < std::uint32_t{1} << file.vertices; ++set) {
    auto const covers = std::ranges::all_of(file.edges, [&](Edge const& edge) {
      return ((set >> edge.first | set >> edge.second) & 1) != 0;
    });
    smallest = covers ? std::min(smallest, static_cast<std::size_t>(std::popcount(set))) : smallest;
  }
  return std::to_string(smallest) + " of " + std::to_string(file.vertices);
}

/// A text, and either the answer or a part of the error.
struct Case {
  std::string_view text;
  std::string_view expected;
  GraphReadOptions options = {};
};

/// Expects the graph that `read` returns to have this answer, or its error to have these words.
template <class Read>
void expect_of(Read const& read, std::string_view expected) {
  try {
    auto const file = read();
    EXPECT_EQ(answer_of(file), expected);
    for (auto const& note : file.notes) {
      EXPECT_EQ(note.find('\n'), std::string::npos) << note;
    }
  } catch (InputError const& error) {
    EXPECT_NE(std::string_view(error.what()).find(expected), std::string_view::npos)
        << error.what() << "\ninstead of " << expected;
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos) << "one line";
  }
}

void expect(std::string_view text, std::string_view expected, GraphReadOptions const& options) {
  SCOPED_TRACE(text);
  expect_of([&] { return parse_graph("g", text, options); }, expected);
}

void expect_of_file(std::string const& name, std::string_view expected,
                    GraphReadOptions const& options = {}) {
  SCOPED_TRACE(name);
  expect_of([&] { return read_graph(case_file(name), options); }, expected);
}

void expect(std::initializer_list<Case> cases) {
  for (auto const& [text, expected, options] : cases) {
    expect(text, expected, options);
  }
}

GraphReadOptions with(EdgeListTitles titles, std::string columns = {}) {
  GraphReadOptions options;
  options.titles = titles;
  options.columns = std::move(columns);
  return options;
}

GraphReadOptions with_columns(std::string columns) {
  return with(EdgeListTitles::automatic, std::move(columns));
}

GraphReadOptions as(GraphFormat format) {
  return {.format = format};
}

TEST_F(Forms, FilesOfPublicReports) {
  for (auto const& [name, expected] : std::initializer_list<std::pair<char const*, char const*>>{
           {"cr_only.csv", "2 of 3"},
           {"cr_only_numbers.txt", "2 of 3"},
           {"titles_u_v.csv", "2 of 3"},
           {"titles_id1_id2.csv", "2 of 3"},
           {"titles_two_words.csv", "2 of 3"},
           {"titles_index_column.csv", "2 of 3"},
           {"titles_id_source_target.csv", "2 of 3"},
           {"matrix_triangle.txt", "2 of 3"},
           {"matrix_ring5.csv", "3 of 5"},
           {"neighbours_colon.txt", "2 of 3"},
           {"neighbours_equal_rows.txt", "give --format neighbours or --format edges"},
           {"arrows.txt", "this looks like edges written with arrows; graphs are read as PACE"},
           {"tuples.txt", "this looks like pairs or lists in brackets"},
           {"list_of_lists.json", "this looks like JSON"},
           {"node_link.json", "1 of 2"},
           {"graph.dot", "this looks like DOT (Graphviz)"},
           {"graph.gml", "this looks like GML"},
           {"graph.graphml", xml_format() ? "1 of 2" : "this looks like GraphML"},
           {"pairs_on_one_line.txt", "this looks like several pairs on a line"},
           {"weight_first.txt", "expected two vertices, as numbers, found '0.5'"},
           {"metis_zero_based.graph", "this looks like METIS with vertices from 0"},
           {"empty_last_field.tsv", "2 of 3"},
           {"attributes.txt", "1 of 3"},
           {"weights_on_some_lines.txt", "2 of 3"},
           {"metis_fractional_weights.graph", "2 of 3"},
           {"vertices_then_edges.txt", "this looks like two tables, of vertices and of edges"}}) {
    expect_of_file(name, expected);
  }
  expect_of_file("weight_first.txt", "2 of 3", with_columns("2,3"));
  expect_of_file("neighbours_equal_rows.txt", "4 of 7", as(GraphFormat::neighbour_lists));
  expect_of_file("metis_zero_based.graph", "4 of 6", as(GraphFormat::edges));
}

TEST_F(Forms, LinesOfTitlesAreNoEdges) {
  expect({{"from,to\nann,bob\nbob,cat\n", "1 of 3"},
          {"From;To;Type\nann;bob;x\nbob;cat;y\n", "1 of 3"},
          {"FROM\tTO\nann\tbob\nbob\tcat\n", "1 of 3"},
          {"src dst\nann bob\nbob cat\n", "1 of 3"},
          {"node_1,node_2\nann,bob\nbob,cat\n", "1 of 3"},
          {"\"Source\",\"Target\"\n\"ann\",\"bob\"\n\"bob\",\"cat\"\n", "1 of 3"},
          {"apple pear\n1 2\n2 3\n3 1\n", "2 of 3"},
          {"Person,Friend\nann,bob\nbob,cat\ncat,ann\n", "2 of 3"},
          {"# a comment\nx y\nann bob\nbob cat\n", "1 of 3"},
          {"\xef\xbb\xbfsource,target\r\n1,2\r\n2,3\r\n", "1 of 3"},
          {"sep=;\nsource;target\nann;bob\nbob;cat\n", "1 of 3"},
          {"u v\nann bob\n", "1 of 2"},
          {"source,target\n\n# c\n1,2\n2,3\n", "1 of 3"},
          {"source,target\n", "expected edges, found a line of titles alone"}});
  // A first line that is an edge
  expect({{"ann bob\nbob cat\ncat ann\n", "2 of 3"},
          {"ann bob\ncat dan\n", "2 of 4"},
          {"ann bob\ncat dan\neve fay\n", "3 of 6"},
          {"ann bob\n", "1 of 2"},
          {"u v\nv w\n", "1 of 3"},
          {"Person,Friend\nann,bob\nbob,cat\n", "2 of 5", with(EdgeListTitles::no)},
          {"from,to\nann,bob\nbob,cat\n", "2 of 5", with(EdgeListTitles::no)},
          {"ann bob\ncat dan\n", "1 of 2", with(EdgeListTitles::yes)},
          {"1 2\n2 3\n3 4\n", "1 of 3", with(EdgeListTitles::yes)},
          {"4chan,reddit\ndigg,fark\nfark,digg\n", "2 of 4"}});
}

TEST_F(Forms, GuessesAboutTitlesAreNoted) {
  auto const notes = [&](std::string_view text, GraphReadOptions const& options = {}) {
    auto const all = notes_of(graph("g.csv", text, options));
    return all.empty() ? std::string() : all[0];
  };
  EXPECT_EQ(notes("Person,Friend\nann,bob\nbob,cat\n"),
            "g.csv:1: 'Person' and 'Friend', which occur in no other line, are read as titles "
            "(--titles no: an edge)");
  EXPECT_EQ(notes("ann bob\ncat dan\n"),
            "g.csv:1: 'ann' and 'bob', which occur in no other line, are read as an edge (--titles "
            "yes: titles)");
  EXPECT_EQ(notes(",source,target\n0,10,11\n"),
            "g.csv:1: read as titles; the vertices are in column 2, 'source', and column 3, "
            "'target' (--titles, --columns)");
  EXPECT_EQ(notes("ann bob\nbob cat\n"), "");
  for (auto const* text : {"5 1 2\n7 2 3\n", "x 1 2\ny 2 3\n"}) {
    auto const all = notes_of(graph("g.csv", text));
    ASSERT_FALSE(all.empty());
    EXPECT_EQ(all.back(), "g.csv: no two edges share a vertex; --columns A,B reads the vertices "
                          "from other columns");
  }
  EXPECT_EQ(notes("Person,Friend\nann,bob\nbob,cat\n", with(EdgeListTitles::no)), "");
  EXPECT_EQ(notes("Person,Friend\nann,bob\n", with(EdgeListTitles::yes, "1,2")), "");
}

TEST_F(Forms, ColumnsAreFoundByTheirTitles) {
  expect({{"weight,source,target\n5,1,2\n5,2,3\n5,3,1\n", "2 of 3"},
          {"id,type,from,to\na,x,1,2\nb,x,2,3\n", "1 of 3"},
          {"target,source\n2,1\n3,2\n", "1 of 3"},
          {"label,Source Node,Target Node\nx,ann,bob\ny,bob,cat\n", "1 of 3"},
          {"\"\",\"i\",\"j\"\n\"1\",\"ann\",\"bob\"\n\"2\",\"bob\",\"cat\"\n", "1 of 3"},
          {",a,b\n0,10,11\n1,11,12\n", "1 of 3"},
          {"\tsource\ttarget\n0\t10\t11\n1\t11\t12\n", "1 of 3"},
          {"w\tsource\ttarget\n\t10\t11\n5\t11\t12\n", "1 of 3"},
          {"index,a,b\n0,10,11\n1,11,12\n", "1 of 3"},
          {"Unnamed: 0,x1,x2\n0,10,11\n1,11,12\n", "1 of 3"},
          {"w,s,t\n1,ann,bob\n2,bob,cat\n", "1 of 3"},
          {"a,b,1\nb,c,2\n", "1 of 3"}});
  // As the user says
  expect({{"0.5 1 2\n0.7 2 3\n", "1 of 3", with_columns("2,3")},
          {"ann,5,bob\nbob,6,cat\n", "1 of 3", with_columns("1,3")},
          {"from to\n1 ann bob\n2 bob cat\n", "1 of 3", with_columns("2,3")},
          {"from to\n1 ann bob\n2 bob cat\n", "1 of 3", with_columns("from,to")},
          {",ann,bob\n,bob,cat\n", "1 of 3", with_columns("2,3")},
          {"ann,5,bob\nbob,6,cat\n", "1 of 3", with_columns("3,1")},
          {"w,p,q\n1,ann,bob\n2,bob,cat\n", "1 of 3", with_columns("p,q")},
          {"w,P,Q\n1,ann,bob\n2,bob,cat\n", "1 of 3", with_columns("p, q")},
          {"w;p;q\n1;7;8\n2;8;9\n", "1 of 3", with_columns("2,3")},
          {"0,10,11\n1,11,12\n2,12,10\n", "2 of 3", with_columns("2,3")},
          {"0,10,11\n1,11,12\n2,12,10\n", "3 of 6", with_columns("1,2")},
          {"ann,bob,x,y\nbob,cat,z\n", "expected a vertex in column 4, found 3 columns",
           with_columns("1,4")},
          {"ann,bob\n", "--columns x,y: no column has the title 'x'; the first line is 'ann,bob'",
           with_columns("x,y")},
          {"ann,bob\n", "--columns 2: expected two columns, A,B", with_columns("2")},
          {"ann,bob\n", "--columns 2,2: expected two different columns", with_columns("2,2")},
          {"ann,bob\n", "--columns 0,1: no column has the title '0'", with_columns("0,1")}});
  // Unclear
  expect({{"0,10,11\n1,11,12\n2,12,10\n", "this looks like edges with a number before each"},
          {"0 ann bob\n1 bob cat\n2 cat ann\n", "give --columns 2,3"},
          {"from to\n1 ann bob\n2 bob cat\n", "give --columns 1,2 or --columns 2,3"},
          {"0.5 1 2\n", "found '0.5'; --columns A,B names the columns"},
          {"ann 0.5 bob\ncat 0.7 dan\n", "found '0.5'"},
          {"ann bob\nbob -1\n", "found '-1'"},
          {"1 2\n2 1.5\n", "found '1.5'"},
          {"1.0 2.0\n2.0 3.0\n", "1 of 3"},
          {"1.0 2\n2.0 3\n", "'2' and '2.0' are the same number"},
          {"Id,Label,Interval\n1,ann,\n2,bob,\n", "this looks like a table of vertices"}});
}

TEST_F(Forms, AdjacencyMatrices) {
  expect({{"0 1 0\n1 0 1\n0 1 0\n", "1 of 3"},
          {"0,1,1,1\n1,0,0,0\n1,0,0,0\n1,0,0,0\n", "1 of 4"},
          {"0;1;1\n1;0;1\n1;1;0\n", "2 of 3"},
          {"0\t1\t0\n1\t0\t1\n0\t1\t0\n", "1 of 3"},
          {"3\n0 1 1\n1 0 1\n1 1 0\n", "2 of 3"},
          {"3\n0,1,1\n1,0,1\n1,1,0\n", "2 of 3"},
          {"a,b,c\n0,1,1\n1,0,1\n1,1,0\n", "2 of 3"},
          {",a,b,c\na,0,1,1\nb,1,0,1\nc,1,1,0\n", "2 of 3"},
          {"0 0.5 0 0\n0.5 0 2 0\n0 2 0 0\n0 0 0 0\n", "1 of 4"},
          {"0 1 1\n0 0 1\n0 0 0\n", "2 of 3"},
          {"1 1 0\n1 0 1\n0 1 0\n", "2 of 3"},
          {"0 7 5\n7 0 0\n5 0 0\n", "1 of 3"},
          {" 0.0000000e+00   1.0000000e+00   0.0000000e+00\n 1.0000000e+00   0.0000000e+00   "
           "1.0000000e+00\n 0.0000000e+00   1.0000000e+00   0.0000000e+00\n",
           "1 of 3"},
          {",0,1,2\n0,0.0,1.0,0.0\n1,1.0,0.0,1.0\n2,0.0,1.0,0.0\n", "1 of 3"},
          {"0 1\n1 0\n", "1 of 2"},
          {"0 1\n1 0\n", "1 of 2", as(GraphFormat::adjacency_matrix)},
          {"0 0 0\n0 0 0\n0 0 0\n", "0 of 3"}});
  // Edge lists that have as many columns as lines
  expect({{"1 2 1\n2 3 1\n3 1 1\n", "2 of 3"},
          {"1 2 0.5\n2 3 0.5\n3 1 1.5\n", "2 of 3"},
          {"source,target,weight\n1,2,1\n2,3,1\n", "1 of 3"},
          {"1 2 7 8\n2 3 7 8\n3 4 9 9\n4 1 1 0\n", "2 of 4"}});
  expect({{"0 1 1\n1 0 x\n1 1 0\n", "g:2: expected a number in row 2, column 3, found 'x'",
           as(GraphFormat::adjacency_matrix)},
          {"0 1 1\n1 0\n", "g:2: expected 3 entries in row 2, found 2",
           as(GraphFormat::adjacency_matrix)},
          {"0 1\n1 0\n1 1\n", "g:3: expected 2 rows, as there are columns, found more",
           as(GraphFormat::adjacency_matrix)},
          {"0 1 1\n1 0 1\n", "g: expected 3 rows, as there are columns, found 2",
           as(GraphFormat::adjacency_matrix)},
          {"a,a,b\n0,1,1\n1,0,1\n1,1,0\n", "two columns have the title 'a'"},
          {"a,,b\n0,1,1\n1,0,1\n1,1,0\n", "a column has no title"}});
  auto const labelled = graph("g", ",x,y,z\nx,0,1,1\ny,1,0,0\nz,1,0,0\n");
  EXPECT_EQ(named_edges(labelled), "x-y x-z");
  EXPECT_EQ(labelled.format, GraphFormat::adjacency_matrix);
  EXPECT_EQ(notes_of(graph("g", "0 1 1\n0 0 0\n0 0 0\n")),
            (std::vector<std::string>{
                "g: the matrix is not symmetric: an entry in either half is an edge",
                "g: read as an adjacency matrix of 3 vertices (--format edges: a list of edges)"}));
  EXPECT_EQ(graph("g", "0 1 0\n1 1 0\n0 0 0\n").first_loop_line, 2u);
}

TEST_F(Forms, ListsOfNeighbours) {
  expect({{"a: b c\nb: a\nc: a\n", "1 of 3"},
          {"1:2,3\n2:1,3\n3:1,2\n", "2 of 3"},
          {"a:\nb: c\nc: b\n", "1 of 3"},
          {"1 : 2 3\n2 : 1\n3 : 1\n", "1 of 3"},
          {"a: b c\n\n# end\nd: a\n", "1 of 4"},
          {"0 1 2 3\n1 2\n2\n3\n", "2 of 4"},
          {"a b c\nb c\nc\n", "2 of 3"},
          {"1,2,3\n2,1,3\n3,1,2\n", "2 of 3"},
          {"a;b;c;\nb;;;\nc;;;\n", "1 of 3"},
          {"1 2 3 4\n2 1\n3 1\n4 1\n", "1 of 4"},
          {"0 1 2\n1 2 3\n2 3 4\n", "2 of 4", as(GraphFormat::edges)},
          {"0 1\n1 2\n2\n", "1 of 3", as(GraphFormat::neighbour_lists)}});
  // What may be either is refused; edges with weights stay edges.
  expect({{"0 1 2\n1 2 3\n2 3 4\n3 4 0\n", "give --format neighbours or --format edges"},
          {"1 2 3\n2 3\n3 4 1\n", "give --format neighbours or --format edges"},
          {"1 2 5\n2 3 4\n3 1 6\n", "2 of 3"},
          {"a b 1\nb c\nc a 3\n", "2 of 3"},
          {"1 2 1\n2 3 1\n3 1 1\n", "2 of 3"},
          {"1 2 3\n1 3 2\n2 3 1\n", "2 of 3"},
          {"0 1\n1 2\n2\n", "g:3: expected two vertices, found one; --format neighbours"},
          {"http://a http://b\nhttp://b http://c\n", "1 of 3"},
          {"a:b c:d\nc:d e:f\n", "1 of 3"},
          {"a,b,k: v\nb,c,k: v\n", "1 of 3"},
          {"10:15 ann\n10:16 ann\n", "1 of 3"},
          {"a b weight: 1\nb c weight: 2\n", "give --format neighbours or --format edges"},
          {"a b weight: 1\nb c weight: 2\n", "1 of 3", as(GraphFormat::edges)},
          {"New York: Boston, Rome\nRome: Boston\n", "2 of 3", as(GraphFormat::neighbour_lists)},
          {"\n", "expected lists of neighbours, found none", as(GraphFormat::neighbour_lists)}});
  EXPECT_EQ(named_edges(graph("g", "1: 2 3\n2: 1\n3: 1\n")), "1-2 1-3");
  EXPECT_EQ(graph("g", "1: 2\n2: 1\n").names.first(), 1u);
  EXPECT_TRUE(graph("g", "1: 2 3\n").notes.empty()) << "no guess";
  EXPECT_EQ(notes_of(graph("g", "a b c\nb c\nc\n")),
            std::vector<std::string>{"g: read as lists of neighbours: the first word of a line is "
                                     "a vertex, the others are its neighbours (--format edges: a "
                                     "list of edges)"});
}

TEST_F(Forms, ColumnsAfterTheSecondDoNotMatter) {
  expect({{"a b {'w': 3, 'kind': 'x, y'}\nb c {'w': 1}\n", "1 of 3"},
          {"a b {}\nb c {}\n", "1 of 3"},
          {"1 2 {}\n2 3 {}\n", "1 of 3"},
          {"a b 0,5\nb c 1,5\n", "1 of 3"},
          {"a,b,\"open\nb,c,x\n", "1 of 3"},
          {"a\tb\tx, y\nb\tc\tz\n", "1 of 3"},
          {"a,b,,,\nb,c,1,2,3\n", "1 of 3"},
          {"1 2 x y z\n2 3\n", "1 of 3"},
          {"1,2,from,to\n2,3,from,to\n", "1 of 3"},
          {"1\t2\t\n2\t3\t\n", "1 of 3"},
          {"3 2\n1 2 5\n2 3\n", "1 of 3"},
          {"a;b;c,d\nb;c;e,f\n", "1 of 3"}});
}

TEST_F(Forms, PairsOnALineAndTwoTablesAreRefused) {
  expect({{"1 2 3 4\n", "several pairs on a line"},
          {"1,2,3,4,4,1\n", "several pairs on a line", {}},
          {"1 2 2 3\n3 1\n", "several pairs on a line"},
          {"1 2\n2 3 3 1\n", "1 of 3", as(GraphFormat::edges)},
          {"1 2 3 4\n", "1 of 2", as(GraphFormat::edges)},
          {"1 2 9 9\n2 3 9 9\n", "1 of 3"},
          {"1 2 0.5 1122\n", "1 of 2"}});
  expect({{"1 ann\n2 bob\n3 cat\n#\n1 2\n2 3\n", "two tables"},
          {"1,ann\n2,bob\n\n1,2\n", "two tables"},
          {"id,label\n1,ann\n2,bob\n\nsource,target\n1,2\n", "two tables"},
          {"a red\nb blue\n\na b\n", "two tables"},
          {"1 10\n2 20\n3 30\n\n1 2\n2 3\n", "two tables"},
          {"1 10\n2 20\n\n1 2\n", "2 of 4", as(GraphFormat::edges)},
          {"1 2\n2 3\n\n3 1\n", "2 of 3"},
          {"1 2\n\n1 3\n", "1 of 3"},
          {"1 2\n3 4\n\n5 6\n", "3 of 6"},
          {"a b\n#\nb c\n", "1 of 3"}});
}

TEST_F(Forms, LinesWithOtherThingsBesideVerticesAreRefused) {
  expect({{"# a\nb\nc 1.5\n# b\nc\n", "LGL"},
          {"# a\nb 1\nc 2\n# b\nc 3\n", "LGL"},
          {"# a\nb 1.0\nc 2.0\n", "expected a word, as in other lines, found '1.0'"},
          {"# part\n1 2\n2 3\n", "1 of 3"},
          {"# one\n1 2\n# two\n2 3\n", "1 of 3", as(GraphFormat::edges)},
          {"edge 1 2\nedge 2 3\n", "edges after a keyword"},
          {"E,a,b\nE,b,c\n", "edges after a keyword"},
          {"edge 1 2\nedge 2 3\n", "1 of 3", with_columns("2,3")},
          {"edge node\nnode x\n", "1 of 3"},
          {"hub a 1\nhub b 2\n", "1 of 3"},
          {"a pp b\nb pp c\n", "triples"},
          {"a\tpp\tb\na\tpp\tc\n", "triples"},
          {"ann knows bob\nbob likes cat\n", "triples"},
          {"ann knows bob\nbob likes cat\n", "1 of 3", with_columns("1,3")},
          {"ann bob knows\nbob cat likes\n", "1 of 3"},
          {"ann film 5\nbob film 3\n", "1 of 3"},
          {"1 1 0 0\n0 1 1 0\n0 0 1 1\n", "a table of zeros and ones that is not square"},
          {"0,1,1\n1,0,1\n1,1,0\n0,0,0\n", "a table of zeros and ones that is not square"},
          {"0 1 1\n", "1 of 2"},
          {"| a | b |\n|---|---|\n| 1 | 2 |\n", "a table with bars (Markdown)"},
          {"- [1, 2]\n- [2, 3]\n", "pairs or lists in brackets"},
          {"id,name\n1,ann\n2,bob\n", "a table of vertices"}});
}

TEST_F(Forms, MetisWeightsArePassedOver) {
  expect({{"3 2 1\n2 0.5\n1 0.5 3 2\n2 2e0\n", "1 of 3"},
          {"3 2 10\n0.5 2\n1.5 1 3\n2.5 2\n", "1 of 3"},
          {"3 2 11\n1.5 2 7\n1 1 7 3 -2\n1 2 -2\n", "1 of 3"},
          {"3 2 001\n2 1\n1 1 3 1\n2 1\n", "1 of 3"},
          {"% c\n3 2 1\n2 .5\n1 .5 3 .25\n2 .25\n", "1 of 3"},
          {"3 2 1\n2 x\n1 1 3 1\n2 1\n", "expected the weight of the edge from 1 to 2, found 'x'",
           as(GraphFormat::metis)}});
  expect({{"3 2\n1\n0 2\n1\n", "METIS counts from 1"},
          {"4 4\n1 3\n0 2\n1 3\n0 2\n", "METIS counts from 1"},
          {"4 4\n1 3\n0 2\n1 3\n0 2\n", "2 of 4", as(GraphFormat::edges)},
          {"4 4\n0 1\n1 2\n2 3\n3 0\n", "2 of 4"}});
}

TEST_F(Forms, TextsOfOtherProgramsAreRefusedByName) {
  expect({{"Creator \"igraph version 0.10.2\"\nVersion 1\ngraph\n[\n  directed 0\n", "GML"},
          {"graph [\n  directed 1\n", "GML"},
          {"# c\nGraph\n[\n", "GML"},
          {"strict digraph {\n a -> b;\n}\n", "DOT"},
          {"digraph \"my graph\" {\n", "DOT"},
          {"/* c */\ngraph\n{\n a -- b\n}\n", "DOT"},
          {"// c\ndigraph g{a->b}\n", "DOT"},
          {"<gxl>\n", "XML"},
          {"<!DOCTYPE html>\n<html>\n", "a web page (HTML)"},
          {"*Vertices 3\n1 \"a\"\n*Edges\n1 2\n", "Pajek"},
          {"*network x\n*vertices 2\n", "Pajek"},
          {"dl n=3 format=edgelist1\ndata:\n1 2\n", "UCINET DL"},
          {"nodedef>name VARCHAR,label VARCHAR\na,b\n", "GDF"},
          {"@nodes\nlabel\n0\n@arcs\n", "LEMON LGF"},
          {"(tlp \"2.0\"\n(nodes 0 1)\n", "Tulip TLP"},
          {">>graph6<<DQc\n", "graph6"},
          {"Bw\n", "graph6"},
          {":Fa@x^\n", "graph6"},
          {"p cnf 3 2\n1 -2 0\n2 3 0\n", "a formula (DIMACS CNF)"},
          {"c x\np wcnf 3 2 9\n", "a formula (DIMACS CNF)"},
          {"#prog\n# GMT Sun Nov 29 2026\n#\n0 2\n1 {}\n2 {}\n", "a multiline adjacency list"},
          {"{\"a\": [\"b\"]}\n", "JSON"},
          {"[\n  [1, 2]\n]\n", "JSON"},
          {"[(1, 2), (2, 3)]\n", "pairs or lists in brackets"},
          {"{1, 2}\n{2, 3}\n", "pairs or lists in brackets"},
          {"[1, 2]\n[2, 3]\n", "JSON"},
          {"{1: [2, 3], 2: [1]}\n", "pairs or lists in brackets"},
          {"[0 1; 1 0]\n", "JSON"},
          {"1->2\n2->3\n", "edges written with arrows"},
          {"1--2\n2--3\n", "edges written with arrows"},
          {"a -- b\nb -- c\n", "edges written with arrows"},
          {"a => b\n", "edges written with arrows"},
          {"a <-> b\n", "edges written with arrows"},
          {"a \xe2\x86\x92 b\n", "edges written with arrows"}});
  // Words of edge lists that look a little like these
  expect({{"graph theory\ntheory game\n", "1 of 3"},
          {"source node\nnode sink\n", "1 of 3"},
          {"x-y y-z\ny-z z\n", "1 of 3"},
          {"dl n\nn m\n", "1 of 3"},
          {"dl n\nn m\n", "1 of 3", as(GraphFormat::labels)},
          {"a->b,c\nc,d\n", "1 of 3"},
          {"c edges u -> v\np edge 2 1\ne 1 2\n", "1 of 2"},
          {"c -> d\nd -> e\n", "edges written with arrows"}});
}

TEST_F(Forms, BinaryFormsAreRefusedByName) {
  auto const tar = "g.txt" + std::string(252, '\0') + "ustar\0"s + std::string(250, '\0');
  auto const entry = [](std::string_view name) {
    return "PK\3\4"s + std::string(22, '\1') + static_cast<char>(name.size()) + "\0\0\0"s +
           std::string(name);
  };
  for (auto const& [bytes, expected] : std::initializer_list<std::pair<std::string, char const*>>{
           {entry("graph.txt"), "this looks like a zip archive: unpack it first"},
           {entry("[Content_Types].xml"), "this looks like a spreadsheet"},
           {entry("mimetype"), "this looks like a spreadsheet"},
           {entry("arr_0.npy"), "this looks like a NumPy archive (.npz)"},
           {"BZh91AY&SY\1\2"s, "this looks like bzip2 data: unpack it first"},
           {"\xfd"
            "7zXZ\0\0\4"s,
            "this looks like xz data: unpack it first"},
           {"\x28\xb5\x2f\xfd\4"s, "this looks like Zstandard data: unpack it first"},
           {"7z\xbc\xaf\x27\x1c"s, "this looks like a packed archive: unpack it first"},
           {tar, "this looks like a tar archive: unpack it first"},
           {"\x93NUMPY\1\0v\0{'descr': '<i8'"s, "this looks like a NumPy array (.npy)"},
           {"MATLAB 5.0 MAT-file, Platform: GLNXA64"s, "this looks like a MATLAB file (.mat)"},
           {"RDX3\nX\n\0\0\0\3"s, "this looks like R data"},
           {"\x80\4\x95\0\0"s, "this looks like a Python pickle"},
           {"\x89HDF\r\n\x1a\n\0\0"s, "this looks like a file of tables"},
           {"PAR1\x15\4"s, "this looks like a file of tables"},
           {"%PDF-1.7\n%\xe2\xe3\n"s, "this looks like a PDF document"},
           {"1\0 \0002\0\n\0"s, "this looks like UTF-16 without a byte order mark"},
           {"\x7f"
            "ELF\0\0"s,
            "this looks like binary data"}}) {
    expect(bytes, expected, {});
    expect(bytes, expected, as(GraphFormat::edges));
  }
}

/// What these programs write without options, for a path of three vertices.
TEST_F(Forms, FilesThatProgramsWriteByDefault) {
  expect({
      // NetworkX
      {"0 1 {}\n1 2 {}\n", "1 of 3"},  // write_edgelist
      {"ann bob {'weight': 3, 'kind': 'x'}\nbob cat {'weight': 1}\n", "1 of 3"},
      {"0 1 0.5\n1 2 0.25\n", "1 of 3"},  // write_weighted_edgelist
      {"#/usr/bin/x.py\n# GMT Sun Nov 29 17:00:00 2026\n# \n0 1\n1 2\n2\n",
       "1 of 3"},  // write_adjlist
      {"#x.py\n# GMT Sun Nov 29 17:00:00 2026\n# \n0 1\n1 {}\n1 1\n2 {}\n2 0\n",
       "a multiline adjacency list"},                                  // write_multiline_adjlist
      {"graph [\n  node [\n    id 0\n    label \"0\"\n  ]\n", "GML"},  // write_gml
      // GraphML: below
      {">>graph6<<Bg\n", "graph6"},                                      // write_graph6
      {"*vertices 3\n1 0 0.0 0.0 ellipse\n*edges\n1 2 1.0\n", "Pajek"},  // write_pajek
      {"{\"directed\": false, \"multigraph\": false, \"graph\": {}, \"nodes\": [{\"id\": 0}, "
       "{\"id\": 1}, {\"id\": 2}], \"links\": [{\"source\": 0, \"target\": 1}, {\"source\": 1, "
       "\"target\": 2}]}",
       "1 of 3"},                                        // node_link_data
      {"strict graph  {\n0;\n1;\n0 -- 1;\n}\n", "DOT"},  // nx_pydot.write_dot
      // igraph
      {"0 1\n1 2\n", "1 of 3"},                // edgelist
      {"ann bob\nbob cat\n", "1 of 3"},        // ncol
      {"ann bob 1.5\nbob cat 2\n", "1 of 3"},  // ncol with weights
      {"Creator \"igraph version 0.10.2 Sun Nov 29 17:00:00 2026\"\nVersion 1\ngraph\n[\n", "GML"},
      {"*Vertices 3\n*Edges\n1 2\n2 3\n", "Pajek"},
      {"c created by igraph\np edge 3 2\ne 1 2\ne 2 3\n", "1 of 3"},
      // Gephi
      {"Source,Target,Type,Id,Label,timeset,Weight\n0,1,Undirected,0,,,1.0\n1,2,Undirected,1,,,"
       "1.0\n",
       "1 of 3"},
      {"Id,Label,timeset\n0,ann,\n1,bob,\n2,cat,\n", "a table of vertices"},
      {";A;B;C\nA;0;1;0\nB;1;0;1\nC;0;1;0\n", "1 of 3"},
      {"A;B\nB;A;C\nC;B\n", "1 of 3"},
      {"graph\n[\n  Creator Gephi\n", "GML"},
      {"nodedef> name VARCHAR,label VARCHAR\n", "GDF"},
      // pandas
      {",source,target\n0,10,11\n1,11,12\n", "1 of 3"},  // to_csv
      {"source,target\n10,11\n11,12\n", "1 of 3"},       // index=False
      {",0,1\n0,10,11\n1,11,12\n", "1 of 3"},            // without column names
      {",source,target,weight\n0,ann,bob,1.0\n1,bob,cat,\n", "1 of 3"},
      {"source,target\n10.0,11.0\n11.0,12.0\n", "1 of 3"},            // after a missing value
      {",ann,bob,cat\nann,0,1,0\nbob,1,0,1\ncat,0,1,0\n", "1 of 3"},  // crosstab
      // R
      {"\"\",\"from\",\"to\"\n\"1\",10,11\n\"2\",11,12\n", "1 of 3"},     // write.csv
      {"\"from\",\"to\"\n\"ann\",\"bob\"\n\"bob\",\"cat\"\n", "1 of 3"},  // row.names = FALSE
      {"\"\",\"V1\",\"V2\"\n\"1\",\"ann\",\"bob\"\n\"2\",\"bob\",\"cat\"\n", "1 of 3"},
      {"\"from\" \"to\"\n\"1\" \"ann\" \"bob\"\n\"2\" \"bob\" \"cat\"\n", "1 of 3"},  // write.table
      {"\"\",\"V1\",\"V2\",\"V3\"\n\"1\",0,1,0\n\"2\",1,0,1\n\"3\",0,1,0\n", "1 of 3"},
      {"\"V1\" \"V2\" \"V3\"\n\"1\" 0 1 0\n\"2\" 1 0 1\n\"3\" 0 1 0\n", "1 of 3"},
      {"\"\",\"ann\",\"bob\",\"cat\"\n\"ann\",0,1,0\n\"bob\",1,0,1\n\"cat\",0,1,0\n", "1 of 3"},
      // MATLAB
      {"1,2\n2,3\n", "1 of 3"},                         // writematrix
      {"0,1,0\n1,0,1\n0,1,0\n", "1 of 3"},              // of a matrix
      {"EndNodes_1,EndNodes_2\n1,2\n2,3\n", "1 of 3"},  // writetable(G.Edges)
      {"EndNodes_1,EndNodes_2,Weight\nann,bob,3\nbob,cat,1\n", "1 of 3"},
      {"   1.0000000e+00   2.0000000e+00\n   2.0000000e+00   3.0000000e+00\n",
       "1 of 3"},  // save -ascii
      {"   0.0000000e+00   1.0000000e+00   0.0000000e+00\n   1.0000000e+00   0.0000000e+00   "
       "1.0000000e+00\n   0.0000000e+00   1.0000000e+00   0.0000000e+00\n",
       "1 of 3"},
      // NumPy's savetxt
      {"1.000000000000000000e+00 2.000000000000000000e+00\n2.000000000000000000e+00 "
       "3.000000000000000000e+00\n",
       "1 of 3"},
  });
}

/// GraphML of NetworkX, igraph and yEd; GEXF of Gephi. A build without Expat refuses them by name.
TEST_F(Forms, GraphmlAndGexf) {
  auto const graphml = [](std::string_view body) {
    return "<?xml version='1.0' encoding='utf-8'?>\n<graphml "
           "xmlns=\"http://graphml.graphdrawing.org/"
           "xmlns\">\n" +
           std::string(body) + "</graphml>\n";
  };
  auto const check = [](std::string const& text, std::string_view expected) {
    auto const name =
        text.find("<gexf") == text.npos ? "this looks like GraphML" : "this looks like GEXF";
    expect(text, xml_format() ? expected : name, {});
  };
  check(graphml("<graph edgedefault=\"undirected\"><node id=\"0\" />\n<node id=\"1\" />\n<node "
                "id=\"2\" />\n<edge source=\"0\" target=\"1\" />\n<edge source=\"1\" target=\"2\" "
                "/>\n</graph>"),
        "1 of 3");
  check(graphml("<key id=\"w\" for=\"edge\"/><graph id=\"G\" edgedefault=\"undirected\"><node "
                "id=\"n0\"></node><node id=\"n1\"></node><edge source=\"n0\" target=\"n1\"><data "
                "key=\"w\">1</data></edge></graph>"),
        "1 of 2");
  check(graphml("<graph><edge source='a' target='b'/><node id='a'/><node id='b'/></graph>"),
        "1 of 2");
  check(graphml("<graph><node id='a&amp;b'/><edge source='a&amp;b' target='a&amp;b'/></graph>"),
        "1 of 1");
  check(graphml("<graph><node id='a'/></graph>"), "0 of 1");
  check(graphml("<graph/>"), "found no nodes");
  check(graphml("<graph><node id='a'/>\n<node id='a'/></graph>"),
        "g:4: the node 'a' appears twice");
  check(graphml("<graph><node id='a'/>\n<edge source='a' target='b'/></graph>"),
        "g:4: an edge has the end 'b', which is no node");
  check(graphml("<graph><node/></graph>"), "g:3: expected the attribute 'id' of <node>");
  check(graphml("<graph><hyperedge/></graph>"), "g:3: hyperedges are not supported");
  check(graphml("<graph><node id='a'></graph>"), "g:3: not valid XML: mismatched tag");
  check("<graphml>\n<graph>\n", "not valid XML: no element found");
  check("<?xml version='1.0' encoding='UTF-8'?>\n<gexf xmlns=\"http://gexf.net/1.3\" "
        "version=\"1.3\">\n<graph defaultedgetype=\"undirected\"><nodes><node id=\"0\" "
        "label=\"ann\"/><node id=\"1\" label=\"bob\"/></nodes><edges><edge id=\"0\" source=\"0\" "
        "target=\"1\"/></edges></graph>\n</gexf>\n",
        "1 of 2");
  check("<?xml version='1.0'?>\r<g:graphml xmlns:g='x'><g:graph><g:node id='a'/></g:graph>"
        "</g:graphml>",
        "0 of 1");
}

TEST_F(Forms, NodeLinkJson) {
  expect(
      {{R"({"nodes": ["a", "b"], "links": [{"source": "a", "target": "b"}]})", "1 of 2"},
       {R"({"nodes": [{"id": "a"}, {"id": 7}], "edges": [{"source": 7, "target": "a"}]})",
        "1 of 2"},
       {R"({"nodes": [{"name": "a"}, {}], "links": [{"source": 0, "target": 1}]})", "1 of 2"},
       {R"({"nodes": [{"id": 1}, {"id": 2}], "edges": [{"from": 1, "to": 2}]})", "1 of 2"},
       {R"({"nodes": [{"id": 1}], "links": [{"source": {"id": 1}, "target": 1}]})", "1 of 1"},
       {R"({"nodes": [{"id": 1}], "links": []})", "0 of 1"},
       {R"({"nodes": [], "links": []})", "expected a graph, found no nodes"},
       {R"({"nodes": [{"id": 1}, {"id": 1}], "links": []})", "the node '1' appears twice"},
       {R"({"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]})",
        "an edge has the end '2', which is no node"},
       {R"({"nodes": [{"id": 1}], "links": [{"source": 1}]})",
        "link 1, target: expected a string or a whole number"},
       {R"({"nodes": [{"id": "a\nb"}], "links": []})", "cannot stand in a line of a cover"},
       {R"({"nodes": [{"id": ""}], "links": []})", "cannot stand in a line of a cover"},
       {R"({"nodes": [{"id": 1.5}], "links": []})", "node 1: expected a string or a whole number"},
       {R"({"nodes": {"a": 1}, "links": []})", "expected JSON with the lists 'nodes'"},
       {R"({"nodes": [{"id": 1}], "links": [)", "not valid JSON"}});
}

/// Each form has a name of its own, and every advice is one line.
TEST_F(Forms, TheTableIsComplete) {
  std::set<std::string_view> names;
  for (auto const& form : forms()) {
    EXPECT_TRUE(names.insert(form.name).second) << form.name;
    EXPECT_NE(form.has_signature != nullptr, form.has_shape != nullptr) << form.name;
    auto const advised = [](auto const& treatment) {
      auto const* const advice = std::get_if<std::string_view>(&treatment);
      return advice == nullptr || (!advice->empty() && advice->find('\n') == advice->npos);
    };
    EXPECT_TRUE(advised(form.graph) && advised(form.market) && advised(form.matrix)) << form.name;
  }
}

/// The page of graph files shows the table: a line per form, in the same order.
TEST_F(Forms, ThePageHasTheTable) {
  auto const page = std::filesystem::path(__FILE__).parent_path() / "../../docs/graph_files.md";
  std::ifstream file(page);
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  auto const word = [](auto const& treatment, bool expat) {
    return treatment.index() == 0   ? " "
           : expat                  ? " read with Expat "
           : treatment.index() == 1 ? " read "
                                    : " refused ";
  };
  std::string table = "| looks like | graphs | markets | matrices |\n|---|---|---|---|\n";
  for (auto const& form : forms()) {
    auto const expat = form.name == "GraphML" || form.name == "GEXF";
    table += "| " + std::string(form.name) + " |" + word(form.graph, expat) + "|" +
             word(form.market, false) + "|" + word(form.matrix, false) + "|\n";
  }
  EXPECT_NE(text.find(table), std::string::npos) << "expected on the page:\n" << table;
}

}  // namespace
