// SPDX-License-Identifier: Apache-2.0
#include <apps/scratch.hpp>

#include <algorithms/vertex_cover/experiment.hpp>
#include <algorithms/vertex_cover/results.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace {

using namespace taper;
using namespace taper::app;

namespace vc = vertex_cover;
using test::message_of;
using test::replaced;
using test::Scratch;
using CoverResults = Results<CoverExperiment, CoverCase>;

constexpr std::string_view plain = "algorithm: vertex_cover\n"
                                   "name: x\n"
                                   "graphs: [g.gr]\n"
                                   "solvers: [taper]\n";

CoverExperiment load(std::string_view text, std::vector<std::string> const& overrides = {}) {
  return read_cover_experiment(test::configuration(text, overrides));
}

std::string error_of(std::string_view text, std::vector<std::string> const& overrides = {}) {
  return message_of([&] { load(text, overrides); });
}

/// The configuration in results.json can be run again.
TEST(CoverExperiment, ItsJsonIsTheSameConfiguration) {
  for (auto const& text :
       {std::string(plain),
        std::string(
            "algorithm: vertex_cover\nname: all\n"
            "graphs:\n"
            "  - {file: g.gr, name: mine, minimum: 4, k: [minimum, known-1, 9], solvers: [p]}\n"
            "  - {family: grid, n: 12}\n"
            "  - {family: grid, n: 13, weights: cyclic, solvers: [taper]}\n"
            "  - {file: w.gr, weights: sub/w.txt, minimum: 5000000000, solvers: [taper]}\n"
            "  - {file: v.gr, weights: file, solvers: [taper]}\n"
            "  - {family: planted_cover, n: [20, 30], degree: 3, cover: 8, seeds: [2, 3]}\n"
            "  - {family: many_components, n: 20, degree: 2.5, component_size: 5}\n"
            "solvers:\n"
            "  - taper\n"
            "  - {name: p, mode: published, balance: steal, induce: false, teams: 4, backend: "
            "host, threads: 1, degree_bits: 8}\n"
            "time_limit_s: 2.5\ncount: true\nskip_missing_graphs: true\n")}) {
    auto const resolved = to_json(load(text));
    EXPECT_EQ(to_json(load(resolved.dump())), resolved) << text;
  }
}

TEST(CoverExperiment, FillsInDefaults) {
  auto const experiment = load(plain);
  EXPECT_EQ(experiment.name, "x");
  ASSERT_EQ(experiment.graphs.size(), 1U);
  EXPECT_EQ(experiment.graphs[0].name, "g");
  EXPECT_EQ(experiment.graphs[0].file, "g.gr");
  EXPECT_FALSE(experiment.graphs[0].minimum);
  EXPECT_EQ(experiment.graphs[0].questions, std::vector<std::int64_t>{-1});
  ASSERT_EQ(experiment.solvers.size(), 1U);
  EXPECT_EQ(experiment.solvers[0].name, "taper");
  EXPECT_EQ(experiment.solvers[0].options.mode, vc::Mode::taper);
  EXPECT_FALSE(experiment.solvers[0].options.component_search);
  EXPECT_EQ(experiment.solvers[0].backend, "widest");
  EXPECT_EQ(experiment.self_loops, SelfLoops::force);
  EXPECT_EQ(experiment.repetitions, 3);
  EXPECT_EQ(experiment.warmup, 1);
  EXPECT_TRUE(experiment.verify);
  EXPECT_EQ(experiment.output, std::filesystem::path("results/x"));
}

TEST(CoverExperiment, ReadsEveryKey) {
  auto const experiment =
      load("algorithm: vertex_cover\n"
           "name: all\n"
           "title: All of it\n"
           "data: folder\n"
           "graphs:\n"
           "  - sub/a.txt.gz\n"
           "  - {file: b.gr, name: second, minimum: 7, k: [known-1, known, "
           "known+1, minimum, 3], solvers: [mine]}\n"
           "  - {family: gnp, n: [10, 20], degree: 2.5, seeds: [4, 5]}\n"
           "  - {family: planted_cover, n: 30, cover: 9}\n"
           "  - {family: many_components, n: 30, component_size: 6, k: 2}\n"
           "k: [minimum, 5]\n"
           "solvers:\n"
           "  - published\n"
           "  - {name: mine, mode: published, components: false, induce: false, "
           "bounds: false,\n"
           "     balance: steal, crown: complete, split_root: true, "
           "lower_bound_stop: true, degree_bound: true,\n"
           "     first_branch: neighbours, degree_bits: 32, threads: 3,\n"
           "     backend: host, teams: 4, stack_nodes: 5, "
           "registry_entries: 6,\n"
           "     queue_nodes: 7, small_vertices: 64}\n"
           "  - {packing: false}\n"
           "self_loops: drop\n"
           "time_limit_s: 1.5\n"
           "repetitions: 2\n"
           "warmup: 0\n"
           "threads: 2\n"
           "verify: false\n"
           "count: true\n"
           "skip_missing_backends: true\n"
           "skip_missing_graphs: true\n"
           "output: elsewhere\n");
  ASSERT_EQ(experiment.graphs.size(), 8U);
  EXPECT_EQ(experiment.graphs[0].name, "a");
  EXPECT_EQ(experiment.graphs[0].questions, (std::vector<std::int64_t>{-1, 5}));
  EXPECT_EQ(experiment.graphs[1].name, "second");
  EXPECT_EQ(experiment.graphs[1].questions, (std::vector<std::int64_t>{6, 7, 8, -1, 3}));
  EXPECT_TRUE(experiment.graphs[1].runs("mine"));
  EXPECT_FALSE(experiment.graphs[1].runs("published"));
  EXPECT_EQ(experiment.graphs[2].name, "gnp 10 degree 2.5 seed 4");
  EXPECT_EQ(experiment.graphs[5].name, "gnp 20 degree 2.5 seed 5");
  EXPECT_EQ(experiment.graphs[5].workload.n, 20U);
  EXPECT_EQ(experiment.graphs[5].workload.seed, 5U);
  EXPECT_EQ(experiment.graphs[6].minimum, 9U) << "planted";
  EXPECT_EQ(experiment.graphs[7].questions, std::vector<std::int64_t>{2});
  auto const& options = experiment.solvers[1].options;
  ASSERT_TRUE(options.component_search);
  auto const& search = *options.component_search;
  EXPECT_FALSE(search.components || search.induce || search.bounds);
  EXPECT_TRUE(search.split_root && search.lower_bound_stop && search.degree_bound);
  EXPECT_EQ(search.crown, vc::Crown::complete);
  EXPECT_EQ(search.first_branch, vc::FirstBranch::neighbours);
  EXPECT_EQ(search.degree_bits, vc::DegreeBits::bits_32);
  EXPECT_EQ(search.balance, vc::Balance::steal);
  EXPECT_EQ(search.teams, 4U);
  EXPECT_EQ(search.stack_nodes, 5U);
  EXPECT_EQ(search.registry_entries, 6U);
  EXPECT_EQ(search.queue_nodes, 7U);
  EXPECT_EQ(search.small_vertices, 64U);
  EXPECT_EQ(experiment.solvers[1].threads, 3);
  EXPECT_TRUE(options.packing);
  EXPECT_FALSE(experiment.solvers[2].options.packing);
  EXPECT_TRUE(search.count);
  EXPECT_EQ(options.time_limit_s, 1.5);
  EXPECT_EQ(experiment.solvers[1].backend, "host");
  EXPECT_EQ(experiment.self_loops, SelfLoops::drop);
  EXPECT_EQ(experiment.data, "folder");
  EXPECT_EQ(experiment.output, "elsewhere");
}

/// A solver's options are those of its mode, except for the keys that it has.
TEST(CoverExperiment, OptionsComeFromTheMode) {
  auto const experiment = load(
      replaced(plain, "[taper]",
               "[component_search, published, yamout, {mode: published, name: p, crown: off}]"));
  auto const search = [&](std::size_t i) {
    return *experiment.solvers[i].options.component_search;
  };
  EXPECT_EQ(search(0).balance, vc::Balance::steal);
  EXPECT_EQ(search(0).small_vertices, 128U);
  EXPECT_EQ(search(1).balance, vc::Balance::worklist);
  EXPECT_EQ(search(1).small_vertices, 0U);
  EXPECT_EQ(search(1).crown, vc::Crown::published);
  EXPECT_FALSE(search(1).lower_bound_stop || search(1).degree_bound || search(1).split_root);
  EXPECT_TRUE(search(1).components);
  EXPECT_FALSE(search(2).components || search(2).induce || search(2).bounds);
  EXPECT_EQ(search(2).degree_bits, vc::DegreeBits::bits_32);
  EXPECT_EQ(search(3).crown, vc::Crown::off);
  EXPECT_EQ(search(3).balance, vc::Balance::worklist);
}

TEST(CoverExperiment, ErrorsGivePlaceAndReason) {
  EXPECT_EQ(error_of(replaced(plain, "graphs: [g.gr]", "graphs: [g.gr, h/g.txt]")),
            "c.yaml:3: graphs.1: a second graph with the name 'g'; names must differ");
  EXPECT_EQ(error_of(replaced(plain, "[taper]", "[taper, taper]")),
            "c.yaml:4: solvers.1: a second solver with the name 'taper'; names must differ");
  EXPECT_EQ(error_of(replaced(plain, "[taper]", "[publshed]")),
            "c.yaml:4: solvers.0: unknown value 'publshed'; did you mean 'published'?");
  EXPECT_EQ(error_of(replaced(plain, "[taper]", "[default]")),
            "c.yaml:4: solvers.0: the mode 'default' is now called 'taper'");
  EXPECT_EQ(error_of(replaced(plain, "[taper]", "[{mode: paper}]")),
            "c.yaml:4: solvers.0.mode: the mode 'paper' is now 'published', its rules alone, or "
            "'component_search', with Taper's additions");
  EXPECT_EQ(error_of(replaced(plain, "[taper]", "[{mode: taper, balance: steal}]")),
            "c.yaml:4: solvers.0.balance: the mode 'taper' does not have this key");
  EXPECT_EQ(error_of(replaced(plain, "[taper]", "[{mode: published, packing: false}]")),
            "c.yaml:4: solvers.0.packing: only the mode 'taper' has this key");
  EXPECT_EQ(error_of(replaced(plain, "[g.gr]", "[{file: g.gr, k: known-1}]")),
            "c.yaml:3: graphs.0.k: 'known-1' needs the graph's key 'minimum'");
  EXPECT_EQ(error_of(replaced(plain, "[g.gr]", "[{file: g.gr, minimum: 0, k: known-1}]")),
            "c.yaml:3: graphs.0.k: 'known-1' is negative, since the minimum is 0");
  EXPECT_EQ(error_of(replaced(plain, "[g.gr]", "[{file: g.gr, k: [3, 3]}]")),
            "c.yaml:3: graphs.0.k.1: occurs twice: k = 3");
  EXPECT_EQ(error_of(replaced(plain, "[g.gr]", "[{file: g.gr, k: some}]")),
            "c.yaml:3: graphs.0.k: expected 'minimum', a number k, or 'known-1', 'known' or "
            "'known+1', found 'some'");
  EXPECT_EQ(error_of(replaced(plain, "[g.gr]", "[{file: g.gr, degree: 3}]")),
            "c.yaml:3: unknown key 'graphs.0.degree'; expected one of file, name, weights, "
            "minimum, k and "
            "solvers");
  EXPECT_EQ(error_of(replaced(plain, "[g.gr]", "[{n: 3}]")),
            "c.yaml:3: missing key 'graphs.0.family'");
  EXPECT_EQ(error_of(replaced(plain, "[g.gr]", "[{family: grid, n: 3, degree: 2}]")),
            "c.yaml:3: graphs.0.degree: the family 'grid' has no such key");
  EXPECT_EQ(error_of(replaced(plain, "[g.gr]", "[{family: gnp, n: 3, cover: 2}]")),
            "c.yaml:3: graphs.0.cover: only the family 'planted_cover' has this key");
  EXPECT_EQ(error_of(replaced(plain, "[g.gr]", "[{family: planted_cover, n: 3}]")),
            "c.yaml:3: graphs.0: the family 'planted_cover' needs the key 'cover'");
  EXPECT_EQ(error_of(replaced(plain, "[g.gr]", "[{file: g.gr, solvers: [tapr]}]")),
            "c.yaml:3: graphs.0.solvers.0: 'tapr' is not among the experiment's solvers; did "
            "you mean 'taper'?");
  EXPECT_EQ(error_of(plain, {"time_limit=3"}),
            "command line 'time_limit=3': unknown key 'time_limit'; did you mean 'time_limit_s'?");
}

/// A case with three repetitions.
CoverCase sample_case(std::string solver, double seconds) {
  CoverCase result;
  result.graph = "g";
  result.solver = std::move(solver);
  result.backend = "serial";
  result.vertices = 1234;
  result.edges = 5678;
  result.runs = {seconds, 3 * seconds, 2 * seconds};
  result.report.cover_size = result.report.lower_bound = 700;
  result.report.nodes = 4321;
  result.report.conflicts = 987;
  result.report.component_branches = 12;
  result.report.components_histogram = {0, 0, 11, 1};
  result.report.registry_full = 5;
  result.report.storage_full = 6;
  result.report.kernel_vertices = 321;
  result.report.array_vertices = 320;
  result.report.teams = 8;
  result.report.degree_bits = 16;
  result.report.stack_bytes = 3 << 20;
  result.report.scratch_bytes = 2048;
  result.report.in_scratch = true;
  result.activities = {{"root on the host", 0.25}, {"reducing", 0.75}};
  result.threads = 1;
  result.verified = true;
  return result;
}

TEST(CoverResults, AnswerLabels) {
  auto result = sample_case("taper", 1);
  EXPECT_EQ(answer_label(result), "700");
  result.report.status = Status::stopped;
  result.report.lower_bound = 650;
  EXPECT_EQ(answer_label(result), "650..700");
  result.k = 660;
  result.report.found = false;
  EXPECT_EQ(answer_label(result), "650..700");
  result.report.status = Status::solved;
  EXPECT_EQ(answer_label(result), "no");
  result.report.found = true;
  EXPECT_EQ(answer_label(result), "yes");
}

TEST(CoverResults, FilesKeepCasesAndTableShowsThem) {
  Scratch const scratch;
  auto experiment = load(replaced(plain, "[taper]", "[taper, published]"));
  experiment.count = true;
  experiment.output = scratch / "r";
  auto slow = sample_case("published", 2);
  slow.report.status = Status::stopped;
  slow.report.lower_bound = 1;
  slow.runs = {2};
  {
    CoverResults results(experiment, {{"taper_version", "0"}});
    results.add(sample_case("taper", 0.001));
    results.add(slow);
    results.complete();
  }
  {
    CoverResults again(experiment, {{"taper_version", "0"}});
    again.resume();
    ASSERT_EQ(again.cases().size(), 2U);
    EXPECT_EQ(again.cases()[0].report.components_histogram,
              sample_case("", 0).report.components_histogram);
    EXPECT_EQ(again.cases()[0].report.registry_full, 5u);
    EXPECT_EQ(again.cases()[0].report.storage_full, 6u);
    EXPECT_EQ(again.cases()[0].report.conflicts, 987u);
    EXPECT_EQ(again.cases()[0].report.stack_bytes, 3u << 20);
    EXPECT_TRUE(again.cases()[0].report.in_scratch);
    EXPECT_EQ(again.cases()[0].threads, 1);
    EXPECT_TRUE(again.cases()[0].solved());
    EXPECT_FALSE(again.cases()[1].solved());
    ASSERT_NE(again.find(slow), nullptr);
    auto other = slow;
    other.k = 3;
    EXPECT_EQ(again.find(other), nullptr);

    auto const table = result_table(experiment, again.cases());
    EXPECT_NE(table.find("g      minimum      1,234  5,678     700  2.00 ms    >2.00 s"),
              std::string::npos)
        << table;
    for (auto const* text : {"{2: 11; 3: 1}", "1,234           320  0.26x      8    16", "3.0 MiB",
                             "25.0 %", "75.0 %"}) {
      EXPECT_NE(table.find(text), std::string::npos) << text << "\n" << table;
    }
    auto const details = cover_details(scratch / "r" / "results.json");
    EXPECT_NE(details.find("  graph  question  over taper\n  g      minimum      <0.001x\n"),
              std::string::npos)
        << details;
    EXPECT_NE(details.find("{2: 11; 3: 1}"), std::string::npos) << details;
    auto const csv = to_csv(experiment, again.cases());
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 1 + 3 + 1);
    EXPECT_NE(csv.find("x,g,1234,5678,,published,published,serial,1,1,2,0,false,true,700,1,"),
              std::string::npos)
        << csv;
  }

  experiment.repetitions = 9;
  CoverResults changed(experiment, {});
  EXPECT_NE(message_of([&] { changed.resume(); }).find("its run had another 'repetitions'"),
            std::string::npos);
}

}  // namespace
