// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <support/git_version.hpp>

#include <taper/version.hpp>

#include <Kokkos_Core.hpp>

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <initializer_list>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace taper::support {

/// The conditions of a measurement in addition to its parameters: keys and values, in a fixed
/// order.
using Context = std::vector<std::pair<std::string, std::string>>;

/// The model name of the device, or "" if this build has no device backend.
inline std::string device_name() {
#if defined(KOKKOS_ENABLE_CUDA)
  return Kokkos::Cuda().cuda_device_prop().name;
#else
  return {};
#endif
}

inline std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.starts_with("model name")) {
      return line.substr(line.find(':') + 2);
    }
  }
  return "unknown";
}

inline std::string compiler() {
#if defined(__clang__)
  return "Clang " __clang_version__;
#elif defined(__GNUC__)
  return "GCC " __VERSION__;
#else
  return "unknown";
#endif
}

/// The current time in UTC, in ISO 8601.
inline std::string date_utc() {
  auto const now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// The provenance of a measurement: sources, compiler, Kokkos, machine. Contains no host name and
/// no path. Requires: Kokkos is initialised.
inline Context context() {
  auto const kokkos_version = std::to_string(KOKKOS_VERSION_MAJOR) + "." +
                              std::to_string(KOKKOS_VERSION_MINOR) + "." +
                              std::to_string(KOKKOS_VERSION_PATCH);
  Context entries{
      {"taper_version", taper::version},
      {"git_commit", git_commit},
      {"git_dirty", git_dirty ? "true" : "false"},
      {"date_utc", date_utc()},
      {"compiler", compiler()},
      {"build", build},
      {"kokkos_version", kokkos_version},
      {"host_backend", Kokkos::DefaultHostExecutionSpace::name()},
      {"device_backend", Kokkos::DefaultExecutionSpace::name()},
      {"device", device_name()},
      {"cpu", cpu_model()},
      {"host_threads", std::to_string(Kokkos::DefaultHostExecutionSpace().concurrency())},
  };
  for (auto const* variable :
       {"OMP_NUM_THREADS", "OMP_PROC_BIND", "OMP_PLACES", "OMP_WAIT_POLICY"}) {
    auto const* value = std::getenv(variable);
    entries.emplace_back(variable, value == nullptr ? "" : value);
  }
  return entries;
}

/// The configuration that Kokkos prints about itself, line by line.
inline std::vector<std::string> kokkos_configuration() {
  std::ostringstream text;
  Kokkos::print_configuration(text);
  std::vector<std::string> lines;
  std::istringstream stream(text.str());
  for (std::string line; std::getline(stream, line);) {
    if (!line.empty()) {
      lines.push_back(line);
    }
  }
  return lines;
}

}  // namespace taper::support
