// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/matmul/options.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// The operation on A, B and C.
enum class Operation {
  multiply,  ///< C = alpha A B + beta C
  add,       ///< C = A + B
};

/// A named way to multiply or to add. Tables and result files use the name.
struct MatmulEngine {
  std::string name;
  matmul::Options options;
  std::string backend = "widest";  ///< as requested: a backend's name, or host, device or widest
  int threads = 0;                 ///< of a host backend; 0: all
  bool copies = false;             ///< times include the copies to the device and back
  bool pinned = false;             ///< matrices in host memory are page-locked
};

/// The rung of the ladder or the engine of matmul::Options with this name.
/// Throws ConfigError with the nearest name, or if the engine does not have the operation.
MatmulEngine matmul_engine(std::string_view name, Operation operation = Operation::multiply);

/// The names that matmul_engine() accepts: the ladder's, then the engines'.
std::vector<std::string_view> matmul_engine_names(Operation operation = Operation::multiply);

/// Whether the operation of this engine reads this field of matmul::Options, by the field's name in
/// files.
bool reads_field(Operation operation, matmul::Engine engine, std::string_view field);

/// "fork_join/ikj/64": the engine, and its kernel and threshold or block if it has them.
std::string describe(matmul::Options const& options);

}  // namespace taper::app
