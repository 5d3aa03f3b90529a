// SPDX-License-Identifier: Apache-2.0
#include "product.hpp"

#include <support/config_error.hpp>

#include <io/market/id_table.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <array>
#include <limits>
#include <utility>

namespace taper::app {

std::string describe(Operation operation, Deviation const& deviation) {
  return operation == Operation::add
             ? fmt::format("{} entries differ from the sum", deviation.scaled_residual)
             : fmt::format("scaled residual {:.3g}, bound {:.4g}", deviation.scaled_residual,
                           deviation.bound);
}

std::uint64_t product_bytes(Operation operation, io::Scalar type, Extents const& extents) {
  auto const [m, n, k] = extents;
  auto const adds = operation == Operation::add;
  using Pair = std::pair<std::uint64_t, std::uint64_t>;
  std::uint64_t total = 0;
  for (auto const& [rows, columns] :
       std::array{adds ? Pair{m, n} : Pair{m, k}, adds ? Pair{m, n} : Pair{k, n}, Pair{m, n}}) {
    auto const bytes = io::matrix_bytes(type, rows, columns);
    constexpr auto max = std::numeric_limits<std::uint64_t>::max();
    total = bytes > max - total ? max : total + bytes;
  }
  return total;
}

void require_host_memory(std::string_view what, std::uint64_t bytes) {
  if (auto const free = io::free_memory(); bytes > free) {
    throw ConfigError(fmt::format("{} need {} of memory; {} are free", what, io::human_bytes(bytes),
                                  io::human_bytes(free)));
  }
}

}  // namespace taper::app
