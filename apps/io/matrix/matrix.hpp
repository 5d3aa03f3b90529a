// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/error.hpp>

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

/// How entries follow each other in memory: C's order, or Fortran's.
enum class Order { by_rows, by_columns };

/// A dense matrix in host memory, in the order in which its file has it.
class DenseMatrix {
 public:
  DenseMatrix() = default;
  /// Of zeros.
  DenseMatrix(Scalar scalar, std::size_t rows, std::size_t columns, Order order = Order::by_rows);
  /// Of these entries, rows * columns of them.
  template <class T>
  DenseMatrix(std::vector<T> entries, std::size_t rows, std::size_t columns, Order order)
      : rows_(rows), columns_(columns), order_(order), entries_(std::move(entries)) {}

  std::size_t rows() const { return rows_; }
  std::size_t columns() const { return columns_; }
  Order order() const { return order_; }
  Scalar scalar() const { return entries_.index() == 0 ? Scalar::float32 : Scalar::float64; }
  /// Entry (i, j) has the place i * row_stride() + j * column_stride().
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

  /// Rounds to float32 where it is narrower.
  void convert(Scalar scalar);

 private:
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;
  Order order_ = Order::by_rows;
  std::variant<std::vector<float>, std::vector<double>> entries_;
};

/// "1,024 x 512".
std::string extents(std::size_t rows, std::size_t columns);

/// Bytes of so many entries; the largest number where it would overflow.
std::uint64_t matrix_bytes(Scalar scalar, std::uint64_t rows, std::uint64_t columns);

/// The formats that matrices come in.
enum class MatrixFormat { npy, matrix_market };

struct MatrixFile {
  DenseMatrix matrix;
  MatrixFormat format;
};

/// The dense matrix in a file, whose content tells the format; "-" is the standard input, gzip is
/// seen through.
///
/// npy             versions 1 to 3; float32 and float64 of either byte order, in C or Fortran order;
/// matrix_market   array or coordinate; real, double or integer, and pattern, whose entries are 1;
///                 general, symmetric or skew-symmetric, which are filled up. float64 unless `text`
///                 says otherwise. Entries that are listed again are added up.
///
/// Cost: near that of reading the file; the matrix in memory, of text beside its file.
/// Throws: InputError, naming the file, the line of text and what was expected.
MatrixFile read_matrix(std::filesystem::path const& path, Scalar text = Scalar::float64);

/// The same of bytes that are no gzip, which messages call `name`; larger matrices than `free`
/// bytes are refused.
MatrixFile parse_matrix(std::string name, std::string_view bytes, std::uint64_t free,
                        Scalar text = Scalar::float64);

/// Writes .npy as the matrix lies in memory; Matrix Market as an array, which reads back the same.
void write_matrix(std::ostream& out, DenseMatrix const& matrix, MatrixFormat format);

/// By the extension: .mtx is Matrix Market, all else .npy. Behind it .gz compresses. The file
/// appears whole or not at all.
void write_matrix(std::filesystem::path const& path, DenseMatrix const& matrix);
MatrixFormat matrix_format_by_extension(std::filesystem::path path);

}  // namespace taper::io
