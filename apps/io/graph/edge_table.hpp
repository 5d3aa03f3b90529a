// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/graph/graph.hpp>
#include <io/graph/read.hpp>
#include <io/text/cursor.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace taper::io {

// Titles and columns of a list of edges. Used by: read_edges(), and the shapes of forms.

/// Where an edge list has its vertices.
struct EdgeTable {
  char separator = ' ';
  bool titled = false;  ///< the first line is titles, and the cursor is behind it
  std::size_t u = 0;    ///< the column of one end, from 0
  std::size_t v = 1;    ///< of the other end

  bool has_first_columns() const { return u == 0 && v == 1; }
};

/// Finds the titles and the columns of the vertices: as the options say, else from the first lines.
/// Adds a note to `graph` for what it guesses. Moves the cursor behind the titles.
///
/// Titles name the columns (source and target, from and to, u and v, ...). A first column without a
/// title, as pandas and R write it, numbers the lines, and is skipped. Without such titles the
/// first two columns have the vertices.
/// Throws: InputError if the options name a column that is not there, or if it is unclear which
///   columns are meant.
EdgeTable find_edge_table(Cursor& cursor, GraphFile& graph, GraphReadOptions const& options);

/// The title in lower case, without blanks, '_', '-', '.' and ':'.
std::string plain_title(std::string_view title);

/// Whether these titles name both ends of edges by words that are never names of vertices.
bool are_edge_titles(std::span<std::string_view const> titles);

/// Whether two words are a common pair of titles, also one that vertices may have, such as u and v.
bool are_common_titles(std::string_view u, std::string_view v);

/// A whole number in digits.
bool all_digits(std::string_view text);

}  // namespace taper::io
