// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/tree_search/options.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Unbalanced trees, computed directly from the benchmark's description. An oracle for tests: of
/// the library it uses only the types of the parameters and of the report.
namespace taper::testing {

using Bytes = std::vector<std::uint8_t>;

/// SHA-1 as in FIPS 180-4, for messages of any length.
inline Bytes sha1(Bytes message) {
  std::uint64_t const bits = message.size() * 8;
  message.push_back(0x80);
  while (message.size() % 64 != 56) {
    message.push_back(0);
  }
  for (int shift = 56; shift >= 0; shift -= 8) {
    message.push_back(static_cast<std::uint8_t>(bits >> shift));
  }
  auto const rotl = [](std::uint32_t x, unsigned n) { return x << n | x >> (32 - n); };
  std::array<std::uint32_t, 5> h{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
  for (std::size_t block = 0; block < message.size(); block += 64) {
    std::array<std::uint32_t, 80> w{};
    for (std::size_t i = 0; i < 64; ++i) {
      w[i / 4] = w[i / 4] << 8 | message[block + i];
    }
    for (std::size_t t = 16; t < 80; ++t) {
      w[t] = rotl(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    }
    auto v = h;
    for (std::size_t t = 0; t < 80; ++t) {
      auto const [a, b, c, d, e] = v;
      std::uint32_t f = 0;
      switch (t / 20) {
      case 0:
        f = ((b & c) | (~b & d)) + 0x5a827999;
        break;
      case 1:
        f = (b ^ c ^ d) + 0x6ed9eba1;
        break;
      case 2:
        f = ((b & c) | (b & d) | (c & d)) + 0x8f1bbcdc;
        break;
      default:
        f = (b ^ c ^ d) + 0xca62c1d6;
      }
      v = {rotl(a, 5) + f + e + w[t], a, rotl(b, 30), c, d};
    }
    for (std::size_t i = 0; i < 5; ++i) {
      h[i] += v[i];
    }
  }
  Bytes digest;
  for (std::uint32_t const word : h) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      digest.push_back(static_cast<std::uint8_t>(word >> shift));
    }
  }
  return digest;
}

inline void append(Bytes& bytes, std::uint32_t number) {
  for (int shift = 24; shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<std::uint8_t>(number >> shift));
  }
}

/// The number of a node's children, by the formulas of the benchmark's description.
inline std::uint32_t children_of(tree_search::Tree const& tree, Bytes const& state,
                                 std::uint32_t depth) {
  using tree_search::Kind;
  std::uint32_t draw = 0;
  for (std::size_t i = 16; i < 20; ++i) {
    draw = draw << 8 | state[i];
  }
  double const u = static_cast<double>(draw & 0x7fffffff) / 2147483648.0;
  if (tree.kind == Kind::binomial && depth == 0) {
    return static_cast<std::uint32_t>(tree.root_children);
  }
  if (tree.kind == Kind::binomial ||
      (tree.kind == Kind::hybrid && !(depth < tree.shift * tree.max_depth))) {
    return u < tree.probability ? tree.children : 0;
  }
  double mean = tree.root_children;
  if (depth > 0) {
    double const ratio = static_cast<double>(depth) / tree.max_depth;
    switch (tree.shape) {
    case tree_search::Shape::linear:
      mean *= 1 - ratio;
      break;
    case tree_search::Shape::cyclic:
      mean = ratio > 5 ? 0 : std::pow(mean, std::sin(2 * 3.141592653589793 * ratio));
      break;
    case tree_search::Shape::fixed:
      mean = ratio < 1 ? mean : 0;
      break;
    }
  }
  if (mean <= 0) {
    return 0;
  }
  double const count = std::floor(std::log(1 - u) / std::log(1 - 1 / (1 + mean)));
  return static_cast<std::uint32_t>(std::min(count, 100.0));
}

inline void count_below(tree_search::Tree const& tree, Bytes const& state, std::uint32_t depth,
                        tree_search::Report& report) {
  std::uint32_t const children = children_of(tree, state, depth);
  ++report.nodes;
  report.leaves += children == 0 ? 1 : 0;
  report.depth = std::max(report.depth, depth);
  for (std::uint32_t i = 0; i < children; ++i) {
    Bytes message = state;
    append(message, i);
    count_below(tree, sha1(message), depth + 1, report);
  }
}

/// Counts a tree by recursion.
inline tree_search::Report count_tree(tree_search::Tree const& tree) {
  Bytes message(16, 0);
  append(message, tree.seed);
  tree_search::Report report;
  count_below(tree, sha1(message), 0, report);
  return report;
}

}  // namespace taper::testing
