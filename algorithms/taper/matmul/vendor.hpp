// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/error.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/report.hpp>
#include <taper/place.hpp>
#include <taper/stop.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#if defined(TAPER_WITH_CUBLAS)
#include <cublas_v2.h>
#endif
#if defined(TAPER_WITH_KOKKOS_KERNELS)
#include <KokkosBlas3_gemm.hpp>
#endif

// The engine vendor: products by a vendor's library. The library is optional. A program that links
// Taper::blas (the system's BLAS, and cuBLAS for CUDA) or Taper::kokkos_kernels beside Taper::taper
// has the engine, and Engine::automatic then uses it.

#if defined(TAPER_WITH_BLAS)
// As in the reference BLAS; every implementation has these symbols.
extern "C" {
void sgemm_(char const* transa, char const* transb, int const* m, int const* n, int const* k,
            float const* alpha, float const* a, int const* lda, float const* b, int const* ldb,
            float const* beta, float* c, int const* ldc);
void dgemm_(char const* transa, char const* transb, int const* m, int const* n, int const* k,
            double const* alpha, double const* a, int const* lda, double const* b, int const* ldb,
            double const* beta, double* c, int const* ldc);
}
#endif

namespace taper::matmul::vendor {

/// The libraries that this translation unit links. Every template that depends on them takes them
/// as a template argument, multiply() included. So units that link different libraries instantiate
/// different functions (one-definition rule).
enum Libraries : unsigned { none = 0, blas = 1, cublas = 2, kokkos_kernels = 4 };

constexpr unsigned linked = none
#if defined(TAPER_WITH_BLAS)
                            | blas
#endif
#if defined(TAPER_WITH_CUBLAS)
                            | cublas
#endif
#if defined(TAPER_WITH_KOKKOS_KERNELS)
                            | kokkos_kernels
#endif
    ;

/// The library that multiplies for Exec, or none.
template <class Exec, unsigned libraries>
constexpr Libraries library_for() {
  if (HostExecutionSpace<Exec> && (libraries & blas) != 0) {
    return blas;
  }
  if (is_gpu<Exec> && (libraries & cublas) != 0) {  // linked only if the GPU backend is CUDA
    return cublas;
  }
  return (libraries & kokkos_kernels) != 0 ? kokkos_kernels : none;
}

/// True if one of the libraries multiplies for Exec.
template <class Exec, unsigned libraries>
inline constexpr bool is_available = library_for<Exec, libraries>() != none;

namespace detail {

template <class T>
struct CopyEntries {
  Matrix<T const> from;
  Matrix<T> to;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t j) const { to(i, j) = from(i, j); }
};

template <class Exec, class T>
void copy(Exec const& where, Matrix<T const> const& from, Matrix<T> const& to) {
  using Entries = Kokkos::MDRangePolicy<Exec, Kokkos::Rank<2>, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for("taper::matmul::vendor::copy",
                       Entries(where, {0, 0}, {from.rows, from.columns}), CopyEntries<T>{from, to});
}

/// A matrix in a form that a BLAS takes: with contiguous columns, or the transpose of such a
/// matrix. If neither rows nor columns are contiguous, it is a copy.
template <class Exec, class T>
class BlasOperand {
 public:
  BlasOperand(Exec const& where, Matrix<T const> const& x, bool is_read = true) : matrix_(x) {
    bool const columns = x.row_stride == 1 && x.column_stride >= std::max<std::int64_t>(1, x.rows);
    bool const rows = x.column_stride == 1 && x.row_stride >= std::max<std::int64_t>(1, x.columns);
    if (!columns && !rows) {
      copy_.emplace(
          Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::matmul::vendor::operand"),
          static_cast<std::size_t>(x.rows), static_cast<std::size_t>(x.columns));
      if (is_read) {
        copy(where, x, copied());
      }
      matrix_ = copied();
    }
    transposed_ = matrix_.row_stride != 1 || matrix_.column_stride < matrix_.rows;
    leading_dimension_ =
        std::max<std::int64_t>(1, transposed_ ? matrix_.row_stride : matrix_.column_stride);
    TAPER_REQUIRE(
        std::max({x.rows, x.columns, leading_dimension_}) <= std::numeric_limits<int>::max(),
        "taper::matmul::multiply: engine vendor takes extents up to 2147483647, and a matrix is " +
            std::to_string(x.rows) + " x " + std::to_string(x.columns) +
            " with a leading dimension of " + std::to_string(leading_dimension_));
  }

  bool is_transposed() const { return transposed_; }
  T const* data() const { return matrix_.data; }
  int leading_dimension() const { return static_cast<int>(leading_dimension_); }
  /// Where the block begins whose first entry is (i, j).
  std::int64_t offset(std::int64_t i, std::int64_t j) const {
    return transposed_ ? j + i * leading_dimension_ : i + j * leading_dimension_;
  }
  std::pair<std::size_t, std::size_t> stored_extents() const {
    auto const rows = static_cast<std::size_t>(matrix_.rows);
    auto const columns = static_cast<std::size_t>(matrix_.columns);
    return transposed_ ? std::pair(columns, rows) : std::pair(rows, columns);
  }
  bool is_copy() const { return copy_.has_value(); }
  std::uint64_t copied_bytes() const { return is_copy() ? copy_->span() * sizeof(T) : 0; }
  Matrix<T> copied() const { return matrix_of(*copy_); }

 private:
  using Copy = Kokkos::View<T**, Kokkos::LayoutRight, typename Exec::memory_space>;
  Matrix<T const> matrix_;
  std::optional<Copy> copy_;
  bool transposed_ = false;
  std::int64_t leading_dimension_ = 1;
};

#if defined(TAPER_WITH_KOKKOS_KERNELS)
/// A View of `data`, which has the operand's layout. If is_transposed(), it is of the transpose.
template <class Exec, class T, class U>
auto column_major(BlasOperand<Exec, T> const& x, U* data) {
  auto const [rows, columns] = x.stored_extents();
  Kokkos::View<U**, Kokkos::LayoutLeft, Kokkos::Device<Exec, typename Exec::memory_space>,
               Kokkos::MemoryTraits<Kokkos::Unmanaged>> const whole(data,
                                                                    static_cast<std::size_t>(
                                                                        x.leading_dimension()),
                                                                    columns);
  return Kokkos::subview(whole, std::pair<std::size_t, std::size_t>(0, rows), Kokkos::ALL);
}
#endif

#if defined(TAPER_WITH_BLAS)
inline void gemm(char const* ta, char const* tb, int m, int n, int k, float alpha, float const* a,
                 int lda, float const* b, int ldb, float beta, float* c, int ldc) {
  sgemm_(ta, tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}
inline void gemm(char const* ta, char const* tb, int m, int n, int k, double alpha, double const* a,
                 int lda, double const* b, int ldb, double beta, double* c, int ldc) {
  dgemm_(ta, tb, &m, &n, &k, &alpha, a, &lda, b, &ldb, &beta, c, &ldc);
}

/// The product on a host: one call of the library, or several until the flag is set. A call makes up
/// to 7 x 10^10 operations, or those of 512 steps of k and 4096 columns of C. Libraries go through
/// large products in such blocks too.
template <class Operand, class T>
void gemm_until(StopFlag stop, Operand const& left, Operand const& right, Operand const& out, int m,
                int n, int k, T alpha, T beta, T* to) {
  bool const whole = stop.flag == nullptr;
  int const columns = whole ? n : std::min(n, 4096);
  std::int64_t const steps_of_budget =
      (std::int64_t{1} << 35) / (std::int64_t{m} * columns) / 512 * 512;
  int const steps = whole ? k
                          : static_cast<int>(std::clamp<std::int64_t>(
                                k, 1, std::max<std::int64_t>(512, steps_of_budget)));
  for (int j = 0; j < n; j += columns) {
    int l = 0;
    do {  // once if k is 0, for beta
      if (stop.is_set()) {
        return;
      }
      gemm(left.is_transposed() ? "T" : "N", right.is_transposed() ? "T" : "N", m,
           std::min(columns, n - j), std::min(steps, k - l), alpha, left.data() + left.offset(0, l),
           left.leading_dimension(), right.data() + right.offset(l, j), right.leading_dimension(),
           l == 0 ? beta : T(1), to + std::int64_t{j} * out.leading_dimension(),
           out.leading_dimension());
      l += steps;
    } while (l < k);
  }
}
#endif

#if defined(TAPER_WITH_CUBLAS)
inline void check(cublasStatus_t status, char const* call) {
  TAPER_REQUIRE(status == CUBLAS_STATUS_SUCCESS, std::string("taper::matmul::multiply: ") + call +
                                                     ": " + cublasGetStatusString(status));
}

/// The cuBLAS handle of the process. Creating one costs more than a product of small matrices, so
/// all products share it; it is destroyed before Kokkos is finalised. Products of floats use float
/// arithmetic, not TF32.
class Cublas {
 public:
  static Cublas& instance() {
    static Cublas cublas;
    return cublas;
  }

  void gemm(Kokkos::Cuda const& where, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
            int k, float alpha, float const* a, int lda, float const* b, int ldb, float beta,
            float* c, int ldc) {
    std::lock_guard const lock(mutex_);
    use_stream_of(where);
    check(cublasSgemm(handle_, ta, tb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc),
          "cublasSgemm");
  }
  void gemm(Kokkos::Cuda const& where, cublasOperation_t ta, cublasOperation_t tb, int m, int n,
            int k, double alpha, double const* a, int lda, double const* b, int ldb, double beta,
            double* c, int ldc) {
    std::lock_guard const lock(mutex_);
    use_stream_of(where);
    check(cublasDgemm(handle_, ta, tb, m, n, k, &alpha, a, lda, b, ldb, &beta, c, ldc),
          "cublasDgemm");
  }

 private:
  Cublas() = default;

  void use_stream_of(Kokkos::Cuda const& where) {
    if (handle_ == nullptr) {
      check(cublasCreate(&handle_), "cublasCreate");
      Kokkos::push_finalize_hook([this] {
        cublasDestroy(handle_);
        handle_ = nullptr;
      });
    }
    check(cublasSetStream(handle_, where.cuda_stream()), "cublasSetStream");
  }

  std::mutex mutex_;
  cublasHandle_t handle_ = nullptr;
};
#endif

}  // namespace detail

/// C = alpha A B + beta C by the vendor's library: on the library's own threads, or on the stream
/// of `where`.
///
/// Stop: if the flag is set, a host's BLAS returns after a call that takes about a second.
/// Async: returns with `where` fenced.
/// Throws: taper::Error if no library is linked for Exec, an extent is above 2^31 - 1, or the
///   library reports an error.
template <unsigned libraries, class Exec, class T>
Report multiply([[maybe_unused]] Exec const& where, [[maybe_unused]] T alpha,
                [[maybe_unused]] Matrix<T const> a, [[maybe_unused]] Matrix<T const> b,
                [[maybe_unused]] T beta, [[maybe_unused]] Matrix<T> c,
                [[maybe_unused]] StopFlag stop = {}) {
  constexpr Libraries library = library_for<Exec, libraries>();
  if constexpr (library == none) {
    throw Error("taper::matmul::multiply: engine vendor is not linked for " +
                std::string(Exec::name()) +
                "; link Taper::blas or Taper::kokkos_kernels beside Taper::taper");
  } else {
    if (c.rows == 0 || c.columns == 0) {
      return {.engine = Engine::vendor};
    }
    if (alpha == 0) {  // some BLAS read A and B even then
      a = a.block(0, 0, a.rows, 0);
      b = b.block(0, 0, 0, b.columns);
    }
    // A BLAS writes contiguous columns. If C has contiguous rows, compute C^T = B^T A^T.
    detail::BlasOperand<Exec, T> const out(where, c, beta != 0);
    bool const by_rows = out.is_transposed();
    detail::BlasOperand<Exec, T> const left(where, by_rows ? b.transposed() : a);
    detail::BlasOperand<Exec, T> const right(where, by_rows ? a.transposed() : b);
    [[maybe_unused]] auto const m = static_cast<int>(by_rows ? c.columns : c.rows);
    [[maybe_unused]] auto const n = static_cast<int>(by_rows ? c.rows : c.columns);
    [[maybe_unused]] auto const k = static_cast<int>(a.columns);
    T* const to = const_cast<T*>(out.data());  // c's own entries, or a copy of them
    if constexpr (library == blas) {
#if defined(TAPER_WITH_BLAS)
      where.fence("taper::matmul::multiply: wait for copies of operands");
      detail::gemm_until(stop, left, right, out, m, n, k, alpha, beta, to);
#endif
    } else if constexpr (library == cublas) {
#if defined(TAPER_WITH_CUBLAS)
      detail::Cublas::instance().gemm(where, left.is_transposed() ? CUBLAS_OP_T : CUBLAS_OP_N,
                                      right.is_transposed() ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k,
                                      alpha, left.data(), left.leading_dimension(), right.data(),
                                      right.leading_dimension(), beta, to, out.leading_dimension());
#endif
    } else {
#if defined(TAPER_WITH_KOKKOS_KERNELS)
      KokkosBlas::gemm(where, left.is_transposed() ? "T" : "N", right.is_transposed() ? "T" : "N",
                       alpha, detail::column_major(left, left.data()),
                       detail::column_major(right, right.data()), beta,
                       detail::column_major(out, to));
#endif
    }
    if (out.is_copy()) {
      detail::copy<Exec, T>(where, out.copied(), c);
    }
    where.fence("taper::matmul::multiply: wait for C before copies of operands are freed");
    return {.engine = Engine::vendor,
            .scratch_bytes = out.copied_bytes() + left.copied_bytes() + right.copied_bytes()};
  }
}

}  // namespace taper::matmul::vendor
