// SPDX-License-Identifier: Apache-2.0
#include <io/graph/element_graph.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace taper::io {

void ElementGraph::add_node(std::string id, std::size_t line) {
  if (ids_.size() == max_vertices) {
    throw InputError(file_, line, "the graph has too many nodes");
  }
  auto const control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
  if (id.empty() || id.front() == ' ' || id.back() == ' ' || std::ranges::any_of(id, control)) {
    throw InputError(file_, line,
                     fmt::format("the id {} of a node cannot stand in a line of a cover: it is "
                                 "empty, or has a line break, or a blank at an end",
                                 in_quotes(id)));
  }
  if (!vertex_of_.emplace(id, static_cast<Vertex>(ids_.size())).second) {
    throw InputError(file_, line, fmt::format("the node {} appears twice", in_quotes(id)));
  }
  ids_.push_back(std::move(id));
}

Vertex ElementGraph::find(std::string const& id, std::size_t line) const {
  auto const found = vertex_of_.find(id);
  if (found == vertex_of_.end()) {
    throw InputError(file_, line,
                     fmt::format("an edge has the end {}, which is no node", in_quotes(id)));
  }
  return found->second;
}

void ElementGraph::move_to(GraphFile& graph) {
  if (ids_.empty()) {
    throw InputError(file_, "expected a graph, found no nodes");
  }
  graph.edges.reserve(edges_.size());
  for (auto const& [source, target, line] : edges_) {
    auto const u = find(source, line), v = find(target, line);
    if (u == v && graph.first_loop_line == 0) {
      graph.first_loop_line = std::max<std::size_t>(line, 1);
    }
    graph.edges.emplace_back(u, v);
  }
  graph.vertices = ids_.size();
  graph.names = VertexNames::words(std::move(ids_));
}

}  // namespace taper::io
