// SPDX-License-Identifier: Apache-2.0
//
// For any bytes the graph readers return a graph whose edges join its vertices, which can be
// written and read back. Otherwise they throw an error of one line.
#include "fuzz.hpp"

#include <io/graph/cover.hpp>
#include <io/graph/read.hpp>
#include <io/graph/weights.hpp>
#include <io/graph/write.hpp>

#include <algorithm>
#include <array>
#include <sstream>
#include <string>
#include <vector>

namespace {

using namespace taper::io;
using taper::fuzz::check_error;
using taper::fuzz::file_name;
using taper::fuzz::require;

void check_cover(GraphFile const& file, taper::vertex_cover::HostGraph const& graph) {
  std::vector<std::uint8_t> in_cover(file.vertices, 0);
  for (std::size_t v = 0; v < file.vertices; v += 2) {
    in_cover[v] = 1;
  }
  std::ostringstream text;
  write_cover(text, file, in_cover);
  if (text.str().find('\r') != std::string::npos) {
    return;  // a label with a line end within
  }
  require(parse_cover(file_name, text.str(), file) == in_cover, "a cover is read back");
  std::fill(in_cover.begin(), in_cover.end(), 0);
  auto const uncovered = find_uncovered(file, in_cover, 3);
  require(uncovered.count >= graph.edges() && uncovered.edges.size() <= 3,
          "nothing covers no edge");
}

void check_written(taper::vertex_cover::HostGraph const& graph, GraphFormat format) {
  std::ostringstream text;
  write_graph(text, graph, format);
  GraphReadOptions options;
  options.format = format;
  options.header = EdgeListHeader::yes;
  auto const again = parse_graph(file_name, text.str(), options);
  require(taper::vertex_cover::make_graph(again.vertices, again.edges).graph == graph,
          "a graph is read back");
}

void check_graph(GraphFile const& file, std::string const& text) {
  for (auto const& [u, v] : file.edges) {
    require(u < file.vertices && v < file.vertices, "edges join vertices");
  }
  auto const looped =
      std::ranges::any_of(file.edges, [](Edge const& edge) { return edge.first == edge.second; });
  require(looped == (file.first_loop_line > 0), "the first loop has a line");
  for (auto const& note : file.notes) {
    require(note.find('\n') == std::string::npos, "a note is one line");
  }
  require(file.weights.empty() || file.weights.size() == file.vertices, "each vertex has a weight");
  constexpr std::size_t small = 1000;  // a header that announces millions takes long
  if (file.vertices > small) {
    return;
  }
  auto const graph = taper::vertex_cover::make_graph(file.vertices, file.edges).graph;
  check_cover(file, graph);
  constexpr std::array written{GraphFormat::pace, GraphFormat::dimacs, GraphFormat::matrix_market,
                               GraphFormat::metis, GraphFormat::edges};
  check_written(graph, written[text.size() % written.size()]);
  try {
    parse_cover(file_name, text, file);
  } catch (InputError const& error) {
    check_error(error);
  }
  try {
    require(parse_weights(file_name, text, file).size() == file.vertices, "all have a weight");
  } catch (InputError const& error) {
    check_error(error);
  }
}

/// The size of an input chooses how it is read: most are read as their content suggests.
GraphReadOptions options_of(std::string_view text) {
  GraphReadOptions options;
  auto const choice = text.size() % 21;
  if (choice >= 1 && choice <= 10) {
    options.format = static_cast<GraphFormat>(choice);
  }
  if (!text.empty() && choice % 3 == 0) {
    options.header = static_cast<EdgeListHeader>(static_cast<unsigned char>(text.back()) % 3);
  }
  options.weights = choice % 2 == 0;
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string const text(taper::fuzz::text_of(data, size));
  try {
    check_graph(parse_graph(file_name, text, options_of(text)), text);
  } catch (InputError const& error) {
    check_error(error);
  }
  return 0;
}
