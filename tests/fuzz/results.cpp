// SPDX-License-Identifier: Apache-2.0
//
// For any bytes the readers of results.json and summary.csv return cases or rows that can be
// written and read back, or throw an error of one line. An input that begins with a brace is a
// results.json.
#include "fuzz.hpp"

#include <algorithms/clique/results.hpp>
#include <algorithms/marriage_propagator/results.hpp>
#include <algorithms/matmul/results.hpp>
#include <algorithms/rotations/results.hpp>
#include <algorithms/stable_marriage/results.hpp>
#include <algorithms/tree_search/results.hpp>
#include <algorithms/vertex_cover/results.hpp>
#include <experiment/result_files.hpp>
#include <experiment/summary.hpp>
#include <support/config_error.hpp>

#include <sstream>
#include <string>
#include <string_view>

namespace {

using namespace taper::app;
using taper::fuzz::check_error;
using taper::fuzz::file_name;
using taper::fuzz::require;
using Json = nlohmann::ordered_json;

/// Reads a results.json with cases of this type, if the text names their format.
template <class Case>
bool check_cases(std::string const& text) {
  if (text.find(Case::format) == std::string::npos) {
    return false;
  }
  std::istringstream stream(text);
  auto const json = parse_results_json(stream, file_name, Case::format);
  auto stored = stored_in<Case>(json, file_name);
  Json const written = stored.cases;
  Json again = json;
  again["cases"] = Json::parse(written.dump());
  require(Json(stored_in<Case>(again, file_name).cases) == written, "cases are read back");
  return true;
}

void check_summary(std::string const& text) {
  std::istringstream stream(text);
  auto const rows = parse_summary(stream, file_name);
  summary_table(rows, text.size() % 2 == 0);
  auto const written = to_csv(rows);
  std::istringstream again(written);
  require(to_csv(parse_summary(again, file_name)) == written, "a summary is read back");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string const text(taper::fuzz::text_of(data, size));
  try {
    if (!text.starts_with('{')) {
      check_summary(text);
    } else if (!check_cases<MarriageCase>(text) && !check_cases<CoverCase>(text) &&
               !check_cases<TreeCase>(text) && !check_cases<MatmulCase>(text) &&
               !check_cases<PropagatorCase>(text) && !check_cases<RotationCase>(text) &&
               !check_cases<CliqueCase>(text)) {
      std::istringstream stream(text);
      parse_results_json(stream, file_name, "another format");
    }
  } catch (ConfigError const& error) {
    check_error(error);
  }
  return 0;
}
