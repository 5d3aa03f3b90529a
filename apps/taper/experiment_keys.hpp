// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "schema.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

// What the experiments of all algorithms read alike. Each throws ConfigError.

/// A name that becomes part of a path: letters, digits, '-', '_' and '.'.
std::string read_name(Node const& node);

/// A list of integers, or one integer alone.
std::vector<std::int64_t> read_integers(Node const& node, std::int64_t min, std::int64_t max);

/// A list of seeds; a number alone is a count, and stands for the seeds from 1.
std::vector<std::uint64_t> read_seeds(Node const& node);

/// A backend's name, or host, device or widest.
std::string_view read_backend(Node const& node);

/// One of `known`, which are called `what` in the message.
std::string read_known_name(Node const& node, std::vector<std::string_view> const& known,
                            std::string_view what);

/// The configuration's key `algorithm`: stable_marriage, which is the default, or vertex_cover.
enum class ExperimentKind { stable_marriage, vertex_cover };
ExperimentKind read_experiment_kind(Node const& root);

}  // namespace taper::app
