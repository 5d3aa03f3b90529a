// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/sysinfo.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

// The memory that this process may still take on a host.
// Used by: matrix products, stable marriage, vertex cover, and the readers of apps/io.

namespace taper {

/// Bytes of memory, if there is no limit, or if none is known.
inline constexpr std::uint64_t unlimited_memory = std::numeric_limits<std::uint64_t>::max();

namespace detail {

/// The number at the beginning of a file, if it has one.
inline std::optional<std::uint64_t> number_in(std::string const& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

/// The number after `key` in a file of lines "KEY NUMBER"; 0 if the file does not have the key.
inline std::uint64_t number_of(std::string_view key, std::string const& path) {
  std::ifstream file(path);
  std::string word;
  std::uint64_t number = 0;
  while (file >> word >> number) {
    if (word == key) {
      return number;
    }
  }
  return 0;
}

/// A version of control groups: its mount point, and its names of files and keys.
struct ControlGroups {
  char const* mount;
  char const* limit;      ///< the file with the limit in bytes, or the word "max"
  char const* used;       ///< the file with the bytes in use, cached files included
  std::string_view idle;  ///< the key in memory.stat with the bytes of cached files without a user
};

inline constexpr ControlGroups control_groups_1{"/sys/fs/cgroup/memory", "/memory.limit_in_bytes",
                                                "/memory.usage_in_bytes", "total_inactive_file"};
inline constexpr ControlGroups control_groups_2{"/sys/fs/cgroup", "/memory.max", "/memory.current",
                                                "inactive_file"};

/// The free bytes of one group; unlimited_memory if it has no limit, or does not exist.
inline std::uint64_t free_in_group(std::string const& group, ControlGroups const& version) {
  auto const limit = number_in(group + version.limit);  // the word "max" is no number
  auto const used = number_in(group + version.used);
  if (!limit || !used) {
    return unlimited_memory;
  }
  auto const idle = number_of(version.idle, group + "/memory.stat");
  auto const in_use = *used - std::min(idle, *used);
  return *limit > in_use ? *limit - in_use : 0;
}

/// The least free bytes of the group at `path` and of all groups that contain it. In a container,
/// `path` may be a path outside of the container. Then only the mount point exists; it is the
/// group.
inline std::uint64_t least_along(std::string const& root, std::string const& path,
                                 ControlGroups const& version) {
  auto const mount = root + version.mount;
  auto least = free_in_group(mount, version);
  for (std::size_t end = 0; end < path.size();) {
    end = std::min(path.find('/', end + 1), path.size());
    least = std::min(least, free_in_group(mount + path.substr(0, end), version));
  }
  return least;
}

/// Whether the list "cpu,memory" of /proc/self/cgroup has the memory controller.
inline bool controls_memory(std::string const& controllers) {
  return ("," + controllers + ",").find(",memory,") != std::string::npos;
}

}  // namespace detail

/// The free part, in bytes, of the memory limits of this process's control groups: of its own group
/// and of all that contain it, in version 1 and 2. Containers and batch systems set them, and the
/// kernel kills a process that exceeds one. Cached files that no process uses count as free.
/// `root`: what comes before /proc and /sys, for tests.
inline std::uint64_t free_in_control_groups(std::string const& root = "") {
  using namespace detail;
  // A line is ID:CONTROLLERS:PATH; in version 2 it is 0::PATH.
  std::ifstream file(root + "/proc/self/cgroup");
  auto least =
      std::min(least_along(root, "", control_groups_2), least_along(root, "", control_groups_1));
  for (std::string line; std::getline(file, line);) {
    auto const first = line.find(':');
    auto const second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) {
      continue;
    }
    auto const controllers = line.substr(first + 1, second - first - 1);
    auto const path = line.substr(second + 1);
    if (controllers.empty()) {
      least = std::min(least, least_along(root, path, control_groups_2));
    } else if (controls_memory(controllers)) {
      least = std::min(least, least_along(root, path, control_groups_1));
    }
  }
  return least;
}

/// The free memory of the machine in bytes. Without /proc: all of its memory. `root`: as above.
inline std::uint64_t free_in_machine(std::string const& root = "") {
  std::ifstream file(root + "/proc/meminfo");
  std::string key, unit;
  std::uint64_t kibibytes = 0;
  while (file >> key >> kibibytes && std::getline(file, unit)) {
    if (key == "MemAvailable:") {
      return kibibytes * 1024;
    }
  }
  struct sysinfo machine {};
  if (sysinfo(&machine) != 0) {
    return unlimited_memory;
  }
  return std::uint64_t{machine.totalram} * machine.mem_unit;
}

/// The bytes that this process may still allocate: the free memory of the machine, or of its
/// control groups if that is less. Cost: reads a few small files.
inline std::uint64_t free_host_memory() {
  return std::min(free_in_machine(), free_in_control_groups());
}

}  // namespace taper
