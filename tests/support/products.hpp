// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <support/backends.hpp>
#include <taper/matmul/options.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

/// Matrices with any strides, the product by its definition, and the choices of options for a host
/// backend. An oracle for tests: of the library it uses only the options.
namespace taper::testing {

namespace detail {
template <class... Spaces>
auto host_only(std::tuple<Spaces...>) -> decltype(std::tuple_cat(
    std::conditional_t<Kokkos::SpaceAccessibility<Spaces, Kokkos::HostSpace>::accessible,
                       std::tuple<Spaces>, std::tuple<>>{}...));
template <class... Spaces>
auto as_tuple(::testing::Types<Spaces...>) -> std::tuple<Spaces...>;
}  // namespace detail

/// Backends of this build that run on the host.
using HostBackends =
    AsTypes<decltype(detail::host_only(decltype(detail::as_tuple(Backends{})){}))>::type;

/// How a matrix is stored: by rows or by columns, with unused entries between adjacent entries
/// (gap) and between adjacent lines (line_gap).
struct Order {
  bool by_columns = false;
  std::size_t gap = 0;
  std::size_t line_gap = 0;
};

inline std::vector<Order> orders() {
  return {{false, 0, 0}, {true, 0, 0}, {false, 0, 5}, {true, 0, 3}, {false, 1, 2}, {true, 2, 0}};
}

/// A host matrix that can check that the unused entries in its memory are unchanged.
template <class T>
class TestMatrix {
 public:
  using View = Kokkos::View<T**, Kokkos::LayoutStride, Kokkos::HostSpace>;
  using Memory = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  static constexpr T untouched = T(-77);

  TestMatrix(std::size_t rows, std::size_t columns, Order order)
      : entry_(order.gap + 1), line_((order.by_columns ? rows : columns) * entry_ + order.line_gap),
        memory_(line_ * (order.by_columns ? columns : rows) + 1, untouched),
        view_(memory_.data(), order.by_columns
                                  ? Kokkos::LayoutStride(rows, entry_, columns, line_)
                                  : Kokkos::LayoutStride(rows, line_, columns, entry_)) {}
  TestMatrix(TestMatrix const&) = delete;
  TestMatrix& operator=(TestMatrix const&) = delete;

  T& operator()(std::size_t i, std::size_t j) const { return view_(i, j); }
  std::size_t rows() const { return view_.extent(0); }
  std::size_t columns() const { return view_.extent(1); }
  View const& view() const { return view_; }
  /// All of its memory, with the unused entries.
  Memory memory() const { return Memory(view_.data(), memory_.size()); }
  Kokkos::View<T const**, Kokkos::LayoutStride, Kokkos::HostSpace> const_view() const {
    return view_;
  }

  template <class Entry>
  void fill(Entry const& entry) const {
    for (std::size_t i = 0; i < rows(); ++i) {
      for (std::size_t j = 0; j < columns(); ++j) {
        view_(i, j) = entry(i, j);
      }
    }
  }

  /// True if all unused entries are unchanged.
  bool gaps_are_untouched() const {
    std::vector<bool> own(memory_.size(), false);
    for (std::size_t i = 0; i < rows(); ++i) {
      for (std::size_t j = 0; j < columns(); ++j) {
        own[static_cast<std::size_t>(&view_(i, j) - memory_.data())] = true;
      }
    }
    for (std::size_t e = 0; e < memory_.size(); ++e) {
      if (!own[e] && memory_[e] != untouched) {
        return false;
      }
    }
    return true;
  }

 private:
  std::size_t entry_;
  std::size_t line_;
  std::vector<T> memory_;
  View view_;
};

/// alpha A B + beta C by the definition, row by row. Does not read C if beta = 0.
template <class T>
std::vector<T> product_by_definition(T alpha, TestMatrix<T> const& a, TestMatrix<T> const& b,
                                     T beta, TestMatrix<T> const& c) {
  std::vector<T> entries;
  for (std::size_t i = 0; i < c.rows(); ++i) {
    for (std::size_t j = 0; j < c.columns(); ++j) {
      T sum = 0;
      for (std::size_t k = 0; k < a.columns(); ++k) {
        sum += a(i, k) * b(k, j);
      }
      T const product = alpha == 0 ? T(0) : alpha * sum;
      entries.push_back(beta == 0 ? product : product + beta * c(i, j));
    }
  }
  return entries;
}

inline std::string describe(matmul::Options const& options) {
  std::ostringstream text;
  text << to_string(options.engine) << ' ' << to_string(options.kernel) << ' '
       << to_string(options.scheduler) << " block " << options.block << " threshold "
       << options.threshold.value_or(-1)
       << (!options.temporaries      ? " in place"
           : options.two_temporaries ? " two temporaries"
                                     : " temporaries")
       << (options.explicit_simd ? " explicit SIMD" : "");
  return text.str();
}

/// True if `Space` has the scheduler: tasks need OpenMP.
template <class Space>
constexpr bool runs_scheduler(Scheduler scheduler) {
#if defined(KOKKOS_ENABLE_OPENMP)
  return scheduler != Scheduler::tasks || std::is_same_v<Space, Kokkos::OpenMP>;
#else
  return scheduler != Scheduler::tasks;
#endif
}

/// Every combination of engine, kernel and scheduler that `Space` has, except the engine vendor.
/// The caller sets block and threshold.
template <class Space>
std::vector<matmul::Options> host_choices() {
  using matmul::Engine;
  std::vector<matmul::Options> choices;
  for (auto const engine_name : matmul::names<Engine>()) {
    Engine const engine = *matmul::parse<Engine>(engine_name);
    if (!runs_on_host(engine) || !multiplies(engine) || engine == Engine::vendor) {
      continue;
    }
    for (auto const kernel_name : matmul::names<matmul::Kernel>()) {
      for (auto const scheduler_name : matmul::names<Scheduler>()) {
        matmul::Options options;
        options.engine = engine;
        options.kernel = *matmul::parse<matmul::Kernel>(kernel_name);
        options.scheduler = *matmul::parse<Scheduler>(scheduler_name);
        bool const has_scheduler = runs_scheduler<Space>(options.scheduler);
        bool const kernel_counts = has_kernel(engine) || options.kernel == matmul::Options{}.kernel;
        bool const scheduler_counts =
            recurses(engine) || options.scheduler == matmul::Options{}.scheduler;
        if (!has_scheduler || !kernel_counts || !scheduler_counts) {
          continue;
        }
        choices.push_back(options);
        if (engine == Engine::fork_join) {
          options.two_temporaries = true;
          choices.push_back(options);
          options.two_temporaries = false;
          options.temporaries = false;
          choices.push_back(options);
        }
      }
    }
  }
  return choices;
}

}  // namespace taper::testing
