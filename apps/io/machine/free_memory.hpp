// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>

namespace taper::io {

/// The amount of memory if there is no limit, or none that is known.
inline constexpr std::uint64_t unlimited_memory = std::numeric_limits<std::uint64_t>::max();

/// The free part, in bytes, of the memory limits of this process's control groups: of its own group
/// and of all that contain it, in version 1 and 2. Containers and batch systems set them, and the
/// kernel kills a process that exceeds one. Cached files that no process uses count as free.
/// `root`: the folder with proc and sys, for tests.
std::uint64_t free_in_control_groups(std::filesystem::path const& root = "/");

/// The free memory of the machine in bytes. Without /proc: all of its memory.
std::uint64_t free_in_machine(std::filesystem::path const& root = "/");

}  // namespace taper::io
