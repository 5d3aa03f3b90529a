// SPDX-License-Identifier: Apache-2.0
#include <io/matrix/matrix.hpp>
#include <io/matrix/npy.hpp>
#include <io/text/atomic_file.hpp>
#include <io/text/buffered_writer.hpp>

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <ostream>
#include <string>

namespace taper::io {
namespace {

void write_npy(std::ostream& out, DenseMatrix const& matrix) {
  out << npy_header(matrix.scalar() == Scalar::float32 ? "<f4" : "<f8",
                    std::array{std::uint64_t{matrix.rows()}, std::uint64_t{matrix.columns()}},
                    matrix.order() == Order::by_columns);
  matrix.visit([&](auto const& entries) {
    out.write(reinterpret_cast<char const*>(entries.data()),
              static_cast<std::streamsize>(entries.size() * sizeof(entries[0])));
  });
}

void write_market(std::ostream& out, DenseMatrix const& matrix) {
  BufferedWriter writer(out);
  writer.add(fmt::format("%%MatrixMarket matrix array real general\n{} {}\n", matrix.rows(),
                         matrix.columns()));
  matrix.visit([&](auto const& entries) {
    for (std::size_t j = 0; j < matrix.columns() && !entries.empty(); ++j) {
      for (std::size_t i = 0; i < matrix.rows(); ++i) {
        writer.add_number(entries[i * matrix.row_stride() + j * matrix.column_stride()]);
        writer.add("\n");
      }
    }
  });
}

}  // namespace

void write_matrix(std::ostream& out, DenseMatrix const& matrix, MatrixFormat format) {
  format == MatrixFormat::npy ? write_npy(out, matrix) : write_market(out, matrix);
}

void write_matrix(std::filesystem::path const& path, DenseMatrix const& matrix) {
  AtomicFile file(path);
  write_matrix(file.stream(), matrix, matrix_format_by_extension(path));
  file.commit();
}

}  // namespace taper::io
