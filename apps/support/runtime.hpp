// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::app {

/// Kokkos for one process. Initialised by the first command that needs it, so that help is quick
/// and a bad command line is reported before any device wakes up.
class Runtime {
 public:
  /// `arguments`: those that begin with --kokkos-, passed on as they are.
  explicit Runtime(std::vector<std::string> arguments);
  ~Runtime();

  /// `threads`: of the host backend; 0 leaves it to Kokkos and the environment.
  void start(int threads);

 private:
  class Guard;
  std::vector<std::string> arguments_;
  std::unique_ptr<Guard> guard_;
};

/// The backends that this build has, by the lower-case names that the command line and YAML use;
/// the widest (a device, else the parallel host backend) comes first.
std::vector<std::string_view> backend_names();

/// What `request` (a backend's name, or host, device or widest) stands for in this build, if
/// anything.
std::optional<std::string_view> find_backend(std::string_view request);

/// As find_backend(). Throws ConfigError that lists the backends there are.
std::string_view require_backend(std::string_view request);

/// Where a number comes from, as support::context() has it, and Kokkos' own account of itself, a
/// line each. Requires a started Runtime.
std::vector<std::pair<std::string, std::string>> provenance();
std::vector<std::string> kokkos_configuration();

/// A line for each backend: its name, its device or threads. Requires a started Runtime.
struct BackendInfo {
  std::string_view name;
  std::string description;
};
std::vector<BackendInfo> describe_backends();

/// Whether `backend` can be given so many threads, of all that it has. Requires a started Runtime.
bool can_use_threads(std::string_view backend, int threads);

/// Bytes that can still be allocated where `backend` keeps its tables. Requires a started Runtime.
std::uint64_t free_memory_of(std::string_view backend);

}  // namespace taper::app
