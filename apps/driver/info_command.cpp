// SPDX-License-Identifier: Apache-2.0
#include "algorithm.hpp"
#include "cli_options.hpp"
#include "command.hpp"
#include "self_check.hpp"

#include <experiment/columns.hpp>
#include <experiment/profile.hpp>
#include <support/runtime.hpp>

#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <map>
#include <memory>

namespace taper::app {
namespace {

int report_checks() {
  std::vector<std::vector<std::string>> rows;
  bool all_passed = true;
  for (auto const& check : self_check()) {
    all_passed = all_passed && check.passed;
    rows.push_back({std::string(check.backend), std::string(check.what),
                    check.passed ? "right" : "WRONG: " + check.detail});
  }
  fmt::print("\nchecks against a serial loop on the host\n{}", align(rows, 3));
  return all_passed ? 0 : 1;
}

void report_profile(ProfileInUse const& profile) {
  if (!profile.stored) {
    fmt::print("profile   none: built-in costs are used; `taper tune` measures this machine\n");
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

struct InfoArguments {
  bool check = false;
  bool fields = false;
  std::string profile;
};

/// Prints the tables of the docs with their markers.
int print_fields() {
  for (auto const* algorithm : algorithms()) {
    for (auto const& table : algorithm->tables) {
      fmt::print("<!-- fields: {} -->\n{}<!-- end -->\n", table.name, table.markdown());
    }
  }
  return 0;
}

int execute(InfoArguments const& arguments, Runtime& runtime) {
  if (arguments.fields) {
    return print_fields();
  }
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
    auto& row =
        rows.emplace_back(std::vector<std::string>{std::string(backend.name), backend.description});
    for (auto const* algorithm : algorithms()) {
      if (algorithm->capacity != nullptr) {
        row.push_back(fmt::format("{}: {}", algorithm->name, algorithm->capacity(free)));
      }
    }
  }
  fmt::print("backends, the default first\n{}\n", align(rows, 3));
  report_profile(profile);
  return arguments.check ? report_checks() : 0;
}

}  // namespace

Command add_info(CLI::App& app, Runtime& runtime) {
  auto* command = app.add_subcommand(
      "info", "show the version, the profile, the backends and the largest sizes");
  auto arguments = std::make_shared<InfoArguments>();
  command->add_flag(
      "--check", arguments->check,
      "check a reduction, a scan, team scratch and an atomic minimum on every backend");
  command->add_flag("--fields", arguments->fields,
                    "print the keys and report fields of all algorithms as Markdown tables");
  add_profile(*command, arguments->profile);
  command->footer("Example:\n  taper info --check");
  return {command, [arguments, &runtime] { return execute(*arguments, runtime); }};
}

}  // namespace taper::app
