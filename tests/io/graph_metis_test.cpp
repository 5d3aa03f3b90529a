// SPDX-License-Identifier: Apache-2.0
#include "graph_scratch.hpp"

namespace {

using namespace taper;
using namespace taper::io;

using Metis = GraphScratch;

TEST_F(Metis, EmptyLinesAreIsolatedVertices) {
  for (auto const* name : {"g.graph", "g.metis", "g", "g.txt"}) {
    const auto file = graph(name, "% a star, and vertex 3 alone\n4 2\n2 4\n1\n\n1\n");
    EXPECT_EQ(file.format, GraphFormat::metis) << name;
    EXPECT_EQ(file.vertices, 4u);
    EXPECT_EQ(named_edges(file), "1-2 1-4");
  }
}

TEST_F(Metis, WeightsAreSkipped) {
  EXPECT_EQ(named_edges(graph("g.graph", "3 2 1\n2 7\n1 7 3 9\n2 9\n")), "1-2 2-3");
  EXPECT_EQ(named_edges(graph("g.graph", "3 2 10\n5 2\n5 1 3\n5 2\n")), "1-2 2-3");
  EXPECT_EQ(named_edges(graph("g.graph", "3 2 11 2\n5 6 2 1\n5 6 1 1 3 1\n5 6 2 1\n")), "1-2 2-3");
  EXPECT_EQ(named_edges(graph("g.graph", "3 2 111\n4 5 2 1\n4 5 1 1 3 1\n4 5 2 1\n")), "1-2 2-3");
}

TEST_F(Metis, RingsAreDistinguishedFromEdgeLists) {
  // Both have a header with equal numbers of vertices and edges, and two numbers in each line.
  const auto ring = graph("g", "4 4\n2 4\n1 3\n2 4\n1 3\n");
  EXPECT_EQ(ring.format, GraphFormat::metis);
  EXPECT_EQ(named_edges(ring), "1-2 1-4 2-3 3-4");
  const auto list = graph("g", "4 4\n1 2\n2 3\n3 4\n4 1\n");
  EXPECT_EQ(list.format, GraphFormat::edges);
  EXPECT_EQ(named_edges(list), "1-2 2-3 3-4 4-1");
  // As a METIS file this would be symmetric too, but with loops.
  const auto triangle = graph("g", "3 3\n1 2\n1 3\n2 3\n");
  EXPECT_EQ(triangle.format, GraphFormat::edges);
  EXPECT_EQ(named_edges(triangle), "1-2 1-3 2-3");
}

TEST_F(Metis, ErrorsNameTheLineAndTheReason) {
  EXPECT_EQ(graph_error("g.graph", "3 2\n2 3\n1\n\n"),
            "g.graph:2: the line of 1 lists 3, but the line of 3 does not list 1");
  EXPECT_EQ(
      graph_error("g.graph", "3 2\n2\n1 4\n2\n"),
      "g.graph:3: vertex 4 is out of range: the header announces 3 vertices, numbered from 1");
  EXPECT_EQ(graph_error("g.graph", "3 2\n2\n1 x\n2\n"),
            "g.graph:3: expected a vertex, a number from 1 to 3, found 'x'");
  EXPECT_EQ(graph_error("g.graph", "3 7\n2\n1 3\n2\n"),
            "g.graph:1: the header announces 7 edges, the file lists 2");
  EXPECT_EQ(graph_error("g.graph", "3 2\n2\n1 3\n2\n1\n", {.format = GraphFormat::metis}),
            "g.graph:5: expected the end of the file after the lines of 3 vertices");
  EXPECT_EQ(graph_error("x.graph", "4 3\n2\n1 3\n2 4\n3\n1\n"),
            "x.graph:6: expected the end of the file after the lines of 4 vertices");
  EXPECT_EQ(graph_error("g", "3 2\n2\n1 3\n", {.format = GraphFormat::metis}),
            "g: expected a line for each of 3 vertices, found 2");
  EXPECT_EQ(graph_error("g", "a b\n", {.format = GraphFormat::metis}),
            "g: expected a METIS graph: a first line 'VERTICES EDGES [FORMAT [WEIGHTS]]'");
  EXPECT_EQ(graph_error("g.graph", "2 1 1\n2\n1\n"),
            "g.graph:2: expected the weight of the edge from 1 to 2, found the end of the line");
}

TEST_F(Metis, LoopsAndRepeatedEdgesAreKept) {
  const auto file = graph("g.graph", "2 3\n1 2 2\n1 1\n", {.format = GraphFormat::metis});
  EXPECT_EQ(named_edges(file), "1-1 1-2 1-2");
  EXPECT_EQ(file.first_loop_line, 2u);
}

}  // namespace
