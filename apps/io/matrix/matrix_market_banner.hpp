// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/text/cursor.hpp>

#include <span>
#include <string>
#include <string_view>

namespace taper::io {

/// The words of the first line of a Matrix Market file, in lower case:
/// "%%MatrixMarket matrix LAYOUT FIELD SYMMETRY". Some collections have one % only. The field
/// "double" becomes "real".
/// Used by: the readers of matrices and of graphs.
struct MatrixMarketBanner {
  char const* position = nullptr;
  std::string object;
  std::string layout;
  std::string field;
  std::string symmetry;

  /// Whether the file stores only one triangle of the matrix.
  bool stores_one_triangle() const { return symmetry != "general"; }
};

/// Whether a text begins with such a line.
bool is_matrix_market(std::string_view text);

/// Reads the banner and goes to the next line that is not a comment.
MatrixMarketBanner read_matrix_market_banner(Cursor& cursor);

/// Throws InputError unless `layout` is one of `layouts`, `field` one of `fields` and `symmetry`
/// one of `symmetries`.
void require_matrix_market_banner(Cursor const& cursor, MatrixMarketBanner const& banner,
                                  std::span<std::string_view const> layouts,
                                  std::span<std::string_view const> fields,
                                  std::span<std::string_view const> symmetries);

}  // namespace taper::io
