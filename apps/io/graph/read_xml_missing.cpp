// SPDX-License-Identifier: Apache-2.0
//
// For builds without Expat: GraphML and GEXF are refused by name.
#include <io/graph/format_readers.hpp>
#include <io/text/error.hpp>

namespace taper::io {

std::optional<GraphFormat> xml_format() {
  return std::nullopt;
}

void read_xml(Cursor& cursor, GraphFile&) {
  throw InputError(cursor.name(), "this build has no Expat, which reads GraphML and GEXF");
}

}  // namespace taper::io
