// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <support/config_error.hpp>
#include <support/text.hpp>

#include <fmt/format.h>

namespace taper::app {

namespace sm = stable_marriage;

std::vector<std::string_view> engine_names() {
  return names_in(sm::engines(), &sm::Engine::name);
}

Engine engine_named(std::string_view name) {
  for (auto const& engine : sm::engines()) {
    if (engine.name == name) {
      using Backend = sm::Engine::Backend;
      return {std::string(name), engine.options,
              engine.backend == Backend::host     ? "host"
              : engine.backend == Backend::device ? "device"
                                                  : "widest"};
    }
  }
  throw ConfigError(
      fmt::format("unknown engine '{}'{}", name, expected_instead(name, engine_names())));
}

std::string describe(sm::Options const& options) {
  auto const algorithm = to_string(options.algorithm);
  auto const schedule = to_string(options.schedule);
  return options.schedule == sm::Schedule::serial
             ? fmt::format("{}/{}", algorithm, schedule)
             : fmt::format("{}/{}/{}", algorithm, to_string(options.contention), schedule);
}

}  // namespace taper::app
