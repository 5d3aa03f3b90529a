// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <support/config_error.hpp>
#include <support/text.hpp>

#include <fmt/format.h>

namespace taper::app {

namespace mm = matmul;

std::vector<std::string_view> matmul_engine_names() {
  std::vector<std::string_view> names;
  for (auto const& rung : mm::ladder()) {
    names.push_back(rung.name);
  }
  for (auto const name : mm::names<mm::Engine>()) {
    names.push_back(name);
  }
  return names;
}

MatmulEngine matmul_engine(std::string_view name) {
  MatmulEngine found;
  found.name = name;
  auto const backend = [](mm::Engine engine) {
    auto const host = mm::runs_on_host(engine);
    return host && mm::runs_on_gpu(engine) ? "widest" : host ? "host" : "device";
  };
  for (auto const& rung : mm::ladder()) {
    if (rung.name == name) {
      found.options = rung.options;
      found.backend = backend(rung.options.engine);
      return found;
    }
  }
  if (auto const engine = mm::parse<mm::Engine>(name)) {
    found.options.engine = *engine;
    found.backend = backend(*engine);
    return found;
  }
  auto const names = matmul_engine_names();
  auto const meant = did_you_mean(name, names);
  throw ConfigError(fmt::format("unknown engine '{}'{}", name,
                                meant.empty() ? "; expected one of " + enumerate(names) : meant));
}

bool reads_field(matmul::Engine engine, std::string_view field) {
  return field == "kernel"                              ? matmul::has_kernel(engine)
         : field == "block"                             ? engine == matmul::Engine::tiled
         : field == "scheduler" || field == "threshold" ? matmul::recurses(engine)
         : field == "temporaries"                       ? engine == matmul::Engine::fork_join
                                                        : engine == matmul::Engine::streamed;
}

std::string describe(mm::Options const& options) {
  std::string text(to_string(options.engine));
  if (mm::has_kernel(options.engine)) {
    text += fmt::format("/{}", to_string(options.kernel));
  }
  if (mm::recurses(options.engine)) {
    text += fmt::format("/{}", mm::threshold_of(options));
  } else if (options.engine == mm::Engine::tiled) {
    text += fmt::format("/{}", options.block);
  }
  return text;
}

}  // namespace taper::app
