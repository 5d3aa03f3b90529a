// SPDX-License-Identifier: Apache-2.0
#include <io/graph/read.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace taper;
using namespace taper::io;

namespace fs = std::filesystem;

/// $TAPER_DATA, or ../shared/data beside the source tree.
fs::path data_folder() {
  auto const* const given = std::getenv("TAPER_DATA");
  auto const source = fs::path(__FILE__).parent_path().parent_path().parent_path();
  return (given != nullptr ? fs::path(given) : source.parent_path() / "shared" / "data") /
         "vertex_cover";
}

using Row = std::map<std::string, std::string>;

std::vector<Row> read_csv(fs::path const& path) {
  auto const fields_of = [](std::string const& line) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, ',');) {
      fields.push_back(field);
    }
    return fields;
  };
  std::vector<Row> rows;
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  auto const titles = fields_of(line);
  while (std::getline(file, line)) {
    auto const fields = fields_of(line);
    auto& row = rows.emplace_back();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      row[titles[i]] = fields[i];
    }
  }
  return rows;
}

/// Public graphs with counts that other programs took from them: 0-based and 1-based, headers with
/// one vertex too many, edges listed twice.
class GraphData : public testing::TestWithParam<std::string> {};

TEST_P(GraphData, CountsAgreeWithOtherPrograms) {
  auto const folder = data_folder() / GetParam();
  auto const rows = read_csv(folder / "expected.csv");
  if (rows.empty()) {
    GTEST_SKIP() << "no graphs at " << folder << "; TAPER_DATA names another folder";
  }
  for (auto const& row : rows) {
    auto const path = folder / (row.at("graph") + (GetParam() == "pace2019" ? ".gr" : ".txt"));
    SCOPED_TRACE(path);
    auto const file = read_graph(path);
    auto const made = vertex_cover::make_graph(file.vertices, file.edges);
    auto const expect = [&](char const* column, std::uint64_t found) {
      if (auto const known = row.find(column); known != row.end()) {
        EXPECT_EQ(std::to_string(found), known->second) << column;
      }
    };
    expect("vertices", file.vertices);
    expect("header_vertices", file.vertices);
    expect("header_edges", file.edges.size());
    expect("edges", made.graph.edges());
    expect("distinct_edges", made.graph.edges());
    expect("self_loops", made.loops.size());
    expect("lowest_id", file.names.first());
  }
}

INSTANTIATE_TEST_SUITE_P(Folders, GraphData, testing::Values("table1", "table6", "pace2019"),
                         [](auto const& test) { return test.param; });

}  // namespace
