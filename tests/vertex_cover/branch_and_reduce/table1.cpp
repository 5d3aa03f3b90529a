// SPDX-License-Identifier: Apache-2.0
#include <vertex_cover/branch_and_reduce/expect_solved.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace taper::vertex_cover;
namespace fs = std::filesystem;

/// $TAPER_DATA, or ../shared/data beside the source tree.
fs::path data_folder() {
  char const* const given = std::getenv("TAPER_DATA");
  fs::path const source =
      fs::path(__FILE__).parent_path().parent_path().parent_path().parent_path();
  return (given != nullptr ? fs::path(given) : source.parent_path() / "shared" / "data") /
         "vertex_cover";
}

/// Reads a header of two numbers, then one edge per line.
std::vector<Edge> read_edges(fs::path const& path, std::size_t& vertices) {
  std::ifstream file(path);
  std::string header;
  std::getline(file, header);
  std::vector<Edge> edges;
  vertices = 0;
  for (Vertex u, v; file >> u >> v;) {
    edges.emplace_back(u, v);
    vertices = std::max<std::size_t>(vertices, std::max(u, v) + std::size_t{1});
  }
  return edges;
}

TEST(Table1, FindsTheKnownMinima) {
  fs::path const folder = data_folder() / "table1";
  std::ifstream table(folder / "expected.csv");
  if (!table) {
    GTEST_SKIP() << "no graphs at " << folder << "; TAPER_DATA names another folder";
  }
  std::string line;
  std::getline(table, line);
  ASSERT_TRUE(line.starts_with("graph,vertices,edges,minimum_vertex_cover,")) << line;
  int graphs = 0;
  while (std::getline(table, line)) {
    std::istringstream fields(line);
    std::string name, vertices, edges, minimum;
    std::getline(fields, name, ',');
    std::getline(fields, vertices, ',');
    std::getline(fields, edges, ',');
    std::getline(fields, minimum, ',');
    SCOPED_TRACE(name);
    std::size_t n = 0;
    auto const list = read_edges(folder / (name + ".txt"), n);
    auto const graph = make_graph(n, list).graph;
    EXPECT_EQ(std::to_string(graph.edges()), edges);
    std::vector<std::uint8_t> in_cover(n);
    Report const report = branch_and_reduce::solve(graph, in_cover, {});
    EXPECT_EQ(report.status, taper::Status::solved);
    EXPECT_EQ(std::to_string(report.cover_size), minimum);
    taper::testing::expect_cover(graph, report, in_cover);
    ++graphs;
  }
  EXPECT_EQ(graphs, 17);
}

}  // namespace
