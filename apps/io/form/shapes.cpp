// SPDX-License-Identifier: Apache-2.0
#include <io/form/shapes.hpp>
#include <io/graph/edge_table.hpp>
#include <io/text/fields.hpp>
#include <io/text/strings.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace taper::io::shape {
namespace {

/// Goes back to where the cursor was, with the usual separators.
class Return {
 public:
  explicit Return(Cursor& cursor) : cursor_(cursor), begin_(cursor.position()) {}
  ~Return() {
    cursor_.set_separators();
    cursor_.go_to(begin_);
  }
  Return(Return const&) = delete;
  Return& operator=(Return const&) = delete;

 private:
  Cursor& cursor_;
  char const* begin_;
};

}  // namespace

bool pace(Cursor& cursor) {
  Return const to_begin(cursor);
  for (; !cursor.at_end(); cursor.next_line()) {
    if (!cursor.has_field()) {
      continue;
    }
    auto const kind = cursor.field();
    if (kind == "p") {
      cursor.skip_separators();
      cursor.field();
      cursor.skip_separators();
      return cursor.number().has_value();
    }
    if (!kind.starts_with('c')) {
      return false;
    }
  }
  return false;
}

bool dimacs_edges(Cursor& cursor) {
  Return const to_begin(cursor);
  while (!cursor.at_end() &&
         (!cursor.has_field() || cursor.line() == "c" || cursor.line().starts_with("c "))) {
    cursor.next_line();
  }
  if (cursor.at_end()) {
    return false;
  }
  auto const kind = cursor.field();
  auto found = kind == "e" || kind == "a";
  for (int end = 0; end < 2 && found; ++end) {
    cursor.skip_separators();
    found = cursor.number().has_value();
  }
  return found && !cursor.has_field();
}

bool pairs_on_a_line(Cursor& cursor) {
  Return const to_begin(cursor);
  cursor.set_separators(",;");
  std::size_t lines = 0, shortest = ~std::size_t{0}, longest = 0;
  for (; cursor.skip_to_content(); cursor.next_line(), ++lines) {
    std::size_t numbers = 0;
    for (; cursor.has_field(); ++numbers) {
      if (!cursor.number()) {
        return false;
      }
    }
    shortest = std::min(shortest, numbers);
    longest = std::max(longest, numbers);
    // A table has as many columns in each line, and lists of pairs an even number of fields.
    if (numbers % 2 == 1 || (lines > 0 && longest == 2)) {
      return false;
    }
  }
  return longest >= 4 && (lines == 1 || shortest < longest);
}

bool two_tables(Cursor& cursor) {
  Return const to_begin(cursor);
  if (!cursor.skip_to_content()) {
    return false;
  }
  auto const separator = separator_of(cursor);
  std::unordered_set<std::string_view> vertices, others;
  auto second_table = false;
  std::size_t edges = 0;
  for (; !cursor.at_end(); cursor.next_line()) {
    auto const line = trimmed(cursor.line());
    if (line.empty() || line == "#") {
      second_table = true;
      continue;
    }
    if (line.starts_with('#') || line.starts_with('%')) {
      continue;
    }
    auto const fields = split(line, separator, 2);
    auto const second = fields.size() < 2 ? std::string_view{} : fields[1];
    if (!second_table) {
      if (!vertices.insert(fields[0]).second) {
        return false;
      }
      others.insert(second);
    } else if (edges > 0 || !are_edge_titles(fields)) {
      if (!vertices.contains(fields[0]) || !vertices.contains(second)) {
        return false;
      }
      ++edges;
    }
  }
  // Lines of an edge list have vertices in the second column too.
  return edges > 0 &&
         std::ranges::none_of(others, [&](auto name) { return vertices.contains(name); });
}

bool numbered_edges(Cursor& cursor) {
  Return const to_begin(cursor);
  if (!cursor.skip_to_content()) {
    return false;
  }
  auto const separator = separator_of(cursor);
  std::unordered_set<std::string_view> seconds, thirds;
  std::size_t number = 0, lines = 0;
  for (; cursor.skip_to_content(); cursor.next_line(), ++lines, ++number) {
    auto const fields = split(cursor.line(), separator, 3);
    if (fields.size() < 3) {
      return false;
    }
    number = lines == 0 && fields[0] == "1" ? 1 : number;
    if (fields[0] != std::to_string(number)) {
      return false;
    }
    seconds.insert(fields[1]);
    thirds.insert(fields[2]);
  }
  auto const is_number = [&](auto name) {
    return all_digits(name) && name.size() <= std::to_string(number).size() &&
           std::stoull(std::string(name)) < number;
  };
  auto const common =
      std::ranges::any_of(thirds, [&](auto name) { return seconds.contains(name); });
  return lines >= 3 && common && std::ranges::none_of(seconds, is_number);
}

bool lgl(Cursor& cursor) {
  Return const to_begin(cursor);
  auto vertex = false, data = false, vertex_after_data = false;
  for (; !cursor.at_end(); cursor.next_line()) {
    auto const fields = split(cursor.line(), ' ', 4);
    if (fields.empty()) {
      continue;
    }
    auto const is_vertex = fields[0] == "#";
    if (is_vertex ? fields.size() != 2 : !vertex || fields.size() > 2) {
      return false;
    }
    vertex = true;  // it begins with one
    vertex_after_data = vertex_after_data || (is_vertex && data);
    data = data || !is_vertex;
  }
  return vertex_after_data;
}

bool keyword_lines(Cursor& cursor) {
  Return const to_begin(cursor);
  if (!cursor.skip_to_content()) {
    return false;
  }
  auto const separator = separator_of(cursor);
  auto const keyword = split(cursor.line(), separator, 1)[0];
  auto const plain = plain_title(keyword);
  if (plain != "edge" && plain != "edges" && plain != "link" && plain != "arc" && plain != "e" &&
      plain != "addedge") {
    return false;
  }
  for (; cursor.skip_to_content(); cursor.next_line()) {
    auto const fields = split(cursor.line(), separator, 3);
    if (fields.size() < 3 || fields[0] != keyword) {
      return false;
    }
  }
  return true;
}

bool triples(Cursor& cursor) {
  Return const to_begin(cursor);
  if (!cursor.skip_to_content()) {
    return false;
  }
  auto const separator = separator_of(cursor);
  std::unordered_set<std::string_view> subjects, relations, objects;
  std::size_t lines = 0;
  for (; cursor.skip_to_content(); cursor.next_line(), ++lines) {
    auto const fields = split(cursor.line(), separator, 3);
    auto const is_word = [](auto field) {
      return !field.empty() && field != ":" && !begins_as_number(field);
    };
    if (fields.size() < 3 || !is_word(fields[1]) || (lines == 0 && are_edge_titles(fields))) {
      return false;
    }
    subjects.insert(fields[0]);
    relations.insert(fields[1]);
    objects.insert(fields[2]);
    if (subjects.contains(fields[1]) || relations.contains(fields[0])) {
      return false;
    }
  }
  auto const in = [](auto const& set) { return [&](auto name) { return set.contains(name); }; };
  auto const words = std::ranges::none_of(objects, begins_as_number);
  return lines >= 2 && std::ranges::none_of(relations, in(objects)) &&
         (std::ranges::any_of(objects, in(subjects)) ||
          (relations.size() == 1 && objects.size() > 1 && words));
}

bool zero_one_table(Cursor& cursor) {
  Return const to_begin(cursor);
  cursor.set_separators(",;");
  std::size_t lines = 0, columns = 0;
  for (; cursor.skip_to_content(); cursor.next_line(), ++lines) {
    std::size_t fields = 0;
    for (; cursor.has_field(); ++fields) {
      auto const field = cursor.field();
      if (field != "0" && field != "1") {
        return false;
      }
    }
    if (fields < 3 || (lines > 0 && fields != columns)) {
      return false;
    }
    columns = fields;
  }
  return lines >= 3 && lines != columns;
}

bool vertex_table(Cursor& cursor) {
  Return const to_begin(cursor);
  if (!cursor.skip_to_content()) {
    return false;
  }
  auto const fields = split(cursor.line(), separator_of(cursor), 8);
  auto const has = [&](std::string_view title) {
    return std::ranges::any_of(fields, [&](auto field) { return plain_title(field) == title; });
  };
  return fields.size() >= 2 && has("id") && (has("label") || has("name")) &&
         !are_edge_titles(fields);
}

}  // namespace taper::io::shape
