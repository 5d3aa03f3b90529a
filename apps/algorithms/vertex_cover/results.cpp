// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <experiment/columns.hpp>
#include <experiment/fields.hpp>
#include <support/text.hpp>

#include <io/text/strings.hpp>
#include <taper/vertex_cover/fields.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace taper::app {

using Json = nlohmann::ordered_json;

namespace {

/// "{2: 1,272; 3: 311}", as in the paper's Table III.
std::string histogram_label(std::vector<std::uint64_t> const& histogram) {
  std::string text;
  for (std::size_t components = 0; components < histogram.size(); ++components) {
    if (histogram[components] > 0) {
      text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", components,
                          io::grouped(histogram[components]));
    }
  }
  return text.empty() ? "-" : "{" + text + "}";
}

std::string time_label(CoverCase const& result) {
  auto const seconds = median(result.runs);
  if (!result.failure.empty()) {
    return "WRONG";
  }
  return (result.solved() ? "" : ">") + format_seconds(seconds);
}

constexpr std::string_view reference_solver = "published";

/// "2.5x"; ">2.5x" or "<2.5x" if the time limit stopped the other or the reference.
std::string speedup_label(CoverCase const& reference, CoverCase const& other) {
  if (!reference.solved() && !other.solved()) {
    return "-";
  }
  return fmt::format("{}{:.3g}x",
                     !other.solved()       ? ">"
                     : !reference.solved() ? "<"
                                           : "",
                     median(other.runs) / std::max(median(reference.runs), 1e-9));
}

/// "openmp", or "openmp x1" for one of its threads.
std::string backend_label(CoverCase const& result) {
  return result.threads == 0 ? result.backend
                             : fmt::format("{} x{}", result.backend, result.threads);
}

std::string times_table(CoverExperiment const& experiment, std::span<CoverCase const> cases) {
  std::vector<std::vector<std::string>> table{{"graph", "question", "vertices", "edges", "answer"}};
  for (auto const& solver : experiment.solvers) {
    table.front().push_back(solver.name);
  }
  for (auto const& row : grouped_by(
           cases, [](CoverCase const& result) { return std::tie(result.graph, result.k); })) {
    // Shows the answer of a solver that ended, if there is one.
    auto const best =
        *std::ranges::max_element(row, {}, [](auto const* result) { return result->solved(); });
    auto& cells = table.emplace_back(
        std::vector<std::string>{best->graph, question_label(best->k), io::grouped(best->vertices),
                                 io::grouped(best->edges), answer_label(*best)});
    for (auto const& solver : experiment.solvers) {
      auto const found = std::ranges::find_if(
          row, [&](auto const* result) { return result->solver == solver.name; });
      cells.push_back(found == row.end() ? "-" : time_label(**found));
    }
  }
  return align(table, 2);
}

std::string counters_table(std::span<CoverCase const> cases) {
  std::vector<std::vector<std::string>> table{{"graph", "question", "solver", "kernel", "nodes",
                                               "branches on components",
                                               "{components: frequency}"}};
  for (auto const& row : grouped_by(
           cases, [](CoverCase const& result) { return std::tie(result.graph, result.k); })) {
    for (auto const* result : row) {
      auto const& report = result->report;
      table.push_back({result->graph, question_label(result->k), result->solver,
                       io::grouped(report.kernel_vertices),
                       (result->solved() ? "" : ">") + io::grouped(report.nodes),
                       io::grouped(report.component_branches),
                       histogram_label(report.components_histogram)});
    }
  }
  return align(table, 3);
}

/// The reduced graph and the memory of each component search, as in the paper's Table IV.
std::string memory_table(std::span<CoverCase const> cases) {
  std::vector<std::vector<std::string>> table{
      {"graph", "question", "solver", "vertices", "degree array", "ratio", "teams", "bits",
       "stored nodes", "scratch per team", "array in scratch"}};
  for (auto const& result : cases) {
    auto const& report = result.report;
    if (report.degree_bits == 0) {
      continue;  // nothing was searched, or mode taper
    }
    table.push_back({result.graph, question_label(result.k), result.solver,
                     io::grouped(result.vertices), io::grouped(report.array_vertices),
                     fmt::format("{:.2f}x", static_cast<double>(report.array_vertices) /
                                                static_cast<double>(
                                                    std::max<std::uint64_t>(result.vertices, 1))),
                     io::grouped(report.teams), std::to_string(report.degree_bits),
                     io::human_bytes(report.stack_bytes), io::human_bytes(report.scratch_bytes),
                     report.in_scratch ? "yes" : "no"});
  }
  return table.size() == 1 ? "" : "\n" + align(table, 3);
}

/// The times of the other solvers, divided by those of the solver `published`; empty without it.
std::string speedup_table(std::span<CoverCase const> cases) {
  auto const solvers = distinct(cases, &CoverCase::solver);
  std::vector<std::vector<std::string>> table{{"graph", "question"}};
  for (auto const& solver : solvers) {
    if (solver != reference_solver) {
      table.front().push_back("over " + solver);
    }
  }
  for (auto const& row : grouped_by(
           cases, [](CoverCase const& result) { return std::tie(result.graph, result.k); })) {
    auto const find = [&](std::string_view solver) {
      auto const found =
          std::ranges::find_if(row, [&](auto const* result) { return result->solver == solver; });
      return found == row.end() ? nullptr : *found;
    };
    auto const* reference = find(reference_solver);
    if (reference == nullptr) {
      continue;
    }
    auto& cells = table.emplace_back(
        std::vector<std::string>{row.front()->graph, question_label(row.front()->k)});
    for (auto const& solver : solvers) {
      if (solver != reference_solver) {
        auto const* other = find(solver);
        cells.push_back(other == nullptr ? "-" : speedup_label(*reference, *other));
      }
    }
  }
  return table.size() == 1 || table.front().size() == 2 ? "" : align(table, 2) + "\n";
}

/// The shares of the time per activity, as in the paper's Figure 4; empty if they were not counted.
std::string activities_table(std::span<CoverCase const> cases) {
  std::vector<std::vector<std::string>> table;
  for (auto const& result : cases) {
    if (result.activities.empty()) {
      continue;
    }
    if (table.empty()) {
      table.push_back({"graph", "question", "solver"});
      for (auto const& [name, share] : result.activities) {
        table.front().push_back(name);
      }
    }
    table.push_back({result.graph, question_label(result.k), result.solver});
    for (auto const& [name, share] : result.activities) {
      table.back().push_back(fmt::format("{:.1f} %", 100 * share));
    }
  }
  return table.empty() ? "" : "\n" + align(table, 3);
}

}  // namespace

std::string answer_label(CoverCase const& result) {
  auto const& report = result.report;
  if (result.k >= 0 && (report.found || result.solved())) {
    return report.found ? "yes" : "no";
  }
  auto const weight = result.weight.value_or(CoverWeight{});
  auto const found = result.weight ? static_cast<std::uint64_t>(weight.found) : report.cover_size;
  auto const bound =
      result.weight ? static_cast<std::uint64_t>(weight.lower_bound) : report.lower_bound;
  return result.solved() ? io::grouped(found)
                         : fmt::format("{}..{}", io::grouped(bound), io::grouped(found));
}

void to_json(Json& json, CoverCase const& result) {
  auto const& report = result.report;
  json = {{"graph", result.graph},        {"vertices", result.vertices},
          {"edges", result.edges},        {"k", result.k < 0 ? Json(nullptr) : Json(result.k)},
          {"solver", result.solver},      {"backend", result.backend},
          {"threads", result.threads},    {"solve_seconds_median", median(result.runs)},
          {"solve_seconds", result.runs}, {"read_seconds", result.read_seconds},
          {"solved", result.solved()}};
  write_fields(json, report);
  if (result.weight) {
    json["cover_weight"] = result.weight->found;
    json["weight_bound"] = result.weight->lower_bound;
  }
  json["verified"] = result.verified;
  for (auto const& [name, share] : result.activities) {
    json["activity_shares"][name] = share;
  }
  if (!result.failure.empty()) {
    json["failure"] = result.failure;
  }
}

void from_json(Json const& json, CoverCase& result) {
  result.graph = json.at("graph");
  result.vertices = IntegerAt(json, "vertices");
  result.edges = IntegerAt(json, "edges");
  result.k = json.at("k").is_null() ? -1 : integer_of<std::int64_t>(json.at("k"));
  result.solver = json.at("solver");
  result.backend = json.at("backend");
  result.threads = json.contains("threads") ? integer_of<int>(json.at("threads")) : 0;
  result.runs = json.at("solve_seconds").get<std::vector<double>>();
  result.read_seconds = json.at("read_seconds");
  auto& report = result.report;
  report.status = json.at("solved").get<bool>() ? Status::solved : Status::stopped;
  read_fields(json, report);
  if (json.contains("cover_weight")) {
    result.weight = {integer_of<std::int64_t>(json.at("cover_weight")),
                     integer_of<std::int64_t>(json.at("weight_bound"))};
  }
  result.verified = json.at("verified");
  result.failure = json.value("failure", "");
  if (auto const shares = json.find("activity_shares"); shares != json.end()) {
    for (auto const& [name, share] : shares->items()) {
      result.activities.emplace_back(name, share.get<double>());
    }
  }
}

std::string to_csv(CoverExperiment const& experiment, std::span<CoverCase const> cases) {
  auto const row = [&](CoverCase const& result, std::size_t repetition) {
    auto const mode = entry_named(experiment.solvers, result.solver).options.mode;
    return fmt::format(
        "{},{},{},{},{},{},{},{},{},{:.9g},{:.9g},{}{}{}", csv_field(result.graph), result.vertices,
        result.edges, result.k < 0 ? std::string{} : std::to_string(result.k),
        csv_field(result.solver), to_string(mode), result.backend, result.threads, repetition + 1,
        result.runs[repetition], result.read_seconds, result.solved(), csv_values(result.report),
        result.weight ? fmt::format(",{},{}", result.weight->found, result.weight->lower_bound)
                      : std::string(",,"));
  };
  return csv_of(experiment,
                "graph,vertices,edges,k,solver,mode,backend,threads,repetition,solve_seconds,"
                "read_seconds,solved" +
                    csv_header<vertex_cover::Report>() + ",cover_weight,weight_bound",
                cases, row);
}

std::vector<SummaryRow> summarize_covers(std::filesystem::path const& file) {
  std::vector<SummaryRow> rows;
  for (auto const& result : read_stored<CoverCase>(file).cases) {
    rows.push_back(summary_row(fmt::format("{}, {}", result.graph, question_label(result.k)),
                               result.solver, backend_label(result), answer_label(result),
                               result.runs));
  }
  return rows;
}

std::string cover_details(std::filesystem::path const& file) {
  auto const stored = read_stored<CoverCase>(file);
  std::span<CoverCase const> const cases(stored.cases);
  return speedup_table(cases) + counters_table(cases) + memory_table(cases) +
         activities_table(cases);
}

std::string result_table(CoverExperiment const& experiment, std::span<CoverCase const> cases) {
  auto text = times_table(experiment, cases);
  if (experiment.count) {
    text += "\n" + counters_table(cases) + memory_table(cases) + activities_table(cases);
  }
  return text;
}

}  // namespace taper::app
