// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include "text.hpp"

#include <io/text.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace taper::app {
namespace {

Summary summary_of(std::span<CaseResult const* const> cases) {
  Summary summary;
  summary.engine = cases.front()->engine;
  summary.backend = cases.front()->backend;
  summary.last = cases.back();
  std::vector<double> totals, precheck, initialisation, execution, postprocessing, generation;
  for (auto const* result : cases) {
    for (auto const& run : result->runs) {
      totals.push_back(run.total());
      precheck.push_back(run.precheck);
      initialisation.push_back(run.initialisation);
      execution.push_back(run.execution);
      postprocessing.push_back(run.postprocessing);
    }
    generation.push_back(result->generation_seconds);
    summary.verified = summary.verified && result->verified;
  }
  summary.median_seconds = median(totals);
  if (!totals.empty()) {
    summary.min_seconds = std::ranges::min(totals);
    summary.max_seconds = std::ranges::max(totals);
  }
  summary.phase_medians = {median(precheck), median(initialisation), median(execution),
                           median(postprocessing)};
  summary.generation_seconds = median(generation);
  return summary;
}

std::string ratio(Summary const* baseline, Summary const& summary) {
  if (baseline == nullptr || summary.median_seconds <= 0) {
    return "-";
  }
  auto const value = baseline->median_seconds / summary.median_seconds;
  return fmt::format("{:.{}f}x", value,
                     value < 0.0995  ? 3
                     : value < 9.995 ? 2
                     : value < 99.95 ? 1
                                     : 0);
}

std::string phase(double seconds) {
  return seconds > 0 ? format_seconds(seconds) : "-";
}

}  // namespace

Summary const* SummaryGroup::find(std::string_view engine) const {
  auto const found = std::ranges::find(engines, engine, &Summary::engine);
  return found == engines.end() ? nullptr : &*found;
}

std::vector<SummaryGroup> summarize(std::span<CaseResult const> cases) {
  struct Bundle {
    std::string engine;
    std::vector<CaseResult const*> cases;
  };
  std::vector<SummaryGroup> groups;
  std::vector<std::vector<Bundle>> bundles;  // beside `groups`
  for (auto const& result : cases) {
    auto const group = std::ranges::find_if(groups, [&](auto const& candidate) {
      return candidate.workload == result.workload && candidate.n == result.n;
    });
    auto const index = static_cast<std::size_t>(group - groups.begin());
    if (group == groups.end()) {
      groups.push_back({result.workload, result.n, {}});
      bundles.emplace_back();
    }
    auto& engines = bundles[index];
    auto engine = std::ranges::find(engines, result.engine, &Bundle::engine);
    if (engine == engines.end()) {
      engine = engines.insert(engine, {result.engine, {}});
    }
    engine->cases.push_back(&result);
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (auto const& bundle : bundles[i]) {
      groups[i].engines.push_back(summary_of(bundle.cases));
    }
  }
  return groups;
}

std::string align(std::span<std::vector<std::string> const> rows, std::size_t left) {
  std::vector<std::size_t> widths;
  for (auto const& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  std::string text;
  for (auto const& row : rows) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      line += column < left ? fmt::format("  {:<{}}", row[column], widths[column])
                            : fmt::format("  {:>{}}", row[column], widths[column]);
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string result_table(Experiment const& experiment, std::span<CaseResult const> cases) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::pair<std::size_t, std::string>> headings;  // before which row
  for (auto const& group : summarize(cases)) {
    headings.emplace_back(rows.size(),
                          fmt::format("{}, n = {}", group.workload, io::grouped(group.n)));
    rows.push_back({"engine", "backend", "median", "min", "max", "ratio", "precheck", "initialise",
                    "execute", "postprocess"});
    if (experiment.count) {
      rows.back().insert(rows.back().end(), {"proposals", "atomics"});
    }
    auto const* baseline = group.find(experiment.baseline);
    for (auto const& engine : group.engines) {
      auto const& phases = engine.phase_medians;
      rows.push_back({engine.engine, engine.backend, format_seconds(engine.median_seconds),
                      format_seconds(engine.min_seconds), format_seconds(engine.max_seconds),
                      ratio(baseline, engine), phase(phases.precheck), phase(phases.initialisation),
                      phase(phases.execution), phase(phases.postprocessing)});
      if (experiment.count) {
        rows.back().insert(rows.back().end(),
                           {io::grouped(engine.last->counters.proposals),
                            io::grouped(engine.last->counters.atomic_operations)});
      }
      if (!engine.verified) {
        rows.back().push_back(experiment.verify ? "WRONG" : "not verified");
      }
    }
  }
  auto const aligned = align(rows, 2);

  std::string text;
  std::size_t row = 0;
  std::size_t begin = 0;
  auto heading = headings.begin();
  while (begin < aligned.size()) {
    if (heading != headings.end() && heading->first == row) {
      text += fmt::format("{}{}\n", row == 0 ? "" : "\n", heading->second);
      ++heading;
    }
    auto const end = aligned.find('\n', begin) + 1;
    text += aligned.substr(begin, end - begin);
    begin = end;
    ++row;
  }
  return text;
}

}  // namespace taper::app
