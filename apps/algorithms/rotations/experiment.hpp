// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rotation_market.hpp"

#include <experiment/experiment.hpp>

#include <taper/enum_names.hpp>
#include <taper/fields.hpp>
#include <taper/rotations/options.hpp>

#include <nlohmann/json_fwd.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace taper::app {

/// What an engine computes. All but the first begin with the first.
enum class RotationTask { rotations, count, egalitarian, minimum_regret, sex_equal };

constexpr auto enum_names(RotationTask) {
  return std::array{EnumName{"rotations", RotationTask::rotations},
                    EnumName{"count", RotationTask::count},
                    EnumName{"egalitarian", RotationTask::egalitarian},
                    EnumName{"minimum_regret", RotationTask::minimum_regret},
                    EnumName{"sex_equal", RotationTask::sex_equal}};
}

struct RotationOptions {
  RotationTask task = RotationTask::egalitarian;
  std::uint64_t visit_limit = rotations::Options{}.visit_limit;
};

template <FieldsOf<RotationOptions> Aggregate, class Visitor>
constexpr void fields(Aggregate& options, Visitor&& visit) {
  visit(Field{.name = "task", .help = "what to compute"}, options.task);
  visit(Field{.name = "visit_limit",
              .help = "count, sex_equal: sets of rotations to visit at most; 0: no limit",
              .unit = "sets"},
        options.visit_limit);
}

using RotationEngine = EngineSpec<RotationOptions>;

/// A configuration with `algorithm: rotations`, checked and with every default filled in.
/// docs/all_stable_matchings.md is its reference.
struct RotationExperiment : Settings {
  std::vector<RotationMarket> markets;
  std::vector<RotationEngine> engines;
  std::string baseline;  ///< the name of one of `engines`
};

/// Reads a configuration. Throws ConfigError with the place and what was expected.
RotationExperiment read_rotation_experiment(Node const& root);
/// The same, ready to run.
std::unique_ptr<Experiment> read_rotation_bench(Node const& root);

/// The configuration that identifies the measurements: all except the output folder.
nlohmann::ordered_json to_json(RotationExperiment const& experiment);

}  // namespace taper::app
