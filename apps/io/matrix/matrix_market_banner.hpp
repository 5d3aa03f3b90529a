// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/cursor.hpp>

#include <span>
#include <string>
#include <string_view>

namespace taper::io {

/// The first line of a Matrix Market file, in lower case:
/// "%%MatrixMarket matrix LAYOUT FIELD SYMMETRY", with one % in some collections. The field "double" is
/// given as real.
struct MarketBanner {
  char const* place = nullptr;
  std::string object;
  std::string layout;
  std::string field;
  std::string symmetry;

  /// The other half of a symmetric matrix is not stored.
  bool one_triangle() const { return symmetry != "general"; }
};

/// Whether a text begins like one.
bool is_matrix_market(std::string_view text);

/// Reads the banner, and goes on to the next line that is no comment.
MarketBanner read_market_banner(Cursor& cursor);

/// Throws InputError unless `layout` is one of `layouts`, `field` one of `fields` and `symmetry`
/// one of `symmetries`.
void require_banner(Cursor const& cursor, MarketBanner const& banner,
                    std::span<std::string_view const> layouts,
                    std::span<std::string_view const> fields,
                    std::span<std::string_view const> symmetries);

}  // namespace taper::io
