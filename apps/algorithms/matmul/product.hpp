// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine.hpp"

#include <io/matrix/matrix.hpp>
#include <taper/matmul/family.hpp>
#include <taper/matmul/report.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace taper::app {

/// Extents: A is m x k, B is k x n, C is m x n. For an addition all three are m x n.
struct Extents {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t k = 0;

  bool operator==(Extents const&) const = default;
};

/// The report of one run, and its time.
struct ProductRun {
  matmul::Report report;
  double seconds = 0;
};

/// The error of a result. For a product: the scaled residual of matmul/verify.hpp. For a sum: the
/// number of entries that differ from the sum; the bound is 0.
struct Deviation {
  double scaled_residual = 0;
  double bound = 0;

  /// Whether the result is right. NaN is not.
  bool within() const { return scaled_residual <= bound; }
};

/// "scaled residual 0.21, bound 16"; for a sum "3 entries differ from the sum".
std::string describe(Operation operation, Deviation const& deviation);

/// A, B and C of one operation, in host memory, and in device memory after an engine has run there.
/// The class does not depend on their scalar type: multiply_kokkos.cpp compiles each backend and
/// type.
///
/// `backend`: one of backend_names(). Throws: taper::Error, ConfigError, and the exceptions of
/// allocations.
class Product {
 public:
  virtual ~Product() = default;

  virtual ProductRun run(std::string_view backend, MatmulEngine const& engine) = 0;
  /// The error of the last run's result; none if a matrix contains NaN or infinity, since there is
  /// no residual then.
  virtual std::optional<Deviation> verify() = 0;
  /// The result of the last run, in host memory.
  virtual io::DenseMatrix result() = 0;
  /// Replaces the result of the last run.
  virtual void put(io::DenseMatrix const& c) = 0;
};

/// The inputs of C = alpha A B + beta C. `c` is empty if beta is 0.
struct ProductTerms {
  io::DenseMatrix a;
  io::DenseMatrix b;
  io::DenseMatrix c;
  double alpha = 1;
  double beta = 0;
};

/// A Product with these inputs. Requires matrices of one type.
std::unique_ptr<Product> load_product(ProductTerms terms);

/// A Product with generated factors.
std::unique_ptr<Product> generate_product(Operation operation, io::Scalar type,
                                          Extents const& extents, matmul::Workload const& workload);

/// A matrix in host memory of the caller, whose entry (i, j) is at data[i * row_stride + j *
/// column_stride].
template <class T>
struct MatrixSpan {
  T* data = nullptr;
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t row_stride = 0;
  std::size_t column_stride = 0;
};

/// C = alpha A B + beta C, in place. A device streams the matrices. T: float or double.
/// Throws: taper::Error, ConfigError.
template <class T>
ProductRun multiply_in_place(std::string_view backend, MatmulEngine const& engine, T alpha,
                             MatrixSpan<T const> const& a, MatrixSpan<T const> const& b, T beta,
                             MatrixSpan<T> const& c);

/// The same for matrices in the memory of `backend`.
template <class T>
ProductRun multiply_there(std::string_view backend, MatmulEngine const& engine, T alpha,
                          MatrixSpan<T const> const& a, MatrixSpan<T const> const& b, T beta,
                          MatrixSpan<T> const& c);

/// Generates one factor of a product.
io::DenseMatrix generate_matrix(matmul::Workload const& workload, matmul::Factor factor,
                                io::Scalar type, std::size_t rows, std::size_t columns);

/// Whether this build has a vendor library for the backend.
bool has_vendor(std::string_view backend);

/// Whether this build has SIMD instructions for explicit_simd of additions on the backend.
bool has_explicit_simd(std::string_view backend);

/// The bytes of A, B and C; the largest number if it would overflow.
std::uint64_t product_bytes(Operation operation, io::Scalar type, Extents const& extents);

/// Throws ConfigError unless the host has `bytes` of free memory. `what`: the subject of the
/// message, a plural.
void require_host_memory(std::string_view what, std::uint64_t bytes);

}  // namespace taper::app
