// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matmul_engine.hpp"

#include <io/matrix.hpp>
#include <taper/matmul/family.hpp>
#include <taper/matmul/report.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace taper::app {

/// What is computed of A, B and C.
enum class Operation {
  multiply,  ///< C = alpha A B + beta C
  add,       ///< C = A + B
};

/// Extents: A is m x k, B is k x n, C is m x n; of an addition all three are m x n.
struct Extents {
  std::uint64_t m = 0;
  std::uint64_t n = 0;
  std::uint64_t k = 0;

  bool operator==(Extents const&) const = default;
};

/// One run: its time, and what matmul::Report says.
struct ProductRun {
  matmul::Report report;
  double seconds = 0;
};

/// How far a result is from what it is to be: of a product the scaled residual, as matmul's
/// verify.hpp has it; of a sum the number of entries that are not the sum, of which none is right.
struct Deviation {
  double scaled_residual = 0;
  double bound = 0;

  /// NaN is within no bound.
  bool within() const { return scaled_residual <= bound; }
};

/// "scaled residual 0.21, at most 16 is right"; of a sum, "3 entries are not the sum".
std::string describe(Operation operation, Deviation const& deviation);

/// A, B and C of one operation: on the host, and on a device once an engine has run there. Their
/// scalar type is erased.
///
/// All that is compiled for each backend and type lies behind it, in run_matmul.cpp. Backends are
/// named as backend_names() does. Throws: taper::Error, ConfigError, and what an allocation throws.
class Product {
 public:
  virtual ~Product() = default;

  virtual ProductRun run(std::string_view backend, MatmulEngine const& engine) = 0;
  /// Of the result of the last run; nothing where a matrix holds NaN or infinity, of which there is
  /// no residual.
  virtual std::optional<Deviation> verify() = 0;
  /// The result of the last run, in host memory.
  virtual io::DenseMatrix result() = 0;
  /// Takes the place of a run's result.
  virtual void put(io::DenseMatrix const& c) = 0;
};

/// The factors of C = alpha A B + beta C. `c` is empty where beta is 0.
struct ProductTerms {
  io::DenseMatrix a;
  io::DenseMatrix b;
  io::DenseMatrix c;
  double alpha = 1;
  double beta = 0;
};

/// All matrices are of the same type.
std::unique_ptr<Product> load_product(ProductTerms terms);

/// Of generated factors.
std::unique_ptr<Product> generate_product(Operation operation, io::Scalar type,
                                          Extents const& extents, matmul::Workload const& workload);

/// One factor of a product.
io::DenseMatrix generate_matrix(matmul::Workload const& workload, matmul::Factor factor,
                                io::Scalar type, std::size_t rows, std::size_t columns);

/// Whether a vendor's product is linked for this backend.
bool has_vendor(std::string_view backend);

/// Bytes of A, B and C; the largest number where it would overflow.
std::uint64_t product_bytes(Operation operation, io::Scalar type, Extents const& extents);

/// Throws ConfigError that says so of `what` unless the host has so much memory free.
void require_host_memory(std::string_view what, std::uint64_t bytes);

}  // namespace taper::app
