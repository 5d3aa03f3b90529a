// SPDX-License-Identifier: Apache-2.0
#include "graph_scratch.hpp"

#include <io/graph/cover.hpp>

#include <sstream>

namespace {

using namespace taper;
using namespace taper::io;

using Marks = std::vector<std::uint8_t>;

class Cover : public GraphScratch {
 protected:
  std::string written(GraphFile const& file, Marks const& marks) const {
    std::ostringstream out;
    write_cover(out, file, marks);
    return out.str();
  }

  Marks read_back(GraphFile const& file, std::string_view text) const {
    return read_cover(write("c.txt", text), file);
  }

  std::string cover_error(GraphFile const& file, std::string_view text) const {
    return error_of([&] { read_back(file, text); });
  }
};

TEST_F(Cover, IsWrittenInPaceFormat) {
  const auto file = graph("g.gr", "p td 4 3\n1 2\n2 3\n3 4\n");
  EXPECT_EQ(written(file, {0, 1, 1, 0}), "s vc 4 2\n2\n3\n");
  EXPECT_EQ(written(file, {0, 0, 0, 0}), "s vc 4 0\n");
}

TEST_F(Cover, UsesTheNamesOfTheGraphFile) {
  EXPECT_EQ(written(graph("g", "0 1\n1 2\n"), {0, 1, 0}),
            "c vertices are numbered from 0\ns vc 3 1\n1\n");
  EXPECT_EQ(written(graph("g", "10 700\n700 9\n"), {0, 1, 1}), "s vc 3 2\n10\n700\n");
  EXPECT_EQ(written(graph("g", "Ada,Big Ben\n"), {1, 1}), "s vc 2 2\nAda\nBig Ben\n");
}

TEST_F(Cover, ReadsLabelsWithBlanksAtTheirEndsBack) {
  const auto file = graph("g", "Ada,Ben\n\" Ada\",\"Ben \"\nBen,Ada\n");
  ASSERT_EQ(file.vertices, 4u);
  for (auto const& marks : {Marks{1, 0, 0, 0}, Marks{0, 1, 0, 1}, Marks{1, 1, 1, 1}}) {
    EXPECT_EQ(read_back(file, written(file, marks)), marks) << written(file, marks);
  }
}

TEST_F(Cover, ReadsBackWhatItWrote) {
  std::mt19937 random(1);
  for (std::string_view const text : {"p td 4 3\n1 2\n2 3\n3 4\n", "0 1\n1 2\n", "10 700\n700 9\n",
                                      "Ada,Big Ben\nc,s vc 1 1\n"}) {
    const auto file = graph("g", text);
    for (int round = 0; round < 20; ++round) {
      Marks marks(file.vertices);
      for (auto& mark : marks) {
        mark = random() % 2;
      }
      EXPECT_EQ(read_back(file, written(file, marks)), marks) << written(file, marks);
    }
  }
}

TEST_F(Cover, ReadsFilesWithoutSolutionLine) {
  const auto file = graph("g.gr", "p td 4 3\n1 2\n2 3\n3 4\n");
  EXPECT_EQ(read_back(file, "2\n3\n"), (Marks{0, 1, 1, 0}));
  EXPECT_EQ(read_back(file, "c mine\r\n\r\n2 3\r\n# end\n"), (Marks{0, 1, 1, 0}));
  EXPECT_EQ(read_back(file, ""), (Marks{0, 0, 0, 0}));
}

TEST_F(Cover, ErrorsNameTheLineAndTheReason) {
  const auto file = graph("g.gr", "p td 4 3\n1 2\n2 3\n3 4\n");
  const std::string name = path("g.gr").string();
  EXPECT_EQ(cover_error(file, "s vc 4 1\n5\n"), "c.txt:2: '5' is not a vertex of g.gr");
  EXPECT_EQ(cover_error(file, "s vc 4 1\nx\n"), "c.txt:2: 'x' is not a vertex of g.gr");
  EXPECT_EQ(cover_error(file, "2\n3\n2\n"), "c.txt:3: vertex '2' appears twice");
  EXPECT_EQ(cover_error(file, "s vc 5 1\n2\n"),
            "c.txt:1: the header announces a graph of 5 vertices, but g.gr has 4");
  EXPECT_EQ(cover_error(file, "s vc 4 3\n2\n"),
            "c.txt:1: the header announces 3 vertices, the file lists 1");
  EXPECT_EQ(cover_error(file, "s vc 4\n2\n"),
            "c.txt:1: expected the numbers of vertices in 's vc VERTICES COVER', found the end of "
            "the line");
}

TEST_F(Cover, FindsUncoveredEdges) {
  const auto file = graph("g.gr", "p td 4 5\n1 2\n2 3\n3 2\n3 4\n4 4\n");
  EXPECT_EQ(find_uncovered(file, Marks{0, 1, 0, 1}, 9).count, 0u);
  const auto loop = find_uncovered(file, Marks{0, 1, 1, 0}, 9);
  EXPECT_EQ(loop.count, 1u) << "a loop needs its vertex";
  EXPECT_EQ(loop.edges, (std::vector<Edge>{{3, 3}}));
  const auto none = find_uncovered(file, Marks{0, 0, 0, 0}, 2);
  EXPECT_EQ(none.count, 4u) << "2-3 and 3-2 are one edge";
  EXPECT_EQ(none.edges, (std::vector<Edge>{{0, 1}, {1, 2}}));
}

TEST_F(Cover, IsWrittenToFiles) {
  const auto file = graph("g.gr", "p td 2 1\n1 2\n");
  write_cover(path("out.txt"), file, Marks{1, 0});
  EXPECT_EQ(bytes_of("out.txt"), "s vc 2 1\n1\n");
  write_cover(path("out.txt.gz"), file, Marks{1, 0});
  EXPECT_EQ(read_cover(path("out.txt.gz"), file), (Marks{1, 0}));
}

}  // namespace
