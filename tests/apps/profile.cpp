// SPDX-License-Identifier: Apache-2.0
#include <apps/scratch.hpp>

#include <driver/tuning.hpp>
#include <experiment/profile.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
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
  profile.machine.device.propagator = {7, PropagatorThresholds::never, 1'000'000};
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
  EXPECT_EQ(again.machine.device.propagator.modified_values, PropagatorThresholds::never);
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
           {"version: 1", "version: 2", "p.yaml:2: version: expected 1; `taper tune` writes"},
           {"version: 1\n", "", "missing key 'version'"},
           {"modified_values: \"never\"", "modified_values: often",
            "device.propagator.modified_values: expected a decimal integer from 0 to"},
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

TEST(Tuning, SecondAlternativeIsTakenFromTheSizeWithTheLeastRegret) {
  auto const never = PropagatorThresholds::never;
  EXPECT_EQ(second_wins_from({}), never);
  EXPECT_EQ(second_wins_from({{1, 1, 2}, {2, 1, 1}, {4, 1, 0.96}}), never);
  EXPECT_EQ(second_wins_from({{1, 1, 2}, {2, 1, 0.9}, {4, 1, 0.5}}), 2u);
  EXPECT_EQ(second_wins_from({{1, 1, 0.8}, {2, 1, 1.5}, {4, 1, 0.5}}), 4u)
      << "a single good small size does not count";
  EXPECT_EQ(second_wins_from({{1, 1, 3}, {2, 1, 0.3}, {4, 1, 0.99}}), 2u)
      << "equal times at the end do not change the threshold";
  EXPECT_EQ(second_wins_from({{1, 1, 3}, {2, 1, 0.8}, {4, 1, 10}}), never);
  EXPECT_EQ(second_wins_from({{1, 1, 0.1}, {2, 1, 0.1}}), 1u);
}

}  // namespace
