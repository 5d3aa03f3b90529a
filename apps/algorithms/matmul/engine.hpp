// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/matmul/options.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// One way to multiply, or to add, under the name that tables and files give to it.
struct MatmulEngine {
  std::string name;
  matmul::Options options;
  std::string backend = "widest";  ///< as requested: a backend's name, or host, device or widest
  int threads = 0;                 ///< of a host backend that has several; 0: all of them
  bool copies = false;             ///< its times include the copies to a device and back
  bool pinned = false;             ///< matrices in host memory are page-locked
};

/// A rung of the ladder, or an engine of matmul::Options, by its name.
/// Throws ConfigError with the nearest name.
MatmulEngine matmul_engine(std::string_view name);

/// All names that it knows: the ladder's, then the engines'.
std::vector<std::string_view> matmul_engine_names();

/// "fork_join/ikj/64": the engine, and what it has of kernel and threshold.
std::string describe(matmul::Options const& options);

}  // namespace taper::app
