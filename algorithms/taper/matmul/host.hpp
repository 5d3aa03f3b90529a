// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/contract.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/options.hpp>
#include <taper/matmul/report.hpp>

#include <cstdint>
#include <string>

namespace taper::matmul::host {

template <class Exec, class T>
Report multiply(Exec const&, T alpha, Matrix<T const> a, Matrix<T const> b, T beta, Matrix<T> c,
                Options const& options) {
  TAPER_REQUIRE(runs_on_host(options.engine), "taper::matmul::multiply: engine " +
                                                  std::string(to_string(options.engine)) +
                                                  " runs on a GPU, and the place is a host's");
  for (std::int64_t i = 0; i < c.rows; ++i) {
    for (std::int64_t j = 0; j < c.columns; ++j) {
      c(i, j) = beta == 0 ? T(0) : beta * c(i, j);
    }
    for (std::int64_t k = 0; k < a.columns; ++k) {
      T const scaled = alpha * a(i, k);
      for (std::int64_t j = 0; j < c.columns; ++j) {
        c(i, j) += scaled * b(k, j);
      }
    }
  }
  Report report;
  report.engine = Engine::sequential;
  report.kernel_calls = 1;
  return report;
}

}  // namespace taper::matmul::host
