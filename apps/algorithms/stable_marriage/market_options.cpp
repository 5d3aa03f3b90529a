// SPDX-License-Identifier: Apache-2.0
#include "market_options.hpp"

#include <driver/cli_options.hpp>

namespace taper::app {

void MarketArguments::add_options(CLI::App& command) {
  add_checked(command, "--format", format,
              one_of({"auto", "lists", "json", "yaml", "npy", "glasgow"}), "NAME",
              "auto, lists, json, yaml, npy or glasgow (default: auto)");
  add_checked(command, "--preferences", preferences, one_of({"order", "rank"}), "MEANING",
              "the meaning of a row of numbers: 'order', the ids from best to worst (default), or "
              "'rank', the rank of each id");
  add_checked(command, "--base", base, one_of({"0", "1", "auto"}), "BASE",
              "the first id: 0, 1 or auto (default: auto, from the ids in the file)");
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
