// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/branch_and_reduce/branch_and_reduce.hpp>

#include <vertex_cover/covers.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace taper::testing {

/// Checks the cover, its size, and that the lower bound is not above it.
inline void expect_cover(vertex_cover::HostGraph const& graph, vertex_cover::Report const& report,
                         std::vector<std::uint8_t> const& in_cover) {
  EXPECT_TRUE(covers(graph, in_cover));
  EXPECT_EQ(static_cast<std::uint64_t>(std::count(in_cover.begin(), in_cover.end(), 1)),
            report.cover_size);
  EXPECT_LE(report.lower_bound, report.cover_size);
}

/// Checks the minimum, and the answers for k one below, at and one above it. Returns the report
/// without k.
inline vertex_cover::Report expect_solved(vertex_cover::HostGraph const& graph,
                                          std::uint64_t minimum) {
  std::vector<std::uint8_t> in_cover(graph.vertices(), 7);
  auto const report = vertex_cover::branch_and_reduce::solve(graph, in_cover, {});
  EXPECT_EQ(report.status, Status::solved);
  EXPECT_TRUE(report.found);
  EXPECT_EQ(report.cover_size, minimum);
  EXPECT_EQ(report.lower_bound, minimum);
  expect_cover(graph, report, in_cover);
  for (std::uint64_t k = minimum == 0 ? 0 : minimum - 1; k <= minimum + 1; ++k) {
    vertex_cover::Options options;
    options.k = static_cast<std::int64_t>(k);
    auto const answer = vertex_cover::branch_and_reduce::solve(graph, in_cover, options);
    EXPECT_EQ(answer.status, Status::solved) << "k = " << k << ", minimum " << minimum;
    EXPECT_EQ(answer.found, k >= minimum) << "k = " << k << ", minimum " << minimum;
    EXPECT_EQ(answer.found, answer.cover_size <= k);
    EXPECT_LE(answer.lower_bound, minimum);
    EXPECT_TRUE(answer.found || answer.lower_bound > k);
    expect_cover(graph, answer, in_cover);
  }
  return report;
}

}  // namespace taper::testing
