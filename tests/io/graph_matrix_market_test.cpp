// SPDX-License-Identifier: Apache-2.0
#include "graph_scratch.hpp"

namespace {

using namespace taper;
using namespace taper::io;

using GraphMatrixMarket = GraphScratch;

TEST_F(GraphMatrixMarket, ReadsSymmetricPatterns) {
  const auto file = graph("g.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n% c\n\n"
                                   "4 4 3\n2 1\n\n3 2\n4 4\n");
  EXPECT_EQ(file.format, GraphFormat::matrix_market);
  EXPECT_EQ(file.vertices, 4u);
  EXPECT_EQ(named_edges(file), "2-1 3-2 4-4");
  EXPECT_EQ(file.first_loop_line, 8u);
}

TEST_F(GraphMatrixMarket, ValuesAreIgnored) {
  const auto file = graph("g.mtx", "%%MatrixMarket Matrix Coordinate REAL general\r\n3 3 3\r\n"
                                   "1 2 -0.5\r\n2 1 1e3\r\n3 1 0\r\n");
  EXPECT_EQ(named_edges(file), "1-2 2-1 3-1");
  EXPECT_EQ(named_edges(graph("g.mtx", "%%MatrixMarket matrix coordinate complex general\n3 3 3\n"
                                       "1 2 -.5 +1\n2 3 NaN -inf\n3 1 1D3 0 % so\n")),
            "1-2 2-3 3-1");
}

TEST_F(GraphMatrixMarket, BannerMayHaveOnePercentSign) {
  EXPECT_EQ(named_edges(graph("g", "%MatrixMarket matrix coordinate pattern symmetric\n2 2 1\n2 "
                                   "1\n")),
            "2-1");
}

TEST_F(GraphMatrixMarket, RectangularMatrixIsABipartiteGraph) {
  const auto file =
      graph("g.mtx", "%%MatrixMarket matrix coordinate pattern general\n2 3 2\n1 1\n2 3\n");
  EXPECT_EQ(file.vertices, 5u);
  EXPECT_EQ(named_edges(file), "1-3 2-5");
  EXPECT_EQ(file.first_loop_line, 0u);
  EXPECT_EQ(notes_of(file),
            std::vector<std::string>{"g.mtx: a matrix of 2 x 3 is a bipartite graph: row i is "
                                     "vertex i, column j is vertex 2 + j"});
}

TEST_F(GraphMatrixMarket, ErrorsNameTheLineAndTheReason) {
  const std::string banner = "%%MatrixMarket matrix coordinate pattern symmetric\n";
  EXPECT_EQ(graph_error("g.mtx", "%%MatrixMarket matrix array real general\n1 1\n1\n"),
            "g.mtx:1: expected 'matrix coordinate' in the banner, found 'matrix array'");
  EXPECT_EQ(graph_error("g.mtx", "%%MatrixMarket matrix coordinate bool general\n"),
            "g.mtx:1: expected real, complex, integer or pattern as the third word of the banner, "
            "found 'bool'");
  EXPECT_EQ(graph_error("g.mtx", "%%MatrixMarket matrix coordinate real\n"),
            "g.mtx:1: expected general, symmetric, skew-symmetric or hermitian as the fourth word "
            "of the banner, found ''");
  EXPECT_EQ(graph_error("g.mtx", banner),
            "g.mtx: expected the numbers of rows, columns and entries, found the end of the file");
  EXPECT_EQ(
      graph_error("g.mtx", banner + "3 3\n"),
      "g.mtx:2: expected the numbers of rows, columns and entries, found the end of the line");
  EXPECT_EQ(graph_error("g.mtx", banner + "3 2 0\n"),
            "g.mtx:2: a symmetric matrix must be square, found 3 rows and 2 columns");
  EXPECT_EQ(graph_error("g.mtx", banner + "3 3 1\n4 1\n"),
            "g.mtx:3: row 4 is out of range: the matrix has 3, numbered from 1");
  EXPECT_EQ(graph_error("g.mtx", banner + "3 3 1\n2 0\n"),
            "g.mtx:3: column 0 is out of range: the matrix has 3, numbered from 1");
  EXPECT_EQ(graph_error("g.mtx", banner + "3 3 1\n2 1.5\n"),
            "g.mtx:3: expected a column, a number from 1 to 3, found '1.5'");
  EXPECT_EQ(graph_error("g.mtx", banner + "3 3 2\n2 1 1 junk\n3 2\n"),
            "g.mtx:3: expected a number as the entry's value, found 'junk'");
  EXPECT_EQ(graph_error("g.mtx", banner + "3 3 2\n2 1\n"),
            "g.mtx:2: the header announces 2 entries, the file lists 1");
}

}  // namespace
