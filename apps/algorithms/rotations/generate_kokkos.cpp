// SPDX-License-Identifier: Apache-2.0
#include "generate.hpp"

#include <taper/random.hpp>

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace taper::app {
namespace {

/// n random permutations, from the streams `first`, first + 1, ...
std::vector<std::int32_t> random_lists(std::size_t n, std::uint64_t seed, std::uint64_t first) {
  std::vector<std::int32_t> ids(n * n);
  for (std::size_t agent = 0; agent < n; ++agent) {
    auto* const list = ids.data() + agent * n;
    std::iota(list, list + n, 0);
    RandomStream stream(seed, first + agent);
    shuffle(list, n, stream);
  }
  return ids;
}

/// The list of each woman has the men that like her least first. Ties: the order of their numbers.
std::vector<std::int32_t> opposed_lists(std::size_t n, std::vector<std::int32_t> const& men) {
  std::vector<std::int32_t> ids(n * n);
  std::vector<std::size_t> next(n, 0);  // per woman
  for (std::size_t rank = n; rank-- > 0;) {
    for (std::size_t man = 0; man < n; ++man) {
      auto const woman = static_cast<std::size_t>(men[man * n + rank]);
      ids[woman * n + next[woman]++] = static_cast<std::int32_t>(man);
    }
  }
  return ids;
}

}  // namespace

GeneratedMarket generate_market(RotationMarket const& market) {
  auto const n = static_cast<std::size_t>(market.n);
  GeneratedMarket result;
  for (std::size_t i = 0; i <= n; ++i) {
    result.offsets.push_back(static_cast<std::int64_t>(i * n));
  }
  result.men = random_lists(n, market.seed, 0);
  result.women = market.family == RotationFamily::uniform ? random_lists(n, market.seed, n)
                                                          : opposed_lists(n, result.men);
  return result;
}

}  // namespace taper::app
