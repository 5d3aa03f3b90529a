// SPDX-License-Identifier: Apache-2.0
// A Kokkos tool that appends the name of each kernel that runs on a GPU, once, to the file
// $KERNEL_NAMES. To build and load it: see docs/testing.md.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

namespace {

/// The type of the execution space, in the upper byte of a Kokkos device id.
constexpr std::uint32_t cuda = 2;

void record(char const* name, std::uint32_t device) {
  static std::set<std::string> seen;
  char const* const path = std::getenv("KERNEL_NAMES");
  if (path == nullptr || device >> 24 != cuda || !seen.insert(name).second) {
    return;
  }
  // Each name is written at once: a checker may be stopped before the program ends.
  if (std::FILE* const file = std::fopen(path, "a"); file != nullptr) {
    std::fprintf(file, "%s\n", name);
    std::fclose(file);
  }
}

}  // namespace

extern "C" {

struct KokkosToolSettings {
  bool requires_global_fencing;
  bool padding[255];
};

/// The default, a fence around each kernel, would change the program under test.
void kokkosp_request_tool_settings(std::uint32_t, KokkosToolSettings* settings) {
  settings->requires_global_fencing = false;
}
void kokkosp_begin_parallel_for(char const* name, std::uint32_t device, std::uint64_t*) {
  record(name, device);
}
void kokkosp_begin_parallel_reduce(char const* name, std::uint32_t device, std::uint64_t*) {
  record(name, device);
}
void kokkosp_begin_parallel_scan(char const* name, std::uint32_t device, std::uint64_t*) {
  record(name, device);
}
}
