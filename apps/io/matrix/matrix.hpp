// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/text/error.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace taper::io {

enum class Scalar { float32, float64 };
std::string_view to_string(Scalar scalar);

/// The order of entries in memory: by rows as in C, or by columns as in Fortran.
enum class Order { by_rows, by_columns };

/// A dense matrix in host memory, in the order of its file.
/// Used by: taper multiply, generate and verify product.
class DenseMatrix {
 public:
  DenseMatrix() = default;
  /// A matrix of zeros.
  DenseMatrix(Scalar scalar, std::size_t rows, std::size_t columns, Order order = Order::by_rows);
  /// A matrix of these rows * columns entries.
  template <class T>
  DenseMatrix(std::vector<T> entries, std::size_t rows, std::size_t columns, Order order)
      : rows_(rows), columns_(columns), order_(order), entries_(std::move(entries)) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  Order order() const { return order_; }
  Scalar scalar() const { return entries_.index() == 0 ? Scalar::float32 : Scalar::float64; }
  /// Entry (i, j) is at index i * row_stride() + j * column_stride().
  std::size_t row_stride() const { return order_ == Order::by_rows ? columns_ : 1; }
  std::size_t column_stride() const { return order_ == Order::by_rows ? 1 : rows_; }

  /// Calls use(entries), with a std::vector of float or of double.
  template <class Use>
  decltype(auto) visit(Use&& use) const {
    return std::visit(std::forward<Use>(use), entries_);
  }
  template <class Use>
  decltype(auto) visit(Use&& use) {
    return std::visit(std::forward<Use>(use), entries_);
  }
  double at(std::size_t i, std::size_t j) const;

  /// Converts the entries; rounds if `scalar` is narrower.
  void convert(Scalar scalar);

 private:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  Order order_ = Order::by_rows;
  std::variant<std::vector<float>, std::vector<double>> entries_;
};

/// "1,024 x 512".
std::string extents(std::size_t rows, std::size_t columns);

/// The bytes of rows * columns entries; the largest number on overflow.
std::uint64_t matrix_bytes(Scalar scalar, std::uint64_t rows, std::uint64_t columns);

/// File formats of matrices.
enum class MatrixFormat { npy, matrix_market };

struct MatrixFile {
  DenseMatrix matrix;
  MatrixFormat format;
};

/// Reads a dense matrix from a file; the content tells the format. "-" is the standard input. Gzip
/// is decompressed.
///
/// npy             versions 1 to 3; float32 or float64 in either byte order, in C or Fortran order
/// matrix_market   array or coordinate; real, double, integer, or pattern, whose entries are 1;
///                 general, symmetric or skew-symmetric, which are expanded. Entries become `text`.
///                 Repeated entries are added up.
///
/// Cost: about the time of reading the file; the matrix in memory, and for text the file too.
/// Throws: InputError with the file, the line (of text) and what was expected.
MatrixFile read_matrix(std::filesystem::path const& path, Scalar text = Scalar::float64);

/// Reads a matrix from bytes in memory, without decompression; `name` is for messages. Refuses
/// matrices larger than `free` bytes.
MatrixFile parse_matrix(std::string name, std::string_view bytes, std::uint64_t free,
                        Scalar text = Scalar::float64);

/// Writes .npy in the matrix's order, or Matrix Market as an array. Both read back the same
/// entries.
void write_matrix(std::ostream& out, DenseMatrix const& matrix, MatrixFormat format);

/// Writes Matrix Market for the extension .mtx, else .npy; a further .gz compresses. The file
/// appears whole or not at all (AtomicFile).
void write_matrix(std::filesystem::path const& path, DenseMatrix const& matrix);
MatrixFormat matrix_format_by_extension(std::filesystem::path path);

}  // namespace taper::io
