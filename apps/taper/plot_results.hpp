// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "picture.hpp"

#include <cstdint>
#include <filesystem>
#include <string>

namespace taper::app {

struct NamedPicture {
  Picture picture;
  std::string kind;
};

/// A picture of a results.json, whatever it is about. An empty `kind` is the first that there is:
/// phases or scaling; of matrix products scaling, speedup, gflops or thresholds; of propagators
/// classes, calls, modified or domain. `n`: the size that phases show; 0: each workload's largest.
/// Throws ConfigError where the file has no such picture, or is none of ours.
NamedPicture picture_of(std::filesystem::path const& file, std::string const& kind,
                        std::uint64_t n);

}  // namespace taper::app
