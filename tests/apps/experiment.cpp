// SPDX-License-Identifier: Apache-2.0
#include <apps/scratch.hpp>

#include <algorithms/stable_marriage/experiment.hpp>
#include <experiment/node.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace {

using namespace taper;
using namespace taper::app;

namespace sm = stable_marriage;
using test::message_of;
using test::replaced;
using test::Scratch;

constexpr std::string_view plain = "name: x\n"
                                   "workloads: [solo]\n"
                                   "sizes: [100]\n"
                                   "engines: [GS-Seq-CPU]\n";

MarriageExperiment load(std::string_view text, std::vector<std::string> const& overrides = {}) {
  return read_marriage_experiment(test::configuration(text, overrides));
}

std::string error_of(std::string_view text, std::vector<std::string> const& overrides = {}) {
  return message_of([&] { load(text, overrides); });
}

std::string with(std::string_view line) {
  return std::string(plain) + std::string(line) + "\n";
}

TEST(MarriageExperiment, FillsInDefaults) {
  auto const experiment = load(plain);
  EXPECT_EQ(experiment.name, "x");
  ASSERT_EQ(experiment.workloads.size(), 1U);
  EXPECT_EQ(experiment.workloads[0].family, sm::Family::solo);
  EXPECT_EQ(experiment.workloads[0].sizes, std::vector<std::size_t>{100});
  EXPECT_EQ(experiment.seeds, std::vector<std::uint64_t>{1});
  EXPECT_EQ(experiment.repetitions, 3);
  EXPECT_EQ(experiment.warmup, 1);
  EXPECT_EQ(experiment.baseline, "GS-Seq-CPU");
  EXPECT_TRUE(experiment.verify);
  EXPECT_EQ(experiment.count, Count::none);
  EXPECT_EQ(experiment.output, std::filesystem::path("results/x"));
}

/// The configuration in results.json can be run again.
TEST(MarriageExperiment, ItsJsonIsTheSameConfiguration) {
  for (auto const& text :
       {std::string(plain),
        with("threads: 2\ntitle: All of it\nverify: false\ncount: true\nseeds: [3, 5]"),
        with("count: published"),
        std::string("name: scaled\n"
                    "scale: 0.5\n"
                    "sizes: [50, 51, 9]\n"
                    "workloads: [uniform, {family: random, n: [10, 11, 40], group_size: [1, 4]},\n"
                    "            {family: correlated, n: 30, strength: 0.25, engines: [mine]}]\n"
                    "engines:\n"
                    "  - {name: mine, engine: taper, tail: host, tail_threshold: 7, tiers: false,\n"
                    "     lazy_ranks: columns, min_proposers_per_thread: 3, backend: host}\n"
                    "  - {name: anywhere, engine: taper, tail_threshold: random, tables: pinned}\n"
                    "  - {name: two, engine: taper, devices: 2, shards: 3}\n"
                    "  - MW-Par-CPU\n"
                    "baseline: two\n")}) {
    auto const resolved = to_json(load(text));
    EXPECT_EQ(to_json(load(resolved.dump())), resolved) << text;
  }
}

/// Different sizes may be equal after scaling.
TEST(MarriageExperiment, EqualScaledSizesRunOnce) {
  auto const experiment = load("name: x\nscale: 0.1\nsizes: [100, 102, 200]\n"
                               "workloads: [uniform, {family: uniform, n: [103, 199]}]\n"
                               "engines: [GS-Seq-CPU]\n");
  ASSERT_EQ(experiment.workloads.size(), 1U);
  EXPECT_EQ(experiment.workloads[0].sizes, (std::vector<std::size_t>{10, 20}));
}

TEST(MarriageExperiment, ReadsEveryKey) {
  auto const experiment =
      load("name: all\n"
           "title: All of it\n"
           "scale: 0.5\n"
           "workloads:\n"
           "  - congested\n"
           "  - {family: random, n: [10, 20], group_size: [1, 4]}\n"
           "  - {family: correlated, n: 30, strength: 0.25, engines: [mine]}\n"
           "sizes: 100\n"
           "seeds: 3\n"
           "engines:\n"
           "  - taper\n"
           "  - {name: mine, engine: LA-Par-GPU-MIN, backend: host, proposer: women,\n"
           "     contention: compare_exchange, tail: device, tail_threshold: 7}\n"
           "  - {name: brought, tables: pinned, tail_threshold: random}\n"
           "baseline: mine\n"
           "repetitions: 2\n"
           "warmup: 0\n"
           "threads: 2\n"
           "verify: false\n"
           "count: true\n"
           "skip_missing_backends: true\n"
           "output: elsewhere\n");
  ASSERT_EQ(experiment.workloads.size(), 4U);
  EXPECT_EQ(experiment.workloads[0].sizes, std::vector<std::size_t>{50});
  EXPECT_EQ(experiment.workloads[1].label(), "random(1)");
  EXPECT_EQ(experiment.workloads[2].label(), "random(4)");
  EXPECT_EQ(experiment.workloads[2].sizes, (std::vector<std::size_t>{5, 10}));
  EXPECT_EQ(experiment.workloads[3].label(), "correlated(0.25)");
  EXPECT_FALSE(experiment.workloads[3].runs(experiment.engines[0]));
  EXPECT_TRUE(experiment.workloads[3].runs(experiment.engines[1]));
  EXPECT_EQ(experiment.seeds, (std::vector<std::uint64_t>{1, 2, 3}));

  auto const& mine = experiment.engines[1];
  EXPECT_EQ(mine.name, "mine");
  EXPECT_EQ(mine.backend, "host");
  EXPECT_EQ(mine.options.algorithm, sm::Algorithm::locality_aware);
  EXPECT_EQ(mine.options.contention, sm::Contention::compare_exchange);
  EXPECT_EQ(mine.options.schedule, sm::Schedule::parallel);
  EXPECT_EQ(mine.options.proposer, sm::Proposer::women);
  EXPECT_EQ(mine.options.tail, sm::Tail::device);
  EXPECT_EQ(mine.options.tail_threshold, 7);
  EXPECT_FALSE(mine.random_threshold);
  EXPECT_EQ(mine.tables, Tables::device);
  EXPECT_EQ(experiment.engines[2].tables, Tables::pinned);
  EXPECT_TRUE(experiment.engines[2].random_threshold);
  EXPECT_TRUE(mine.options.count);
  EXPECT_EQ(experiment.output, std::filesystem::path("elsewhere"));
}

/// Both ways of Figure 7: what an engine does, and the reads of compare-exchanges in addition.
TEST(MarriageExperiment, CountsAsItIsToldTo) {
  auto const count = [](std::string const& value) {
    return load(std::string(plain) + "count: " + value + "\n").count;
  };
  EXPECT_EQ(count("false"), Count::none);
  EXPECT_EQ(count("true"), Count::operations);
  EXPECT_EQ(count("published"), Count::published);
  EXPECT_THROW(count("all"), ConfigError);
}

TEST(MarriageExperiment, ReadsEveryEngineByName) {
  for (auto const& engine : sm::engines()) {
    auto const experiment = load(replaced(plain, "GS-Seq-CPU", engine.name));
    EXPECT_EQ(experiment.engines[0].name, engine.name);
    EXPECT_EQ(experiment.engines[0].options.algorithm, engine.options.algorithm);
    EXPECT_EQ(experiment.engines[0].options.contention, engine.options.contention);
    EXPECT_EQ(experiment.engines[0].options.schedule, engine.options.schedule);
    using Backend = sm::Engine::Backend;
    EXPECT_EQ(experiment.engines[0].backend, engine.backend == Backend::host     ? "host"
                                             : engine.backend == Backend::device ? "device"
                                                                                 : "widest");
  }
}

TEST(MarriageExperiment, MinProposersPerThreadDefaultsToTheMachines) {
  auto const engines = "{name: mine, min_proposers_per_thread: 9}, GS-Seq-CPU";
  auto const experiment = load(replaced(plain, "GS-Seq-CPU", engines));
  EXPECT_EQ(experiment.engines[0].options.min_proposers_per_thread, 9U);
  EXPECT_EQ(to_json(experiment)["engines"][0]["min_proposers_per_thread"], 9);
  EXPECT_EQ(experiment.engines[1].options.min_proposers_per_thread, std::nullopt);
  EXPECT_EQ(
      error_of(replaced(plain, "GS-Seq-CPU", "{min_proposers_per_thread: 0}")),
      "c.yaml:4: engines.0.min_proposers_per_thread: expected a decimal integer from 1 to 2097151, "
      "found '0'");
}

TEST(MarriageExperiment, TiersAreOnByDefault) {
  auto const experiment =
      load(replaced(plain, "GS-Seq-CPU", "{name: without, tiers: false}, GS-Seq-CPU"));
  EXPECT_FALSE(experiment.engines[0].options.tiers);
  EXPECT_EQ(to_json(experiment)["engines"][0]["tiers"], false);
  EXPECT_TRUE(experiment.engines[1].options.tiers);
  EXPECT_EQ(to_json(experiment)["engines"][1]["tiers"], true);
  EXPECT_EQ(error_of(replaced(plain, "GS-Seq-CPU", "{tiers: 2}"))
                .rfind("c.yaml:4: engines.0.tiers: expected", 0),
            0u);
}

TEST(MarriageExperiment, ReadsLazyRanks) {
  auto const experiment =
      load(replaced(plain, "GS-Seq-CPU", "{name: without, lazy_ranks: never}, GS-Seq-CPU"));
  EXPECT_EQ(experiment.engines[0].options.lazy_ranks, sm::LazyRanks::never);
  EXPECT_EQ(to_json(experiment)["engines"][0]["lazy_ranks"], "never");
  EXPECT_EQ(experiment.engines[1].options.lazy_ranks, sm::LazyRanks::automatic);
  EXPECT_EQ(to_json(experiment)["engines"][1]["lazy_ranks"], "automatic");
  EXPECT_EQ(error_of(replaced(plain, "GS-Seq-CPU", "{lazy_ranks: nevr}"))
                .rfind("c.yaml:4: engines.0.lazy_ranks: ", 0),
            0u);
}

TEST(MarriageExperiment, OverridesReplaceValuesOfTheFile) {
  auto const experiment = load(plain, {"sizes=[7, 9]", "workloads.0=congested", "warmup=0"});
  EXPECT_EQ(experiment.workloads[0].sizes, (std::vector<std::size_t>{7, 9}));
  EXPECT_EQ(experiment.workloads[0].family, sm::Family::congested);
  EXPECT_EQ(experiment.warmup, 0);
}

struct Wrong {
  std::string text;
  std::vector<std::string> overrides;
  std::string message;
};

TEST(MarriageExperiment, ErrorsGivePlaceAndReason) {
  std::string const n_range = "expected a decimal integer from 1 to 2097151, found ";
  std::vector<Wrong> const cases{
      {with("warmpu: 3"), {}, "c.yaml:5: unknown key 'warmpu'; did you mean 'warmup'?"},
      {with("sizes: [3]"), {}, "c.yaml:5: key 'sizes' was already given in line 3"},
      {replaced(plain, "100", "010"), {}, "c.yaml:3: sizes.0: " + n_range + "'010'"},
      {replaced(plain, "100", "1e3"), {}, "c.yaml:3: sizes.0: " + n_range + "'1e3'"},
      {replaced(plain, "100", "-1"), {}, "c.yaml:3: sizes.0: " + n_range + "'-1'"},
      {replaced(plain, "100", "99999999999"),
       {},
       "c.yaml:3: sizes.0: " + n_range + "'99999999999'"},
      {replaced(plain, "100", "'100'"),
       {},
       "c.yaml:3: sizes.0: " + n_range + "'100' in quotes, which is text"},
      {replaced(plain, "100", "!!str 100"),
       {},
       "c.yaml:3: sizes.0: " + n_range + "'100', which is tagged as text"},
      {with("title: ''"), {}, "c.yaml:5: title: expected text, found empty quotes"},
      {with("title: \"a\\_b\""), {}, "c.yaml:5: title: expected text in UTF-8, found 'a\\xa0b'"},
      {replaced(plain, "[GS-Seq-CPU]", "[[GS-Seq-CPU]]"),
       {},
       "c.yaml:4: engines.0: expected text, found a list"},
      {replaced(plain, "[100]", "[]"),
       {},
       "c.yaml:3: sizes: expected a list with at least one entry, found an empty list"},
      {replaced(plain, "[100]", "[8, 9, 8]"), {}, "c.yaml:3: sizes: 8 occurs twice"},
      {with("seeds: [1, 1]"), {}, "c.yaml:5: seeds: 1 occurs twice"},
      {replaced(plain, "solo", "solo, solo"),
       {},
       "c.yaml:2: workloads.1: the workload 'solo' occurs twice"},
      {with("verify: yes"), {}, "c.yaml:5: verify: expected true or false, found 'yes'"},
      {with("repetitions: [1]"),
       {},
       "c.yaml:5: repetitions: expected a decimal integer from 1 to 1000000, found a list"},
      {with("scale: nan"),
       {},
       "c.yaml:5: scale: expected a number from 1e-06 to 1000000, found 'nan'"},
      {"", {}, "no experiments in c.yaml"},
      {"# nothing\n", {}, "no experiments in c.yaml"},
      {"hello", {}, "c.yaml: expected a mapping of keys at the top, found text"},
      {"a: [", {}, "c.yaml:1: not valid YAML: "},
      {replaced(plain, "name: x\n", ""), {}, "c.yaml:1: missing key 'name'"},
      {replaced(plain, "name: x", "name: ../x"), {}, "c.yaml:1: name: expected letters, digits"},
      {replaced(plain, "GS-Seq-CPU", "gs-seq-cpu"),
       {},
       "c.yaml:4: engines.0: unknown engine 'gs-seq-cpu'; did you mean 'GS-Seq-CPU'?"},
      {replaced(plain, "GS-Seq-CPU", "GS-Seq-CPU, GS-Seq-CPU"),
       {},
       "c.yaml:4: engines.1: a second engine with the name 'GS-Seq-CPU'"},
      {replaced(plain, "GS-Seq-CPU", "{algorithm: mcvite_wilson}"),
       {},
       "c.yaml:4: engines.0.algorithm: unknown value 'mcvite_wilson'; did you mean "
       "'mcvitie_wilson'?"},
      {replaced(plain, "GS-Seq-CPU", "{tables: pined}"),
       {},
       "c.yaml:4: engines.0.tables: unknown value 'pined'; did you mean 'pinned'?"},
      {replaced(plain, "GS-Seq-CPU", "{devices: 2, tables: pinned}"),
       {},
       "c.yaml:4: engines.0.tables: on several devices the tables are in device memory"},
      {replaced(plain, "GS-Seq-CPU", "{tail_threshold: randm}"),
       {},
       "c.yaml:4: engines.0.tail_threshold: expected a decimal integer from -1 to 2097151, found "
       "'randm'"},
      {replaced(plain, "solo", "{family: solo, group_size: 3}"),
       {},
       "c.yaml:2: workloads.0.group_size: only the family 'random'"},
      {replaced(plain, "solo", "{famly: solo}"),
       {},
       "c.yaml:2: unknown key 'workloads.0.famly'; did you mean 'family'?"},
      {replaced(plain, "solo", "{family: solo, engines: [LA-Seq-CPU]}"),
       {},
       "c.yaml:2: workloads.0.engines.0: 'LA-Seq-CPU' is not among the experiment's engines"},
      {replaced(plain, "sizes: [100]\n", ""), {}, "c.yaml:2: workloads.0: has no size"},
      {replaced(plain, "100", "3"),
       {},
       "c.yaml:2: workloads.0: the family 'solo' needs n >= 4, found 3"},
      {with("baseline: LA-Seq-CPU"),
       {},
       "c.yaml:5: baseline: 'LA-Seq-CPU' is not among the experiment's engines"},
      {std::string(plain),
       {"sizes=[010]"},
       "command line 'sizes=[010]': sizes.0: " + n_range + "'010'"},
      {std::string(plain),
       {"size=[10]"},
       "command line 'size=[10]': unknown key 'size'; did you mean 'sizes'?"},
      {std::string(plain),
       {"workloads.3=solo"},
       "command line 'workloads.3=solo': 'workloads' has entries 0 to 0, not '3'"},
      {std::string(plain), {"a.b=1"}, "command line 'a.b=1': there is no 'a' in the file"},
      {std::string(plain), {"sizes"}, "command line 'sizes': expected key=value"},
      {std::string(plain), {".=3"}, "command line '.=3': expected key=value, with a dot"},
      {std::string(plain), {"sizes.=3"}, "command line 'sizes.=3': expected key=value, with a dot"},
      {std::string(plain),
       {"workloads.0.family=congested"},
       "command line 'workloads.0.family=congested': 'workloads.0' is 'solo', not a mapping with a "
       "key 'family'"},
      {std::string(plain),
       {"engines.0.schedule=hybrid"},
       "command line 'engines.0.schedule=hybrid': 'engines.0' is 'GS-Seq-CPU', not a mapping"},
  };
  for (auto const& wrong : cases) {
    EXPECT_TRUE(error_of(wrong.text, wrong.overrides).starts_with(wrong.message))
        << "expected: " << wrong.message << "\nfound:    " << error_of(wrong.text, wrong.overrides);
  }
}

TEST(Node, ErrorsForFilesThatCannotBeRead) {
  Scratch const scratch;
  EXPECT_EQ(message_of([&] { Node::load(scratch / "none.yaml"); }), "none.yaml: no such file");
  EXPECT_TRUE(
      message_of([&] { Node::load(scratch / ""); }).ends_with("is a folder, expected a YAML file"));
}

TEST(Node, LimitsTheNumberOfUnfoldedAliases) {
  std::string text = "a: &a [x, x, x, x, x, x, x, x, x, x]\n";
  for (char name = 'b'; name < 'k'; ++name) {
    text += std::string(1, name) + ": &" + name + " [";
    for (int i = 0; i < 10; ++i) {
      text += std::string(i == 0 ? "*" : ", *") + static_cast<char>(name - 1);
    }
    text += "]\n";
  }
  EXPECT_EQ(error_of(text), "c.yaml: more than 100000 values; is this an experiment?");
}

TEST(Node, LimitsTheLevels) {
  EXPECT_EQ(error_of("a: &a [*a]\n"), "c.yaml: more than 64 levels; is this an experiment?");
  EXPECT_EQ(error_of("a: " + std::string(100, '[') + std::string(100, ']') + "\n"),
            "c.yaml: more than 64 levels; is this an experiment?");
}

/// The parser finds empty documents without end in this text.
TEST(Node, ATextOfEndlessDocumentsIsRefused) {
  EXPECT_EQ(error_of(","), "c.yaml: expected one YAML document, found a second");
}

TEST(Node, OnlyUtf8IsRead) {
  EXPECT_EQ(error_of("name: x\ntitle: Zo\xeb\n"), "c.yaml:2: expected UTF-8, found the byte 0xeb");
}

TEST(Node, ErrorsAreOneLine) {
  EXPECT_EQ(error_of("\"a\\nb\": 1\n\"a\\nb\": 2\n"),
            "c.yaml:2: key 'a\\x0ab' was already given in line 1");
}

TEST(MarriageExperiment, DifferentFormsHaveTheSameJson) {
  auto const one =
      to_json(load("name: x\nworkloads: [solo]\nsizes: [50]\nengines: [GS-Seq-CPU]\n"));
  auto const two = to_json(
      load("{engines: [GS-Seq-CPU], sizes: 50, name: x, workloads: [{family: solo}], seeds: [1]}"));
  EXPECT_EQ(one, two);
  EXPECT_NE(one, to_json(load(plain)));
}

}  // namespace
