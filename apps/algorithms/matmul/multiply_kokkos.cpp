// SPDX-License-Identifier: Apache-2.0
//
// Compiles the templates of matmul, once per backend and type.
#include "product.hpp"

#include <support/blas_threads.hpp>
#include <support/runtime.hpp>
#include <support/seconds_of.hpp>
#include <support/spaces.hpp>

#include <taper/backend.hpp>
#include <taper/huge_pages.hpp>
#include <taper/matmul/add.hpp>
#include <taper/matmul/generate.hpp>
#include <taper/matmul/matmul.hpp>
#include <taper/matmul/verify.hpp>
#include <taper/place.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace taper::app {

namespace mm = matmul;

namespace {

using HostExec = Kokkos::DefaultHostExecutionSpace;
/// The memory of the build's device; without a device: host memory.
using DeviceMemory = Kokkos::DefaultExecutionSpace::memory_space;
using Pinned = Kokkos::SharedHostPinnedSpace;

/// The entries of A, B and C in one memory.
template <class T, class Memory>
struct Entries {
  using Flat = Kokkos::View<T*, Memory>;
  Flat a;
  Flat b;
  Flat c;
};

/// The extents of a matrix, and the strides of its entries.
struct Shape {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t row_stride = 0;
  std::size_t column_stride = 0;

  std::size_t size() const { return rows * columns; }
};

Shape shape_of(io::DenseMatrix const& matrix) {
  return {matrix.rows(), matrix.columns(), matrix.row_stride(), matrix.column_stride()};
}

Shape by_rows(std::uint64_t rows, std::uint64_t columns) {
  return {rows, columns, columns, 1};
}

/// A View of one type for all orders, so that the front door is compiled once per backend and type.
template <class Flat>
auto matrix(Flat const& flat, Shape const& shape) {
  using View = Kokkos::View<typename Flat::value_type**, Kokkos::LayoutStride,
                            typename Flat::memory_space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  return View(flat.data(), Kokkos::LayoutStride(shape.rows, shape.row_stride, shape.columns,
                                                shape.column_stride));
}

template <class T>
class TypedProduct final : public Product {
 public:
  explicit TypedProduct(ProductTerms terms)
      : a_(shape_of(terms.a)), b_(shape_of(terms.b)), alpha_(static_cast<T>(terms.alpha)),
        beta_(static_cast<T>(terms.beta)) {
    auto const has_c = terms.c.rows() > 0 || terms.c.columns() > 0;
    c_ = has_c ? shape_of(terms.c) : by_rows(a_.rows, b_.columns);
    host_.a = copy_of(std::move(terms.a), "taper::app::a");
    host_.b = copy_of(std::move(terms.b), "taper::app::b");
    before_shape_ = c_;
    before_ = copy_of(std::move(terms.c), "taper::app::c_before");
    host_.c = allocate<Kokkos::HostSpace>("taper::app::c", c_.size());
    is_finite_ =
        all_finite(host_.a) && all_finite(host_.b) && (beta_ == T(0) || all_finite(before_));
  }

  TypedProduct(Operation operation, Extents const& extents, mm::Workload const& workload)
      : operation_(operation), c_(by_rows(extents.m, extents.n)) {
    auto const adds = operation == Operation::add;
    a_ = adds ? c_ : by_rows(extents.m, extents.k);
    b_ = adds ? c_ : by_rows(extents.k, extents.n);
    host_.a = allocate<Kokkos::HostSpace>("taper::app::a", a_.size());
    host_.b = allocate<Kokkos::HostSpace>("taper::app::b", b_.size());
    host_.c = allocate<Kokkos::HostSpace>("taper::app::c", c_.size());
    mm::generate(HostExec{}, workload, mm::Factor::left, matrix(host_.a, a_));
    mm::generate(HostExec{}, workload, mm::Factor::right, matrix(host_.b, b_));
  }

  ProductRun run(std::string_view backend, MatmulEngine const& engine) override {
    ProductRun result;
    with_backend(backend,
                 [&]<class Space>(std::type_identity<Space>) { result = run_on<Space>(engine); });
    return result;
  }

  std::optional<Deviation> verify() override {
    if (operation_ == Operation::add) {
      fetch();
      return Deviation{static_cast<double>(wrong_sums()), 0};
    }
    if (!is_finite_) {
      return std::nullopt;
    }
    // If the result is on the device, its factors are there too.
    if (result_in_ == ResultMemory::device && beta_ == T(0)) {
      return residual(Kokkos::DefaultExecutionSpace{}, device_, matrix(device_.c, c_));
    }
    fetch();
    return residual(HostExec{}, host_, matrix(before_, before_shape_));
  }

  io::DenseMatrix result() override {
    fetch();
    return {std::vector<T>(host_.c.data(), host_.c.data() + host_.c.extent(0)), c_.rows, c_.columns,
            c_.column_stride == 1 ? io::Order::by_rows : io::Order::by_columns};
  }

  void put(io::DenseMatrix const& c) override {
    result_in_ = ResultMemory::host;
    report_ = {};
    c_ = shape_of(c);
    host_.c = copy_of(c, "taper::app::c");
  }

 private:
  template <class Memory>
  static Kokkos::View<T*, Memory> allocate(std::string const& label, std::size_t size) {
    return allocate_large<Kokkos::View<T*, Memory>>(typename Memory::execution_space{}, label,
                                                    size);
  }

  static Kokkos::View<T*, Kokkos::HostSpace> copy_of(io::DenseMatrix from,
                                                     std::string const& label) {
    return from.visit([&](auto const& entries) {
      auto const view = allocate<Kokkos::HostSpace>(label, entries.size());
      std::copy(entries.begin(), entries.end(), view.data());
      return view;
    });
  }

  template <class Space>
  ProductRun run_on(MatmulEngine const& engine) {
    if constexpr (is_host_space<Space>) {
      result_in_ = ResultMemory::host;
      auto const where = with_threads<Space>(engine.threads);
      support::set_blas_threads(
          static_cast<int>(concurrency(where)));  // the same number for the vendor's library
      return run_in(where, host_, engine);
    } else if (engine.options.engine == mm::Engine::streamed) {
      // The host's threads copy memory that is not page-locked.
      Duo const where{Space{}, HostExec{}};
      result_in_ = engine.pinned ? ResultMemory::pinned : ResultMemory::host;
      if (!engine.pinned) {
        return run_in(where, host_, engine);
      }
      copy_factors(pinned_);
      return run_in(where, pinned_, engine);
    } else {
      result_in_ = ResultMemory::device;
      copy_factors(device_);
      return run_in(Space{}, device_, engine);
    }
  }

  /// Copies A and B to a memory, and allocates C there, unless that has been done.
  template <class Memory>
  void copy_factors(Entries<T, Memory>& entries) {
    if (entries.c.data() == nullptr) {
      entries.a = allocate<Memory>("taper::app::a", a_.size());
      entries.b = allocate<Memory>("taper::app::b", b_.size());
      entries.c = allocate<Memory>("taper::app::c", c_.size());
      Kokkos::deep_copy(entries.a, host_.a);
      Kokkos::deep_copy(entries.b, host_.b);
    }
  }

  template <class Where, class Memory>
  ProductRun run_in(Where const& where, Entries<T, Memory> const& entries,
                    MatmulEngine const& engine) {
    if (beta_ != T(0)) {
      Kokkos::deep_copy(entries.c, before_);
    }
    constexpr bool on_device =
        !is_host_space<DeviceOf<Where>> && std::is_same_v<Memory, DeviceMemory>;
    ProductRun result;
    result.seconds = seconds_of([&] {
      if constexpr (on_device) {
        if (engine.copies) {
          Kokkos::deep_copy(where, entries.a, host_.a);
          Kokkos::deep_copy(where, entries.b, host_.b);
        }
      }
      report_ = compute(where, entries, engine.options);
      if constexpr (on_device) {
        if (engine.copies) {
          Kokkos::deep_copy(where, host_.c, entries.c);
          where.fence("taper::app: wait for the copy of the result");
        }
      }
    });
    result.report = report_;
    return result;
  }

  template <class Where, class Memory>
  mm::Report compute(Where const& where, Entries<T, Memory> const& entries,
                     mm::Options const& options) const {
    auto const [a, b, c] = matrices(entries);
    if constexpr (Kokkos::SpaceAccessibility<DeviceOf<Where>, Memory>::accessible) {
      if (operation_ == Operation::add) {
        return mm::add(where, T(1), a, T(1), b, c, options);
      }
    }
    return mm::multiply(where, alpha_, a, b, beta_, c, options, workspace_);
  }

  /// `before`: C before the product; not read if beta is 0.
  template <class Space, class Memory, class Before>
  Deviation residual(Space const& where, Entries<T, Memory> const& entries,
                     Before const& before) const {
    auto const [a, b, c] = matrices(entries);
    auto const found = mm::scaled_residual(where, alpha_, a, b, beta_, before, c, report_);
    return {found.scaled, found.bound};
  }

  template <class Memory>
  auto matrices(Entries<T, Memory> const& entries) const {
    using Flat = Kokkos::View<T const*, Memory>;
    return std::tuple(matrix(Flat(entries.a), a_), matrix(Flat(entries.b), b_),
                      matrix(entries.c, c_));
  }

  /// The number of entries that differ from the sum of A's and B's entries. Sums are rounded once,
  /// so right entries are equal. NaN counts as equal to NaN.
  std::size_t wrong_sums() const {
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < c_.size(); ++i) {
      T const sum = host_.a(i) + host_.b(i);
      wrong += host_.c(i) != sum && !(std::isnan(sum) && std::isnan(host_.c(i))) ? 1u : 0u;
    }
    return wrong;
  }

  static bool all_finite(Kokkos::View<T*, Kokkos::HostSpace> const& entries) {
    return std::all_of(entries.data(), entries.data() + entries.extent(0),
                       [](T entry) { return std::isfinite(entry); });
  }

  /// Copies the result to host memory.
  void fetch() {
    if (result_in_ == ResultMemory::device) {
      Kokkos::deep_copy(host_.c, device_.c);
    } else if (result_in_ == ResultMemory::pinned) {
      Kokkos::deep_copy(host_.c, pinned_.c);
    }
    result_in_ = ResultMemory::host;
  }

  enum class ResultMemory { host, pinned, device };

  Operation operation_ = Operation::multiply;
  Shape a_;
  Shape b_;
  Shape c_;
  T alpha_ = 1;
  T beta_ = 0;
  Entries<T, Kokkos::HostSpace> host_;
  Kokkos::View<T*, Kokkos::HostSpace> before_;  ///< C before the product
  Shape before_shape_;
  Entries<T, Pinned> pinned_;
  Entries<T, DeviceMemory> device_;
  ResultMemory result_in_ = ResultMemory::host;
  bool is_finite_ = true;               ///< whether all inputs of the result are finite
  mm::Report report_;                   ///< of the last run
  mutable mm::Workspace<T> workspace_;  ///< reused by later runs
};

}  // namespace

std::unique_ptr<Product> load_product(ProductTerms terms) {
  if (terms.a.scalar() == io::Scalar::float32) {
    return std::make_unique<TypedProduct<float>>(std::move(terms));
  }
  return std::make_unique<TypedProduct<double>>(std::move(terms));
}

std::unique_ptr<Product> generate_product(Operation operation, io::Scalar type,
                                          Extents const& extents, mm::Workload const& workload) {
  if (type == io::Scalar::float32) {
    return std::make_unique<TypedProduct<float>>(operation, extents, workload);
  }
  return std::make_unique<TypedProduct<double>>(operation, extents, workload);
}

namespace {

/// The matrix that lies in this memory.
template <class Memory, class Entry>
auto view_of(MatrixSpan<Entry> const& span) {
  using Flat = Kokkos::View<Entry*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  return matrix(Flat(span.data, span.rows * span.columns),
                {span.rows, span.columns, span.row_stride, span.column_stride});
}

}  // namespace

template <class T>
ProductRun multiply_in_place(std::string_view backend, MatmulEngine const& engine, T alpha,
                             MatrixSpan<T const> const& a, MatrixSpan<T const> const& b, T beta,
                             MatrixSpan<T> const& c) {
  using Memory = Kokkos::HostSpace;
  ProductRun result;
  with_backend(backend, [&]<class Space>(std::type_identity<Space>) {
    auto const multiply_on = [&](auto const& where) {
      result.report = mm::multiply(where, alpha, view_of<Memory>(a), view_of<Memory>(b), beta,
                                   view_of<Memory>(c), engine.options);
    };
    result.seconds = seconds_of([&] {
      if constexpr (is_host_space<Space>) {
        multiply_on(with_threads<Space>(engine.threads));
      } else {
        multiply_on(Duo{Space{}, HostExec{}});
      }
    });
  });
  return result;
}

template <class T>
ProductRun multiply_there(std::string_view backend, MatmulEngine const& engine, T alpha,
                          MatrixSpan<T const> const& a, MatrixSpan<T const> const& b, T beta,
                          MatrixSpan<T> const& c) {
  ProductRun result;
  with_backend(backend, [&]<class Space>(std::type_identity<Space>) {
    using Memory = typename Space::memory_space;
    result.seconds = seconds_of([&] {
      result.report = mm::multiply(with_threads<Space>(engine.threads), alpha, view_of<Memory>(a),
                                   view_of<Memory>(b), beta, view_of<Memory>(c), engine.options);
    });
  });
  return result;
}

template ProductRun multiply_there(std::string_view, MatmulEngine const&, float,
                                   MatrixSpan<float const> const&, MatrixSpan<float const> const&,
                                   float, MatrixSpan<float> const&);
template ProductRun multiply_there(std::string_view, MatmulEngine const&, double,
                                   MatrixSpan<double const> const&, MatrixSpan<double const> const&,
                                   double, MatrixSpan<double> const&);
template ProductRun multiply_in_place(std::string_view, MatmulEngine const&, float,
                                      MatrixSpan<float const> const&,
                                      MatrixSpan<float const> const&, float,
                                      MatrixSpan<float> const&);
template ProductRun multiply_in_place(std::string_view, MatmulEngine const&, double,
                                      MatrixSpan<double const> const&,
                                      MatrixSpan<double const> const&, double,
                                      MatrixSpan<double> const&);

io::DenseMatrix generate_matrix(mm::Workload const& workload, mm::Factor factor, io::Scalar type,
                                std::size_t rows, std::size_t columns) {
  io::DenseMatrix made(type, rows, columns);
  auto const shape = shape_of(made);
  made.visit([&]<class T>(std::vector<T>& entries) {
    using Flat = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    mm::generate(HostExec{}, workload, factor, matrix(Flat(entries.data(), entries.size()), shape));
  });
  return made;
}

bool has_vendor(std::string_view backend) {
  return any_space([&]<class Space>(std::string_view name, std::type_identity<Space>) {
    return name == backend && mm::vendor::is_available<Space, mm::vendor::linked>;
  });
}

bool has_explicit_simd(std::string_view backend) {
  return any_space([&]<class Space>(std::string_view name, std::type_identity<Space>) {
    return name == backend && is_host_space<Space> &&
           mm::detail::simd_entries<mm::detail::ExplicitSimd<float>> > 1;
  });
}

}  // namespace taper::app
