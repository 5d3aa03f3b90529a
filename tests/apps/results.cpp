// SPDX-License-Identifier: Apache-2.0
#include <apps/scratch.hpp>

#include <algorithms/stable_marriage/pictures.hpp>
#include <algorithms/stable_marriage/results.hpp>
#include <algorithms/stable_marriage/table.hpp>
#include <experiment/run_cases.hpp>
#include <support/interrupt.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

namespace {

using namespace taper;
using namespace taper::app;

using test::message_of;
using test::Scratch;
using ResultsFolder = Results<MarriageExperiment, MarriageCase>;

/// A case with three repetitions.
MarriageCase sample_case(std::string engine, std::uint64_t n, double seconds) {
  MarriageCase result;
  result.workload = "random(5)";
  result.n = n;
  result.seed = 1;
  result.engine = std::move(engine);
  result.backend = "serial";
  for (PhaseSeconds const& phases :
       {PhaseSeconds{0, 0, seconds / 4, seconds / 2, seconds / 4},
        PhaseSeconds{0, 0, seconds, seconds, 0}, PhaseSeconds{0, 0, 0, 3 * seconds, 0}}) {
    auto& run = result.runs.emplace_back();
    run.seconds = phases;
    run.report.proposals = 1234;
    run.report.rounds = result.runs.size();
    run.report.tail_side = Location::host;
  }
  result.generation_seconds = 0.5;
  result.matching_hash = "fnv1a:0000000000000001";
  result.verified = true;
  return result;
}

MarriageExperiment experiment_in(std::filesystem::path const& folder) {
  MarriageExperiment experiment;
  experiment.name = "x";
  experiment.engines = {{"A", {}, "host"}, {"B, \"quoted\"", {}, "host"}};
  experiment.baseline = "A";
  experiment.output = folder;
  return experiment;
}

std::string text_of(std::filesystem::path const& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Results, MatchingHashIsFnv1a) {
  EXPECT_EQ(hash_matching({}), "fnv1a:cbf29ce484222325");
  // FNV-1a of the bytes 61 00 00 00, by hand from its definition.
  std::uint64_t expected = 0xcbf29ce484222325;
  for (unsigned const byte : {0x61U, 0U, 0U, 0U}) {
    expected = (expected ^ byte) * 0x100000001b3;
  }
  std::array<std::uint32_t, 1> const one{0x61};
  EXPECT_EQ(std::stoull(hash_matching(one).substr(6), nullptr, 16), expected);
  EXPECT_NE(hash_matching(std::array<std::uint32_t, 2>{0, 1}),
            hash_matching(std::array<std::uint32_t, 2>{1, 0}));
}

TEST(Results, Median) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 2, 3}), 2.5);
}

TEST(Results, AreReadBackFromTheFile) {
  Scratch const scratch;
  auto const experiment = experiment_in(scratch / "out");
  ResultsFolder folder(experiment, {{"taper_version", "0"}});
  folder.add(sample_case("A", 100, 1));
  EXPECT_TRUE(text_of(folder.json_path()).find("\"complete\": false") != std::string::npos);
  folder.add(sample_case("B, \"quoted\"", 100, 0.25));
  folder.complete();
  auto const text = text_of(folder.json_path());
  EXPECT_TRUE(text.find("\"complete\": true") != std::string::npos);
  EXPECT_TRUE(text.find("\"tail_side\":\"host\"") != std::string::npos) << "a name, no number";

  auto const stored = read_stored<MarriageCase>(folder.json_path());
  ASSERT_EQ(stored.cases.size(), 2U);
  EXPECT_EQ(stored.configuration, to_json(experiment));
  auto const& first = stored.cases[0];
  EXPECT_TRUE(first.same_case(sample_case("A", 100, 1)));
  ASSERT_EQ(first.runs.size(), 3U);
  EXPECT_DOUBLE_EQ(first.runs[1].seconds.total(), 2);
  EXPECT_EQ(first.runs[1].report.proposals, 1234U);
  EXPECT_EQ(first.runs[1].report.rounds, 2U);
  EXPECT_EQ(first.runs[1].report.tail_side, Location::host);
  EXPECT_TRUE(first.verified);
}

TEST(Results, CountersAreShownOnlyIfAllRunsCounted) {
  auto result = sample_case("A", 100, 1);
  result.runs[0].report.acceptances = 100;
  result.runs[0].report.rejections = 1134;
  auto json = nlohmann::ordered_json(result);
  EXPECT_EQ(json["runs"][0]["rejections"], 1134);
  EXPECT_EQ(json["runs"][1]["rejections"], 0);
  json["runs"][2]["acceptances"] = nullptr;  // as in files of version 0.1

  auto const stored = json.get<MarriageCase>();
  ASSERT_TRUE(stored.runs[0].counted());
  EXPECT_EQ(stored.runs[0].report.rejections, 1134U);
  EXPECT_FALSE(stored.runs[1].counted());
  EXPECT_FALSE(stored.runs[2].counted()) << "null in the file";

  auto experiment = experiment_in("out");
  auto const csv = to_csv(experiment, std::array{stored});
  EXPECT_NE(csv.find(",1234,100,1134,0,0,0,0,0,"), std::string::npos) << csv;
  EXPECT_NE(csv.find(",1234,0,0,0,0,0,0,0,"), std::string::npos) << csv;

  experiment.count = Count::operations;
  EXPECT_NE(result_table(experiment, std::array{stored}).find("1,234        -"), std::string::npos)
      << result_table(experiment, std::array{stored});
}

TEST(Results, TotalTimeOfASolveFromHostMemoryIncludesCopies) {
  auto result = sample_case("A", 100, 1);
  result.runs[0].seconds = {2, 0, 0.25, 0.5, 0.25, 3.5};
  result.runs[0].report.copied_bytes = 777;
  auto const stored = nlohmann::ordered_json(result).get<MarriageCase>();
  EXPECT_DOUBLE_EQ(stored.runs[0].seconds.copy, 2);
  EXPECT_DOUBLE_EQ(stored.runs[0].seconds.total(), 3.5);
  EXPECT_EQ(stored.runs[0].report.copied_bytes, 777U);
  EXPECT_DOUBLE_EQ(stored.runs[1].seconds.total(), 2);
}

TEST(Results, FormerNamesOfFieldsAreRead) {
  auto json = nlohmann::ordered_json(sample_case("A", 100, 1));
  json["runs"][0].erase("bytes_moved");
  json["runs"][0]["moved_bytes"] = 77;
  EXPECT_EQ(json.get<MarriageCase>().runs[0].report.bytes_moved, 77U);
}

/// add() does not always write, but the destructor does.
TEST(Results, DestructorWritesAllCases) {
  Scratch const scratch;
  auto const experiment = experiment_in(scratch / "out");
  {
    ResultsFolder folder(experiment, {});
    for (std::uint64_t n = 1; n <= 50; ++n) {
      folder.add(sample_case("A", n, 1));
    }
  }
  EXPECT_EQ(read_stored<MarriageCase>(scratch / "out/results.json").cases.size(), 50U);
}

TEST(Results, ResumeRequiresTheSameConfiguration) {
  Scratch const scratch;
  auto experiment = experiment_in(scratch / "out");
  {
    ResultsFolder folder(experiment, {});
    folder.add(sample_case("A", 100, 1));
  }
  {
    ResultsFolder folder(experiment, {});
    folder.resume();
    EXPECT_NE(folder.find(sample_case("A", 100, 9)), nullptr);
    EXPECT_EQ(folder.find(sample_case("A", 101, 1)), nullptr);
  }
  experiment.repetitions = 99;
  ResultsFolder folder(experiment, {});
  EXPECT_EQ(message_of([&] { folder.resume(); }), "out/results.json: cannot resume: its run had "
                                                  "another 'repetitions'; run without --resume, or "
                                                  "choose another output");
}

TEST(Results, ResumeRequiresTheSameProvenance) {
  Scratch const scratch;
  auto const experiment = experiment_in(scratch / "out");
  nlohmann::ordered_json const first{{"host_threads", "1"}, {"date_utc", "2026-11-01T00:00:00Z"}};
  nlohmann::ordered_json const later{{"host_threads", "1"}, {"date_utc", "2026-11-02T00:00:00Z"}};
  nlohmann::ordered_json const wider{{"host_threads", "2"}, {"date_utc", "2026-11-02T00:00:00Z"}};
  ResultsFolder(experiment, first).add(sample_case("A", 100, 1));
  {
    ResultsFolder folder(experiment, later);
    folder.resume();
    folder.add(sample_case("A", 101, 1));
  }
  auto const stored = nlohmann::json::parse(std::ifstream(scratch / "out" / "results.json"));
  EXPECT_EQ(stored["provenance"]["date_utc"], first["date_utc"]);
  EXPECT_EQ(stored["provenance"]["resumed_utc"], later["date_utc"]);
  ResultsFolder folder(experiment, wider);
  EXPECT_EQ(message_of([&] { folder.resume(); }),
            "out/results.json: cannot resume: its run had another 'host_threads'; run without "
            "--resume, or "
            "choose another output");
}

TEST(Results, AnEarlierRunIsKept) {
  Scratch const scratch;
  auto const experiment = experiment_in(scratch / "out");
  {
    ResultsFolder folder(experiment, {});
    folder.add(sample_case("A", 100, 1));
  }
  ResultsFolder folder(experiment, {});
  EXPECT_TRUE(read_stored<MarriageCase>(folder.json_path()).cases.size() == 1);
  folder.add(sample_case("A", 200, 1));
  EXPECT_EQ(read_stored<MarriageCase>(scratch / "out/results.previous.json").cases.front().n, 100U);
  EXPECT_EQ(read_stored<MarriageCase>(folder.json_path()).cases.front().n, 200U);
}

TEST(Results, LatencyPerDeviceIsTheOverheadOfAllDevicesDividedByTheirNumber) {
  Scratch const scratch;
  auto experiment = experiment_in(scratch / "out");
  experiment.engines = {{"one", {}, "device", {1, 1}},
                        {"four", {}, "device", {4, 4}},
                        {"other", {}, "device", {4, 4}},
                        {"whole", {}, "device"}};
  experiment.engines[2].options.tiers = false;  // nothing like it runs on one device
  ResultsFolder results(experiment, {});
  results.add(sample_case("one", 1000, 2));  // the median of each case is twice the seconds
  results.add(sample_case("four", 1000, 1.5));
  results.add(sample_case("other", 1000, 1.5));
  results.add(sample_case("whole", 1000, 1));
  results.add(sample_case("four", 2000, 1.5));
  results.complete();
  EXPECT_EQ(
      marriage_details(scratch / "out" / "results.json"),
      "  workload              engine  devices    time  latency per device  share of the time\n"
      "  random(5), n = 1,000  one           1  4.00 s             0.00 ns              0.0 %\n"
      "  random(5), n = 1,000  four          4  3.00 s              2.00 s             66.7 %\n"
      "  random(5), n = 1,000  other         4  3.00 s                   -                  -\n"
      "  random(5), n = 2,000  four          4  3.00 s                   -                  -\n");
}

TEST(Results, WithoutDevicesThereIsNoLatencyPerDevice) {
  Scratch const scratch;
  auto const experiment = experiment_in(scratch / "out");
  ResultsFolder results(experiment, {});
  results.add(sample_case("A", 1000, 2));
  results.complete();
  EXPECT_EQ(marriage_details(scratch / "out" / "results.json"),
            "no engine has the key 'devices': no latency per device\n");
}

/// Sends SIGINT to this process, and waits until the thread that waits for signals has it.
void interrupt_this_process() {
  static bool const watched = (watch_signals(), true);
  ASSERT_TRUE(watched);
  kill(getpid(), SIGINT);
  for (int i = 0; i < 10'000 && !Interrupt::requested(); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ASSERT_TRUE(Interrupt::requested());
}

/// A Bench of two cases. It is interrupted in the run with a given number; warm-ups count too.
class InterruptedBench final : public Bench<MarriageCase> {
 public:
  explicit InterruptedBench(int interrupted_run) : until_interrupt_(interrupted_run) {}

  int measured = 0;

  std::vector<MarriageCase> plan() const override {
    std::vector<MarriageCase> cases(2);
    for (std::size_t c = 0; c < cases.size(); ++c) {
      cases[c].n = c;
    }
    return cases;
  }
  void begin(MarriageCase const&) override {}
  std::vector<std::string> prepare(MarriageCase&) override { return {}; }
  bool run(MarriageCase& result, int repetition) override {
    if (--until_interrupt_ == 0) {
      interrupt_this_process();
    }
    if (repetition >= 0) {
      result.runs.emplace_back().report.proposals = static_cast<std::uint64_t>(repetition);
      ++measured;
    }
    return true;
  }
  std::string remark(std::span<MarriageCase const>) const override { return {}; }
  std::string verdict(std::span<MarriageCase const>) const override { return {}; }

 private:
  int until_interrupt_;
};

/// Runs the missing cases, up to an interrupt. Returns whether the plan is complete.
bool continue_run(MarriageExperiment const& experiment, InterruptedBench& bench) {
  ResultsFolder results(experiment, {});
  results.resume();
  auto const plan = bench.plan();
  return run_plan(experiment, bench, std::span<MarriageCase const>(plan), results);
}

TEST(Results, ResumeAfterCtrlCNeitherLosesNorRepeatsRepetitions) {
  constexpr int warmups = 1;
  constexpr int repetitions = 3;
  constexpr int runs = 2 * (warmups + repetitions);
  for (int first = 1; first <= runs; ++first) {
    for (int second = 1; second <= runs; ++second) {
      Scratch const scratch;
      auto experiment = experiment_in(scratch / "out");
      experiment.warmup = warmups;
      experiment.repetitions = repetitions;
      int measured = 0;
      bool ended = false;
      for (int const interrupted_run : {first, second, 0}) {
        InterruptedBench bench(interrupted_run);
        ended = continue_run(experiment, bench);
        measured += bench.measured;
      }
      ASSERT_TRUE(ended) << first << ", " << second;
      ASSERT_EQ(measured, 2 * repetitions) << first << ", " << second;
      auto const stored = read_stored<MarriageCase>(scratch / "out/results.json");
      ASSERT_FALSE(stored.last_is_unfinished);
      ASSERT_EQ(stored.cases.size(), 2U);
      for (std::uint64_t c = 0; c < 2; ++c) {
        ASSERT_EQ(stored.cases[c].n, c);
        ASSERT_EQ(stored.cases[c].runs.size(), 3U);
        for (std::uint64_t r = 0; r < 3; ++r) {
          ASSERT_EQ(stored.cases[c].runs[r].report.proposals, r);
        }
      }
    }
  }
}

TEST(Results, FileMarksTheCaseThatCtrlCInterrupted) {
  Scratch const scratch;
  auto experiment = experiment_in(scratch / "out");
  experiment.warmup = 1;
  experiment.repetitions = 3;
  InterruptedBench bench(4 + 3);  // the second repetition of the second case
  EXPECT_FALSE(continue_run(experiment, bench));
  auto const json = nlohmann::json::parse(std::ifstream(scratch / "out/results.json"));
  EXPECT_EQ(json["complete"], false);
  ASSERT_EQ(json["cases"].size(), 2U);
  EXPECT_FALSE(json["cases"][0].contains("interrupted"));
  EXPECT_EQ(json["cases"][1]["interrupted"], true);
  EXPECT_EQ(json["cases"][1]["runs"].size(), 2U);
  auto const cases = read_stored<MarriageCase>(scratch / "out/results.json").cases;
  EXPECT_EQ(interruption_message<MarriageCase>(1, 2, cases),
            "interrupted after 1 of 2 cases and 2 repetitions of the next case; --resume continues "
            "from there");
  EXPECT_EQ(interruption_message<MarriageCase>(0, 2, {}),
            "interrupted before the first measurement");
}

TEST(Results, OtherFilesAreRejected) {
  Scratch const scratch;
  auto const error_of = [&](std::string_view text) {
    auto const file = scratch.write("r.json", text);
    return message_of([&] { read_stored<MarriageCase>(file); });
  };
  EXPECT_TRUE(error_of("\x89PNG").ends_with("found no JSON"));
  EXPECT_TRUE(error_of("{\"a\": 1}").ends_with("found other JSON"));
  EXPECT_TRUE(error_of("{\"format\": 1}").ends_with("found other JSON"));
  EXPECT_TRUE(
      error_of("{\"format\": \"taper-results-9\"}").ends_with("found format taper-results-9"));
  EXPECT_EQ(error_of("{\"format\": \"taper-results-1\"}"),
            "r.json: damaged results: key 'provenance' not found");
  EXPECT_EQ(message_of([&] { read_stored<MarriageCase>(scratch / "none"); }),
            "none: cannot be read: No such file or directory");
}

/// Numbers that the JSON library would convert: to 0, to 2^64 - 5, or to whatever the CPU gives.
TEST(Results, IntegersMustBeIntegersThatFit) {
  for (auto const* const value : {"0.5", "-5", "1e300", "18446744073709551616", "\"1\"", "null"}) {
    auto json = nlohmann::ordered_json(sample_case("A", 100, 1));
    json["n"] = nlohmann::ordered_json::parse(value);
    nlohmann::ordered_json const results{{"provenance", {{"cpu", "x"}}},
                                         {"configuration", {{"name", "x"}, {"title", ""}}},
                                         {"cases", {json}}};
    auto const error = message_of([&] { stored_in<MarriageCase>(results, "r.json"); });
    EXPECT_TRUE(error.starts_with("r.json: damaged results: expected an integer of its range, "))
        << value << ": " << error;
  }
  EXPECT_EQ(integer_of<int>(nlohmann::ordered_json(-3)), -3);
  EXPECT_EQ(integer_of<std::uint64_t>(nlohmann::ordered_json(~std::uint64_t{0})),
            ~std::uint64_t{0});
  EXPECT_THROW(integer_of<std::uint8_t>(nlohmann::ordered_json(256)), UnexpectedValue);
}

TEST(Summary, RowsHaveTheQuartilesOfTheSeconds) {
  auto const row = summary_row("case", "engine", "openmp", "", {4, 1, 3, 5, 2});
  EXPECT_EQ(row.count, 5u);
  EXPECT_EQ(row.lower_quartile_s, 2);
  EXPECT_EQ(row.median_s, 3);
  EXPECT_EQ(row.upper_quartile_s, 4);
}

TEST(Summary, CellsWithQuotesAndCommasAreReadBack) {
  std::vector<SummaryRow> const rows{summary_row("a \"b\", c", "engine", "openmp", "", {1})};
  std::istringstream text(to_csv(rows));
  auto const read = parse_summary(text, "summary.csv");
  ASSERT_EQ(read.size(), 1u);
  EXPECT_EQ(read[0].subject, rows[0].subject);
}

TEST(Columns, SpeedupsHaveThreeDigits) {
  EXPECT_EQ(speedup(0.05, 1), "0.050x");
  EXPECT_EQ(speedup(8, 1), "8.00x");
  EXPECT_EQ(speedup(50, 1), "50.0x");
  EXPECT_EQ(speedup(500, 1), "500x");
}

TEST(Summary, CountsMustBeIntegersFromZero) {
  auto const error_of = [](std::string const& count) {
    std::istringstream text("subject,engine,backend,answer,count,median_s,lower_quartile_s,"
                            "upper_quartile_s\na,b,c,," +
                            count + ",1,1,1\n");
    return message_of([&] { parse_summary(text, "s.csv"); });
  };
  EXPECT_EQ(error_of("3"), "");
  for (auto const* const count : {"-1", "0.5", "1e300", "99999999999999999999", ""}) {
    EXPECT_EQ(error_of(count), "s.csv:2: expected eight columns, the last four of them numbers");
  }
}

TEST(Results, EveryCsvRowHasTheProvenance) {
  nlohmann::ordered_json const provenance{
      {"device", "a, b"}, {"kokkos_configuration", {"x"}}, {"date_utc", "2026"}};
  EXPECT_EQ(with_provenance("name,n\r\n\"two\r\nlines\",1\r\nb,2\r\n", provenance),
            "name,n,device,date_utc\r\n\"two\r\nlines\",1,\"a, b\",2026\r\nb,2,\"a, b\",2026\r\n");
}

TEST(Results, CsvFollowsRfc4180) {
  auto const experiment = experiment_in("out");
  std::vector<MarriageCase> const cases{sample_case("B, \"quoted\"", 100, 1)};
  auto const csv = to_csv(experiment, cases);
  EXPECT_TRUE(csv.starts_with("experiment,workload,n,seed,engine,"));
  EXPECT_NE(
      csv.find("\r\nx,random(5),100,1,\"B, "
               "\"\"quoted\"\"\",locality_aware,fetch_min,hybrid,men,serial,device,1,1,0,0,0.25,"
               "0.5,0.25,0.5,false,1234,"),
      std::string::npos);
  EXPECT_EQ(std::ranges::count(csv, '\n'), 4);  // the header and three repetitions
  EXPECT_EQ(std::ranges::count(csv, '\r'), 4);
}

TEST(Table, SummarizesOverSeedsAndRepetitions) {
  auto second = sample_case("A", 100, 2);
  second.seed = 2;
  for (auto& run : second.runs) {
    run.report.proposals = 1300;
  }
  auto first = sample_case("A", 100, 1);
  for (auto* result : {&first, &second}) {
    for (auto& run : result->runs) {
      run.report.acceptances = 1;
    }
  }
  second.runs[2].report.atomic_operations = 7;
  std::vector<MarriageCase> const cases{first, sample_case("B", 100, 0.5), second,
                                        sample_case("A", 200, 8)};
  auto const groups = summarize(cases);
  ASSERT_EQ(groups.size(), 2U);
  ASSERT_EQ(groups[0].engines.size(), 2U);
  auto const* a = groups[0].find("A");
  ASSERT_NE(a, nullptr);
  EXPECT_DOUBLE_EQ(a->min_seconds, 1);
  EXPECT_DOUBLE_EQ(a->max_seconds, 6);
  EXPECT_DOUBLE_EQ(a->median_seconds, 2.5);  // of 1 2 3 2 4 6
  EXPECT_EQ(a->proposals, 1267u);            // of 1234 and 1300, each three times
  EXPECT_EQ(a->atomic_operations, 0u);       // in all runs but one
  EXPECT_EQ(groups[0].find("B")->atomic_operations, std::nullopt);
  EXPECT_EQ(groups[0].find("C"), nullptr);
}

TEST(Table, ShowsTheRatioToTheBaseline) {
  auto const experiment = experiment_in("out");
  auto wrong = sample_case("B", 100, 0.25);
  wrong.verified = false;
  std::vector<MarriageCase> const cases{sample_case("A", 100, 1), wrong};
  auto const table = result_table(experiment, cases);
  EXPECT_TRUE(table.starts_with("random(5), n = 100\n")) << table;
  EXPECT_NE(table.find("1.00x"), std::string::npos) << table;
  EXPECT_NE(table.find("4.00x"), std::string::npos) << table;
  EXPECT_NE(table.find("WRONG"), std::string::npos) << table;
}

TEST(Pictures, QuoteTextOfUsers) {
  EXPECT_EQ(gnuplot_string("it's `date`\n"), "'it''s `date` '");
}

TEST(Pictures, PhasesShowEveryEngineAtTheLargestSize) {
  std::vector<MarriageCase> const cases{sample_case("A", 100, 1), sample_case("B", 100, 2),
                                        sample_case("A", 200, 4)};
  auto const groups = summarize(cases);
  auto const phases = phases_picture("title", groups, {});
  EXPECT_NE(phases.script.find("'random(5), n = 200'"), std::string::npos);
  EXPECT_EQ(phases.script.find("'random(5), n = 100'"), std::string::npos);
  // The median of whole solves is 8; the medians of the phases are 0, 1, 4 and 0 seconds.
  EXPECT_NE(phases.script.find("0 0 1.6 8 8 \"8\"\n"), std::string::npos) << phases.script;
  EXPECT_NE(phases_picture("title", groups, 100).script.find("'B' 1"), std::string::npos);
  EXPECT_EQ(message_of([&] { phases_picture("title", groups, 7); }),
            "the results have no case with n = 7");
  EXPECT_NE(scaling_picture("title", groups).script.find("title 'B'"), std::string::npos);
}

TEST(Pictures, AtomicsShowTimesAndCounts) {
  auto counted = sample_case("A", 100, 1);
  for (auto& run : counted.runs) {
    run.report.acceptances = 1;
    run.report.atomic_operations = 777;
  }
  auto const script = atomics_picture("title", summarize(std::vector{counted})).script;
  EXPECT_NE(script.find("set title 'random(5): time'"), std::string::npos) << script;
  EXPECT_NE(script.find("set title 'random(5): atomic operations'"), std::string::npos) << script;
  EXPECT_NE(script.find("100 777 777 777\n"), std::string::npos) << script;
  EXPECT_EQ(message_of([&] {
              atomics_picture("title", summarize(std::vector{sample_case("B", 100, 1)}));
            }),
            "the results have no atomic operations; run with count: true or published");
}

/// The execution takes 4 s with the rank matrix and 1 s without: three quarters are look-ups.
TEST(Pictures, RankShareComparesEachAlgorithmWithItselfOnThePrMatrix) {
  auto const with_execution = [](std::string const& engine, double seconds) {
    auto result = sample_case(engine, 100, 1);
    for (auto& run : result.runs) {
      run.seconds.execution = seconds;
    }
    return result;
  };
  std::vector const cases{with_execution("MW-Seq-CPU", 4), with_execution("LA-Seq-CPU", 1),
                          with_execution("GS-Seq-CPU", 5), with_execution("GS with PRMatrix", 2)};
  auto const script = rank_share_picture("title", summarize(cases)).script;
  EXPECT_NE(script.find("1 75 100 \"75 %\"\n"), std::string::npos) << script;
  EXPECT_NE(script.find("0 60 100 \"60 %\"\n"), std::string::npos) << script;
  EXPECT_EQ(message_of([&] {
              rank_share_picture("title", summarize(std::vector{cases[0], cases[2]}));
            }),
            "the results have no workload with both MW-Seq-CPU and LA-Seq-CPU, or GS-Seq-CPU and "
            "'GS with PRMatrix'");
}

TEST(Pictures, ScalingHasAPanelForGroupSizes) {
  auto const with_group = [](std::uint64_t group_size, std::uint64_t n) {
    auto result = sample_case("A", n, 1);
    result.workload = "random(" + std::to_string(group_size) + ")";
    return result;
  };
  std::vector<MarriageCase> const cases{with_group(10, 300), with_group(2, 300),
                                        with_group(2, 200)};
  auto const script = scaling_picture("title", summarize(cases)).script;
  EXPECT_NE(script.find("$panel0_0 << EOD\n200 2 1 3\n300 2 1 3\nEOD"), std::string::npos)
      << script;
  EXPECT_NE(script.find("set title 'random(2)' font ',12'\nset xlabel 'n'"), std::string::npos)
      << script;
  EXPECT_NE(script.find("$panel1_0 << EOD\n2 2 1 3\n10 2 1 3\nEOD"), std::string::npos) << script;
  EXPECT_NE(script.find("set title 'random, n = 300' font ',12'\nset xlabel 'group size'"),
            std::string::npos)
      << script;
  EXPECT_EQ(script.find("'random(10)'"), std::string::npos) << "its only n is in the second panel";
}

}  // namespace
