// SPDX-License-Identifier: Apache-2.0
#include "algorithm.hpp"
#include "command.hpp"
#include "help_formatter.hpp"

#include <support/runtime.hpp>
#include <support/text.hpp>

#include <io/text/strings.hpp>
#include <taper/version.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <iostream>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace {

constexpr int success = 0;
constexpr int bad_usage = 2;

/// Prints `command: message` on stderr, as one line of printable characters. Returns the exit
/// status.
int report_error(std::string const& command, std::string message) {
  message.erase(message.find_last_not_of('\n') + 1);
  std::ranges::replace(message, '\n', ' ');
  fmt::print(stderr, "{}: {}\n", command, taper::io::printable(message));
  return bad_usage;
}

/// Flushes the standard output, since a full disk is reported only then. Returns the exit status of
/// the command that has ended with `status`.
int finish(std::string const& command, int status) {
  if (!std::cout.flush() || std::fflush(stdout) != 0) {
    return report_error(command, "cannot write to the standard output");
  }
  return status;
}

/// The error for a first word that is no command; empty if it is one. CLI11 would only say that a
/// subcommand is missing.
std::string command_error(std::vector<std::string> const& commands, std::string const& word) {
  if (std::ranges::find(commands, word) != commands.end()) {
    return {};
  }
  std::vector<std::string_view> const names(commands.begin(), commands.end());
  return word.empty() ? "a command is missing; expected one of " + taper::app::enumerate(names)
                      : fmt::format("unknown command '{}'{}", word,
                                    taper::app::expected_instead(word, names));
}

/// CLI11's message about too many or too few values, in the wording of the other messages.
std::string plain_message(CLI::ArgumentMismatch const& error) {
  std::string text = error.what();
  auto const replace = [&](std::string_view theirs, std::string_view ours) {
    if (auto const at = text.find(theirs); at != std::string::npos) {
      text.replace(at, theirs.size(), ours);
    }
  };
  replace("At Most ", "expected at most ");
  replace("At least ", "expected at least ");
  replace(" required but received ", ", found ");
  replace("1 required ", "expected ");  // "--proposer: 1 required SIDE missing"
  replace(" missing", " after it");
  return text;
}

/// The commands that were parsed: "taper", "taper match" or "taper verify cover". Errors begin with
/// it.
std::string command_path(CLI::App const& app) {
  auto const chosen = app.get_subcommands();
  return chosen.empty() ? app.get_name() : app.get_name() + " " + command_path(*chosen.front());
}

}  // namespace

int main(int argc, char** argv) {
  using namespace taper::app;

  std::vector<std::string> kokkos_arguments;
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {  // CLI11 reads a vector from its end
    std::string argument = argv[i];
    auto& list = argument.starts_with("--kokkos-") ? kokkos_arguments : arguments;
    list.push_back(std::move(argument));
  }
  std::ranges::reverse(kokkos_arguments);

  Runtime runtime(std::move(kokkos_arguments));
  CLI::App app("Taper: algorithms whose parallelism runs out, on CPUs and GPUs.", "taper");
  app.set_version_flag("--version", fmt::format("taper {}", taper::version));
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer("`taper COMMAND --help` shows the options and an example.\n"
             "Exit status: 0 success, 1 a negative or wrong answer, 2 wrong usage or input.\n"
             "Arguments that begin with --kokkos- go to Kokkos.");
  Commands commands(app, runtime);
  commands.add(add_run(app, runtime));
  for (auto const* algorithm : algorithms()) {
    algorithm->add_commands(commands);
  }
  commands.add(add_info(app, runtime));
  commands.add(add_tune(app, runtime));
  commands.add(add_plot(app));
  commands.add(add_table(app));
  commands.add(add_report(app));
  auto const first = arguments.empty() ? std::string{} : arguments.back();
  if (first != "-h" && first != "--help" && first != "--version") {
    if (auto const problem = command_error(commands.names(), first); !problem.empty()) {
      return report_error("taper", problem + " (see taper --help)");
    }
  }
  try {
    app.parse(arguments);
  } catch (CLI::ArgumentMismatch const& error) {
    auto const command = command_path(app);
    return report_error(command, fmt::format("{} (see {} --help)", plain_message(error), command));
  } catch (CLI::ExtrasError const&) {
    auto const command = command_path(app);
    auto const extras = app.remaining(true);
    return report_error(
        command, fmt::format("not expected: {} (see {} --help)", fmt::join(extras, " "), command));
  } catch (CLI::ParseError const& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      app.exit(error);  // --help or --version
      return success;
    }
    auto const command = command_path(app);
    return report_error(command, fmt::format("{} (see {} --help)", error.what(), command));
  }

  auto const command = command_path(app);
  try {
    return finish(command, commands.execute());
  } catch (std::bad_alloc const&) {
    return report_error(command, "not enough memory");
  } catch (std::exception const& error) {
    return report_error(command, error.what());
  }
}
