// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <experiment/experiment.hpp>

#include <memory>

namespace taper::app {

/// Reads an experiment with `algorithm: vertex_cover`. Throws ConfigError with the place and what
/// was expected.
std::unique_ptr<Experiment> read_cover_bench(Node const& root);

}  // namespace taper::app
