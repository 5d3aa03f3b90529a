// SPDX-License-Identifier: Apache-2.0
#include "graph_options.hpp"

#include <driver/cli_options.hpp>
#include <driver/output.hpp>
#include <mpi/processes.hpp>
#include <support/config_error.hpp>
#include <support/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace taper::app {
namespace {

using io::GraphFormat;

constexpr std::array<std::pair<std::string_view, GraphFormat>, 9> formats{
    {{"auto", GraphFormat::automatic},
     {"pace", GraphFormat::pace},
     {"dimacs", GraphFormat::dimacs},
     {"mtx", GraphFormat::matrix_market},
     {"metis", GraphFormat::metis},
     {"edges", GraphFormat::edges},
     {"labels", GraphFormat::labels},
     {"adjacency", GraphFormat::adjacency_matrix},
     {"neighbours", GraphFormat::neighbour_lists}}};

}  // namespace

void GraphArguments::add_options(CLI::App& command) {
  add_positional(
      command, "GRAPH", file,
      "a file in PACE, DIMACS, Matrix Market, METIS, a list of edges or neighbours, or an "
      "adjacency matrix, also with gzip; '-' is the standard input");
  auto const names = names_in(formats, [](auto const& entry) { return entry.first; });
  add_checked(command, "--format", format, one_of(names), "NAME",
              fmt::format("{} (default: auto, by the content)", fmt::join(names, ", ")));
  add_checked(command, "--header", header, one_of({"auto", "yes", "no"}), "ANSWER",
              "whether a list of edges begins with its numbers of vertices and edges: yes, no or "
              "auto (default: auto: yes if the numbers agree with the edges)");
  add_checked(command, "--titles", titles, one_of({"auto", "yes", "no"}), "ANSWER",
              "whether a list of edges begins with the titles of its columns: yes, no or auto "
              "(default: auto, by their words)");
  command
      .add_option("--columns", columns,
                  "the columns of a list of edges with the vertices, by their numbers from 1 or "
                  "their titles (default: by titles such as source and target, else 1,2)")
      ->type_name("A,B");
}

void GraphArguments::add_self_loops(CLI::App& command, std::string const& forced) {
  add_checked(
      command, "--self-loops", self_loops, one_of(self_loops_names()), "POLICY",
      fmt::format("for an edge from a vertex to itself: force the vertex {} (default), drop "
                  "the edge, or error",
                  forced));
}

void GraphArguments::require_file() const {
  if (auto const count = processes().count; count > 1 && file == "-") {
    throw ConfigError(fmt::format("the graph is in a file that all processes read; only one of {} "
                                  "has the standard input",
                                  count));
  }
}

io::GraphReadOptions GraphArguments::read_options() const {
  io::GraphReadOptions options;
  auto const named =
      std::ranges::find(formats, format, [](auto const& entry) { return entry.first; });
  if (named == formats.end()) {
    throw ConfigError(fmt::format("unknown format '{}'{}", format,
                                  expected_instead(format, names_in(formats, [](auto const& entry) {
                                                     return entry.first;
                                                   }))));
  }
  options.format = named->second;
  options.header = header == "yes"  ? io::EdgeListHeader::yes
                   : header == "no" ? io::EdgeListHeader::no
                                    : io::EdgeListHeader::automatic;
  options.titles = titles == "yes"  ? io::EdgeListTitles::yes
                   : titles == "no" ? io::EdgeListTitles::no
                                    : io::EdgeListTitles::automatic;
  options.columns = columns;
  return options;
}

io::GraphFile GraphArguments::read(bool weights) const {
  auto options = read_options();
  options.weights = weights;
  auto graph = io::read_graph(file, options);
  print_notes(graph.notes);
  return graph;
}

}  // namespace taper::app
