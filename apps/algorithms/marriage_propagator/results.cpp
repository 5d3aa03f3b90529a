// SPDX-License-Identifier: Apache-2.0
#include "results.hpp"

#include <support/text.hpp>

#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace taper::app {

namespace mp = marriage_propagator;
using Json = nlohmann::ordered_json;

namespace {

/// The median of a number over the cases, with digits in groups.
template <class Number>
std::string median_of(std::span<PropagatorCase const* const> cases, Number const& number) {
  std::vector<double> values;
  for (auto const* result : cases) {
    values.push_back(static_cast<double>(number(*result)));
  }
  return io::grouped(static_cast<std::uint64_t>(median(values)));
}

/// The propagator that ran: "serial", "parallel", or "N of M parallel".
std::string ran_label(std::span<PropagatorCase const* const> cases) {
  auto const parallel = std::ranges::count_if(
      cases, [](auto const* result) { return result->ran == mp::Schedule::parallel; });
  if (parallel == 0 || parallel == std::ssize(cases)) {
    return std::string(to_string(parallel == 0 ? mp::Schedule::serial : mp::Schedule::parallel));
  }
  return fmt::format("{} of {} parallel", parallel, cases.size());
}

std::string section_label(PropagatorCase const& result) {
  return fmt::format("n = {}, {}: {}", io::grouped(result.n), result.lists, result.label());
}

EngineRow row_of(std::span<PropagatorCase const* const> cases) {
  auto const& first = *cases.front();
  EngineRow engine{times_of(first.engine, first.backend, medians_of(cases)), {ran_label(cases)}};
  auto& row = engine.after_times;
  row.push_back(median_of(cases, [](auto const& one) { return one.situation.free_people; }));
  row.push_back(median_of(cases, [](auto const& one) { return one.situation.modified_people; }));
  row.push_back(median_of(cases, [](auto const& one) { return one.situation.modified_values; }));
  row.push_back(median_of(cases, [](auto const& one) { return one.total_domain_size(); }));
  row.push_back(median_of(cases, [](auto const& one) { return one.removed; }));
  auto const failed = std::ranges::count_if(cases, [](auto const* one) { return one->failed; });
  row.push_back(failed > 0 ? fmt::format("{} failed", failed) : "");
  if (std::ranges::any_of(cases, [](auto const* one) { return !one->failure.empty(); })) {
    row.push_back("WRONG");
  }
  return engine;
}

mp::Schedule schedule_of(Json const& json) {
  return mp::parse<mp::Schedule>(json.at("ran").get<std::string>()).value_or(mp::Schedule::serial);
}

}  // namespace

std::string PropagatorCase::subject() const {
  return fmt::format("n = {}, {}, instance {}", io::grouped(n), lists, spec.seed);
}

std::vector<std::vector<PropagatorCase const*>>
grouped_instances(std::span<PropagatorCase const* const> cases) {
  return grouped_by(cases, [](PropagatorCase const& result) {
    return std::tuple(result.n, result.lists, result.label(), result.engine);
  });
}

std::vector<PropagatorCase> with_calls(std::span<PropagatorCase const> cases) {
  std::vector<PropagatorCase> all;
  for (auto const& result : cases) {
    all.push_back(result);
    all.back().calls.clear();
    for (auto const& call : result.calls) {
      auto& one = all.emplace_back(all.back());
      auto const free = call.situation.free_people;
      one.part = free >= result.n ? "search, all free"
                 : free == 2      ? "search, two free"
                 : free == 0      ? "search, none free"
                                  : "search, another number free";
      one.runs = {call.seconds};
      one.ran = call.ran;
      one.situation = call.situation;
      one.removed = call.removed;
    }
  }
  return all;
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
          {"instance", result.spec.seed},
          {"class", to_string(result.spec.family)},
          {"one_in", result.spec.one_in},
          {"modified", result.spec.modified},
          {"narrowed", result.spec.narrowed},
          {"decided", result.spec.decided},
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
          {"bytes_moved", result.bytes_moved},
          {"failed", result.failed},
          {"verified", result.verified}};
  if (!result.failure.empty()) {
    json["failure"] = result.failure;
  }
  for (auto const& call : result.calls) {
    json["calls"].push_back({{"seconds", call.seconds},
                             {"ran", to_string(call.ran)},
                             {"free_people", call.situation.free_people},
                             {"modified_people", call.situation.modified_people},
                             {"modified_values", call.situation.modified_values},
                             {"total_domain_size", 2 * call.situation.domain_size},
                             {"removed_pairs", call.removed}});
  }
}

void from_json(Json const& json, PropagatorCase& result) {
  result.n = IntegerAt(json, "n");
  result.lists = json.at("lists");
  auto& spec = result.spec;
  spec.seed = IntegerAt(json, "instance");
  spec.family =
      mp::parse<mp::Family>(json.at("class").get<std::string>()).value_or(mp::Family::all_free);
  spec.one_in = IntegerAt(json, "one_in");
  spec.modified = IntegerAt(json, "modified");
  spec.narrowed = json.at("narrowed");
  spec.decided = json.contains("decided") ? integer_of<std::uint32_t>(json.at("decided")) : 0;
  result.engine = json.at("engine");
  result.backend = json.at("backend");
  result.runs = json.at("seconds").get<std::vector<double>>();
  result.ran = schedule_of(json);
  auto& situation = result.situation;
  situation.free_people = IntegerAt(json, "free_people");
  situation.modified_people = IntegerAt(json, "modified_people");
  situation.modified_values = IntegerAt(json, "modified_values");
  situation.domain_size = integer_of<std::uint64_t>(json.at("total_domain_size")) / 2;
  result.removed = IntegerAt(json, "removed_pairs");
  result.rounds = IntegerAt(json, "rounds");
  for (auto const* key : {"moved_bytes", "bytes_moved"}) {  // the former name, the present one
    if (json.contains(key)) {
      result.bytes_moved = IntegerAt(json, key);
    }
  }
  result.failed = json.at("failed");
  result.verified = json.at("verified");
  result.failure = json.value("failure", "");
  for (auto const& call : json.value("calls", Json::array())) {
    auto& one = result.calls.emplace_back();
    one.seconds = call.at("seconds");
    one.ran = schedule_of(call);
    one.situation.free_people = IntegerAt(call, "free_people");
    one.situation.modified_people = IntegerAt(call, "modified_people");
    one.situation.modified_values = IntegerAt(call, "modified_values");
    one.situation.domain_size = integer_of<std::uint64_t>(call.at("total_domain_size")) / 2;
    one.removed = IntegerAt(call, "removed_pairs");
  }
}

std::string to_csv(PropagatorExperiment const& experiment, std::span<PropagatorCase const> cases) {
  auto const row = [&](PropagatorCase const& result, std::size_t repetition) {
    auto const& options = entry_named(experiment.engines, result.engine).options;
    auto const& spec = result.spec;
    auto const& situation = result.situation;
    auto const call = fmt::format(
        "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{:.9g}", result.n, csv_field(result.lists),
        spec.seed,
        result.part.empty() ? std::string(to_string(spec.family)) : csv_field(result.part),
        spec.one_in, spec.modified, spec.narrowed, spec.decided, csv_field(result.engine),
        options.engine == mp::Engine::taper ? to_string(options.schedule)
                                            : to_string(options.engine),
        options.symmetric, result.backend, to_string(result.ran), repetition + 1,
        result.runs[repetition]);
    return fmt::format("{},{},{},{},{},{},{},{},{}", call, situation.free_people,
                       situation.modified_people, situation.modified_values,
                       result.total_domain_size(), result.removed, result.rounds,
                       result.bytes_moved, result.failed);
  };
  auto const all = with_calls(cases);
  return csv_of(experiment,
                "n,lists,instance,class,one_in,modified,narrowed,decided,engine,schedule,symmetric,"
                "backend,ran,repetition,seconds,free_people,modified_people,modified_values,"
                "total_domain_size,removed_pairs,rounds,bytes_moved,failed",
                std::span<PropagatorCase const>(all), row);
}

std::vector<SummaryRow> summarize_propagations(std::filesystem::path const& file) {
  std::vector<SummaryRow> rows;
  auto const all = with_calls(read_stored<PropagatorCase>(file).cases);
  std::vector<PropagatorCase const*> pointers;
  for (auto const& result : all) {
    pointers.push_back(&result);
  }
  for (auto const& group : grouped_instances(pointers)) {
    auto const& first = *group.front();
    rows.push_back(
        summary_row(section_label(first), first.engine, first.backend, {}, medians_of(group)));
  }
  return rows;
}

std::string result_table(PropagatorExperiment const& experiment,
                         std::span<PropagatorCase const> cases) {
  std::vector<Section> sections;
  auto const all = with_calls(cases);
  for (auto const& section : grouped_by(std::span(all), section_label)) {
    std::vector<EngineRow> engines;
    for (auto const& group : grouped_instances(section)) {
      engines.push_back(row_of(group));
    }
    sections.push_back(engine_section(section_label(*section.front()),
                                      {"engine", "backend", "ran", "median", "min", "max", "ratio",
                                       "free", "modified", "values", "total domain", "removed", ""},
                                      engines, experiment.baseline));
  }
  return align(sections, 3);
}

}  // namespace taper::app
