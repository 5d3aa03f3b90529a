// SPDX-License-Identifier: Apache-2.0
#include "graph_scratch.hpp"

#include <io/graph/write.hpp>

namespace {

using namespace taper;
using namespace taper::io;

using vertex_cover::HostGraph;
using GraphWrite = GraphScratch;

HostGraph random_graph(std::size_t n, std::size_t edges, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Edge> list;
  while (list.size() < edges) {
    const auto u = static_cast<Vertex>(random() % n), v = static_cast<Vertex>(random() % n);
    if (u != v) {
      list.emplace_back(u, v);
    }
  }
  return vertex_cover::make_graph(n, list).graph;
}

TEST_F(GraphWrite, GraphsReadBackInEveryFormat) {
  const std::pair<char const*, GraphFormat> files[] = {{"g.gr", GraphFormat::pace},
                                                       {"g.gr.gz", GraphFormat::pace},
                                                       {"g", GraphFormat::pace},
                                                       {"g.clq", GraphFormat::dimacs},
                                                       {"g.mtx", GraphFormat::matrix_market},
                                                       {"g.graph", GraphFormat::metis},
                                                       {"g.metis.gz", GraphFormat::metis},
                                                       {"g.txt", GraphFormat::edges}};
  unsigned seed = 0;
  for (auto const& [name, format] : files) {
    for (const std::size_t n : {2u, 5u, 40u}) {
      for (const std::size_t edges : {std::size_t{0}, n / 2, n, 3 * n}) {
        const auto graph = random_graph(n, edges, ++seed);
        write_graph(path(name), graph);
        const auto file = read_graph(path(name));
        EXPECT_EQ(vertex_cover::make_graph(file.vertices, file.edges).graph, graph)
            << name << ", n = " << n << ": " << bytes_of(name);
        if (edges > 0) {
          EXPECT_EQ(file.format, format) << name << ", n = " << n << ": " << bytes_of(name);
        }
      }
    }
  }
}

TEST_F(GraphWrite, GraphsHaveTheExpectedBytes) {
  const auto graph = vertex_cover::make_graph(3, std::vector<Edge>{{0, 1}, {1, 2}}).graph;
  write_graph(path("g.gr"), graph);
  EXPECT_EQ(bytes_of("g.gr"), "p td 3 2\n2 1\n3 2\n");
  write_graph(path("g.col"), graph);
  EXPECT_EQ(bytes_of("g.col"), "p edge 3 2\ne 2 1\ne 3 2\n");
  write_graph(path("g.graph"), graph);
  EXPECT_EQ(bytes_of("g.graph"), "3 2\n2\n1 3\n2\n");
  EXPECT_EQ(error_of([&] { write_graph(path("none/g.gr"), graph); }),
            "none/g.gr: cannot be written: No such file or directory");
}

}  // namespace
