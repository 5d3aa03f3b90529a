// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scratch.hpp"

#include <io/read_graph.hpp>

#include <set>
#include <string>
#include <utility>

namespace taper::io {

/// Reads graphs from bytes; messages are compared without the folder.
class GraphScratch : public Scratch {
 protected:
  GraphFile graph(std::string const& name, std::string_view bytes,
                  GraphReadOptions const& options = {}) const {
    return read_graph(write(name, bytes), options);
  }

  std::string graph_error(std::string const& name, std::string_view bytes,
                          GraphReadOptions const& options = {}) const {
    return error_of([&] { graph(name, bytes, options); });
  }

  /// The notes, in which the folder is not named.
  std::vector<std::string> notes_of(GraphFile const& file) const {
    auto notes = file.notes;
    const std::string prefix = path("").string();
    for (std::string& note : notes) {
      if (note.starts_with(prefix)) {
        note.erase(0, prefix.size());
      }
    }
    return notes;
  }
};

/// The edges by the names of their ends, "1-2 2-3", in the file's order.
inline std::string named_edges(GraphFile const& file) {
  std::string text;
  for (auto const& [u, v] : file.edges) {
    text += (text.empty() ? "" : " ") + file.names.of(u) + '-' + file.names.of(v);
  }
  return text;
}

}  // namespace taper::io
