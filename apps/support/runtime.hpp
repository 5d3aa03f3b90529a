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

/// Kokkos for one process. A command starts it when it executes, so that --help is quick and a
/// wrong command line is reported before a device starts.
class Runtime {
 public:
  /// `arguments`: the command line's arguments that begin with --kokkos-, for Kokkos.
  explicit Runtime(std::vector<std::string> arguments);
  ~Runtime();

  /// Initialises Kokkos. `threads`: of the host backend; 0: Kokkos and the environment decide.
  /// Throws ConfigError if Kokkos would abort on an argument or an environment variable.
  void start(int threads);

  /// Whether an argument for Kokkos says how many threads the host backend has.
  bool has_threads_argument() const;

 private:
  class Guard;
  std::vector<std::string> arguments_;
  std::unique_ptr<Guard> guard_;
};

/// The backends of this build, by the lower-case names of the command line and YAML. The widest
/// comes first: a device, else the parallel host backend.
std::vector<std::string_view> backend_names();

/// The backend of this build that `request` means: a backend's name, or host, device or widest.
/// None if the build has no such backend.
std::optional<std::string_view> find_backend(std::string_view request);

/// As find_backend(). Throws ConfigError with the build's backends if there is no such backend.
std::string_view require_backend(std::string_view request);

/// The origin of measurements: the keys and values of support::context(), and the lines of Kokkos'
/// own configuration report. Requires a started Runtime.
std::vector<std::pair<std::string, std::string>> provenance();
std::vector<std::string> kokkos_configuration();

/// A backend's name, and its device or its threads and CPU.
struct BackendInfo {
  std::string_view name;
  std::string description;
};
/// All backends of this build. Requires a started Runtime.
std::vector<BackendInfo> describe_backends();

/// Whether `backend` can run on `threads` of its threads; 0: all. Requires a started Runtime.
bool can_use_threads(std::string_view backend, int threads);

/// Free bytes of the memory that `backend` works on. Requires a started Runtime.
std::uint64_t free_memory_of(std::string_view backend);

}  // namespace taper::app
