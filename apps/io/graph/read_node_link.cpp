// SPDX-License-Identifier: Apache-2.0
#include <io/graph/element_graph.hpp>
#include <io/graph/format_readers.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <initializer_list>
#include <string>

namespace taper::io {
namespace {

using Json = nlohmann::json;

/// The first of these members of an object; null if it has none.
Json const* member(Json const& object, std::initializer_list<char const*> keys) {
  for (auto const* const key : keys) {
    if (object.is_object() && object.contains(key)) {
      return &object.at(key);
    }
  }
  return nullptr;
}

/// The text of an id, a string or a whole number. `what` is for the message.
std::string id_of(Cursor const& cursor, Json const* id, std::string const& what) {
  if (id != nullptr && id->is_object()) {
    id = member(*id, {"id"});  // D3 replaces the ids of ends by the nodes
  }
  if (id == nullptr || !(id->is_string() || id->is_number_integer())) {
    throw InputError(cursor.name(), fmt::format("{}: expected a string or a whole number", what));
  }
  return id->is_string() ? id->get<std::string>() : id->dump();
}

Json parse(Cursor& cursor) {
  std::string_view const text(cursor.position(), cursor.bytes_left());
  try {
    return Json::parse(text);
  } catch (Json::exception const& error) {
    throw InputError(cursor.name(),
                     "not valid JSON: " + printable(json_reason(error.what())).substr(0, 160));
  }
}

}  // namespace

void read_node_link(Cursor& cursor, GraphFile& graph) {
  auto const root = parse(cursor);
  auto const* const nodes = member(root, {"nodes"});
  auto const* const links = member(root, {"links", "edges"});
  if (nodes == nullptr || links == nullptr || !nodes->is_array() || !links->is_array()) {
    throw InputError(cursor.name(),
                     "expected JSON with the lists 'nodes' and 'links' (or 'edges')");
  }
  ElementGraph elements(cursor.name());
  for (std::size_t i = 0; i < nodes->size(); ++i) {
    auto const& node = (*nodes)[i];
    auto const* const id = node.is_object() ? member(node, {"id"}) : &node;
    // Without ids, ends are positions in the list of nodes.
    elements.add_node(node.is_object() && id == nullptr
                          ? std::to_string(i)
                          : id_of(cursor, id, fmt::format("node {}", i + 1)),
                      0);
  }
  for (std::size_t i = 0; i < links->size(); ++i) {
    auto const& link = (*links)[i];
    auto const what = fmt::format("link {}", i + 1);
    elements.add_edge(id_of(cursor, member(link, {"source", "from"}), what + ", source"),
                      id_of(cursor, member(link, {"target", "to"}), what + ", target"), 0);
  }
  elements.move_to(graph);
}

}  // namespace taper::io
