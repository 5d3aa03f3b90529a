// SPDX-License-Identifier: Apache-2.0
#include <io/market/id_table.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>
#include <taper/host_memory.hpp>
#include <taper/stable_marriage/options.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace taper::io {
IdTable::IdTable(std::size_t people, std::size_t others) : rows_(people), columns_(others) {
  const std::uint64_t ids = table_offset(columns_, rows_, 0);
  if (id_bytes(others) == 2)
    ids_.emplace<std::vector<std::uint16_t>>(ids);
  else
    ids_.emplace<std::vector<std::uint32_t>>(ids);
}

std::uint64_t market_bytes(std::size_t n) {
  const std::uint64_t row_bytes = 2 * id_bytes(n);
  if (n > 0 && n > unlimited_memory / row_bytes / n)
    return unlimited_memory;
  return row_bytes * n * n;
}

std::uint64_t free_memory() {
  return free_host_memory();
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
