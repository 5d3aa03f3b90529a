// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/App.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace taper::app {

class Runtime;

/// A subcommand, and the function that executes it after its arguments are read. It returns the
/// exit status: 0, or 1 for a negative or wrong answer. Errors are exceptions.
struct Command {
  CLI::App* app;
  std::function<int()> execute;
};

/// The commands of `taper`. The driver and the algorithms add them. A command starts the runtime
/// only when it executes, so that help and errors of the command line come at once.
class Commands {
 public:
  Commands(CLI::App& top, Runtime& kokkos) : app(top), runtime(kokkos) {}

  void add(Command command) { commands_.push_back(std::move(command)); }

  /// The command `taper NAME`, added if it is new. For commands with subcommands of several
  /// algorithms: generate and verify.
  CLI::App& group(std::string const& name) {
    auto const known =
        app.get_subcommands([&](CLI::App* command) { return command->get_name() == name; });
    return known.empty() ? *app.add_subcommand(name) : *known.front();
  }

  /// The names of the commands, without subcommands.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (auto const* command : app.get_subcommands([](CLI::App*) { return true; })) {
      names.push_back(command->get_name());
    }
    return names;
  }

  /// Executes the innermost command on the command line. Requires a parsed command line.
  int execute() const {
    auto const named = std::ranges::find_if(commands_, [](Command const& command) {
      return command.app->parsed() && command.app->get_subcommands().empty();
    });
    return named->execute();
  }

  CLI::App& app;
  Runtime& runtime;

 private:
  std::vector<Command> commands_;
};

// The commands that know no algorithm.
Command add_run(CLI::App& app, Runtime& runtime);
Command add_plot(CLI::App& app);
Command add_table(CLI::App& app);
Command add_report(CLI::App& app);
Command add_tune(CLI::App& app, Runtime& runtime);
Command add_info(CLI::App& app, Runtime& runtime);

/// Makes the positional arguments required unless the command line names a subcommand. For a
/// command with both, such as `taper verify`.
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
