// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include <support/text.hpp>

#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace taper::app {
namespace {

Summary summary_of(std::span<MarriageCase const* const> cases) {
  std::vector<double> totals, copy, precheck, initialisation, execution, postprocessing;
  std::vector<double> proposals, atomic_operations;
  auto verified = true;
  for (auto const* result : cases) {
    for (auto const& run : result->runs) {
      auto const& seconds = run.seconds;
      totals.push_back(seconds.total());
      copy.push_back(seconds.copy);
      precheck.push_back(seconds.precheck);
      initialisation.push_back(seconds.initialisation);
      execution.push_back(seconds.execution);
      postprocessing.push_back(seconds.postprocessing);
      proposals.push_back(static_cast<double>(run.report.proposals));
      if (run.counted()) {
        atomic_operations.push_back(static_cast<double>(run.report.atomic_operations));
      }
    }
    verified = verified && result->verified;
  }
  auto const counted = atomic_operations.size() == totals.size();
  return {times_of(cases.front()->engine, cases.front()->backend, totals),
          {median(copy), median(precheck), median(initialisation), median(execution),
           median(postprocessing)},
          static_cast<std::uint64_t>(median(proposals)),
          counted ? std::optional(static_cast<std::uint64_t>(median(atomic_operations)))
                  : std::nullopt,
          verified};
}

std::string phase(double seconds) {
  return seconds > 0 ? format_seconds(seconds) : "-";
}

}  // namespace

Summary const* SummaryGroup::find(std::string_view engine) const {
  auto const found = std::ranges::find(engines, engine, &Summary::engine);
  return found == engines.end() ? nullptr : &*found;
}

bool SummaryGroup::copies() const {
  return std::ranges::any_of(engines,
                             [](Summary const& engine) { return engine.phase_medians.copy > 0; });
}

std::vector<SummaryGroup> summarize(std::span<MarriageCase const> cases) {
  std::vector<SummaryGroup> groups;
  for (auto const& problem : grouped_by(
           cases, [](MarriageCase const& result) { return std::tie(result.workload, result.n); })) {
    auto& group = groups.emplace_back();
    group.workload = problem.front()->workload;
    group.n = problem.front()->n;
    for (auto const& engine : grouped_by(
             std::span<MarriageCase const* const>(problem),
             [](MarriageCase const& result) -> auto const& { return result.engine; })) {
      group.engines.push_back(summary_of(engine));
    }
  }
  return groups;
}

std::string result_table(MarriageExperiment const& experiment,
                         std::span<MarriageCase const> cases) {
  std::vector<Section> sections;
  for (auto const& group : summarize(cases)) {
    std::vector<std::string> header{"engine", "backend", "median", "min", "max", "ratio"};
    if (group.copies()) {
      header.push_back("copy");
    }
    header.insert(header.end(), {"precheck", "initialise", "execute", "postprocess"});
    if (experiment.count != Count::none) {
      header.insert(header.end(), {"proposals", "atomics"});
    }
    std::vector<EngineRow> engines;
    for (auto const& engine : group.engines) {
      auto const& phases = engine.phase_medians;
      auto& row = engines.emplace_back(EngineRow{engine}).after_times;
      if (group.copies()) {
        row.push_back(phase(phases.copy));
      }
      row.insert(row.end(), {phase(phases.precheck), phase(phases.initialisation),
                             phase(phases.execution), phase(phases.postprocessing)});
      if (experiment.count != Count::none) {
        auto const& atomics = engine.atomic_operations;
        row.insert(row.end(),
                   {io::grouped(engine.proposals), atomics ? io::grouped(*atomics) : "-"});
      }
      if (!engine.verified) {
        row.push_back(experiment.verify ? "WRONG" : "not verified");
      }
    }
    sections.push_back(
        engine_section(fmt::format("{}, n = {}", group.workload, io::grouped(group.n)),
                       std::move(header), engines, experiment.baseline));
  }
  return align(sections, 2);
}

}  // namespace taper::app
