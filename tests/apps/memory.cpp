// SPDX-License-Identifier: Apache-2.0
#include <algorithms/stable_marriage/solver.hpp>

#include <io/market/id_table.hpp>
#include <taper/stable_marriage/options.hpp>

#include <gtest/gtest.h>

#include <cstdint>

namespace {

using namespace taper;
using namespace taper::app;

namespace sm = stable_marriage;

TEST(Memory, CountsWorkspaceAndVerifierTogether) {
  // One bit per pair in words of 32 bits, and 12 bytes per person.
  constexpr std::uint64_t verifier = 1000 * (32 * 4 + 12);
  auto const tables = io::market_bytes(1000);
  EXPECT_EQ(bytes_needed(1000, {}), tables + sm::footprint_bytes(1000, {}) + verifier);
  EXPECT_EQ(bytes_needed(1000, {}, {.devices = 2, .shards = 2}),
            tables / 2 + sm::footprint_bytes_per_shard(1000, 2) + verifier);
}

}  // namespace
