// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/text/cursor.hpp>

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace taper::io {

// The fields of a line of a table, such as CSV. Used by: the readers of graphs.

/// The text without blanks and tabs at both ends.
std::string_view trimmed(std::string_view text);

/// The separator of the fields of the line here: a tab if it has one, else the first comma or
/// semicolon, else blanks (' ').
///
/// These do not count: separators in quotes; in attributes in braces, as in "a b {'w': 1, 'x': 2}";
/// and a decimal comma after blanks, as in "a b 0,5".
char separator_of(Cursor const& cursor);

/// Reads the fields of a line, one after another. Fields may be empty, unless blanks separate them.
/// A field may be in double quotes, which are not part of it. Blanks around a field are not part of
/// it; blanks in quotes are.
class Fields {
 public:
  Fields(std::string_view line, char separator) : rest_(line), separator_(separator) {
    ended_ = trimmed(line).empty();
  }

  /// The next field; nothing after the last.
  std::optional<std::string_view> next();
  /// Whether a double quote of the last field was never closed.
  bool is_open() const { return open_; }

 private:
  std::string_view take_to_separator();

  std::string_view rest_;
  char separator_;
  bool ended_ = false;
  bool open_ = false;
};

/// The first fields of a line, at most `most`.
std::vector<std::string_view> split(std::string_view line, char separator, std::size_t most);

}  // namespace taper::io
