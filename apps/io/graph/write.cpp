// SPDX-License-Identifier: Apache-2.0
#include <io/graph/write.hpp>
#include <io/text/atomic_file.hpp>
#include <io/text/buffered_writer.hpp>

#include <fmt/format.h>

#include <initializer_list>
#include <ostream>
#include <string>
#include <string_view>

namespace taper::io {
namespace {

using vertex_cover::HostGraph;

/// Writes one line per edge, the higher end first, as in the lower triangle of a Matrix Market
/// file.
void write_edges(BufferedWriter& writer, HostGraph const& graph, std::string_view tag) {
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    for (auto const u : graph.neighbours(v)) {
      if (u < v) {
        writer.add(tag);
        writer.add_number(std::uint64_t{v} + 1);
        writer.add(" ");
        writer.add_number(std::uint64_t{u} + 1);
        writer.add("\n");
      }
    }
  }
}

void write_rows(BufferedWriter& writer, HostGraph const& graph) {
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    auto gap = false;
    for (auto const u : graph.neighbours(v)) {
      writer.add(gap ? " " : "");
      writer.add_number(std::uint64_t{u} + 1);
      gap = true;
    }
    writer.add("\n");
  }
}

}  // namespace

GraphFormat graph_format_of(std::filesystem::path path) {
  if (path.extension() == ".gz") {
    path.replace_extension();
  }
  auto const extension = path.extension();
  auto const is_one_of = [&](std::initializer_list<std::string_view> extensions) {
    for (auto const candidate : extensions) {
      if (extension == candidate) {
        return true;
      }
    }
    return false;
  };
  return is_one_of({".clq", ".col", ".dimacs"})         ? GraphFormat::dimacs
         : is_one_of({".mtx"})                          ? GraphFormat::matrix_market
         : is_one_of({".graph", ".metis"})              ? GraphFormat::metis
         : is_one_of({".txt", ".edges", ".el", ".csv"}) ? GraphFormat::edges
                                                        : GraphFormat::pace;
}

void write_graph(std::ostream& out, HostGraph const& graph, GraphFormat format) {
  BufferedWriter writer(out);
  auto const n = graph.vertices(), m = graph.edges();
  switch (format) {
  case GraphFormat::dimacs:
    writer.add(fmt::format("p edge {} {}\n", n, m));
    return write_edges(writer, graph, "e ");
  case GraphFormat::matrix_market:
    writer.add(
        fmt::format("%%MatrixMarket matrix coordinate pattern symmetric\n{} {} {}\n", n, n, m));
    return write_edges(writer, graph, "");
  case GraphFormat::metis:
    writer.add(fmt::format("{} {}\n", n, m));
    return write_rows(writer, graph);
  case GraphFormat::edges:
    writer.add(fmt::format("{} {}\n", n, m));
    return write_edges(writer, graph, "");
  case GraphFormat::automatic:
  case GraphFormat::labels:
  case GraphFormat::adjacency_matrix:
  case GraphFormat::neighbour_lists:
  case GraphFormat::node_link:
  case GraphFormat::xml:
  case GraphFormat::pace:
    writer.add(fmt::format("p td {} {}\n", n, m));
    return write_edges(writer, graph, "");
  }
}

void write_graph(std::filesystem::path const& path, HostGraph const& graph, GraphFormat format) {
  AtomicFile file(path);
  write_graph(file.stream(), graph,
              format == GraphFormat::automatic ? graph_format_of(path) : format);
  file.commit();
}

}  // namespace taper::io
