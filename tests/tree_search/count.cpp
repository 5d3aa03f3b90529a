// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <support/case_stride.hpp>
#include <support/error_message.hpp>
#include <support/tree_oracle.hpp>
#include <taper/tree_search/tree_search.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace oracle = taper::testing;
namespace ts = taper::tree_search;

/// Compares the words in the order of the digest's bytes.
constexpr bool equals(ts::Sha1Digest const& digest, std::uint32_t a, std::uint32_t b,
                      std::uint32_t c, std::uint32_t d, std::uint32_t e) {
  auto const& x = digest.word;
  return x[0] == a && x[1] == b && x[2] == c && x[3] == d && x[4] == e;
}
// The example "abc" of FIPS 180, and the empty message.
static_assert(equals(ts::sha1_of_block({0x61626380, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 24}),
                     0xA9993E36, 0x4706816A, 0xBA3E2571, 0x7850C26C, 0x9CD0D89D));
static_assert(equals(ts::sha1_of_block({0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}),
                     0xDA39A3EE, 0x5E6B4B0D, 0x3255BFEF, 0x95601890, 0xAFD80709));

/// Trees of 1 to some 10,000 nodes, of every distribution.
std::vector<ts::Tree> small_trees() {
  using ts::Kind;
  using ts::Shape;
  std::vector<ts::Tree> trees;
  for (std::uint32_t const seed : {0u, 1u, 2u, 3u}) {
    for (double const root : {0.0, 1.0, 2.5, 40.0}) {
      trees.push_back({.kind = Kind::binomial,
                       .root_children = root,
                       .probability = 0.3,
                       .children = 3,
                       .seed = seed});
    }
    for (Shape const shape : {Shape::linear, Shape::cyclic, Shape::fixed}) {
      trees.push_back({.shape = shape, .root_children = 3, .max_depth = 5, .seed = seed});
      trees.push_back({.kind = Kind::hybrid,
                       .shape = shape,
                       .root_children = 3,
                       .max_depth = 7,
                       .probability = 0.3,
                       .children = 3,
                       .seed = seed});
    }
  }
  trees.push_back({.shape = Shape::fixed, .root_children = 120, .max_depth = 1, .seed = 3});
  trees.push_back(
      {.kind = Kind::binomial, .root_children = 500, .probability = 0.095, .children = 10});
  trees.push_back({.kind = Kind::binomial, .root_children = 3, .probability = 1, .children = 0});
  trees.push_back({.kind = Kind::binomial, .root_children = 5'000, .probability = 0});
  // Means of 1 / 0 and of 1e300, at depths that the trees do not have; and a root of 2^31 - 1.
  for (double const root : {0.0, 1e-300}) {
    trees.push_back({.shape = Shape::cyclic, .root_children = root, .max_depth = 2});
    trees.push_back({.kind = Kind::hybrid, .shape = Shape::cyclic, .root_children = root});
  }
  trees.push_back({.shape = Shape::fixed, .root_children = 2147483647, .max_depth = 1});
  return trees;
}

std::string text_of(ts::Tree const& tree) {
  return std::string(to_string(tree.kind)) + " " + std::string(to_string(tree.shape)) + " b " +
         std::to_string(tree.root_children) + " seed " + std::to_string(tree.seed);
}

void expect_same(ts::Report const& report, ts::Report const& expected, std::string const& what) {
  EXPECT_EQ(report.nodes, expected.nodes) << what;
  EXPECT_EQ(report.leaves, expected.leaves) << what;
  EXPECT_EQ(report.depth, expected.depth) << what;
}

template <class Space>
std::vector<ts::Schedule> schedules() {
  std::vector<ts::Schedule> all{ts::Schedule::none, ts::Schedule::worklist, ts::Schedule::steal};
  if constexpr (taper::HostExecutionSpace<Space>) {
    all.push_back(ts::Schedule::serial);
    all.push_back(ts::Schedule::pool);
    if (std::string(Space::name()) == "OpenMP") {
      all.push_back(ts::Schedule::tasks);
    }
  }
  return all;
}

template <class Space>
struct Count : ::testing::Test {
  Space space;
};
TYPED_TEST_SUITE(Count, oracle::Backends, oracle::BackendNames);

TYPED_TEST(Count, AgreesWithRecursion) {
  for (ts::Tree const& tree : small_trees()) {
    ts::Report const expected = oracle::count_tree(tree);
    for (ts::Schedule const schedule : schedules<TypeParam>()) {
      expect_same(ts::count(this->space, tree, {.schedule = schedule}), expected,
                  std::string(to_string(schedule)) + ", " + text_of(tree));
    }
  }
}

TYPED_TEST(Count, DoesNotDependOnCapacitiesOrTeams) {
  ts::Tree const tree{
      .kind = ts::Kind::binomial, .root_children = 300, .probability = 0.2475, .children = 4};
  ts::Report const expected = oracle::count_tree(tree);
  EXPECT_GT(expected.nodes, 10'000u);
  for (ts::Schedule const schedule :
       {ts::Schedule::none, ts::Schedule::worklist, ts::Schedule::steal}) {
    for (std::uint64_t const teams : {0u, 1u, 3u}) {
      for (std::uint64_t const items : {1u, 2u, 100u}) {
        ts::Report const report = ts::count(
            this->space, tree,
            {.schedule = schedule, .teams = teams, .store_nodes = 1, .queue_items = items});
        expect_same(report, expected, std::string(to_string(schedule)));
        EXPECT_TRUE(teams == 0 || report.workers == teams);
      }
    }
  }
}

/// The published sizes, with the default schedule.
TYPED_TEST(Count, GivesThePublishedSizes) {
  ts::Report const small = ts::count(this->space, {.shape = ts::Shape::linear});
  EXPECT_EQ(small.nodes, 1732u);
  EXPECT_EQ(small.leaves, 1050u);
  std::vector<std::string_view> names{"T3"};
  if (oracle::case_stride == 1 && std::is_same_v<TypeParam, Kokkos::DefaultExecutionSpace>) {
    names = {"T1", "T2", "T3", "T4", "T5"};
  }
  if (oracle::case_stride == 1 && taper::is_gpu<TypeParam>) {
    names.insert(names.end(), {"T1L", "T2L", "T3L"});
  }
  for (std::string_view const name : names) {
    auto const sample = ts::find_sample_tree(name);
    ASSERT_TRUE(sample.has_value());
    ts::Report const report = ts::count(this->space, sample->tree);
    EXPECT_EQ(report.nodes, sample->nodes) << name;
    EXPECT_EQ(report.leaves, sample->leaves) << name;
    EXPECT_EQ(report.depth, sample->depth) << name;
  }
}

TEST(CountInPool, AgreesWithRecursion) {
  for (std::uint32_t const workers : {1u, 2u, 4u}) {
    taper::ForkJoinPool pool(workers);
    for (ts::Tree const& tree : small_trees()) {
      ts::Report const report = ts::count(pool, tree);
      expect_same(report, oracle::count_tree(tree), text_of(tree));
      EXPECT_EQ(report.workers, workers);
    }
  }
}

TEST(TreeOracle, GivesDifferentSizesForDifferentTrees) {
  ts::Report const report = oracle::count_tree({.seed = 1});
  EXPECT_NE(report.nodes, oracle::count_tree({.seed = 2}).nodes);
  EXPECT_NE(report.nodes, oracle::count_tree({.max_depth = 5, .seed = 1}).nodes);
}

template <class Space>
std::string error_of(Space const& space, ts::Tree const& tree, ts::Options const& options = {}) {
  return oracle::message_of([&] { ts::count(space, tree, options); });
}

TYPED_TEST(Count, RejectsInvalidTrees) {
  std::string const name = "taper::tree_search::count: ";
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(error_of(this->space, {.root_children = -1}),
            name + "root_children is -1.000000, not in [0, 2^31)");
  EXPECT_EQ(error_of(this->space, {.root_children = nan}),
            name + "root_children is nan, not in [0, 2^31)");
  EXPECT_EQ(error_of(this->space, {.probability = 1.5}),
            name + "probability is 1.500000, not in [0, 1]");
  EXPECT_EQ(error_of(this->space, {.children = 101}), name + "children is 101, not in [0, 100]");
  EXPECT_EQ(error_of(this->space, {.max_depth = 0}), name + "max_depth is 0, not in [1, 10000]");
  EXPECT_EQ(error_of(this->space, {.shift = -0.5}), name + "shift is -0.500000, not in [0, 1]");
}

TYPED_TEST(Count, RejectsOptionsThatDoNotApply) {
  std::string const name = "taper::tree_search::count: ";
  EXPECT_EQ(error_of(this->space, {}, {.schedule = ts::Schedule::pool, .teams = 2}),
            name +
                "the options teams, store_nodes and queue_items do not apply to schedule 'pool'");
  std::string const where = TypeParam::name();
  if (taper::is_gpu<TypeParam>) {
    EXPECT_EQ(error_of(this->space, {}, {.schedule = ts::Schedule::serial}),
              name + "schedule 'serial' needs a host backend; this call runs on " + where);
  } else if (where != "OpenMP") {
    EXPECT_EQ(error_of(this->space, {}, {.schedule = ts::Schedule::tasks}),
              "taper::fork_join: scheduler 'tasks' needs the OpenMP backend; this call runs on " +
                  where + ". Use 'pool', or a build with OpenMP.");
  }
}

TEST(TreeNames, AreTheEnumerators) {
  EXPECT_EQ(ts::parse<ts::Schedule>("steal"), ts::Schedule::steal);
  EXPECT_EQ(ts::parse<ts::Kind>("hybrid"), ts::Kind::hybrid);
  EXPECT_EQ(ts::parse<ts::Shape>("linear"), ts::Shape::linear);
  EXPECT_FALSE(ts::parse<ts::Schedule>("Steal").has_value());
  EXPECT_EQ(ts::names<ts::Schedule>().size(), 6u);
  EXPECT_FALSE(ts::find_sample_tree("T6").has_value());
}

}  // namespace
