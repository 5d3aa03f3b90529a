// SPDX-License-Identifier: Apache-2.0
#include <io/matrix/matrix.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace taper::io {

std::string_view to_string(Scalar scalar) {
  return scalar == Scalar::float32 ? "float32" : "float64";
}

DenseMatrix::DenseMatrix(Scalar scalar, std::size_t rows, std::size_t columns, Order order)
    : rows_(rows), columns_(columns), order_(order) {
  if (scalar == Scalar::float32) {
    entries_ = std::vector<float>(rows * columns);
  } else {
    entries_ = std::vector<double>(rows * columns);
  }
}

double DenseMatrix::at(std::size_t i, std::size_t j) const {
  return visit([&](auto const& entries) {
    return static_cast<double>(entries[i * row_stride() + j * column_stride()]);
  });
}

void DenseMatrix::convert(Scalar scalar) {
  if (scalar == this->scalar()) {
    return;
  }
  auto const converted = [&]<class To>(To) {
    return visit([](auto const& from) {
      std::vector<To> to(from.size());
      std::ranges::transform(from, to.begin(), [](auto value) { return static_cast<To>(value); });
      return to;
    });
  };
  if (scalar == Scalar::float32) {
    entries_ = converted(float{});
  } else {
    entries_ = converted(double{});
  }
}

std::string extents(std::size_t rows, std::size_t columns) {
  return fmt::format("{} x {}", grouped(rows), grouped(columns));
}

std::uint64_t matrix_bytes(Scalar scalar, std::uint64_t rows, std::uint64_t columns) {
  std::uint64_t const bytes = scalar == Scalar::float32 ? sizeof(float) : sizeof(double);
  constexpr auto limit = std::numeric_limits<std::uint64_t>::max();
  return rows > 0 && columns > limit / bytes / rows ? limit : rows * columns * bytes;
}

MatrixFormat matrix_format_by_extension(std::filesystem::path path) {
  if (path.extension() == ".gz") {
    path.replace_extension();
  }
  return path.extension() == ".mtx" ? MatrixFormat::matrix_market : MatrixFormat::npy;
}

}  // namespace taper::io
