// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <support/config_error.hpp>
#include <support/text.hpp>

#include <fmt/format.h>

#include <optional>

namespace taper::app {

namespace mm = matmul;

namespace {

bool has_operation(mm::Engine engine, Operation operation) {
  return operation == Operation::add ? mm::adds(engine) : mm::multiplies(engine);
}

/// The options of the rung or the engine with this name; none if there is no such name.
std::optional<mm::Options> options_named(std::string_view name) {
  for (auto const& rung : mm::ladder()) {
    if (rung.name == name) {
      return rung.options;
    }
  }
  if (auto const engine = mm::parse<mm::Engine>(name)) {
    return mm::Options{.engine = *engine};
  }
  return std::nullopt;
}

/// Throws the error for a name that options_named() does not know.
[[noreturn]] void fail_unknown(std::string_view name, Operation operation) {
  if (name == "sequential") {
    throw ConfigError("the present name of the engine 'sequential' is 'serial'");
  }
  throw ConfigError(fmt::format("unknown engine '{}'{}", name,
                                expected_instead(name, matmul_engine_names(operation))));
}

}  // namespace

std::vector<std::string_view> matmul_engine_names(Operation operation) {
  std::vector<std::string_view> names;
  for (auto const& rung : mm::ladder()) {
    if (has_operation(rung.options.engine, operation)) {
      names.push_back(rung.name);
    }
  }
  for (auto const name : mm::names<mm::Engine>()) {
    if (has_operation(*mm::parse<mm::Engine>(name), operation)) {
      names.push_back(name);
    }
  }
  return names;
}

MatmulEngine matmul_engine(std::string_view name, Operation operation) {
  auto const options = options_named(name);
  if (!options) {
    fail_unknown(name, operation);
  }
  auto const engine = options->engine;
  if (!has_operation(engine, operation)) {
    throw ConfigError(
        operation == Operation::add
            ? fmt::format("the engine '{}' cannot add; expected automatic, serial, rows, fork_join "
                          "or combined",
                          to_string(engine))
            : fmt::format("the engine '{}' only adds; it needs 'operation: add'", name));
  }
  auto const host = mm::runs_on_host(engine);
  MatmulEngine found;
  found.name = name;
  found.options = *options;
  found.backend = host && mm::runs_on_gpu(engine) ? "widest" : host ? "host" : "device";
  return found;
}

bool reads_field(Operation operation, mm::Engine engine, std::string_view field) {
  bool const is_sum = operation == Operation::add;
  if (field == "scheduler" || field == "threshold") {
    return mm::recurses(engine) || engine == mm::Engine::combined;
  }
  if (field == "explicit_simd" || is_sum) {
    return field == "explicit_simd" && is_sum;
  }
  return field == "kernel"                                      ? mm::has_kernel(engine)
         : field == "block"                                     ? engine == mm::Engine::tiled
         : field == "temporaries" || field == "two_temporaries" ? engine == mm::Engine::fork_join
                                                                : engine == mm::Engine::streamed;
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
