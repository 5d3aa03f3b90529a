// SPDX-License-Identifier: Apache-2.0
#include "algorithm.hpp"
#include "command.hpp"
#include "help_formatter.hpp"
#include "process.hpp"

#include <mpi/processes.hpp>
#include <support/interrupt.hpp>
#include <support/runtime.hpp>
#include <support/text.hpp>

#include <taper/version.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// The commands that several processes of MPI execute together.
constexpr std::array<std::string_view, 6> several{"taper match",  "taper cover",
                                                  "taper clique", "taper independent-set",
                                                  "taper run",    "taper verify"};

/// The error for a first word that is no command; empty if it is one. CLI11 would only say that a
/// subcommand is missing.
std::string command_error(std::vector<std::string> const& commands, std::string const& word) {
  if (std::ranges::find(commands, word) != commands.end()) {
    return {};
  }
  std::vector<std::string_view> const names(commands.begin(), commands.end());
  if (word.empty()) {
    return "a command is missing; expected one of " + taper::app::enumerate(names);
  }
  auto const instead = taper::app::expected_instead(word, names);
  return fmt::format("unknown command '{}'{}{}", word, instead,
                     instead.starts_with("; expected") ? taper::app::left_out_note() : "");
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

/// The command that was parsed: the last of command_path().
CLI::App const& parsed_command(CLI::App const& app) {
  auto const chosen = app.get_subcommands();
  return chosen.empty() ? app : parsed_command(*chosen.front());
}

/// The error for words that the command does not take. If the first is an option, the error has the
/// option that was perhaps meant.
std::string unexpected_words(CLI::App const& app) {
  auto const words = app.remaining(true);
  if (words.empty() || !words.front().starts_with("--")) {
    return fmt::format("not expected: {}", fmt::join(words, " "));
  }
  std::vector<std::string> options;
  for (auto const* option : parsed_command(app).get_options()) {
    for (auto const& name : option->get_lnames()) {
      options.push_back("--" + name);
    }
  }
  auto const word = words.front().substr(0, words.front().find('='));
  return fmt::format("unknown option {}{}", word, taper::app::did_you_mean(word, options));
}

/// Reports that the command line cannot be parsed. Returns the exit status; 0 for --help and
/// --version, which end the parsing too.
int report_parse_error(CLI::App const& app, CLI::ParseError const& error) {
  using namespace taper::app;

  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
    app.exit(error);
    return finish_output(0);
  }
  auto const command = command_path(app);
  name_command(command);
  std::string text = error.what();
  if (auto const* mismatch = dynamic_cast<CLI::ArgumentMismatch const*>(&error)) {
    text = plain_message(*mismatch);
  } else if (dynamic_cast<CLI::ExtrasError const*>(&error) != nullptr) {
    text = unexpected_words(app);
  }
  return report_error(fmt::format("{} (see {} --help)", text, command));
}

/// Executes the command line. Returns the exit status.
int run(int argc, char** argv) {
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
             "Exit status: 0 success, 1 a negative, wrong or partial answer, 2 an error.\n"
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
      return report_error(problem + " (see taper --help)");
    }
  }
  try {
    app.parse(arguments);
  } catch (CLI::ParseError const& error) {
    return report_parse_error(app, error);
  }
  name_command(command_path(app));
  if (processes().count > 1 && std::ranges::find(several, command_path(app)) == several.end()) {
    return report_error(
        fmt::format("works in one process; mpirun has started {}. Several are for {}",
                    processes().count, fmt::join(several, ", ")));
  }
  return finish_output(commands.execute());
}

}  // namespace

int main(int argc, char** argv) {
  using namespace taper::app;

  prepare_process();
  int status = 0;
  try {
    watch_signals();
    join_processes(argc, argv);
    status = run(argc, argv);
  } catch (...) {
    status = report_current_exception();
  }
  leave_processes();
  expect_exit();
  return status;
}
