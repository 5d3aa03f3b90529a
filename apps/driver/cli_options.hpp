// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>

#include <CLI/App.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// Accepts only `words`; the error for another word proposes the nearest of them.
CLI::Validator one_of(std::vector<std::string_view> words);

/// Accepts only decimal integers from `min` to `max`.
CLI::Validator integer_in(std::int64_t min, std::int64_t max);

/// Accepts only finite decimal numbers from `min` to `max`.
CLI::Validator real_in(double min, double max);

/// Throws ConfigError if the option is given and `family` is not `owner`, the only family that has
/// it.
void require_only_for(CLI::Option const* option, std::string_view family, std::string_view owner);

/// Throws ConfigError if the option is given and mpirun has started several processes.
void reject_with_processes(CLI::App const& command, std::string const& option);

/// Whether the path of -o is empty or names the standard output.
bool is_standard_output(std::filesystem::path const& output);

/// The names of an enumeration's values, in their order.
template <NamedEnum E>
std::vector<std::string_view> names_of() {
  auto const all = names<E>();
  return {all.begin(), all.end()};
}

/// A positional argument, required; `what`: its help.
template <class Value>
CLI::Option* add_positional(CLI::App& command, std::string const& name, Value& value,
                            std::string const& what) {
  return command.add_option(name, value, what)->required()->type_name("");
}

/// An option whose value passes `check`; `value_name`: its value in the help.
template <class Value>
CLI::Option* add_checked(CLI::App& command, std::string const& option, Value& value,
                         CLI::Validator const& check, std::string const& value_name,
                         std::string const& what) {
  return command.add_option(option, value, what)->check(check)->type_name(value_name);
}

// Options that several commands have. All values are checked.

/// An option NAME that takes one of `words`; its help is "what: WORD, WORD", or the words alone.
CLI::Option* add_choice(CLI::App& command, std::string const& option, std::string& word,
                        std::string_view what, std::vector<std::string_view> const& words);

/// The positional FAMILY.
CLI::Option* add_family(CLI::App& command, std::string& family,
                        std::vector<std::string_view> const& families);

/// --seed SEED, from 0; `what`: its help.
void add_seed(CLI::App& command, std::uint64_t& seed, std::string const& what);

/// -o, --output FILE; `what`: its help.
void add_output(CLI::App& command, std::filesystem::path& output, std::string const& what);

/// --backend NAME; `fallback`: the backend without this option, for the help.
void add_backend(CLI::App& command, std::string& backend, std::string_view fallback = "widest");

/// --limit K: the most `what` (in the plural) that a verify command prints.
void add_limit(CLI::App& command, std::size_t& limit, std::string_view what);

/// --threads N.
void add_threads(CLI::App& command, int& threads);

/// --profile FILE.
void add_profile(CLI::App& command, std::string& profile);

}  // namespace taper::app
