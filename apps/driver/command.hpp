// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace taper::app {

class Runtime;

/// A subcommand, and what it does once its arguments are read: returns the exit status.
struct Command {
  CLI::App* app;
  std::function<int()> execute;
};

// Each in its own cmd_*.cpp; all add themselves to `app`, and start the runtime only when they
// execute.
Command add_run(CLI::App& app, Runtime& runtime);
Command add_match(CLI::App& app, Runtime& runtime);
Command add_cover(CLI::App& app, Runtime& runtime);
Command add_multiply(CLI::App& app, Runtime& runtime);
Command add_generate(CLI::App& app, Runtime& runtime);
Command add_verify(CLI::App& app, Runtime& runtime);
Command add_info(CLI::App& app, Runtime& runtime);
Command add_tune(CLI::App& app, Runtime& runtime);
Command add_plot(CLI::App& app, Runtime& runtime);

// What `taper verify` and `taper generate` do for graphs and matrices; they add themselves to that
// command.
Command add_verify_cover(CLI::App& verify);
Command add_verify_product(CLI::App& verify, Runtime& runtime);
Command add_generate_graph(CLI::App& generate);
Command add_generate_matrix(CLI::App& generate, Runtime& runtime);

/// The one of these subcommands that the command line names, if any.
inline Command const* chosen(std::span<Command const> commands) {
  auto const found =
      std::ranges::find_if(commands, [](Command const& command) { return command.app->parsed(); });
  return found == commands.end() ? nullptr : &*found;
}

/// For a command whose positionals are its own, where none of its subcommands is named: CLI11 would
/// ask a subcommand's user for them too.
inline void require_unless_subcommand(CLI::App* command, std::vector<std::string> positionals) {
  command->final_callback([command, positionals = std::move(positionals)] {
    for (auto const& positional : positionals) {
      if (command->get_subcommands().empty() && command->count(positional) == 0) {
        throw CLI::RequiredError(positional);
      }
    }
  });
}

}  // namespace taper::app
