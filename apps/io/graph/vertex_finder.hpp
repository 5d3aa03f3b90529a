// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/graph/graph.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace taper::io {

/// Finds vertices by name. Words are sorted once and searched; numbers use VertexNames::find().
/// Used by: the readers of sets and weights of vertices.
class VertexFinder {
 public:
  explicit VertexFinder(GraphFile const& graph) : graph_(graph) {
    if (!graph.names.are_words()) {
      return;
    }
    by_word_.reserve(graph.vertices);
    for (std::size_t v = 0; v < graph.vertices; ++v) {
      by_word_.emplace_back(graph.names.of(static_cast<Vertex>(v)), static_cast<Vertex>(v));
    }
    std::ranges::sort(by_word_);
  }

  std::optional<Vertex> find(std::string_view name) const {
    if (!graph_.names.are_words()) {
      std::uint64_t number = 0;
      auto const [stop, error] = std::from_chars(name.data(), name.data() + name.size(), number);
      return error == std::errc{} && stop == name.data() + name.size()
                 ? graph_.names.find(number, graph_.vertices)
                 : std::nullopt;
    }
    auto const found = std::ranges::lower_bound(
        by_word_, name, {}, [](auto const& entry) { return std::string_view(entry.first); });
    return found != by_word_.end() && found->first == name ? std::optional(found->second)
                                                           : std::nullopt;
  }

 private:
  GraphFile const& graph_;
  std::vector<std::pair<std::string, Vertex>> by_word_;
};

}  // namespace taper::io
