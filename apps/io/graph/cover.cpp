// SPDX-License-Identifier: Apache-2.0
#include <io/form/form.hpp>
#include <io/graph/cover.hpp>
#include <io/graph/vertex_finder.hpp>
#include <io/text/atomic_file.hpp>
#include <io/text/cursor.hpp>
#include <io/text/source.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace taper::io {
namespace {

struct SolutionLine {
  char const* position = nullptr;
  std::uint64_t vertices = 0;
  std::uint64_t cover = 0;
};

/// Reads "s WORD N K" here and goes past it. Returns nothing and does not move if it is not there.
std::optional<SolutionLine> read_solution_line(Cursor& cursor, std::string_view word) {
  SolutionLine announced{cursor.position()};
  if (cursor.field() == "s" && cursor.has_field() && cursor.field() == word) {
    for (auto* const count : {&announced.vertices, &announced.cover}) {
      cursor.skip_separators();
      auto const number = cursor.number();
      if (!number) {
        cursor.fail_expecting(fmt::format("the numbers of vertices in 's {} VERTICES {}'", word,
                                          word == cover_word ? "COVER" : "SET"));
      }
      *count = *number;
    }
    return announced;
  }
  cursor.go_to(announced.position);
  return std::nullopt;
}

/// Whether the line is a comment. A line "c" alone may be a label.
bool is_comment(std::string_view line, bool labels) {
  return line.starts_with("c ") || (!labels && (line == "c" || line.starts_with("c\t")));
}

/// Reads the name of a vertex: a field, or the rest of the line if names are labels.
std::string_view read_name(Cursor& cursor, bool labels) {
  if (!labels) {
    return cursor.field();
  }
  auto line = cursor.line();
  line = line.substr(0, line.find_last_not_of(" \t") + 1);
  cursor.go_to(line.data() + line.size());
  return line;
}

std::vector<std::uint8_t> read(Cursor& cursor, GraphFile const& graph, std::string_view word) {
  auto const labels = graph.names.are_words();
  VertexFinder const lookup(graph);
  std::vector<std::uint8_t> in_cover(graph.vertices, 0);
  std::optional<SolutionLine> announced;
  std::uint64_t listed = 0;
  auto const take = [&](char const* position, Vertex vertex, std::string_view name) {
    if (in_cover[vertex] != 0) {
      cursor.fail(position, fmt::format("vertex {} appears twice", in_quotes(name)));
    }
    in_cover[vertex] = 1;
    ++listed;
  };
  for (; !cursor.at_end(); cursor.next_line()) {
    // A label that was in quotes may begin or end with blanks.
    if (auto const line = cursor.line(); labels && announced) {
      if (auto const vertex = lookup.find(line)) {
        take(line.data(), *vertex, line);
        continue;
      }
    }
    cursor.skip_separators();
    auto const* const position = cursor.position();
    // A label may be any word, so comments can only come before the first vertex.
    auto const may_be_comment = !labels || (listed == 0 && !announced);
    if (cursor.line().empty() ||
        (may_be_comment && (!cursor.has_field() || is_comment(cursor.line(), labels)))) {
      continue;
    }
    if (!announced && listed == 0) {
      announced = read_solution_line(cursor, word);
      if (announced) {
        continue;
      }
    }
    while (cursor.peek() != '\n') {
      auto const name = read_name(cursor, labels);
      auto const vertex = lookup.find(name);
      if (!vertex) {
        cursor.fail(position, fmt::format("{} is not a vertex of {}", in_quotes(name), graph.file));
      }
      take(position, *vertex, name);
      cursor.skip_separators();
    }
  }
  if (announced && announced->vertices != graph.vertices) {
    cursor.fail(announced->position,
                fmt::format("the header announces a graph of {} vertices, but {} has {}",
                            announced->vertices, graph.file, graph.vertices));
  }
  if (announced && announced->cover != listed) {
    cursor.fail(announced->position,
                fmt::format("the header announces {} vertices, the file lists {}", announced->cover,
                            listed));
  }
  return in_cover;
}

}  // namespace

void write_vertex_set(std::ostream& out, GraphFile const& graph, std::string_view word,
                      std::span<std::uint8_t const> in_set) {
  std::string text;
  if (!graph.names.are_words() && graph.names.first() == 0) {
    text += "c vertices are numbered from 0\n";
  }
  text += fmt::format("s {} {} {}\n", word, graph.vertices,
                      std::ranges::count_if(in_set, [](auto mark) { return mark != 0; }));
  constexpr std::size_t enough = std::size_t{1} << 16;
  for (std::size_t v = 0; v < in_set.size(); ++v) {
    if (in_set[v] != 0) {
      graph.names.append_to(text, static_cast<Vertex>(v));
      text += '\n';
    }
    if (text.size() >= enough) {
      out.write(text.data(), static_cast<std::streamsize>(text.size()));
      text.clear();
    }
  }
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.flush();
}

void write_cover(std::ostream& out, GraphFile const& graph,
                 std::span<std::uint8_t const> in_cover) {
  write_vertex_set(out, graph, cover_word, in_cover);
}

void write_cover(std::filesystem::path const& path, GraphFile const& graph,
                 std::span<std::uint8_t const> in_cover) {
  AtomicFile file(path);
  write_cover(file.stream(), graph, in_cover);
  file.commit();
}

std::vector<std::uint8_t> read_vertex_set(std::filesystem::path const& path, GraphFile const& graph,
                                          std::string_view word) {
  Source source(path);
  graph_form(source, true);  // refuses what is no text
  Cursor cursor(source);
  return read(cursor, graph, word);
}

std::vector<std::uint8_t> read_cover(std::filesystem::path const& path, GraphFile const& graph) {
  return read_vertex_set(path, graph, cover_word);
}

std::vector<std::uint8_t> parse_cover(std::string name, std::string text, GraphFile const& graph) {
  Cursor cursor(std::move(name), text);
  return read(cursor, graph, cover_word);
}

Uncovered find_uncovered(GraphFile const& graph, std::span<std::uint8_t const> in_cover,
                         std::size_t limit) {
  Uncovered uncovered;
  for (auto const& [u, v] : graph.edges) {
    if (in_cover[u] == 0 && in_cover[v] == 0) {
      uncovered.edges.emplace_back(std::min(u, v), std::max(u, v));
    }
  }
  std::ranges::sort(uncovered.edges);
  uncovered.edges.erase(std::unique(uncovered.edges.begin(), uncovered.edges.end()),
                        uncovered.edges.end());
  uncovered.count = uncovered.edges.size();
  uncovered.edges.resize(std::min(uncovered.edges.size(), limit));
  return uncovered;
}

}  // namespace taper::io
