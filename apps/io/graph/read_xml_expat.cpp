// SPDX-License-Identifier: Apache-2.0
//
// For builds with Expat; read_xml_missing.cpp stands for the others.
#include <io/graph/element_graph.hpp>
#include <io/graph/format_readers.hpp>
#include <io/text/error.hpp>

#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <string_view>

namespace taper::io {
namespace {

/// What Expat's calls need. No exception may pass through Expat, so it is kept here.
struct XmlReader {
  XML_Parser parser = nullptr;
  std::string file;
  ElementGraph* graph = nullptr;
  std::exception_ptr problem;
};

/// The value of an attribute. Throws: InputError if the element does not have it.
std::string attribute(XmlReader const& reader, XML_Char const** attributes,
                      std::string_view element, std::string_view name) {
  for (; *attributes != nullptr; attributes += 2) {
    if (name == attributes[0]) {
      return attributes[1];
    }
  }
  throw InputError(reader.file, XML_GetCurrentLineNumber(reader.parser),
                   fmt::format("expected the attribute '{}' of <{}>", name, element));
}

void add_element(XmlReader& reader, std::string_view element, XML_Char const** attributes) {
  element.remove_prefix(element.rfind(':') + 1);  // npos + 1 is 0: no namespace
  auto const line = XML_GetCurrentLineNumber(reader.parser);
  auto const value = [&](std::string_view name) {
    return attribute(reader, attributes, element, name);
  };
  if (element == "node") {
    reader.graph->add_node(value("id"), line);
  } else if (element == "edge") {
    reader.graph->add_edge(value("source"), value("target"), line);
  } else if (element == "hyperedge") {
    throw InputError(reader.file, line, "hyperedges are not supported");
  }
}

void XMLCALL start_element(void* data, XML_Char const* name, XML_Char const** attributes) {
  auto& reader = *static_cast<XmlReader*>(data);
  try {
    add_element(reader, name, attributes);
  } catch (...) {
    reader.problem = std::current_exception();
    XML_StopParser(reader.parser, XML_FALSE);
  }
}

}  // namespace

std::optional<GraphFormat> xml_format() {
  return GraphFormat::xml;
}

void read_xml(Cursor& cursor, GraphFile& graph) {
  // The text is UTF-8 by now, whatever it says about itself.
  std::unique_ptr<XML_ParserStruct, decltype(&XML_ParserFree)> const parser(
      XML_ParserCreate("UTF-8"), &XML_ParserFree);
  if (parser == nullptr) {
    throw std::bad_alloc();
  }
  ElementGraph elements(cursor.name());
  XmlReader reader{parser.get(), cursor.name(), &elements, nullptr};
  XML_SetUserData(parser.get(), &reader);
  XML_SetStartElementHandler(parser.get(), start_element);
  constexpr std::size_t piece = std::size_t{1} << 20;
  for (auto more = true; more;) {
    auto const size = std::min(piece, cursor.bytes_left());
    more = size < cursor.bytes_left();
    auto const status =
        XML_Parse(parser.get(), cursor.position(), static_cast<int>(size), more ? 0 : 1);
    if (reader.problem) {
      std::rethrow_exception(reader.problem);
    }
    if (status != XML_STATUS_OK) {
      throw InputError(
          cursor.name(), XML_GetCurrentLineNumber(parser.get()),
          fmt::format("not valid XML: {}", XML_ErrorString(XML_GetErrorCode(parser.get()))));
    }
    cursor.go_to(cursor.position() + size);
  }
  elements.move_to(graph);
}

}  // namespace taper::io
