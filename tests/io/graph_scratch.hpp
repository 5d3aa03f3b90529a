// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scratch.hpp"

#include <io/graph/read.hpp>

#include <set>
#include <string>
#include <utility>

namespace taper::io {

/// A fixture that reads graphs from bytes. It removes the folder from messages.
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

  /// The notes without the folder.
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

/// The edges in the order of the file, by the names of their ends: "1-2 2-3".
inline std::string named_edges(GraphFile const& file) {
  std::string text;
  for (auto const& [u, v] : file.edges) {
    text += (text.empty() ? "" : " ") + file.names.of(u) + '-' + file.names.of(v);
  }
  return text;
}

}  // namespace taper::io
