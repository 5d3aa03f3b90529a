// SPDX-License-Identifier: Apache-2.0
#include <io/text/fields.hpp>

#include <algorithm>

namespace taper::io {

std::string_view trimmed(std::string_view text) {
  auto const begin = text.find_first_not_of(" \t");
  auto const end = text.find_last_not_of(" \t");
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin, end - begin + 1);
}

char separator_of(Cursor const& cursor) {
  auto const is_digit = [](char c) { return c >= '0' && c <= '9'; };
  auto const line = cursor.line();
  char found = ' ';
  auto quoted = false, blank_before = false;
  for (std::size_t at = 0; at < line.size() && line[at] != '{'; ++at) {
    auto const c = line[at];
    quoted = quoted != (c == '"');
    blank_before = blank_before || c == ' ';
    auto const decimal = c == ',' && blank_before && at > 0 && is_digit(line[at - 1]) &&
                         at + 1 < line.size() && is_digit(line[at + 1]);
    if (c == '\t' && !quoted) {
      return '\t';
    }
    if ((c == ',' || c == ';') && !quoted && !decimal && found == ' ') {
      found = c;
    }
  }
  return found;
}

std::optional<std::string_view> Fields::next() {
  open_ = false;
  if (ended_) {
    return std::nullopt;
  }
  auto const blanks = separator_ == '\t' ? " " : " \t";  // a tab may end an empty field
  rest_ = rest_.substr(std::min(rest_.find_first_not_of(blanks), rest_.size()));
  if (!rest_.starts_with('"')) {
    return take_to_separator();
  }
  auto end = rest_.find('"', 1);
  while (end != std::string_view::npos && rest_.substr(end + 1).starts_with('"')) {
    end = rest_.find('"', end + 2);  // a doubled quote is part of the field
  }
  if (end == std::string_view::npos) {
    open_ = true;
    return take_to_separator();
  }
  auto const field = rest_.substr(1, end - 1);
  rest_.remove_prefix(end + 1);
  take_to_separator();
  return field;
}

std::string_view Fields::take_to_separator() {
  auto const end = separator_ == ' ' ? rest_.find_first_of(" \t") : rest_.find(separator_);
  auto const field = trimmed(rest_.substr(0, end));
  rest_.remove_prefix(std::min(end, rest_.size()));
  if (separator_ == ' ') {
    ended_ = trimmed(rest_).empty();
  } else {
    ended_ = rest_.empty();
    rest_.remove_prefix(ended_ ? 0 : 1);
  }
  return field;
}

std::vector<std::string_view> split(std::string_view line, char separator, std::size_t most) {
  std::vector<std::string_view> fields;
  Fields rest(line, separator);
  while (fields.size() < most) {
    auto const field = rest.next();
    if (!field) {
      break;
    }
    fields.push_back(*field);
  }
  return fields;
}

}  // namespace taper::io
