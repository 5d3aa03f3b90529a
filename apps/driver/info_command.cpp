// SPDX-License-Identifier: Apache-2.0
#include "cli_options.hpp"
#include "columns.hpp"
#include "command.hpp"
#include "profile.hpp"
#include "runtime.hpp"
#include "self_check.hpp"
#include "solver.hpp"

#include <io/text.hpp>

#include <fmt/format.h>

#include <map>
#include <memory>

namespace taper::app {
namespace {

/// The largest n whose tables and solution fit into `free` bytes.
std::size_t largest_n(std::uint64_t free) {
  std::size_t fits = 0;
  std::size_t too_large = stable_marriage::max_people + 1;
  while (too_large - fits > 1) {
    auto const middle = fits + (too_large - fits) / 2;
    (bytes_needed(middle, {}) <= free ? fits : too_large) = middle;
  }
  return fits;
}

int report_checks() {
  std::vector<std::vector<std::string>> rows;
  bool all_passed = true;
  for (auto const& check : self_check()) {
    all_passed = all_passed && check.passed;
    rows.push_back({std::string(check.backend), std::string(check.what),
                    check.passed ? "right" : "WRONG: " + check.detail});
  }
  fmt::print("\nchecks against a loop on the host\n{}", align(rows, 3));
  return all_passed ? 0 : 1;
}

void report_profile(ProfileInUse const& profile) {
  if (!profile.stored) {
    fmt::print("profile   none, so built-in answers; `taper tune` measures this machine\n");
    return;
  }
  auto const& made = profile.stored->made;
  if (auto const mismatch = profile_mismatch(profile, profile_origin()); !mismatch.empty()) {
    fmt::print("profile   none: {}\n", mismatch);
    return;
  }
  fmt::print("profile   {}, made {} by taper {} on {}, host threads: {}, device: {}\n",
             profile.file.string(), made.date_utc, made.taper_version, made.cpu, made.host_threads,
             made.device);
}

struct Arguments {
  bool check = false;
  std::string profile;
};

int execute(Arguments const& arguments, Runtime& runtime) {
  auto const profile = find_profile(arguments.profile);
  runtime.start(0);
  std::map<std::string, std::string> about;
  for (auto& [key, value] : provenance()) {
    about[key] = value;
  }
  fmt::print("taper {} (commit {}{})\n", about["taper_version"], about["git_commit"],
             about["git_dirty"] == "true" ? ", changed since" : "");
  fmt::print("compiler  {}, {}\nKokkos    {}\n\n", about["compiler"], about["build"],
             about["kokkos_version"]);

  std::vector<std::vector<std::string>> rows;
  for (auto const& backend : describe_backends()) {
    auto const free = free_memory_of(backend.name);
    rows.push_back({std::string(backend.name), backend.description,
                    fmt::format("n up to {} fits in {}", io::grouped(largest_n(free)),
                                io::human_bytes(free))});
  }
  fmt::print("backends, the default one first\n{}", align(rows, 3));
  fmt::print("\n");
  report_profile(profile);
  fmt::print("\nids take 16 bits up to n = 65,535 and 32 bits above; n may be up to {}\n",
             io::grouped(stable_marriage::max_people));
  return arguments.check ? report_checks() : 0;
}

}  // namespace

Command add_info(CLI::App& app, Runtime& runtime) {
  auto* command = app.add_subcommand("info", "show version, profile, backends, devices and limits");
  auto arguments = std::make_shared<Arguments>();
  command->add_flag(
      "--check", arguments->check,
      "run a reduction, a scan, team scratch and an atomic minimum on every backend, and compare");
  add_profile(*command, arguments->profile);
  command->footer("Example:\n  taper info --check");
  return {command, [arguments, &runtime] { return execute(*arguments, runtime); }};
}

}  // namespace taper::app
