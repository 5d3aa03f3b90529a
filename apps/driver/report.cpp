// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include "algorithm.hpp"
#include "cli_options.hpp"
#include "output.hpp"

#include <experiment/result_files.hpp>
#include <support/config_error.hpp>
#include <support/message.hpp>
#include <support/text.hpp>

#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <optional>
#include <vector>

namespace taper::app {

using Json = nlohmann::ordered_json;

namespace {

/// Draws all kinds of pictures that the results have. What cannot be drawn becomes a note.
void draw_pictures(Algorithm const& algorithm, std::filesystem::path const& file, RunRecord& run) {
  for (auto const& kind : algorithm.pictures) {
    std::optional<Picture> picture;
    try {
      picture = kind.draw(file, 0);
    } catch (ConfigError const& error) {
      run.notes.push_back(fmt::format("No picture '{}': {}.", kind.name, error.what()));
      continue;
    }
    try {
      run.pictures.push_back({std::string(kind.name), std::string(kind.help),
                              draw_svg(*picture, fmt::format("picture '{}'", kind.name))});
    } catch (ConfigError const& error) {  // gnuplot is missing or fails
      run.faults.push_back(fmt::format("Pictures are missing: {}.", error.what()));
      print_message("note: the report of {} lacks pictures: {}\n", run.folder, error.what());
      return;
    }
  }
}

/// Sets verdict and faults by the members that the cases of all algorithms have.
void judge(Json const& json, RunRecord& run) {
  std::size_t verified = 0;
  std::size_t number = 0;
  auto const& cases = json.at("cases");
  for (auto const& result : cases) {
    ++number;
    verified += result.value("verified", false) ? 1u : 0u;
    if (auto const failure = result.value("failure", ""); !failure.empty()) {
      run.faults.push_back(fmt::format("WRONG, case {} of results.json: {}", number, failure));
    }
  }
  run.verdict = fmt::format("{}, {} with a verified answer.",
                            counted(cases.size(), "case", "cases"), verified);
  if (!json.value("complete", false)) {
    run.faults.push_back("The run was interrupted: cases are missing.");
  }
}

void read_results(std::filesystem::path const& file, RunRecord& run) {
  auto const& algorithm = algorithm_of_results(file);
  run.rows = algorithm.summarize(file);  // checks the file
  auto const json = read_results_json(file, algorithm.results_format);
  try {
    run.configuration = json.at("configuration");
    run.provenance = json.at("provenance");
    judge(json, run);
  } catch (Json::exception const& error) {
    throw ConfigError(
        fmt::format("{}: damaged results: {}", file.string(), io::json_reason(error.what())));
  }
  draw_pictures(algorithm, file, run);
}

void read_summary_folder(std::filesystem::path const& folder, RunRecord& run) {
  run.rows = read_summary(folder / "summary.csv");
  auto const file = folder / "provenance.json";
  std::ifstream stream(file);
  auto const json = Json::parse(stream, nullptr, false);
  if (!json.is_object() || !json.contains("provenance") || !json["provenance"].is_object()) {
    throw ConfigError(fmt::format("{}: expected JSON with the key 'provenance'", file.string()));
  }
  run.provenance = json["provenance"];
  if (auto const found = json.find("configuration"); found != json.end()) {
    run.configuration = *found;
  }
  if (auto const found = json.find("cases"); found != json.end() && found->is_number_unsigned()) {
    run.verdict = counted(found->get<std::uint64_t>(), "case", "cases") + ".";
  }
  run.notes.emplace_back("From a summary: medians and quartiles. Pictures need the cases.");
}

/// Reads a folder of `taper run`, and draws all pictures of its results. Or reads a folder with a
/// summary.csv and a provenance.json, which has no pictures: they need the cases.
RunRecord read_run(std::filesystem::path const& folder) {
  RunRecord run;
  run.folder = folder.string();
  if (auto const file = folder / "results.json"; std::filesystem::exists(file)) {
    read_results(file, run);
  } else if (std::filesystem::exists(folder / "summary.csv")) {
    read_summary_folder(folder, run);
  } else {
    throw ConfigError(
        fmt::format("{}: expected results.json of `taper run`, or summary.csv and provenance.json",
                    folder.string()));
  }
  return run;
}

}  // namespace

void write_report(std::filesystem::path const& path, std::span<std::filesystem::path const> folders,
                  ReportHead const& head) {
  std::vector<std::filesystem::path> inputs;
  for (auto const& folder : folders) {
    if (!std::filesystem::is_directory(folder)) {
      throw ConfigError(
          fmt::format("{}: expected a folder that `taper run` wrote", folder.string()));
    }
    for (auto const* const name : {"results.json", "summary.csv", "provenance.json"}) {
      inputs.push_back(folder / name);
    }
  }
  Output output(path, inputs);
  std::vector<RunRecord> runs;
  std::ranges::transform(folders, std::back_inserter(runs), read_run);
  output.stream() << report_page(head, runs);
  output.commit();
  if (!is_standard_output(path)) {
    fmt::print("report: {}\n", path.string());
  }
}

}  // namespace taper::app
