// SPDX-License-Identifier: Apache-2.0
#include <io/graph/graph.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace taper::io {

std::string_view describe(GraphFormat format) {
  switch (format) {
  case GraphFormat::pace:
    return "PACE .gr";
  case GraphFormat::dimacs:
    return "DIMACS";
  case GraphFormat::matrix_market:
    return "Matrix Market";
  case GraphFormat::metis:
    return "METIS";
  case GraphFormat::edges:
    return "an edge list";
  case GraphFormat::labels:
    return "an edge list with labels";
  case GraphFormat::adjacency_matrix:
    return "an adjacency matrix";
  case GraphFormat::neighbour_lists:
    return "lists of neighbours";
  case GraphFormat::node_link:
    return "node-link JSON";
  case GraphFormat::xml:
    return "GraphML or GEXF";
  case GraphFormat::automatic:
    break;
  }
  return "a graph";
}

VertexNames VertexNames::counted_from(std::uint64_t first) {
  VertexNames names;
  names.first_ = first;
  return names;
}

VertexNames VertexNames::numbers(std::vector<std::uint64_t> numbers) {
  VertexNames names;
  names.numbers_ = std::move(numbers);
  return names;
}

VertexNames VertexNames::words(std::vector<std::string> words) {
  VertexNames names;
  names.words_ = std::move(words);
  return names;
}

std::string VertexNames::of(Vertex vertex) const {
  std::string text;
  append_to(text, vertex);
  return text;
}

void VertexNames::append_to(std::string& text, Vertex vertex) const {
  if (are_words()) {
    text += words_[vertex];
    return;
  }
  std::array<char, 20> digits;
  auto const number = numbers_.empty() ? first_ + vertex : numbers_[vertex];
  auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  text.append(digits.data(), end);
}

std::optional<Vertex> VertexNames::find(std::uint64_t number, std::size_t count) const {
  if (numbers_.empty()) {
    return number >= first_ && number - first_ < count
               ? std::optional(static_cast<Vertex>(number - first_))
               : std::nullopt;
  }
  auto const found = std::ranges::lower_bound(numbers_, number);
  return found != numbers_.end() && *found == number
             ? std::optional(static_cast<Vertex>(found - numbers_.begin()))
             : std::nullopt;
}

}  // namespace taper::io
