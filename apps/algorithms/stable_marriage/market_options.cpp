// SPDX-License-Identifier: Apache-2.0
#include "market_options.hpp"

#include <driver/cli_options.hpp>

namespace taper::app {

void MarketArguments::add_options(CLI::App& command) {
  command.add_option("--format", format, "auto, lists, json, yaml, npy or glasgow (default: auto)")
      ->check(one_of({"auto", "lists", "json", "yaml", "npy", "glasgow"}))
      ->type_name("NAME");
  command
      .add_option(
          "--preferences", preferences,
          "the meaning of a row of numbers: 'order', the ids from best to worst (default), or "
          "'rank', the rank of each id")
      ->check(one_of({"order", "rank"}))
      ->type_name("MEANING");
  command
      .add_option("--base", base,
                  "the first id: 0, 1 or auto (default: auto, from the ids in the file)")
      ->check(one_of({"0", "1", "auto"}))
      ->type_name("BASE");
}

io::MarketReadOptions MarketArguments::read_options() const {
  io::MarketReadOptions options;
  options.format = format == "lists"     ? io::MarketFormat::lists
                   : format == "json"    ? io::MarketFormat::json
                   : format == "yaml"    ? io::MarketFormat::yaml
                   : format == "npy"     ? io::MarketFormat::npy
                   : format == "glasgow" ? io::MarketFormat::glasgow
                                         : io::MarketFormat::automatic;
  options.preferences = preferences == "rank" ? io::ListMeaning::rank : io::ListMeaning::order;
  options.base = base == "0"   ? io::IdBase::zero
                 : base == "1" ? io::IdBase::one
                               : io::IdBase::automatic;
  return options;
}

void EngineArguments::add_options(CLI::App& command) {
  add_choice(command, "--engine", engine, "a published engine, or taper (default)", engine_names());
  parts.add_options(command, {"proposer"});
  add_backend(command, backend);
}

Engine EngineArguments::resolve() const {
  auto resolved = engine_named(engine.empty() ? "taper" : engine);
  parts.apply_to(resolved.options);
  if (!backend.empty()) {
    resolved.backend = backend;
  }
  if (!parts.given().empty()) {
    resolved.name = describe(resolved.options);
  }
  return resolved;
}

}  // namespace taper::app
