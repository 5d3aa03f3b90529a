// SPDX-License-Identifier: Apache-2.0
#include "plot_results.hpp"

#include "config_error.hpp"
#include "plot.hpp"
#include "plot_matmul.hpp"
#include "plot_propagator.hpp"
#include "results.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

namespace taper::app {
namespace {

/// Throws ConfigError unless `kind` is one of `known`, the first of which an empty one becomes.
std::string settle_kind(std::string const& kind, std::vector<std::string_view> const& known,
                        std::string_view format) {
  if (kind.empty()) {
    return std::string(known.front());
  }
  if (std::ranges::find(known, kind) == known.end()) {
    throw ConfigError(fmt::format("--kind {}: results of format {} can be drawn as {}", kind,
                                  format, enumerate(known)));
  }
  return kind;
}

Picture matmul_picture(std::filesystem::path const& file, std::string const& kind) {
  auto const results = read_stored<MatmulCase>(file);
  return kind == "thresholds" ? thresholds_picture(results)
                              : matmul_lines_picture(results, kind == "speedup"  ? Against::speedup
                                                              : kind == "gflops" ? Against::gflops
                                                                                 : Against::time);
}

Picture propagator_picture(std::filesystem::path const& file, std::string const& kind) {
  auto const results = read_stored<PropagatorCase>(file);
  return kind == "classes"
             ? classes_picture(results)
             : propagator_lines_picture(results, kind == "calls"      ? Along::instances
                                                 : kind == "modified" ? Along::modified
                                                                      : Along::total_domain);
}

Picture marriage_picture(std::filesystem::path const& file, std::string const& kind,
                         std::uint64_t n) {
  auto const results = read_results(file);
  auto const groups = summarize(results.cases);
  auto const title = results.title.empty() ? results.name : results.title;
  return kind == "scaling" ? scaling_picture(title, groups)
                           : phases_picture(title, groups, n > 0 ? std::optional(n) : std::nullopt);
}

}  // namespace

NamedPicture picture_of(std::filesystem::path const& file, std::string const& kind,
                        std::uint64_t n) {
  if (results_format(file) == MatmulCase::format) {
    auto settled =
        settle_kind(kind, {"scaling", "speedup", "gflops", "thresholds"}, MatmulCase::format);
    return {matmul_picture(file, settled), settled};
  }
  if (results_format(file) == PropagatorCase::format) {
    auto settled =
        settle_kind(kind, {"classes", "calls", "modified", "domain"}, PropagatorCase::format);
    return {propagator_picture(file, settled), settled};
  }
  auto settled = settle_kind(kind, {"phases", "scaling"}, CaseResult::format);
  return {marriage_picture(file, settled, n), settled};
}

}  // namespace taper::app
