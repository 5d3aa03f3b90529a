// SPDX-License-Identifier: Apache-2.0
#include "algorithm.hpp"

#include <experiment/result_files.hpp>
#include <support/config_error.hpp>
#include <support/text.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace taper::app {

std::string left_out_note() {
  auto const names = left_out_algorithms();
  return names.empty() ? std::string{}
                       : fmt::format("; this build leaves out {}: ./quickstart --all adds them",
                                     enumerate(names));
}

Algorithm const& algorithm_of_results(std::filesystem::path const& file) {
  auto const format = results_format(file);
  auto const found = std::ranges::find(algorithms(), format, &Algorithm::results_format);
  if (found != algorithms().end()) {
    return **found;
  }
  // Throws, since the format is none of these.
  read_results_json(file, enumerate(names_in(algorithms(), &Algorithm::results_format)) +
                              left_out_note());
  throw ConfigError(file.string() + ": unknown format of results");
}

}  // namespace taper::app
