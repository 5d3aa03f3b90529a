// SPDX-License-Identifier: Apache-2.0
#include <io/graph/edge_table.hpp>
#include <io/graph/format_readers.hpp>
#include <io/graph/labels.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::io {
namespace {

/// A number with a point, a sign or an exponent: the value if it is whole and not negative.
struct RealLabel {
  bool is_real = false;
  std::optional<std::uint64_t> whole;
};

RealLabel as_real(std::string_view label) {
  double value = 0;
  auto const [stop, error] = std::from_chars(label.data() + (label.starts_with('+') ? 1 : 0),
                                             label.data() + label.size(), value);
  if (error != std::errc{} || stop != label.data() + label.size() || !begins_as_number(label)) {
    return {};
  }
  constexpr double exact = 9007199254740992;  // 2^53
  auto const has_point = label.find('.') != std::string_view::npos;
  auto const whole = has_point && value >= 0 && value < exact && std::floor(value) == value;
  return {true, whole ? std::optional(static_cast<std::uint64_t>(value)) : std::nullopt};
}

/// The number of each label; nothing if some are words, or too large for vertices. Throws:
/// InputError for a number that is not a vertex, such as 0.5, or 1.0 among words.
std::optional<std::vector<Vertex>> numbers_of(Cursor const& cursor, Labels const& labels) {
  std::vector<Vertex> numbers;
  auto words = false;
  std::optional<std::string_view> pointed;  // the first label such as 1.0
  for (Vertex i = 0; i < labels.size(); ++i) {
    auto const label = labels.of(i);
    std::uint64_t number = 0;
    if (!all_digits(label)) {
      auto const real = as_real(label);
      if (real.is_real && !real.whole) {
        cursor.fail(label.data(),
                    fmt::format("expected two vertices, as numbers, found {}; --columns A,B names "
                                "the columns of the vertices",
                                in_quotes(label)));
      }
      words = words || !real.is_real;
      pointed = real.is_real && !pointed ? label : pointed;
      number = real.whole.value_or(0);
    } else if (std::from_chars(label.data(), label.data() + label.size(), number).ec !=
               std::errc{}) {
      words = true;  // a number of more than 64 bits
    }
    words = words || number > max_vertices;
    numbers.push_back(words ? 0 : static_cast<Vertex>(number));
  }
  if (words && pointed) {
    cursor.fail(pointed->data(),
                fmt::format("expected a word, as in other lines, found {}; --columns A,B names the "
                            "columns of the vertices, --format labels reads it as a word",
                            in_quotes(*pointed)));
  }
  return words ? std::nullopt : std::optional(std::move(numbers));
}

/// Makes the numbers of the labels the vertices. Throws: InputError if two labels are one number.
void number_by_labels(Cursor const& cursor, GraphFile& graph, Labels const& labels,
                      std::vector<Vertex> const& numbers) {
  std::vector<std::pair<Vertex, Vertex>> sorted;
  for (Vertex i = 0; i < numbers.size(); ++i) {
    sorted.emplace_back(numbers[i], i);
  }
  std::ranges::sort(sorted);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i].first == sorted[i - 1].first) {
      auto const label = labels.of(sorted[i].second);
      cursor.fail(label.data(),
                  fmt::format("{} and {} are the same number: write it in one way",
                              in_quotes(labels.of(sorted[i - 1].second)), in_quotes(label)));
    }
  }
  for (auto& [u, v] : graph.edges) {
    u = numbers[u];
    v = numbers[v];
  }
  number_by_occurrence(graph);
}

}  // namespace

void name_by_labels(Cursor const& cursor, GraphFile& graph, Labels const& labels, bool numbers) {
  if (auto const found = numbers ? numbers_of(cursor, labels) : std::nullopt) {
    return number_by_labels(cursor, graph, labels, *found);
  }
  auto names = labels.all();
  graph.vertices = names.size();
  graph.names = VertexNames::words(std::move(names));
}

}  // namespace taper::io
