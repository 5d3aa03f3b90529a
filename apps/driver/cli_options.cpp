// SPDX-License-Identifier: Apache-2.0
#include "cli_options.hpp"

#include "choices.hpp"
#include "config_error.hpp"
#include "text.hpp"

#include <io/atomic_file.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace taper::app {

namespace sm = stable_marriage;

namespace {

template <class E>
void choose(E& option, std::string const& word) {
  if (!word.empty()) {
    option = *sm::parse<E>(word);
  }
}

}  // namespace

CLI::Validator one_of(std::vector<std::string_view> words) {
  return CLI::Validator(
      [words](std::string const& word) -> std::string {
        if (std::ranges::find(words, word) != words.end()) {
          return {};
        }
        auto const meant = did_you_mean(word, words);
        return fmt::format("unknown value '{}'{}", word,
                           meant.empty() ? "; expected one of " + enumerate(words) : meant);
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
    throw ConfigError(fmt::format("{}: only the family '{}' has it", option->get_name(), owner));
  }
}

bool is_standard_output(std::filesystem::path const& output) {
  return output.empty() || output == "-" || io::own_descriptor(output) == STDOUT_FILENO;
}

void add_threads(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "threads of the host backend (default: Kokkos decides)")
      ->check(integer_in(1, 4096))
      ->type_name("N");
}

void add_profile(CLI::App& command, std::string& profile) {
  command
      .add_option("--profile", profile,
                  "what `taper tune` has measured, or 'none' (default: $TAPER_PROFILE, else "
                  "taper/profile.yaml in $XDG_CONFIG_HOME or ~/.config, if it is there)")
      ->type_name("FILE");
}

void MarketArguments::add_options(CLI::App& command) {
  command.add_option("--format", format, "auto, lists, json, yaml or npy (default: auto)")
      ->check(one_of({"auto", "lists", "json", "yaml", "npy"}))
      ->type_name("NAME");
  command
      .add_option(
          "--preferences", preferences,
          "what a numbered row holds: 'order', the ids from best to worst (default), or 'rank', "
          "each id's rank")
      ->check(one_of({"order", "rank"}))
      ->type_name("MEANING");
  command
      .add_option("--base", base,
                  "the first id: 0, 1 or auto (default: auto, by the ids that occur)")
      ->check(one_of({"0", "1", "auto"}))
      ->type_name("BASE");
}

io::ReadOptions MarketArguments::read_options() const {
  io::ReadOptions options;
  options.format = format == "lists"  ? io::Format::lists
                   : format == "json" ? io::Format::json
                   : format == "yaml" ? io::Format::yaml
                   : format == "npy"  ? io::Format::npy
                                      : io::Format::automatic;
  options.preferences = preferences == "rank" ? io::Meaning::rank : io::Meaning::order;
  options.base = base == "0" ? io::Base::zero : base == "1" ? io::Base::one : io::Base::automatic;
  return options;
}

void EngineArguments::add_options(CLI::App& command) {
  command
      .add_option(
          "--engine", engine,
          fmt::format("one of the paper's engines: {}", fmt::join(paper_engine_names(), ", ")))
      ->check(one_of(paper_engine_names()))
      ->type_name("NAME");
  auto const choice = [&](char const* name, std::string& word,
                          std::vector<std::string_view> words) {
    command.add_option(name, word, fmt::format("{}", fmt::join(words, ", ")))
        ->check(one_of(words))
        ->type_name("NAME");
  };
  choice("--algorithm", algorithm, spellings<sm::Algorithm>());
  choice("--contention", contention, spellings<sm::Contention>());
  choice("--schedule", schedule, spellings<sm::Schedule>());
  command
      .add_option(
          "--backend", backend,
          "a backend of this build (see taper info), or host, device or widest (default: widest)")
      ->type_name("NAME");
}

Engine EngineArguments::resolve() const {
  auto resolved = engine.empty() ? Engine{} : paper_engine(engine);
  choose(resolved.options.algorithm, algorithm);
  choose(resolved.options.contention, contention);
  choose(resolved.options.schedule, schedule);
  if (!backend.empty()) {
    resolved.backend = backend;
  }
  if (resolved.name.empty() || !(algorithm.empty() && contention.empty() && schedule.empty())) {
    resolved.name = describe(resolved.options);
  }
  return resolved;
}

}  // namespace taper::app
