// SPDX-License-Identifier: Apache-2.0
#include <apps/scratch.hpp>

#include <algorithms/matmul/experiment.hpp>
#include <algorithms/matmul/pictures.hpp>
#include <algorithms/matmul/results.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace taper;
using namespace taper::app;

namespace mm = matmul;
using test::message_of;
using test::replaced;
using test::Scratch;
using MatmulResults = Results<MatmulExperiment, MatmulCase>;

constexpr std::string_view plain = "algorithm: matmul\n"
                                   "name: x\n"
                                   "sizes: 64\n"
                                   "engines: [IKJ]\n";

MatmulExperiment load(std::string_view text, std::vector<std::string> const& overrides = {}) {
  return read_matmul_experiment(test::configuration(text, overrides));
}

std::string error_of(std::string_view text, std::vector<std::string> const& overrides = {}) {
  return message_of([&] { load(text, overrides); });
}

TEST(MatmulExperiment, FillsInDefaults) {
  auto const experiment = load(plain);
  EXPECT_EQ(experiment.operation, Operation::multiply);
  EXPECT_EQ(experiment.sizes, (std::vector<Extents>{{64, 64, 64}}));
  EXPECT_EQ(experiment.types, std::vector{io::Scalar::float64});
  EXPECT_EQ(experiment.workload.seed, 1U);
  EXPECT_EQ(experiment.workload.family, mm::Family::uniform);
  ASSERT_EQ(experiment.engines.size(), 1U);
  auto const& engine = experiment.engines[0];
  EXPECT_EQ(engine.name, "IKJ");
  EXPECT_EQ(engine.series, "IKJ");
  EXPECT_EQ(engine.options.engine, mm::Engine::serial);
  EXPECT_EQ(engine.options.kernel, mm::Kernel::ikj);
  EXPECT_EQ(engine.backend, "host");
  EXPECT_EQ(engine.threads, 0);
  EXPECT_FALSE(engine.copies);
  EXPECT_EQ(experiment.baseline, "IKJ");
}

constexpr std::string_view every_key =
    "algorithm: matmul\n"
    "name: all\n"
    "operation: multiply\n"
    "sizes: [8, [2, 3, 4], 4096]\n"
    "max_n: 100\n"
    "types: [float32, float64]\n"
    "family: ill_conditioned\n"
    "condition: 1e6\n"
    "seed: 7\n"
    "engines:\n"
    "  - {name: f, engine: fork_join, kernel: ikj, scheduler: tasks, threshold: [4, 8],\n"
    "     temporaries: false, threads: [1, 2], max_n: 8}\n"
    "  - {engine: Tiled, block: 24, backend: serial}\n"
    "  - {engine: streamed, streamed_engine: team_tiled, streams: 2, stream_tile: 9, pinned: "
    "true}\n"
    "  - {engine: GPU-Tiled, copies: true}\n"
    "baseline: Tiled\n";

/// The configuration in results.json can be run again.
TEST(MatmulExperiment, ItsJsonIsTheSameConfiguration) {
  for (auto const& text :
       {std::string(plain), std::string(every_key),
        replaced(plain, "[IKJ]", "[{engine: Winograd-IKJ, series: W}, automatic]"),
        replaced(plain, "sizes: 64", "operation: add\nsizes: [8, [2, 3]]\nthreads: 2"),
        replaced(plain, "sizes: 64", "sizes: 8\nfamily: integers\nlargest: 3")}) {
    auto const resolved = to_json(load(text));
    EXPECT_EQ(to_json(load(resolved.dump())), resolved) << text;
  }
}

TEST(MatmulExperiment, ReadsEveryKey) {
  auto const experiment = load(every_key);
  EXPECT_EQ(experiment.sizes, (std::vector<Extents>{{8, 8, 8}, {2, 3, 4}})) << "4096 is left out";
  EXPECT_EQ(experiment.workload.family, mm::Family::ill_conditioned);
  EXPECT_EQ(experiment.workload.condition, 1e6);
  EXPECT_EQ(experiment.workload.seed, 7U);
  ASSERT_EQ(experiment.engines.size(), 7U);
  std::vector<std::string> names;
  for (auto const& engine : experiment.engines) {
    names.push_back(engine.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"f T4 x1", "f T4 x2", "f T8 x1", "f T8 x2", "Tiled",
                                             "streamed", "GPU-Tiled"}));
  auto const& forked = experiment.engines[3];
  EXPECT_EQ(forked.series, "f");
  EXPECT_EQ(forked.options.threshold, 8);
  EXPECT_EQ(forked.options.kernel, mm::Kernel::ikj);
  EXPECT_EQ(to_string(forked.options.scheduler), "tasks");
  EXPECT_FALSE(forked.options.temporaries);
  EXPECT_EQ(forked.threads, 2);
  EXPECT_TRUE(forked.runs({8, 8, 8}));
  EXPECT_FALSE(forked.runs({8, 9, 8}));
  EXPECT_EQ(experiment.engines[4].options.block, 24);
  EXPECT_EQ(experiment.engines[4].backend, "serial");
  EXPECT_EQ(experiment.engines[5].options.streamed_engine, mm::TileEngine::team_tiled);
  EXPECT_EQ(experiment.engines[5].options.stream_tile, 9);
  EXPECT_EQ(experiment.engines[5].backend, "device");
  EXPECT_TRUE(experiment.engines[5].pinned);
  EXPECT_TRUE(experiment.engines[6].copies);

  auto const sums =
      load(replaced(replaced(plain, "sizes: 64", "sizes: [[1, 9], 5]\noperation: add"), "[IKJ]",
                    "[{engine: combined, threshold: 7, explicit_simd: true}]"));
  EXPECT_EQ(sums.sizes, (std::vector<Extents>{{1, 9, 9}, {5, 5, 5}}));
  EXPECT_EQ(sums.engines[0].options.engine, mm::Engine::combined);
  EXPECT_EQ(sums.engines[0].options.threshold, 7);
  EXPECT_TRUE(sums.engines[0].options.explicit_simd);
  EXPECT_EQ(sums.engines[0].backend, "host");
}

TEST(MatmulExperiment, ErrorsGivePlaceAndReason) {
  EXPECT_EQ(error_of(replaced(plain, "64", "[64, [1, 2]]")),
            "c.yaml:3: sizes.1: expected n or [m, n, k], found a list of 2");
  EXPECT_EQ(error_of(replaced(plain, "64", "[64, 64]")),
            "c.yaml:3: sizes.1: this size occurs twice");
  EXPECT_EQ(error_of(plain, {"max_n=3"}), "command line 'max_n=3': max_n: all sizes are larger");
  EXPECT_EQ(error_of(replaced(plain, "[IKJ]", "[IJKL]")),
            "c.yaml:4: engines.0: unknown engine 'IJKL'; did you mean 'IJK'?");
  EXPECT_EQ(error_of(replaced(plain, "[IKJ]", "[IKJ, IKJ]")),
            "c.yaml:4: engines.1: a second engine with the name 'IKJ'; names must differ");
  EXPECT_EQ(error_of(replaced(plain, "[IKJ]", "[{kernel: ikj}]")),
            "c.yaml:4: missing key 'engines.0.engine'");
  EXPECT_EQ(error_of(replaced(plain, "[IKJ]", "[{engine: Packed, kernel: ikj}]")),
            "c.yaml:4: engines.0.kernel: the engine 'packed' has no such key");
  EXPECT_EQ(error_of(replaced(plain, "[IKJ]", "[{engine: strassen, threshold: 0}]")).substr(0, 82),
            "c.yaml:4: engines.0.threshold: expected a decimal integer from 1 to 1099511627776,");
  EXPECT_EQ(error_of(plain, {"operation=add", "engines=[IKJ, Tiled]"}),
            "command line 'engines=[IKJ, Tiled]': engines.1: the engine 'tiled' cannot add; "
            "expected automatic, serial, rows, fork_join or combined");
  EXPECT_EQ(error_of(replaced(plain, "[IKJ]", "[sequential]")),
            "c.yaml:4: engines.0: the present name of the engine 'sequential' is 'serial'");
  EXPECT_EQ(error_of(replaced(plain, "[IKJ]", "[combined]")),
            "c.yaml:4: engines.0: the engine 'combined' only adds; it needs 'operation: add'");
  EXPECT_EQ(error_of(replaced(plain, "[IKJ]", "[{engine: rows, explicit_simd: true}]")),
            "c.yaml:4: engines.0.explicit_simd: the engine 'rows' has no such key");
  EXPECT_EQ(error_of(replaced(plain, "[IKJ]", "[{engine: streamed, streamed_engine: vendor}]")),
            "c.yaml:4: engines.0.streamed_engine: expected one of automatic, register_blocked and "
            "team_tiled, found 'vendor'");
  EXPECT_EQ(error_of(plain, {"largest=3"}),
            "command line 'largest=3': largest: only the family 'integers' has this key");
  EXPECT_EQ(error_of(plain, {"types=float16"}),
            "command line 'types=float16': types: unknown value 'float16'; did you mean "
            "'float32'?");
  EXPECT_EQ(
      error_of(plain, {"baseline=IJK"}),
      "command line 'baseline=IJK': baseline: 'IJK' is not among the experiment's engines; did "
      "you mean 'IKJ'?");
  EXPECT_EQ(error_of(plain, {"count=true"}).substr(0, 45),
            "command line 'count=true': unknown key 'count");
}

/// A case with three repetitions.
MatmulCase sample_case(std::string engine, std::uint64_t n, double seconds) {
  MatmulCase result;
  result.extents = {n, n, n};
  result.engine = std::move(engine);
  result.backend = "serial";
  result.runs = {seconds, 3 * seconds, 2 * seconds};
  result.report.engine = mm::Engine::fork_join;
  result.report.operations = 2 * n * n * n;
  result.report.kernel_calls = 64;
  result.deviation = {0.25, 16};
  result.verified = true;
  return result;
}

TEST(MatmulResults, AreReadBackFromTheFile) {
  Scratch const scratch;
  auto experiment = load(plain);
  experiment.output = scratch / "r";
  auto wrong = sample_case("IJK", 64, 2);
  wrong.deviation.scaled_residual = std::numeric_limits<double>::quiet_NaN();
  wrong.failure = "no";
  wrong.verified = false;
  auto streamed = sample_case("streamed", 64, 1);
  streamed.report.streaming.streams = 2;
  streamed.report.streaming.to_device_s = 3;
  streamed.report.streaming.compute_s = 1;
  streamed.report.streaming.elapsed_s = 3;
  {
    MatmulResults results(experiment, {{"taper_version", "0"}});
    results.add(sample_case("IKJ", 64, 0.001));
    results.add(wrong);
    results.add(streamed);
    results.complete();
  }
  MatmulResults again(experiment, {});
  again.resume();
  ASSERT_EQ(again.cases().size(), 3U);
  EXPECT_NE(again.find(wrong), nullptr);
  auto const& first = again.cases()[0];
  EXPECT_TRUE(first.same_case(sample_case("IKJ", 64, 1)));
  EXPECT_EQ(first.report.engine, mm::Engine::fork_join);
  EXPECT_EQ(first.report.kernel_calls, 64U);
  EXPECT_DOUBLE_EQ(first.gflops(), 2 * 64 * 64 * 64 / 0.002 / 1e9);
  EXPECT_TRUE(std::isnan(again.cases()[1].deviation.scaled_residual));
  EXPECT_FALSE(again.cases()[1].deviation.within());
  EXPECT_DOUBLE_EQ(again.cases()[2].report.streaming.overlap(), 0.25);

  auto const table = result_table(experiment, again.cases());
  EXPECT_TRUE(table.starts_with("n = 64, float64\n")) << table;
  EXPECT_NE(table.find("0.001x"), std::string::npos) << "the ratio of IJK to IKJ: " << table;
  EXPECT_NE(table.find("WRONG"), std::string::npos) << table;
  EXPECT_NE(table.find("25 %"), std::string::npos) << table;
  auto const csv = to_csv(experiment, again.cases());
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + 9);
  EXPECT_NE(csv.find("\r\nx,multiply,64,64,64,float64,IKJ,fork_join,ikj,,0,false,serial,1,0.001,"),
            std::string::npos)
      << csv;
}

TEST(MatmulPictures, ShowThresholdsAndSpeedups) {
  Stored<MatmulCase> results;
  results.name = "title";
  auto const experiment = load(replaced(
      plain, "[IKJ]", "[IKJ, {name: f, engine: fork_join, kernel: ikj, threshold: [2, 8, 64]}]"));
  results.configuration = to_json(experiment);
  results.cases = {sample_case("IKJ", 16, 1), sample_case("f T2", 16, 4),
                   sample_case("f T8", 16, 2), sample_case("f T64", 16, 1)};
  auto const thresholds = thresholds_picture(results).script;
  EXPECT_NE(thresholds.find("set title 'f, float64'"), std::string::npos) << thresholds;
  EXPECT_NE(thresholds.find("$cells0 << EOD\n0 0 1\n0 1 2\n0 2 4\nEOD"), std::string::npos)
      << thresholds;
  EXPECT_NE(thresholds.find("$stairs0 << EOD\n-0.5 1.5\n0.5 1.5\nEOD"), std::string::npos)
      << "2 and 8 are below 16: " << thresholds;
  auto const speedup = matmul_lines_picture(results, YAxis::speedup).script;
  EXPECT_NE(speedup.find("$panel0_2 << EOD\n16 0.5 0.333333 1\nEOD"), std::string::npos) << speedup;
  results.cases.resize(1);
  EXPECT_EQ(message_of([&] { thresholds_picture(results); }),
            "the results have no engine with a threshold");
}

}  // namespace
