// SPDX-License-Identifier: Apache-2.0
#include <taper/vertex_cover/branch_and_reduce/search.hpp>

#include <support/graph_oracles.hpp>
#include <vertex_cover/component_graphs.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace {

namespace vc = taper::vertex_cover;
using taper::testing::covers;
using taper::testing::minimum_size;
using taper::testing::nearly_regular_graph;
using taper::testing::side_by_side;
using taper::testing::to_host_graph;
using vc::HostGraph;
using vc::branch_and_reduce::no_cover;
using vc::branch_and_reduce::Node;
using vc::branch_and_reduce::Partners;
using vc::branch_and_reduce::Search;
using vc::branch_and_reduce::Subproblem;

/// Partners that exist in this process alone: all branches that are given wait in a list.
class Alone final : public Partners {
 public:
  explicit Alone(std::uint32_t limit) : limit_(limit) {}

  std::uint32_t process() const override { return 0; }
  std::uint64_t nodes_alone() const override { return 0; }
  bool begin(std::uint32_t, std::uint32_t, std::uint32_t, Give) override { return true; }
  bool poll() override { return false; }
  bool over() const override { return false; }
  std::uint32_t limit() const override { return limit_; }
  std::uint32_t lower() const override { return 0; }
  void found(std::uint32_t size, std::vector<std::uint8_t> cover) override {
    limit_ = std::min(limit_, size);
    cover_ = std::move(cover);
    sizes_are_right = sizes_are_right && std::count(cover_.begin(), cover_.end(), 1) == size;
  }
  void proved(std::uint32_t) override {}
  void tell_clauses(Words) override {}
  Words take_clauses() override { return {}; }
  std::vector<std::uint8_t> const& cover() const override { return cover_; }
  std::optional<Words> take() override { return std::nullopt; }
  void finish() override {}
  void give_up() override {}
  void rest() override {}
  Standing meet(Standing const& own) override { return own; }
  void share(std::vector<std::uint8_t>&) override {}

  bool sizes_are_right = true;

 private:
  std::uint32_t limit_;
  std::vector<std::uint8_t> cover_;
};

struct Found {
  std::uint32_t size;
  std::uint64_t given;
};

/// Searches by one Search, which gives a branch away at about one of `rarely` moments. Another one
/// searches what was given, and gives branches of it.
Found search_in_parts(HostGraph const& graph, std::uint64_t rarely, std::mt19937_64& random) {
  vc::Interrupt interrupt{vc::Options{}};
  vc::Report report;
  auto const n = static_cast<std::uint32_t>(graph.vertices());
  Alone partners(n + 1);
  Search first(interrupt, report, nullptr);
  Search second(interrupt, report, nullptr);
  std::vector<std::vector<std::uint32_t>> waiting;
  std::uint64_t given = 0;
  auto const search_with = [&](Search& search, Node& node) {
    search.share_with(&partners);
    interrupt.poll_with([&] {
      if (random() % rarely == 0) {
        if (auto const part = search.give()) {
          waiting.push_back(part->to_words());
          ++given;
        }
      }
      return false;
    });
    search.run(node, n + 1, 0);
  };
  Node root;
  root.graph.assign(graph);
  root.matching.assign(n);
  root.graph.touch_all();
  search_with(first, root);
  while (!waiting.empty()) {
    std::swap(waiting[random() % waiting.size()], waiting.back());
    auto const part = Subproblem::of_words(waiting.back());
    EXPECT_EQ(part.to_words(), waiting.back());
    for (auto const v : part.excluded) {
      EXPECT_EQ(std::count(part.live.begin(), part.live.end(), v), 1);
    }
    waiting.pop_back();
    Search& search = random() % 2 == 0 ? first : second;
    if (Node node; search.restore(part, node)) {
      search_with(search, node);
    }
  }
  EXPECT_TRUE(partners.sizes_are_right);
  EXPECT_TRUE(covers(graph, partners.cover()));
  return {partners.limit(), given};
}

TEST(SharedSearch, FindsTheMinimumWhateverItGivesAway) {
  std::mt19937_64 random(1);
  std::uint64_t given = 0;
  for (int i = 0; i < 3'000; ++i) {
    auto const graph = taper::testing::random_graph(24, random);
    auto const found = search_in_parts(to_host_graph(graph), 1 + random() % 3, random);
    EXPECT_EQ(found.size, minimum_size(graph)) << "graph " << i;
    given += found.given;
  }
  EXPECT_GT(given, 100u);
}

std::uint64_t solve_alone(HostGraph const& graph) {
  vc::Interrupt interrupt{vc::Options{}};
  vc::Report report;
  Search search(interrupt, report, nullptr);
  Node root;
  auto const n = static_cast<std::uint32_t>(graph.vertices());
  root.graph.assign(graph);
  root.matching.assign(n);
  root.graph.touch_all();
  search.run(root, n + 1, 0);
  return root.best_size;
}

// These graphs are folded often. Half of them are two components, of which the larger one is
// shared.
TEST(SharedSearch, FindsItInGraphsWithFoldsAndComponents) {
  std::mt19937_64 random(2);
  std::uint64_t given = 0;
  for (std::size_t i = 0; i < 60; ++i) {
    auto const part = nearly_regular_graph(110, 3 + i / 2 % 2, random);
    auto const graph =
        i % 2 == 0 ? part : side_by_side({nearly_regular_graph(60, 4, random), part});
    auto const found = search_in_parts(graph, 1 + random() % 3, random);
    EXPECT_EQ(found.size, solve_alone(graph)) << "graph " << i;
    given += found.given;
  }
  EXPECT_GT(given, 500u);
}

}  // namespace
