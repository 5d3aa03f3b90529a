// SPDX-License-Identifier: Apache-2.0
#include "engine.hpp"

#include <mpi/processes.hpp>
#include <support/config_error.hpp>
#include <support/runtime.hpp>
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

void require_rounds(Engine const& engine) {
  auto const& options = engine.options;
  bool const in_rounds = options.schedule == sm::Schedule::hybrid &&
                         options.algorithm == sm::Algorithm::locality_aware &&
                         options.contention == sm::Contention::fetch_min && !options.count &&
                         engine.sharding.devices == 0 && engine.tables == Tables::device;
  if (!in_rounds || find_backend("device") == require_backend(engine.backend)) {
    throw ConfigError(fmt::format("engine '{}' works in one process alone, not in {}: in several, "
                                  "'taper' works on the hosts, and counts nothing",
                                  engine.name, processes().count));
  }
}

std::string describe(sm::Options const& options) {
  auto const algorithm = to_string(options.algorithm);
  auto const schedule = to_string(options.schedule);
  return options.schedule == sm::Schedule::serial
             ? fmt::format("{}/{}", algorithm, schedule)
             : fmt::format("{}/{}/{}", algorithm, to_string(options.contention), schedule);
}

}  // namespace taper::app
