// SPDX-License-Identifier: Apache-2.0
//
// For any bytes the matrix reader returns a matrix whose number of entries fits its extents, and
// which can be written and read back. Otherwise it throws an error of one line.
#include "fuzz.hpp"

#include <io/matrix/matrix.hpp>

#include <sstream>
#include <string>

namespace {

using namespace taper::io;
using taper::fuzz::check_error;
using taper::fuzz::file_name;
using taper::fuzz::require;

/// Whether two matrices are equal, entry by entry; any two NaN are equal.
bool same_entries(DenseMatrix const& a, DenseMatrix const& b) {
  if (a.rows() != b.rows() || a.columns() != b.columns()) {
    return false;
  }
  for (std::size_t j = 0; j < a.columns(); ++j) {
    for (std::size_t i = 0; i < a.rows(); ++i) {
      auto const x = a.at(i, j), y = b.at(i, j);
      if (x != y && (x == x || y == y)) {
        return false;
      }
    }
  }
  return true;
}

constexpr std::uint64_t most_bytes = 1 << 14;

void check_matrix(DenseMatrix const& matrix, MatrixFormat written) {
  auto const count = matrix.visit([](auto const& entries) { return entries.size(); });
  require(count == matrix.rows() * matrix.columns(), "a matrix has all its entries");
  if (count == 0) {
    return;
  }
  std::ostringstream text;
  write_matrix(text, matrix, written);
  auto const again = parse_matrix(file_name, text.str(), most_bytes, matrix.scalar()).matrix;
  require(same_entries(matrix, again), "a matrix is read back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  auto const scalar = size % 2 == 0 ? Scalar::float32 : Scalar::float64;
  try {
    auto const file = parse_matrix(file_name, taper::fuzz::text_of(data, size), most_bytes, scalar);
    check_matrix(file.matrix, size % 4 < 2 ? MatrixFormat::npy : MatrixFormat::matrix_market);
  } catch (InputError const& error) {
    check_error(error);
  }
  return 0;
}
