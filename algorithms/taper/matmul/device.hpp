// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/contract.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/options.hpp>
#include <taper/matmul/report.hpp>

#include <string>

namespace taper::matmul::device {

/// C = alpha A B + beta C in memory that `where` reaches; C has contiguous rows, or neither rows
/// nor columns are. Extents from 0; alpha and beta may be 0, see the front door. Engines: automatic,
/// vendor, team_tiled, register_blocked.
template <class Exec, class T>
Report multiply(Exec const&, T, Matrix<T const>, Matrix<T const>, T, Matrix<T>,
                Options const& options) {
  throw Error("taper::matmul::multiply: no engine " + std::string(to_string(options.engine)) +
              " on a GPU");
}

/// The same with matrices in host memory, pageable or pinned. Engines: automatic, streamed.
template <class Exec, class T>
Report stream(Exec const&, T, Matrix<T const>, Matrix<T const>, T, Matrix<T>,
              Options const& options) {
  throw Error("taper::matmul::multiply: no engine " + std::string(to_string(options.engine)) +
              " for matrices in host memory");
}

}  // namespace taper::matmul::device
