// SPDX-License-Identifier: Apache-2.0
#include "market_options.hpp"

#include <driver/cli_options.hpp>

namespace taper::app {

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
