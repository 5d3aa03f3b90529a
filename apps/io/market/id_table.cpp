// SPDX-License-Identifier: Apache-2.0
#include <io/market/id_table.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>
#include <taper/stable_marriage/options.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace taper::io {
namespace {

constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

std::optional<std::uint64_t> number_in(char const* path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? std::optional(number) : std::nullopt;
}

/// The number after `key` in a file of lines "KEY NUMBER", or 0.
std::uint64_t number_of(std::string_view key, char const* path) {
  std::ifstream file(path);
  std::string word;
  std::uint64_t number = 0;
  while (file >> word >> number)
    if (word == key)
      return number;
  return 0;
}

/// The free part of the control group's memory limit, which containers have and /proc/meminfo does
/// not show. Cached files that no process uses count as free, since the kernel evicts them.
std::uint64_t free_in_control_group() {
  const auto limit = number_in("/sys/fs/cgroup/memory.max");  // the word "max": no limit
  const auto used = number_in("/sys/fs/cgroup/memory.current");
  if (!limit || !used)
    return unlimited;
  const auto idle = number_of("inactive_file", "/sys/fs/cgroup/memory.stat");
  const auto in_use = *used - std::min(idle, *used);
  return *limit > in_use ? *limit - in_use : 0;
}

std::uint64_t free_in_machine() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  std::uint64_t kibibytes = 0;
  while (file >> key >> kibibytes && std::getline(file, unit))
    if (key == "MemAvailable:")
      return kibibytes * 1024;
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0)
    return unlimited;
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

}  // namespace

IdTable::IdTable(std::size_t people, std::size_t others) : rows_(people), columns_(others) {
  const std::uint64_t ids = table_offset(columns_, rows_, 0);
  if (id_bytes(others) == 2)
    ids_.emplace<std::vector<std::uint16_t>>(ids);
  else
    ids_.emplace<std::vector<std::uint32_t>>(ids);
}

std::uint64_t market_bytes(std::size_t n) {
  const std::uint64_t row_bytes = 2 * id_bytes(n);
  if (n > 0 && n > unlimited / row_bytes / n)
    return unlimited;
  return row_bytes * n * n;
}

std::uint64_t free_memory() {
  return std::min(free_in_machine(), free_in_control_group());
}

void require_memory(std::size_t n, std::optional<std::uint64_t> given) {
  constexpr std::size_t max_people = stable_marriage::max_people;
  if (n > max_people)
    throw InputError(fmt::format("n = {} is more than {}, the maximum per side", grouped(n),
                                 grouped(max_people)));
  if (!given && market_bytes(n) <= always_free_bytes)
    return;
  const std::uint64_t free = given ? *given : free_memory();
  if (market_bytes(n) > free)
    throw InputError(
        fmt::format("n = {} needs {} for both preference tables, this machine has {} free",
                    grouped(n), human_bytes(market_bytes(n)), human_bytes(free)));
}

}  // namespace taper::io
