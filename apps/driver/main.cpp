// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"
#include "help_formatter.hpp"
#include "runtime.hpp"
#include "text.hpp"

#include <io/text.hpp>
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

constexpr int done = 0;
constexpr int bad_usage = 2;

/// One line, whatever an exception's message holds.
int complain(std::string const& who, std::string message) {
  message.erase(message.find_last_not_of('\n') + 1);
  std::ranges::replace(message, '\n', ' ');
  fmt::print(stderr, "{}: {}\n", who, taper::io::printable(message));
  return bad_usage;
}

/// Exit status of a command that is done. What it printed may wait in a buffer: a full disk shows
/// only now.
int end(std::string const& who, int status) {
  if (!std::cout.flush() || std::fflush(stdout) != 0) {
    return complain(who, "the standard output cannot be written");
  }
  return status;
}

/// What is wrong with the first word of the command line, if anything; CLI11 would only miss a
/// subcommand.
std::string wrong_command(std::vector<taper::app::Command> const& commands,
                          std::string const& word) {
  std::vector<std::string_view> names;
  for (auto const& command : commands) {
    names.push_back(command.app->get_name());
    if (command.app->get_name() == word) {
      return {};
    }
  }
  auto const meant = word.empty() ? std::string{} : taper::app::did_you_mean(word, names);
  return fmt::format(
      "{}{}", word.empty() ? "a command is missing" : fmt::format("unknown command '{}'", word),
      meant.empty() ? "; expected one of " + taper::app::enumerate(names) : meant);
}

/// CLI11's account of too many or too few values, in our words.
std::string in_our_words(CLI::ArgumentMismatch const& error) {
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

/// "taper", "taper match" or "taper verify cover": whoever the command line got as far as.
std::string who_speaks(CLI::App const& app) {
  auto const chosen = app.get_subcommands();
  return chosen.empty() ? app.get_name() : app.get_name() + " " + who_speaks(*chosen.front());
}

}  // namespace

int main(int argc, char** argv) {
  using namespace taper::app;

  std::vector<std::string> kokkos_arguments;
  std::vector<std::string> arguments;
  for (int i = argc - 1; i > 0; --i) {  // CLI11 takes a vector from its end
    std::string argument = argv[i];
    auto& list = argument.starts_with("--kokkos-") ? kokkos_arguments : arguments;
    list.push_back(std::move(argument));
  }
  std::ranges::reverse(kokkos_arguments);

  Runtime runtime(std::move(kokkos_arguments));
  CLI::App app("Taper: parallel algorithms that start wide and taper, on CPUs and GPUs.", "taper");
  app.set_version_flag("--version", fmt::format("taper {}", taper::version));
  app.require_subcommand(1);
  app.formatter(std::make_shared<HelpFormatter>());
  app.footer("`taper COMMAND --help` has more and an example. Exit status: 0 done, 1 a negative or "
             "wrong answer,\n"
             "2 bad usage or input. Arguments that begin with --kokkos- are passed on to Kokkos.");
  std::vector<Command> const commands{
      add_run(app, runtime),      add_match(app, runtime),    add_cover(app, runtime),
      add_multiply(app, runtime), add_generate(app, runtime), add_verify(app, runtime),
      add_info(app, runtime),     add_tune(app, runtime),     add_plot(app, runtime)};
  auto const first = arguments.empty() ? std::string{} : arguments.back();
  if (first != "-h" && first != "--help" && first != "--version") {
    if (auto const problem = wrong_command(commands, first); !problem.empty()) {
      return complain("taper", problem + " (see taper --help)");
    }
  }
  try {
    app.parse(arguments);
  } catch (CLI::ArgumentMismatch const& error) {
    auto const who = who_speaks(app);
    return complain(who, fmt::format("{} (see {} --help)", in_our_words(error), who));
  } catch (CLI::ExtrasError const&) {
    auto const who = who_speaks(app);
    auto const extras = app.remaining(true);
    return complain(who,
                    fmt::format("not expected: {} (see {} --help)", fmt::join(extras, " "), who));
  } catch (CLI::ParseError const& error) {
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success)) {
      app.exit(error);  // --help or --version
      return done;
    }
    auto const who = who_speaks(app);
    return complain(who, fmt::format("{} (see {} --help)", error.what(), who));
  }

  auto const who = who_speaks(app);
  try {
    return end(who, chosen(commands)->execute());
  } catch (std::bad_alloc const&) {
    return complain(who, "not enough memory");
  } catch (std::exception const& error) {
    return complain(who, error.what());
  }
}
