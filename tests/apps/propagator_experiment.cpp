// SPDX-License-Identifier: Apache-2.0
#include <apps/scratch.hpp>

#include <algorithms/marriage_propagator/experiment.hpp>
#include <algorithms/marriage_propagator/pictures.hpp>
#include <algorithms/marriage_propagator/problem.hpp>
#include <algorithms/marriage_propagator/results.hpp>
#include <experiment/plot_lines.hpp>
#include <support/runtime.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using namespace taper;
using namespace taper::app;

namespace mp = marriage_propagator;
using mp::Family;
using test::message_of;
using test::replaced;
using test::Scratch;
using PropagatorResults = Results<PropagatorExperiment, PropagatorCase>;

constexpr std::string_view plain = "algorithm: marriage_propagator\n"
                                   "name: x\n"
                                   "sizes: 40\n"
                                   "classes: all_free\n"
                                   "engines: [serial]\n";

PropagatorExperiment load(std::string_view text, std::vector<std::string> const& overrides = {}) {
  return read_propagator_experiment(test::configuration(text, overrides));
}

std::string error_of(std::string_view text, std::vector<std::string> const& overrides = {}) {
  return message_of([&] { load(text, overrides); });
}

/// The configuration in results.json can be run again.
TEST(PropagatorExperiment, ItsJsonIsTheSameConfiguration) {
  for (auto const& text :
       {std::string(plain),
        std::string(
            "algorithm: marriage_propagator\nname: all\nsizes: [40, 50]\n"
            "lists: [uniform, {family: random, group_size: [2, 5]}, {family: correlated, strength: "
            "0.25}]\n"
            "instances: [2, 4]\n"
            "classes: [all_free, {class: missing, one_in: [8, 64]}, search,\n"
            "          {class: two_free, narrowed: [0, 1], decided: [0, 3]},\n"
            "          {class: none_free, modified: [2, 10], narrowed: 0.5}]\n"
            "engines:\n"
            "  - serial\n"
            "  - {name: h, schedule: hybrid, symmetric: true, engage: false, backend: host,\n"
            "     thresholds: {free_people: 3, modified_values: 5, domain_size: 7}}\n"
            "  - taper\n"
            "  - published_serial\n"
            "  - {engine: published_parallel, backend: host}\n"
            "baseline: h\n")}) {
    auto const resolved = to_json(load(text));
    EXPECT_EQ(to_json(load(resolved.dump())), resolved) << text;
  }
}

TEST(PropagatorExperiment, FillsInDefaults) {
  auto const experiment = load(plain);
  EXPECT_EQ(experiment.sizes, std::vector{40u});
  ASSERT_EQ(experiment.lists.size(), 1U);
  EXPECT_EQ(experiment.lists[0].label(), "uniform");
  EXPECT_EQ(experiment.instances, std::vector<std::uint64_t>{1});
  EXPECT_EQ(experiment.classes, std::vector{mp::CallSpec{}});
  ASSERT_EQ(experiment.engines.size(), 1U);
  auto const& engine = experiment.engines[0];
  EXPECT_EQ(engine.name, "serial");
  EXPECT_EQ(engine.options.schedule, mp::Schedule::serial);
  EXPECT_FALSE(engine.options.symmetric);
  EXPECT_TRUE(engine.options.bind_partner);
  EXPECT_FALSE(engine.options.thresholds);
  EXPECT_EQ(engine.backend, "host");
  EXPECT_EQ(experiment.baseline, "serial");
}

/// The paper's Algorithm 3 has no inst, so it leaves `engage` out.
TEST(PropagatorExperiment, ReadsEnginesByName) {
  auto const engines =
      load(plain, {"engines=[published_serial, published_parallel, taper, hybrid, "
                   "{engine: published_serial, engage: false, name: p}, {engine: taper, name: t}]"})
          .engines;
  ASSERT_EQ(engines.size(), 6U);
  std::vector<std::string> words;
  for (auto const& engine : engines) {
    words.push_back(engine.name + ": " + std::string(to_string(engine.options.engine)) + ", " +
                    std::string(to_string(engine.options.schedule)) +
                    (engine.options.bind_partner ? ", engage" : "") + ", " + engine.backend);
  }
  EXPECT_EQ(words,
            (std::vector<std::string>{
                "published_serial: published_serial, hybrid, engage, host",
                "published_parallel: published_parallel, hybrid, widest",
                "taper: taper, hybrid, engage, widest", "hybrid: taper, hybrid, engage, widest",
                "p: published_serial, hybrid, host", "t: taper, hybrid, engage, widest"}));
}

TEST(PropagatorExperiment, ReadsEveryKey) {
  auto const experiment =
      load("algorithm: marriage_propagator\n"
           "name: all\n"
           "sizes: [8, 16]\n"
           "lists: [uniform, {family: random, group_size: [2, 3]}, {family: correlated, strength: "
           "0.25}]\n"
           "instances: [4, 9]\n"
           "classes:\n"
           "  - all_free\n"
           "  - {class: missing, one_in: [4, 8]}\n"
           "  - {class: two_free, narrowed: [0, 1], decided: [0, 3]}\n"
           "  - {class: none_free, modified: [2, 4], narrowed: [0.25, 0.5]}\n"
           "engines:\n"
           "  - parallel\n"
           "  - {schedule: serial, symmetric: true, backend: serial}\n"
           "  - {name: mine, schedule: hybrid, engage: false, backend: host,\n"
           "     thresholds: {free_people: 3, modified_values: 5, domain_size: 7}}\n"
           "baseline: mine\n");
  ASSERT_EQ(experiment.lists.size(), 4U);
  EXPECT_EQ(experiment.lists[2].label(), "random(3)");
  EXPECT_EQ(experiment.lists[3].label(), "correlated(0.25)");
  EXPECT_EQ(experiment.instances, (std::vector<std::uint64_t>{4, 9}));
  std::vector<std::string> labels;
  for (auto const& spec : experiment.classes) {
    labels.push_back(class_label(spec));
  }
  EXPECT_EQ(labels,
            (std::vector<std::string>{
                "all_free", "missing 1 in 4", "missing 1 in 8", "two_free", "two_free, 3 decided",
                "two_free, narrowed 1", "two_free, narrowed 1, 3 decided",
                "none_free, 2 modified, narrowed 0.25", "none_free, 4 modified, narrowed 0.25",
                "none_free, 2 modified, narrowed 0.5", "none_free, 4 modified, narrowed 0.5"}));
  ASSERT_EQ(experiment.engines.size(), 3U);
  EXPECT_EQ(experiment.engines[0].backend, "widest");
  EXPECT_EQ(experiment.engines[1].name, "serial symmetric");
  EXPECT_TRUE(experiment.engines[1].options.symmetric);
  auto const& mine = experiment.engines[2].options;
  EXPECT_FALSE(mine.bind_partner);
  ASSERT_TRUE(mine.thresholds);
  EXPECT_EQ(mine.thresholds->free_people, 3U);
  EXPECT_EQ(mine.thresholds->modified_values, 5U);
  EXPECT_EQ(mine.thresholds->domain_size, 7U);
  EXPECT_EQ(experiment.baseline, "mine");
}

TEST(PropagatorExperiment, ErrorsGivePlaceAndReason) {
  EXPECT_EQ(error_of(replaced(plain, "all_free", "al_free")),
            "c.yaml:4: classes: unknown value 'al_free'; did you mean 'all_free'?");
  EXPECT_EQ(error_of(replaced(plain, "all_free", "{class: all_free, one_in: 3}")),
            "c.yaml:4: classes.one_in: the class 'all_free' has no such key");
  EXPECT_EQ(error_of(replaced(plain, "all_free", "[all_free, {class: all_free}]")),
            "c.yaml:4: classes.1: 'all_free' occurs twice");
  EXPECT_EQ(error_of(replaced(plain, "[serial]", "[{symmetric: true}]")),
            "c.yaml:5: missing key 'engines.0.schedule'");
  EXPECT_EQ(error_of(replaced(plain, "[serial]", "[{schedule: serial, thresholds: {}}]")),
            "c.yaml:5: engines.0.thresholds: only the schedule 'hybrid' has thresholds");
  EXPECT_EQ(error_of(replaced(plain, "[serial]", "[publish_serial]")),
            "c.yaml:5: engines.0: unknown value 'publish_serial'; did you mean "
            "'published_serial'?");
  EXPECT_EQ(error_of(replaced(plain, "[serial]", "[{engine: published_serial, schedule: serial}]")),
            "c.yaml:5: engines.0.schedule: only the engine 'taper' has 'schedule'");
  EXPECT_EQ(error_of(replaced(plain, "[serial]", "[{engine: published_serial, thresholds: {}}]")),
            "c.yaml:5: engines.0.thresholds: only the engine 'taper' has 'thresholds'");
  EXPECT_EQ(error_of(replaced(plain, "[serial]", "[{engine: published_serial, symmetric: true}]")),
            "c.yaml:5: engines.0.symmetric: only with the engine 'taper' both sides propose");
  EXPECT_EQ(error_of(replaced(plain, "[serial]", "[{engine: published_parallel, engage: true}]")),
            "c.yaml:5: engines.0.engage: the paper's Algorithm 3 has no inst: expected false");
  EXPECT_EQ(error_of(replaced(plain, "[serial]", "[serial, serial]")),
            "c.yaml:5: engines.1: a second engine with the name 'serial'; names must differ");
  EXPECT_EQ(error_of(plain, {"sizes=65535"}),
            "command line 'sizes=65535': sizes: expected a decimal integer from 1 to 65534, found "
            "'65535'");
  EXPECT_EQ(error_of(plain, {"lists=solo", "sizes=3"}),
            "command line 'lists=solo': lists: the family 'solo' needs n >= 4");
  EXPECT_EQ(error_of(plain, {"group_size=3"}).substr(0, 51),
            "command line 'group_size=3': unknown key 'group_siz");
}

/// A case with three repetitions.
PropagatorCase sample_case(std::string engine, std::uint64_t instance, Family family,
                           double seconds) {
  PropagatorCase result;
  result.n = 40;
  result.lists = "uniform";
  result.spec.family = family;
  result.spec.seed = instance;
  result.engine = std::move(engine);
  result.backend = "openmp";
  result.runs = {seconds, 3 * seconds, 2 * seconds};
  result.ran = mp::Schedule::parallel;
  result.situation = {0, 7, 19, 800};
  result.removed = 31;
  result.rounds = 2;
  result.bytes_moved = 64;
  result.verified = true;
  return result;
}

TEST(PropagatorResults, AreReadBackFromTheFile) {
  Scratch const scratch;
  auto experiment = load(plain, {"engines=[serial, parallel]", "classes=[all_free, none_free]"});
  experiment.output = scratch / "r";
  auto wrong = sample_case("parallel", 2, Family::none_free, 0.002);
  wrong.failure = "no";
  wrong.verified = false;
  wrong.failed = true;
  {
    PropagatorResults results(experiment, {{"taper_version", "0"}});
    results.add(sample_case("serial", 1, Family::none_free, 0.001));
    results.add(sample_case("serial", 2, Family::none_free, 0.003));
    results.add(wrong);
    results.complete();
  }
  PropagatorResults again(experiment, {});
  again.resume();
  ASSERT_EQ(again.cases().size(), 3U);
  EXPECT_NE(again.find(wrong), nullptr);
  EXPECT_EQ(again.find(sample_case("serial", 3, Family::none_free, 1)), nullptr);
  auto const& last = again.cases()[2];
  EXPECT_TRUE(last.failed);
  EXPECT_EQ(last.ran, mp::Schedule::parallel);
  EXPECT_EQ(last.situation.modified_people, 7U);
  EXPECT_EQ(last.total_domain_size(), 1600U);
  EXPECT_EQ(last.bytes_moved, 64U);

  auto const table = result_table(experiment, again.cases());
  EXPECT_TRUE(table.starts_with("n = 40, uniform: none_free, 2 modified\n")) << table;
  EXPECT_NE(table.find("1 failed"), std::string::npos) << table;
  EXPECT_NE(table.find("WRONG"), std::string::npos) << table;
  EXPECT_NE(table.find("4.00 ms"), std::string::npos) << "of the instances' 2 and 6: " << table;
  auto const csv = to_csv(experiment, again.cases());
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 9);
  EXPECT_NE(
      csv.find("\r\nx,40,uniform,1,none_free,1024,2,0,0,serial,serial,false,openmp,parallel,1,"
               "0.001,0,7,19,1600,31,2,64,false,true\r\n"),
      std::string::npos)
      << csv;
}

TEST(PropagatorPictures, ShowClassesAndLines) {
  Stored<PropagatorCase> results;
  results.name = "title";
  for (auto const instance : {1, 2, 3, 4, 5}) {
    results.cases.push_back(
        sample_case("serial", static_cast<std::uint64_t>(instance), Family::none_free, instance));
  }
  results.cases.push_back(sample_case("serial", 1, Family::all_free, 7));
  auto const classes = classes_picture(results).script;
  EXPECT_NE(classes.find("$panel0_0 << EOD\n0 2 4 6 8 10\nEOD"), std::string::npos)
      << "medians are twice the instance's number: " << classes;
  EXPECT_NE(classes.find("n = 40, uniform: all_free"), std::string::npos) << classes;
  auto const calls = propagator_lines_picture(results, XAxis::instances).script;
  EXPECT_NE(calls.find("1 2 2 2\n2 4 4 4\n"), std::string::npos) << calls;
  auto const modified = propagator_lines_picture(results, XAxis::modified).script;
  EXPECT_NE(modified.find("$panel0_0 << EOD\n7 6 2 10\nEOD"), std::string::npos) << modified;
  auto const domain = propagator_lines_picture(results, XAxis::total_domain).script;
  EXPECT_NE(domain.find("$panel0_0 << EOD\n1600 6 2 10\nEOD"), std::string::npos) << domain;
  EXPECT_EQ(domain.find("all_free"), std::string::npos) << "its domains are always full";
  results.cases = {sample_case("serial", 1, Family::all_free, 1)};
  EXPECT_EQ(message_of([&] { propagator_lines_picture(results, XAxis::modified); }),
            "the results have no calls of such a class");
}

/// A letter of the default font takes about 6.2 pixels, and a panel has some 365 of 430.
TEST(PropagatorPictures, LongTitlesOfPanelsHaveSmallerLetters) {
  Layout const layout(3, 320, "title", {});
  EXPECT_EQ(layout.panel_title("n = 40"), "set title 'n = 40' font ',12'\n");
  std::string const long_title(64, 'x');
  EXPECT_EQ(layout.panel_title(long_title), "set title '" + long_title + "' font ',10'\n");
}

/// Labels that would overlap are left out, except at both ends.
TEST(PropagatorPictures, LabelsOfTheXAxisDoNotOverlap) {
  auto const ticks = [](std::vector<std::uint64_t> const& places) {
    std::vector<Panel> panels(1);
    panels[0].lines.resize(1);
    for (auto const x : places) {
      panels[0].lines[0].push_back({x, 1, 1, 1});
    }
    std::vector<std::string> const engines{"serial"};
    auto const script = lines_picture("title", engines, panels, "s").script;
    auto const begin = script.find("set xtics (") + 11;
    return script.substr(begin, script.find(')', begin) - begin);
  };
  EXPECT_EQ(
      ticks({2, 10, 50, 200, 597, 1195, 2393, 3587, 4782}),
      "'2' 2, '10' 10, '50' 50, '200' 200, '597' 597, '1,195' 1195, '2,393' 2393, '4,782' 4782");
  EXPECT_EQ(ticks({100000, 100001, 5000000, 5000001}), "'100,000' 100000, '5,000,001' 5000001");
  EXPECT_EQ(ticks({1000, 1001, 1200, 1400}), "'1,000' 1000, '1,200' 1200, '1,400' 1400");
  EXPECT_EQ(ticks({7}), "'7' 7");
}

/// Calls on the host backend, as the driver runs them, and the detection of wrong answers.
struct PropagatorCalls : ::testing::Test {
  static void SetUpTestSuite() {
    runtime = new Runtime({});
    runtime->start(0);
  }
  static void TearDownTestSuite() { delete runtime; }
  inline static Runtime* runtime = nullptr;
};

TEST_F(PropagatorCalls, ClassesPrepareTheirSituations) {
  auto const problem = generate_propagator_problem(
      require_backend("host"), {.family = stable_marriage::Family::uniform, .n = 200});
  auto const found = [&](mp::CallSpec const& spec) {
    return problem->call(spec, {.schedule = mp::Schedule::serial}).situation;
  };
  EXPECT_EQ(found({Family::all_free}).free_people, 200U);
  EXPECT_GT(found({.family = Family::missing, .one_in = 16}).modified_values, 1000U);
  for (double const narrowed : {0.0, 0.4, 1.0}) {
    EXPECT_EQ(found({.family = Family::two_free, .narrowed = narrowed}).free_people, 2U);
    EXPECT_EQ(found({.family = Family::two_free, .narrowed = narrowed, .decided = 1}).free_people,
              2U);
  }
  for (std::uint32_t const modified : {1u, 10u, 100u, 400u}) {
    auto const situation = found({.family = Family::none_free, .modified = modified});
    EXPECT_EQ(situation.free_people, 0U);
    EXPECT_LE(situation.modified_people, modified);
    EXPECT_GE(situation.modified_people, modified / 2);
  }
}

TEST_F(PropagatorCalls, SearchReportsEachCall) {
  auto const problem = generate_propagator_problem(
      require_backend("host"), {.family = stable_marriage::Family::uniform, .n = 150});
  mp::Options const options{.schedule = mp::Schedule::serial, .bind_partner = false};
  mp::CallSpec const spec{.family = Family::search};
  auto const sum = problem->call(spec, options);
  EXPECT_EQ(problem->fault_of(spec, options, sum.domains), "");
  auto other_trace = sum.domains;
  ++other_trace.trace;
  EXPECT_EQ(problem->fault_of(spec, options, other_trace),
            "differs from the serial propagator: the search went another way");

  PropagatorCase result;
  result.n = 150;
  result.spec = spec;
  result.calls = sum.calls;
  result.runs = {sum.seconds};
  auto const cases = with_calls(std::span(&result, 1));
  ASSERT_EQ(cases.size(), sum.calls.size() + 1);
  EXPECT_EQ(cases[0].label(), "search");
  EXPECT_EQ(cases[1].label(), "search, all free");
  EXPECT_EQ(cases[2].label(), "search, all free");
  EXPECT_EQ(cases[3].label(), "search, none free");
  std::uint64_t two = 0;
  std::uint64_t none = 0;
  for (auto const& one : cases) {
    two += one.label() == "search, two free";
    none += one.label() == "search, none free";
  }
  EXPECT_GT(two, 0U);
  EXPECT_EQ(two + none + 2, sum.calls.size());
  nlohmann::ordered_json const json = result;
  EXPECT_EQ(json.get<PropagatorCase>().calls.size(), sum.calls.size());
}

TEST_F(PropagatorCalls, WrongAnswersAreDetected) {
  constexpr std::uint32_t n = 150;  // too large for the check by brute force
  auto const problem = generate_propagator_problem(
      require_backend("host"), {.family = stable_marriage::Family::uniform, .n = n});
  mp::Options const serial{.schedule = mp::Schedule::serial};
  auto const without_last = [&](Domains domains, mp::Side side) {
    auto& words = domains.words[index_of(side)];
    auto const last = std::find_if(words.rbegin(), words.rend(), [](auto word) { return word; });
    *last &= *last - 1;
    return domains;
  };
  for (mp::Options const& options :
       {serial, mp::Options{.engine = mp::Engine::published_serial},
        mp::Options{.engine = mp::Engine::published_parallel, .bind_partner = false}}) {
    for (auto const family : {Family::all_free, Family::two_free, Family::none_free}) {
      mp::CallSpec const spec{.family = family, .modified = 40};
      auto const right = problem->call(spec, options).domains;
      EXPECT_EQ(problem->fault_of(spec, options, right), "");
      EXPECT_EQ(problem->fault_of(spec, options, without_last(right, mp::Side::women)),
                "the domains of a man and a woman contradict each other");
      auto full = right;
      for (auto& words : full.words) {
        std::ranges::fill(words, ~std::uint64_t{0});
      }
      EXPECT_EQ(problem->fault_of(spec, options, full),
                "a pair is left that the constraint forbids");
      Domains failed;
      failed.failed = true;
      failed.n = n;
      EXPECT_EQ(problem->fault_of(spec, options, failed),
                family == Family::all_free ? "the domains are not the extended Gale-Shapley lists"
                                           : "differs from the serial propagator: the call failed");
      // The fixpoint of another call.
      mp::CallSpec const other{.family = Family::two_free, .narrowed = 1, .seed = 9};
      EXPECT_EQ(problem->fault_of(spec, options, problem->call(other, options).domains)
                    .substr(0, family == Family::all_free ? 15 : 34),
                family == Family::all_free ? "the domains are"
                                           : "differs from the serial propagator");
    }
  }

  auto const small = generate_propagator_problem(
      require_backend("host"), {.family = stable_marriage::Family::uniform, .n = 30});
  mp::CallSpec const narrow{.family = Family::none_free, .modified = 60};
  EXPECT_EQ(small->fault_of({.family = Family::none_free, .modified = 1}, serial,
                            small->call(narrow, serial).domains),
            "the domains are not the greatest fixpoint");
}

}  // namespace
