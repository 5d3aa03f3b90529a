// SPDX-License-Identifier: Apache-2.0
#include "cli_options.hpp"

#include <mpi/processes.hpp>
#include <support/config_error.hpp>
#include <support/text.hpp>

#include <io/text/atomic_file.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>

namespace taper::app {

CLI::Validator one_of(std::vector<std::string_view> words) {
  return CLI::Validator(
      [words](std::string const& word) -> std::string {
        if (std::ranges::find(words, word) != words.end()) {
          return {};
        }
        return fmt::format("unknown value '{}'{}", word, expected_instead(word, words));
      },
      "");
}

CLI::Validator integer_in(std::int64_t min, std::int64_t max) {
  return CLI::Validator(
      [min, max](std::string const& text) -> std::string {
        auto const value = parse_integer(text);
        return value && *value >= min && *value <= max
                   ? std::string{}
                   : fmt::format("expected a decimal integer from {} to {}, found '{}'", min, max,
                                 text);
      },
      "");
}

CLI::Validator real_in(double min, double max) {
  return CLI::Validator(
      [min, max](std::string const& text) -> std::string {
        auto const value = parse_real(text);
        return value && *value >= min && *value <= max
                   ? std::string{}
                   : fmt::format("expected a number from {} to {}, found '{}'", min, max, text);
      },
      "");
}

void require_only_for(CLI::Option const* option, std::string_view family, std::string_view owner) {
  if (option->count() > 0 && family != owner) {
    throw ConfigError(
        fmt::format("{}: only the family '{}' has this option", option->get_name(), owner));
  }
}

void reject_with_processes(CLI::App const& command, std::string const& option) {
  if (auto const count = processes().count; count > 1 && command.count(option) > 0) {
    throw ConfigError(fmt::format("{} is for one process; mpirun has started {}", option, count));
  }
}

bool is_standard_output(std::filesystem::path const& output) {
  return output.empty() || output == "-" || io::own_descriptor(output) == STDOUT_FILENO;
}

CLI::Option* add_choice(CLI::App& command, std::string const& option, std::string& word,
                        std::string_view what, std::vector<std::string_view> const& words) {
  return add_checked(command, option, word, one_of(words), "NAME",
                     fmt::format("{}{}{}", what, what.empty() ? "" : ": ", fmt::join(words, ", ")));
}

CLI::Option* add_family(CLI::App& command, std::string& family,
                        std::vector<std::string_view> const& families) {
  return add_choice(command, "FAMILY", family, "", families)->type_name("");
}

void add_seed(CLI::App& command, std::uint64_t& seed, std::string const& what) {
  add_checked(command, "--seed", seed, integer_in(0, std::numeric_limits<std::int64_t>::max()),
              "SEED", what);
}

void add_output(CLI::App& command, std::filesystem::path& output, std::string const& what) {
  command.add_option("-o,--output", output, what)->type_name("FILE");
}

void add_backend(CLI::App& command, std::string& backend, std::string_view fallback) {
  command
      .add_option("--backend", backend,
                  fmt::format("a backend of this build (see taper info), or host, device or widest "
                              "(default: {})",
                              fallback))
      ->type_name("NAME");
}

void add_limit(CLI::App& command, std::size_t& limit, std::string_view what) {
  add_checked(command, "--limit", limit, integer_in(0, 1'000'000), "K",
              fmt::format("the most {} to print (default: 10)", what));
}

void add_threads(CLI::App& command, int& threads) {
  add_checked(command, "--threads", threads, integer_in(1, 4096), "N",
              "threads of the host backend (default: Kokkos decides)");
}

void add_profile(CLI::App& command, std::string& profile) {
  command
      .add_option("--profile", profile,
                  "a machine profile of `taper tune`, or 'none' (default: $TAPER_PROFILE, else "
                  "taper/profile.yaml in $XDG_CONFIG_HOME or ~/.config, if it exists)")
      ->type_name("FILE");
}

}  // namespace taper::app
