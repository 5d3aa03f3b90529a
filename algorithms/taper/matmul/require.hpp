// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/options.hpp>

#include <cstdint>
#include <string>

namespace taper::matmul::detail {

// Checks of arguments. All throw taper::Error that begins with `function`.
// Used by: multiply(), add().

/// Requires that the extents of a product agree and that C shares no entry with A or B.
template <class T>
void require_product(std::string const& function, Matrix<T const> const& a,
                     Matrix<T const> const& b, Matrix<T> const& c) {
  TAPER_REQUIRE(a.columns == b.rows, function + ": A is " + extents(a) + " and B is " + extents(b) +
                                         ": A must have as many columns as B has rows");
  TAPER_REQUIRE(c.rows == a.rows && c.columns == b.columns,
                function + ": C is " + extents(c) + ", but the product of A (" + extents(a) +
                    ") and B (" + extents(b) + ") is " + std::to_string(a.rows) + " x " +
                    std::to_string(b.columns));
  TAPER_REQUIRE(!overlap<T>(c, a), function + ": C (" + extents(c) + ") shares memory with A (" +
                                       extents(a) + "), which is read while C is written");
  TAPER_REQUIRE(!overlap<T>(c, b), function + ": C (" + extents(c) + ") shares memory with B (" +
                                       extents(b) + "), which is read while C is written");
}

inline void require_positive(std::string const& function, std::string const& option,
                             std::int64_t value) {
  TAPER_REQUIRE(value >= 1,
                function + ": " + option + " = " + std::to_string(value) + " must be at least 1");
}

inline void require_options(std::string const& function, Options const& options) {
  require_positive(function, "block", options.block);
  require_positive(function, "threshold", options.threshold.value_or(1));
  require_positive(function, "streams", options.streams);
  require_positive(function, "stream_tile", options.stream_tile.value_or(1));
  TAPER_REQUIRE(options.stream_memory_bytes >= 0, function + ": stream_memory_bytes = " +
                                                      std::to_string(options.stream_memory_bytes) +
                                                      " must be at least 0");
}

}  // namespace taper::matmul::detail
