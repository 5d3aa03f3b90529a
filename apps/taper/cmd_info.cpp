// SPDX-License-Identifier: Apache-2.0
#include "columns.hpp"
#include "command.hpp"
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

int execute(bool check, Runtime& runtime) {
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
  fmt::print("\nids take 16 bits up to n = 65,535 and 32 bits above; n may be up to {}\n",
             io::grouped(stable_marriage::max_people));
  return check ? report_checks() : 0;
}

}  // namespace

Command add_info(CLI::App& app, Runtime& runtime) {
  auto* command = app.add_subcommand("info", "show version, backends, devices and limits");
  auto check = std::make_shared<bool>(false);
  command->add_flag(
      "--check", *check,
      "run a reduction, a scan, team scratch and an atomic minimum on every backend, and compare");
  command->footer("Example:\n  taper info --check");
  return {command, [check, &runtime] { return execute(*check, runtime); }};
}

}  // namespace taper::app
