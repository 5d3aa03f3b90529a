// SPDX-License-Identifier: Apache-2.0
#include <io/machine/free_memory.hpp>

#include <sys/sysinfo.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace taper::io {
namespace {

std::optional<std::uint64_t> number_in(std::filesystem::path const& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

/// The number after `key` in a file of lines "KEY NUMBER", or 0.
std::uint64_t number_of(std::string_view key, std::filesystem::path const& path) {
  std::ifstream file(path);
  std::string word;
  std::uint64_t number = 0;
  while (file >> word >> number)
    if (word == key)
      return number;
  return 0;
}

/// A version of control groups: where it is mounted, and its names of files and keys.
struct Version {
  std::string_view mount;
  char const* limit;
  char const* used;
  std::string_view idle;  ///< the key in memory.stat
};

constexpr Version version_1{"sys/fs/cgroup/memory", "memory.limit_in_bytes",
                            "memory.usage_in_bytes", "total_inactive_file"};
constexpr Version version_2{"sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"};

std::uint64_t free_in(std::filesystem::path const& group, Version const& version) {
  auto const limit = number_in(group / version.limit);  // the word "max": no limit
  auto const used = number_in(group / version.used);
  if (!limit || !used)
    return unlimited_memory;
  auto const idle = number_of(version.idle, group / "memory.stat");
  auto const in_use = *used - std::min(idle, *used);
  return *limit > in_use ? *limit - in_use : 0;
}

/// The least of the group at `path` and of all that contain it. In a container the path may be that
/// outside of it. Then only the mounted folder exists, and is the group.
std::uint64_t least_along(std::filesystem::path const& mount, std::string_view path,
                          Version const& version) {
  auto least = free_in(mount, version);
  auto group = mount;
  for (auto const& name : std::filesystem::path(path).relative_path()) {
    group /= name;
    least = std::min(least, free_in(group, version));
  }
  return least;
}

/// Whether the list "cpu,memory" of /proc/self/cgroup has the memory controller.
bool controls_memory(std::string_view controllers) {
  constexpr std::string_view memory = "memory";
  auto const at = controllers.find(memory);
  return at != std::string_view::npos && (at == 0 || controllers[at - 1] == ',') &&
         (at + memory.size() == controllers.size() || controllers[at + memory.size()] == ',');
}

}  // namespace

std::uint64_t free_in_control_groups(std::filesystem::path const& root) {
  // A line is ID:CONTROLLERS:PATH; in version 2 it is 0::PATH.
  std::ifstream file(root / "proc/self/cgroup");
  auto least = std::min(least_along(root / version_2.mount, "", version_2),
                        least_along(root / version_1.mount, "", version_1));
  for (std::string line; std::getline(file, line);) {
    auto const first = line.find(':');
    auto const second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    auto const controllers = std::string_view(line).substr(first + 1, second - first - 1);
    auto const path = std::string_view(line).substr(second + 1);
    if (controllers.empty())
      least = std::min(least, least_along(root / version_2.mount, path, version_2));
    else if (controls_memory(controllers))
      least = std::min(least, least_along(root / version_1.mount, path, version_1));
  }
  return least;
}

std::uint64_t free_in_machine(std::filesystem::path const& root) {
  std::ifstream file(root / "proc/meminfo");
  std::string key, unit;
  std::uint64_t kibibytes = 0;
  while (file >> key >> kibibytes && std::getline(file, unit))
    if (key == "MemAvailable:")
      return kibibytes * 1024;
  struct sysinfo machine {};
  if (sysinfo(&machine) != 0)
    return unlimited_memory;
  return std::uint64_t{machine.totalram} * machine.mem_unit;
}

}  // namespace taper::io
