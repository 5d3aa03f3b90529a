// SPDX-License-Identifier: Apache-2.0
#include "graph_scratch.hpp"

namespace {

using namespace taper;
using namespace taper::io;

using PaceOrDimacs = GraphScratch;

TEST_F(PaceOrDimacs, ReadsPace) {
  const auto file = graph("g.gr", "c a path\np td 4 3\n1 2\nc between\n2 3\n3 4\n");
  EXPECT_EQ(file.format, GraphFormat::pace);
  EXPECT_EQ(file.vertices, 4u);
  EXPECT_EQ(file.edges, (std::vector<Edge>{{0, 1}, {1, 2}, {2, 3}}));
  EXPECT_EQ(named_edges(file), "1-2 2-3 3-4");
  EXPECT_FALSE(file.names.are_words());
  EXPECT_EQ(file.first_loop_line, 0u);
  EXPECT_TRUE(file.notes.empty());
}

TEST_F(PaceOrDimacs, ReadsDimacs) {
  const auto file = graph("g.clq", "c\np col 3 2\nn 1 7\ne 1 2\ne 3 2\n");
  EXPECT_EQ(file.format, GraphFormat::dimacs);
  EXPECT_EQ(named_edges(file), "1-2 3-2");
  EXPECT_EQ(notes_of(file), std::vector<std::string>{
                                "g.clq: lines about single vertices (n, d, v, x), such as weights, "
                                "are ignored: 1"});
  EXPECT_EQ(named_edges(graph("g", "p edge 3 2\ne 1 2\ne 2 3\n")), "1-2 2-3");
  EXPECT_EQ(named_edges(graph("g", "p sp 3 2\na 1 2 9\na 2 3 9\n")), "1-2 2-3");
}

TEST_F(PaceOrDimacs, AcceptsWindowsLinesTabsBlankLinesAndNoEndOfLine) {
  const auto file = graph("g.gr", "\xef\xbb\xbf"
                                  "c x\r\n\r\np\ttd 3 2\r\n\r\n 1\t2 \r\n2 3");
  EXPECT_EQ(named_edges(file), "1-2 2-3");
}

TEST_F(PaceOrDimacs, ReadsEmptyAndSmallGraphs) {
  EXPECT_EQ(graph("g", "p td 0 0\n").vertices, 0u);
  EXPECT_EQ(graph("g", "p td 1 0").vertices, 1u);
  EXPECT_EQ(graph("g", "p td 5 0\n").edges.size(), 0u);
}

TEST_F(PaceOrDimacs, LoopsAndRepeatedEdgesAreKept) {
  const auto file = graph("g.gr", "p td 3 4\n1 2\n2 1\n3 3\n1 2\n");
  EXPECT_EQ(named_edges(file), "1-2 2-1 3-3 1-2");
  EXPECT_EQ(file.first_loop_line, 4u);
}

TEST_F(PaceOrDimacs, ReadsHypergraphsWithSetsOfOneOrTwo) {
  EXPECT_EQ(named_edges(graph("g.hgr", "p hs 3 3\n1 2\n3\n2 3\n")), "1-2 3-3 2-3");
  EXPECT_EQ(named_edges(graph("g.hgr", "p htd 3 2\n1 1 2\n2 2 3\n")), "1-2 2-3");
  EXPECT_EQ(graph_error("g.hgr", "p hs 3 1\n1 2 3\n"),
            "g.hgr:2: expected a set of one or two elements, found more");
}

TEST_F(PaceOrDimacs, ErrorsNameTheLineAndTheReason) {
  EXPECT_EQ(graph_error("g.gr", "p td 3 2\n1 2\n2 4\n"),
            "g.gr:3: vertex 4 is out of range: the header announces 3 vertices, numbered from 1");
  EXPECT_EQ(graph_error("g.gr", "p td 3 2\n1 2\n0 2\n"),
            "g.gr:3: vertex 0 is out of range: the header announces 3 vertices, numbered from 1");
  EXPECT_EQ(graph_error("g.gr", "p td 3 2\n1 2\n2 x\n"),
            "g.gr:3: expected a vertex, a number from 1 to 3, found 'x'");
  EXPECT_EQ(graph_error("g.gr", "p td 3 2\n1 2\n-2 3\n"),
            "g.gr:3: expected a vertex, a number from 1 to 3, found '-2'");
  EXPECT_EQ(graph_error("g.gr", "p td 3 2\n1 2\n2\n"),
            "g.gr:3: expected a vertex, a number from 1 to 3, found the end of the line");
  EXPECT_EQ(graph_error("g.gr", "p td 3 2\n1 2\n2 3 1\n"),
            "g.gr:3: expected the two ends of an edge, found more in the line");
  EXPECT_EQ(graph_error("g.gr", "p td 3 2\n1 2\n2 99999999999999999999\n"),
            "g.gr:3: expected a vertex, a number from 1 to 3, found '99999999999999999999'");
  EXPECT_EQ(graph_error("g.col", "p edge 3 1\nedge 1 2\n"),
            "g.col:2: expected 'e' and the two ends of an edge, found 'edge'");
  EXPECT_EQ(graph_error("g.gr", "p td 3 0\np td 3 0\n"),
            "g.gr:2: expected one problem line, found a second");
  EXPECT_EQ(graph_error("g.gr", "p td 3\n1 2\n", {.format = GraphFormat::pace}),
            "g.gr:1: expected a line 'p td VERTICES EDGES' or 'p edge VERTICES EDGES', found "
            "'p td 3'");
  EXPECT_EQ(graph_error("g.gr", "1 2\n", {.format = GraphFormat::pace}),
            "g.gr:1: expected a line 'p td VERTICES EDGES' or 'p edge VERTICES EDGES', found '1'");
  EXPECT_EQ(graph_error("g.col", "p edge 3 2\ne 1 2 7 8.5\ne 2 3 junk\n"),
            "g.col:3: expected a weight, or the end of the line, found 'junk'");
  EXPECT_EQ(graph_error("g.gr", "c\n", {.format = GraphFormat::pace}),
            "g.gr: expected a line 'p td VERTICES EDGES' or 'p edge VERTICES EDGES', found none");
}

TEST_F(PaceOrDimacs, MissingProblemLineIsAnError) {
  for (auto const* text : {"e 1 2\ne 2 3\n", "c x\nc\n\ne 1 2\ne 2 3\n"}) {
    EXPECT_EQ(graph_error("g", text).substr(3),
              ": expected a line 'p td VERTICES EDGES' or 'p edge VERTICES EDGES', found 'e'");
  }
  EXPECT_EQ(named_edges(graph("g", "e 1 2\ne 2 3\n", {.format = GraphFormat::labels})), "e-1 e-2");
  EXPECT_EQ(named_edges(graph("g", "e f\ne g\n")), "e-f e-g") << "labels";
}

TEST_F(PaceOrDimacs, HeaderMustCountTheEdges) {
  EXPECT_EQ(graph_error("g.gr", "p td 4 5\n1 2\n2 3\n"),
            "g.gr:1: the header announces 5 edges, the file lists 2");
  EXPECT_EQ(graph_error("g.gr", "p td 4 1\n1 2\n2 3\n"),
            "g.gr:1: the header announces 1 edge, the file lists 2");
  // Some writers list each edge twice and count it once, or list it once and count it twice.
  EXPECT_EQ(notes_of(graph("g.col", "p edge 3 2\ne 1 2\ne 2 1\ne 2 3\ne 3 2\n")),
            std::vector<std::string>{
                "g.col:1: the header announces 2 edges, the file lists 4, of which 2 are "
                "different"});
  EXPECT_EQ(graph("g.col", "p edge 3 4\ne 1 2\ne 2 3\n").edges.size(), 2u);
}

TEST_F(PaceOrDimacs, HugeHeadersAllocateNothing) {
  EXPECT_EQ(graph_error("g.gr", "p td 5000000000 0\n"),
            "g.gr:1: 5,000,000,000 vertices are more than 4,294,967,294, the maximum");
  EXPECT_EQ(graph_error("g.gr", "p td 3 18446744073709551615\n1 2\n"),
            "g.gr:1: the header announces 18446744073709551615 edges, the file lists 1");
}

}  // namespace
