// SPDX-License-Identifier: Apache-2.0
//
// Every schedule counts the nodes of a small tree as a recursion does, which has its own SHA-1.
#include "kokkos.hpp"

#include <support/tree_oracle.hpp>
#include <taper/tree_search/tree_search.hpp>

#include <array>
#include <cstdint>

namespace {

namespace ts = taper::tree_search;
using taper::fuzz::Bytes;
using taper::fuzz::require;
using taper::fuzz::Space;

/// A tree of some ten nodes on average.
ts::Tree tree_of(Bytes& bytes) {
  ts::Tree tree;
  auto const choice = bytes.next();
  tree.kind = static_cast<ts::Kind>(choice % 3);
  tree.shape = static_cast<ts::Shape>(choice / 3 % 3);
  tree.root_children = static_cast<double>(bytes.next()) / 100;
  tree.max_depth = 1 + static_cast<std::uint32_t>(bytes.below(3));
  tree.children = static_cast<std::uint32_t>(bytes.below(5));
  tree.probability = tree.children == 0 ? 1 : bytes.next() / 512.0 / tree.children;
  tree.shift = bytes.next() / 255.0;
  for (int i = 0; i < 4; ++i) {
    tree.seed = tree.seed << 8 | bytes.next();
  }
  return tree;
}

ts::Options options_of(Bytes& bytes) {
  constexpr std::array schedules{ts::Schedule::serial, ts::Schedule::pool, ts::Schedule::none,
                                 ts::Schedule::worklist, ts::Schedule::steal};
  ts::Options options;
  auto const choice = bytes.next();
  options.schedule = schedules[choice % schedules.size()];
  if (options.schedule >= ts::Schedule::none) {
    options.teams = choice / 5 % 4;
    options.store_nodes = choice / 20 % 3;
    options.queue_items = choice / 60 % 4;
  }
  return options;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  Bytes bytes(data, size);
  auto const options = options_of(bytes);
  auto const tree = tree_of(bytes);
  auto const should = taper::testing::count_tree(tree);
  auto const report = ts::count(Space{}, tree, options);
  require(report.nodes == should.nodes, "the nodes are counted");
  require(report.leaves == should.leaves, "the leaves are counted");
  require(report.depth == should.depth, "the depth is found");
  return 0;
}
