// SPDX-License-Identifier: Apache-2.0
#include "propagator_results.hpp"

#include "text.hpp"

#include <io/text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <tuple>

namespace taper::app {

namespace mp = marriage_propagator;
using Json = nlohmann::ordered_json;

namespace {

/// The median over cases of a number, grouped.
template <class Number>
std::string median_of(std::span<PropagatorCase const* const> cases, Number const& number) {
  std::vector<double> values;
  for (auto const* result : cases) {
    values.push_back(static_cast<double>(number(*result)));
  }
  return io::grouped(static_cast<std::uint64_t>(median(values)));
}

/// What answered: "serial", "parallel", or how many of the calls were parallel.
std::string ran_label(std::span<PropagatorCase const* const> cases) {
  auto const parallel = std::ranges::count_if(
      cases, [](auto const* result) { return result->ran == mp::Schedule::parallel; });
  if (parallel == 0 || parallel == std::ssize(cases)) {
    return std::string(to_string(parallel == 0 ? mp::Schedule::serial : mp::Schedule::parallel));
  }
  return fmt::format("{} of {} parallel", parallel, cases.size());
}

std::string section_label(PropagatorCase const& result) {
  return fmt::format("n = {}, {}: {}", io::grouped(result.n), result.lists,
                     class_label(result.question));
}

std::vector<std::string> row_of(std::span<PropagatorCase const* const> cases, Times const& times,
                                Times const* baseline) {
  auto const& first = *cases.front();
  std::vector<std::string> row{first.engine, first.backend, ran_label(cases)};
  std::ranges::move(time_columns(times, baseline), std::back_inserter(row));
  row.push_back(median_of(cases, [](auto const& one) { return one.situation.free_people; }));
  row.push_back(median_of(cases, [](auto const& one) { return one.situation.modified_people; }));
  row.push_back(median_of(cases, [](auto const& one) { return one.situation.modified_values; }));
  row.push_back(median_of(cases, [](auto const& one) { return one.total_domain_size(); }));
  row.push_back(median_of(cases, [](auto const& one) { return one.removed; }));
  auto const failed = std::ranges::count_if(cases, [](auto const* one) { return one->failed; });
  row.push_back(failed > 0 ? fmt::format("{} failed", failed) : "");
  return row;
}

}  // namespace

std::string PropagatorCase::subject() const {
  return fmt::format("n = {}, {}, instance {}", io::grouped(n), lists, question.seed);
}

std::vector<std::vector<PropagatorCase const*>>
grouped_instances(std::span<PropagatorCase const* const> cases) {
  return grouped_by(cases, [](PropagatorCase const& result) {
    return std::tuple(result.n, result.lists, class_label(result.question), result.engine);
  });
}

std::vector<double> medians_of(std::span<PropagatorCase const* const> cases) {
  std::vector<double> seconds;
  for (auto const* result : cases) {
    seconds.push_back(median(result->runs));
  }
  return seconds;
}

void to_json(Json& json, PropagatorCase const& result) {
  json = {{"n", result.n},
          {"lists", result.lists},
          {"instance", result.question.seed},
          {"class", to_string(result.question.family)},
          {"one_in", result.question.one_in},
          {"modified", result.question.modified},
          {"narrowed", result.question.narrowed},
          {"decided", result.question.decided},
          {"engine", result.engine},
          {"backend", result.backend},
          {"seconds_median", median(result.runs)},
          {"seconds", result.runs},
          {"ran", to_string(result.ran)},
          {"free_people", result.situation.free_people},
          {"modified_people", result.situation.modified_people},
          {"modified_values", result.situation.modified_values},
          {"total_domain_size", result.total_domain_size()},
          {"removed_pairs", result.removed},
          {"rounds", result.rounds},
          {"moved_bytes", result.bytes_moved},
          {"failed", result.failed},
          {"verified", result.verified}};
  if (!result.failure.empty()) {
    json["failure"] = result.failure;
  }
}

void from_json(Json const& json, PropagatorCase& result) {
  result.n = json.at("n");
  result.lists = json.at("lists");
  auto& question = result.question;
  question.seed = json.at("instance");
  question.family =
      mp::parse<mp::Family>(json.at("class").get<std::string>()).value_or(mp::Family::all_free);
  question.one_in = json.at("one_in");
  question.modified = json.at("modified");
  question.narrowed = json.at("narrowed");
  question.decided = json.value("decided", 0U);
  result.engine = json.at("engine");
  result.backend = json.at("backend");
  result.runs = json.at("seconds").get<std::vector<double>>();
  result.ran =
      mp::parse<mp::Schedule>(json.at("ran").get<std::string>()).value_or(mp::Schedule::serial);
  auto& situation = result.situation;
  situation.free_people = json.at("free_people");
  situation.modified_people = json.at("modified_people");
  situation.modified_values = json.at("modified_values");
  situation.domain_size = json.at("total_domain_size").get<std::uint64_t>() / 2;
  result.removed = json.at("removed_pairs");
  result.rounds = json.at("rounds");
  result.bytes_moved = json.at("moved_bytes");
  result.failed = json.at("failed");
  result.verified = json.at("verified");
  result.failure = json.value("failure", "");
}

std::string to_csv(PropagatorExperiment const& experiment, std::span<PropagatorCase const> cases) {
  std::string csv = "experiment,n,lists,instance,class,one_in,modified,narrowed,decided,engine,schedule,"
                    "symmetric,backend,ran,repetition,seconds,free_people,modified_people,"
                    "modified_values,total_domain_size,removed_pairs,rounds,moved_bytes,failed,"
                    "verified\r\n";
  for (auto const& result : cases) {
    auto const engine =
        std::ranges::find(experiment.engines, result.engine, &PropagatorEngine::name);
    auto const options = engine == experiment.engines.end() ? mp::Options{} : engine->options;
    auto const& question = result.question;
    auto const& situation = result.situation;
    for (std::size_t repetition = 0; repetition < result.runs.size(); ++repetition) {
      csv += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.9g},",
                         csv_field(experiment.name), result.n, csv_field(result.lists),
                         question.seed, to_string(question.family), question.one_in,
                         question.modified, question.narrowed, question.decided, csv_field(result.engine),
                         to_string(options.schedule), options.symmetric, result.backend,
                         to_string(result.ran), repetition + 1, result.runs[repetition]);
      csv += fmt::format("{},{},{},{},{},{},{},{},{}\r\n", situation.free_people,
                         situation.modified_people, situation.modified_values,
                         result.total_domain_size(), result.removed, result.rounds,
                         result.bytes_moved, result.failed, result.verified);
    }
  }
  return csv;
}

std::string result_table(PropagatorExperiment const& experiment,
                         std::span<PropagatorCase const> cases) {
  std::vector<Section> sections;
  for (auto const& section : grouped_by(cases, section_label)) {
    auto& [heading, rows] = sections.emplace_back();
    heading = section_label(*section.front());
    rows.push_back({"engine", "backend", "ran", "median", "min", "max", "ratio", "free", "modified",
                    "values", "total domain", "removed", ""});
    auto const engines = grouped_instances(section);
    auto const times = [](auto const& group) {
      return times_of(group.front()->engine, group.front()->backend, medians_of(group));
    };
    auto const base = std::ranges::find(engines, experiment.baseline,
                                        [](auto const& group) { return group.front()->engine; });
    auto const baseline = base == engines.end() ? Times{} : times(*base);
    for (auto const& group : engines) {
      auto& row = rows.emplace_back(
          row_of(group, times(group), base == engines.end() ? nullptr : &baseline));
      if (std::ranges::any_of(group, [](auto const* one) { return !one->failure.empty(); })) {
        row.push_back("WRONG");
      }
    }
  }
  return align(sections, 3);
}

}  // namespace taper::app
