// SPDX-License-Identifier: Apache-2.0
#include <apps/scratch.hpp>

#include <driver/tuning.hpp>
#include <experiment/profile.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace taper;
using namespace taper::app;

using test::message_of;
using test::Scratch;

StoredProfile sample_profile() {
  StoredProfile profile;
  profile.made = {.date_utc = "2026-11-28T00:00:00Z",
                  .taper_version = "0.1.0",
                  .cpu = "Abacus: the \"fast\" one",
                  .host_backend = "OpenMP",
                  .host_threads = 2,
                  .device_backend = "Cuda",
                  .device = "NVIDIA H100 80GB HBM3",
                  .kokkos_version = "4.6.99"};
  profile.machine.device.proposal_us = 0.123456789012345;
  profile.machine.copies = {1.5, 2.5e9, 1e-3};
  profile.machine.device.propagator = {
      {false, 512, {7, PropagatorThresholds::never, 1'000'000}},
      {true, 1024, {PropagatorThresholds::never, 4000, 0, 90'000}}};
  profile.machine.thread_limits = {{ListKind::similar_lists, 8192, 4}};
  profile.machine.min_proposers_per_thread = 99;
  profile.machine.fork_join = {{"fork_join", "ikj", 64}, {"strassen", "packed", 256}};
  return profile;
}

std::string text_of(std::filesystem::path const& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Profile, IsReadBackFromTheFile) {
  Scratch const scratch;
  auto const file = scratch / "deep" / "down" / "profile.yaml";
  auto const profile = sample_profile();
  write_profile(file, profile);
  auto const again = read_profile(file);
  EXPECT_EQ(to_json(again), to_json(profile));
  EXPECT_EQ(again.machine.device.proposal_us, 0.123456789012345);
  ASSERT_EQ(again.machine.device.propagator.size(), 2u);
  EXPECT_EQ(again.machine.device.propagator[0].thresholds.modified_values,
            PropagatorThresholds::never);
  EXPECT_TRUE(again.machine.device.propagator[1].similar_lists);
  EXPECT_EQ(again.machine.device.propagator[1].thresholds.modified_values_end, 90'000u);
  EXPECT_TRUE(again.machine.host.propagator.empty()) << "a side without thresholds has none";
  EXPECT_EQ(again.machine.thread_limit(ListKind::similar_lists, 8192), 4u);
  EXPECT_EQ(again.machine.min_proposers_per_thread, 99u);
  EXPECT_EQ(again.machine.fork_join_threshold("strassen", "packed"), 256u);
  EXPECT_EQ(again.made.cpu, "Abacus: the \"fast\" one");
  write_profile(file, again);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(file.parent_path()), {}), 1)
      << "nothing is left beside it";
}

TEST(Profile, ErrorsGivePlaceAndReason) {
  Scratch const scratch;
  write_profile(scratch / "good.yaml", sample_profile());
  auto const good = text_of(scratch / "good.yaml");
  struct Wrong {
    std::string from, to, message;
  };
  auto const line_of = [&](std::string const& words) {
    auto const end = good.begin() + static_cast<std::ptrdiff_t>(good.find(words));
    return std::to_string(1 + std::count(good.begin(), end, '\n'));
  };
  for (auto const& [from, to, message] : std::vector<Wrong>{
           {"proposal_us", "propsal_us",
            "p.yaml:" + line_of("proposal_us") +
                ": unknown key 'device.propsal_us'; did you mean 'proposal_us'?"},
           {"  launch_us: 10.0\n", "", "missing key 'device.launch_us'"},
           {"launch_us: 10.0", "launch_us: fast",
            "device.launch_us: expected a number from 1e-09 to 1000000000000, found 'fast'"},
           {"launch_us: 10.0", "launch_us: -1", "device.launch_us: expected a number"},
           {"version: 2", "version: 1", "p.yaml:2: version: expected 2; `taper tune` writes"},
           {"version: 2\n", "", "missing key 'version'"},
           {"\"modified_values\":\"never\"", "\"modified_values\":\"often\"",
            "device.propagator.0.modified_values: expected a decimal integer from 0 to"},
           {"\"n\":512", "\"n\":0", "device.propagator.0.n: expected a decimal integer from 1 to"},
           {"\"similar_lists\":true,", "", "missing key 'device.propagator.1.similar_lists'"},
           {"\"lists\":\"similar_lists\"", "\"lists\":\"similar_list\"",
            "thread_limits.0.lists: unknown value 'similar_list'; did you mean 'similar_lists'?"},
           {"\"threads\":4", "\"threads\":0", "thread_limits.0.threads: expected"},
           {"min_proposers_per_thread: 99", "min_proposers_per_thread: [7]",
            "min_proposers_per_thread: expected"},
           {"\"engine\":\"strassen\"", "\"engine\":\"strasen\"",
            "fork_join.1.engine: unknown value 'strasen'; did you mean 'strassen'?"},
           {"\"threshold\":64", "\"threshold\":0", "fork_join.0.threshold: expected"},
           {"fork_join:", "fork_joins:", "unknown key 'fork_joins'; did you mean 'fork_join'?"},
           {"device:", "? [a]\ndevice:", "p.yaml:"}}) {
    auto text = good;
    ASSERT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
    auto const found = message_of([&] { read_profile(scratch.write("p.yaml", text)); });
    EXPECT_TRUE(found.starts_with("p.yaml:") && found.find(message) != std::string::npos)
        << "expected: " << message << "\nfound:    " << found;
  }
  EXPECT_EQ(message_of([&] { read_profile(scratch.write("p.yaml", "")); }), "no profile in p.yaml");
  EXPECT_EQ(message_of([&] { read_profile(scratch / "none.yaml"); }), "none.yaml: no such file");
}

/// Sets an environment variable, or unsets it for nullptr, until the destructor.
class Variable {
 public:
  Variable(char const* name, char const* value) : name_(name) {
    if (auto const* before = std::getenv(name)) {
      before_ = before;
    }
    value == nullptr ? unsetenv(name) : setenv(name, value, 1);
  }
  ~Variable() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Variable(Variable const&) = delete;
  Variable& operator=(Variable const&) = delete;

 private:
  char const* name_;
  std::optional<std::string> before_;
};

TEST(Profile, IsFoundByOptionVariableAndDefaultPath) {
  Scratch const scratch;
  auto const home = scratch / "home";
  auto const config = scratch / "config";
  Variable const profile("TAPER_PROFILE", nullptr);
  Variable const no_config("XDG_CONFIG_HOME", nullptr);
  Variable const at_home("HOME", home.c_str());
  EXPECT_FALSE(find_profile("").stored) << "there is none";
  EXPECT_EQ(find_profile("").machine(), nullptr);

  write_profile(home / ".config" / "taper" / "profile.yaml", sample_profile());
  EXPECT_EQ(find_profile("").file, home / ".config" / "taper" / "profile.yaml");
  {
    Variable const elsewhere("XDG_CONFIG_HOME", config.c_str());
    EXPECT_FALSE(find_profile("").stored);
    write_profile(config / "taper" / "profile.yaml", sample_profile());
    EXPECT_EQ(find_profile("").file, config / "taper" / "profile.yaml");
  }
  write_profile(scratch / "a.yaml", sample_profile());
  write_profile(scratch / "b.yaml", sample_profile());
  Variable const named("TAPER_PROFILE", (scratch / "a.yaml").c_str());
  EXPECT_EQ(find_profile("").file, scratch / "a.yaml");
  EXPECT_EQ(find_profile((scratch / "b.yaml").string()).file, scratch / "b.yaml");
  EXPECT_FALSE(find_profile("none").stored);
  Variable const none("TAPER_PROFILE", "none");
  EXPECT_FALSE(find_profile("").stored);
  Variable const missing("TAPER_PROFILE", (scratch / "missing.yaml").c_str());
  EXPECT_EQ(message_of([] { find_profile(""); }), "missing.yaml: no such file");
}

TEST(Profile, MismatchNamesTheFirstDifference) {
  ProfileInUse const profile{.file = "p.yaml", .named = true, .stored = sample_profile()};
  auto const made = profile.stored->made;
  EXPECT_EQ(profile_mismatch(profile, made), "");
  EXPECT_EQ(profile_mismatch({}, made), "") << "no profile is no mismatch";
  auto here = made;
  here.date_utc = here.taper_version = "another";
  EXPECT_EQ(profile_mismatch(profile, here), "");
  here.host_threads = 1;
  EXPECT_EQ(profile_mismatch(profile, here),
            "p.yaml was measured with another number of host threads: 2, here it is 1");
  here.device = "none";
  EXPECT_EQ(profile_mismatch(profile, here),
            "p.yaml was measured with another device: NVIDIA H100 80GB HBM3, here it is none");
}

TEST(Tuning, BestThresholdIsTheFastest) {
  EXPECT_EQ((Sweep{"strassen", "ikj", 64, {16, 32, 64}, {3, 1, 2}}.best()), 32u);
}

constexpr auto never = PropagatorThresholds::never;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double infinite = std::numeric_limits<double>::infinity();

TEST(Choices, SecondAlternativeIsTakenFromTheSizeWithTheLeastRegret) {
  EXPECT_EQ(second_wins_from({}), never);
  EXPECT_EQ(second_wins_from({{1, 1, 2}, {2, 1, 1}, {4, 1, 0.96}}), never);
  EXPECT_EQ(second_wins_from({{1, 1, 2}, {2, 1, 0.9}, {4, 1, 0.5}}), 2u);
  EXPECT_EQ(second_wins_from({{1, 1, 3}, {2, 1, 0.8}, {4, 1, 10}}), never);
  EXPECT_EQ(second_wins_from({{1, 1, 0.1}, {2, 1, 0.1}}), 1u);
  EXPECT_EQ(second_wins_from({{4, 1, 0.1}, {1, 1, 0.1}}), 1u) << "in any order";
}

TEST(Choices, BetweenTwoSizesTheThresholdIsWhereTheTimesAreEqual) {
  EXPECT_EQ(second_wins_from({{100, 1, 2}, {400, 2, 1}}), 200u);
  EXPECT_EQ(second_wins_from({{100, 1, 4}, {800, 2, 1}}), 400u) << "two thirds of the way";
  EXPECT_EQ(second_wins_from({{100, 1, 0.8}, {200, 1, 1.25}, {400, 2, 1}}), 237u)
      << "a single good small size does not count";
  EXPECT_EQ(second_wins_from({{100, 1, 3}, {200, 1, 0.3}, {400, 1, 0.99}}), 139u)
      << "equal times at the end do not change the threshold";
  EXPECT_EQ(second_wins_from({{100, 1, 1}, {400, 2, 1}}), 400u)
      << "with equal times the first alternative is kept";
  // The answer loses less than a tenth at all sizes if one way takes `size`, the other 50 + size/8.
  std::vector<Crossing> crossings;
  auto const second = [](std::uint64_t size) { return 50 + static_cast<double>(size) / 8; };
  for (std::uint64_t size = 8; size <= 2048; size *= 4) {
    crossings.push_back({size, static_cast<double>(size), second(size)});
  }
  auto const from = second_wins_from(crossings);
  for (std::uint64_t size = 8; size <= 4096; ++size) {
    double const first = static_cast<double>(size);
    double const taken = size < from ? first : second(size);
    EXPECT_LT(taken, 1.1 * std::min(first, second(size))) << size << " with " << from;
  }
}

TEST(Choices, ASecondAlternativeMayLoseAgainAtLargeSizes) {
  auto const window = [](std::vector<Crossing> crossings) {
    auto const [from, end] = second_wins_within(std::move(crossings));
    return std::pair{from, end};
  };
  EXPECT_EQ(window({}), std::pair(never, never));
  EXPECT_EQ(window({{100, 1, 2}, {400, 2, 1}}), std::pair(std::uint64_t{200}, never));
  EXPECT_EQ(window({{100, 1, 2}, {400, 2, 1}, {1600, 1, 2}}),
            std::pair(std::uint64_t{200}, std::uint64_t{800}));
  EXPECT_EQ(window({{100, 2, 1}, {400, 1, 2}}), std::pair(std::uint64_t{100}, std::uint64_t{200}));
  EXPECT_EQ(window({{100, 1, 2}, {400, 2, 1}, {1600, 1, 1.04}}),
            std::pair(std::uint64_t{200}, never))
      << "a loss of 4 % is no reason for an end";
  EXPECT_EQ(window({{100, 1, 2}, {400, 2, 1}, {1600, 0, 2}}), std::pair(std::uint64_t{200}, never))
      << "not measured";
  EXPECT_EQ(second_wins_from({{100, 1, 2}, {400, 2, 1}, {1600, 1, 3}}), never)
      << "without an end the loss counts";
}

TEST(Choices, NonsenseIsNotMeasured) {
  for (double const bad : {0.0, -1.0, not_a_number, infinite, -infinite}) {
    EXPECT_FALSE(is_time(bad));
    EXPECT_EQ(second_wins_from({{1, bad, 1}, {2, 1, bad}, {4, bad, bad}}), never) << bad;
    EXPECT_EQ(second_wins_from({{1, bad, 1}, {2, 1, 0.5}, {4, 1, bad}}), 2u) << bad;
    EXPECT_EQ(useful_threads({{1, 2}, {2, bad}, {4, 2}}), std::nullopt) << bad;
    EXPECT_EQ((Check{"p", "c", bad, {{"a", 1}}}.ratio()), infinite) << bad;
    EXPECT_EQ((Check{"p", "c", 1, {{"a", bad}}}.ratio()), infinite) << bad;
    EXPECT_EQ((Check{"p", "c", 3, {{"a", bad}, {"b", 2}}}.ratio()), 1.5) << bad;
    EXPECT_EQ(tune_status({{"p", "c", bad, {{"a", 1}}}}), 1) << bad;
  }
  EXPECT_EQ(second_wins_from({{0, 2, 1}, {8, 1, 2}}), never) << "size 0 is no size";
  EXPECT_EQ(second_wins_from({{8, 2, 1}, {8, 2, 1}, {8, 1, 2}}), never) << "one size, no winner";
  EXPECT_EQ((Check{"p", "c", 1, {}}.ratio()), infinite) << "nothing to compare with";
}

TEST(Choices, ThreadsBeyondTheUsefulOnesGainLessThanATwentieth) {
  EXPECT_EQ(useful_threads({}), std::nullopt);
  EXPECT_EQ(useful_threads({{1, 5}}), std::nullopt);
  EXPECT_EQ(useful_threads({{1, 8}, {2, 4}, {4, 2}, {8, 1}}), std::nullopt) << "all are of use";
  EXPECT_EQ(useful_threads({{1, 1230}, {2, 898}, {4, 598}, {8, 662}, {16, 707}}), 4u);
  EXPECT_EQ(useful_threads({{1, 99}, {2, 71}, {4, 40}, {8, 47}, {16, 43}}), 4u);
  EXPECT_EQ(useful_threads({{1, 844}, {2, 386}, {4, 171}, {8, 193}, {16, 164}}), 4u);
  EXPECT_EQ(useful_threads({{1, 979}, {2, 725}, {4, 469}, {8, 390}, {16, 301}}), std::nullopt);
  EXPECT_EQ(useful_threads({{1, 3}, {2, 3}, {4, 3}}), 1u) << "equal times need no thread more";
  EXPECT_EQ(useful_threads({{4, 598}, {1, 1230}, {16, 707}}), 4u) << "in any order";
}

TEST(Choices, TheStatusIsOneIfAChoiceTakesAQuarterMoreThanTheBetterWay) {
  Check const right{"host.propagator", "all_free", 1.25, {{"serial", 1}, {"parallel", 2}}};
  Check const wrong{"host.propagator", "groups", 15.3e-3, {{"serial", 6e-3}, {"parallel", 15e-3}}};
  EXPECT_EQ(right.better()->name, "serial");
  EXPECT_EQ(tune_status({}), 0);
  EXPECT_EQ(tune_status({right}), 0);
  EXPECT_EQ(tune_status({right, wrong}), 1);
  EXPECT_EQ(tune_status({wrong, right}), 1);
  EXPECT_EQ(tune_status({{"p", "c", 1.26, {{"a", 1}}}}), 1);
  EXPECT_EQ(
      wrong_choices({right, wrong}),
      std::vector<std::string>{"host.propagator, groups: the chosen way takes 15.3 ms, serial "
                               "takes 6.00 ms: 2.55 times"});
  EXPECT_EQ(wrong_choices({{"p", "c", not_a_number, {{"a", 1}}}}),
            std::vector<std::string>{"p, c: not measured"});
}

}  // namespace
