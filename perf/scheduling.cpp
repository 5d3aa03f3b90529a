// SPDX-License-Identifier: Apache-2.0
//
// Nodes a second of unbalanced tree search by schedule, and the price of a fork by scheduler:
//   perf_scheduling [--trees=T1,T3] [--teams=0,528] [--queue=0,4096] [--n=N] [--benchmark_filter=steal]
// --teams and --queue are for the device's workers: how many, and the room of the list that all share
// or of each deque, in batches; 0 is the default. --n takes a binomial tree with a root of N children
// instead; its size is that by one thread. Names read count/schedule/tree/backend/teams/queue and
// fork/scheduler/backend/workers. Each count is checked.
#include <support/benchmarks.hpp>
#include <taper/fork_join.hpp>
#include <taper/tree_search/tree_search.hpp>

#include <Kokkos_Core.hpp>
#include <benchmark/benchmark.h>

#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace {

namespace ts = taper::tree_search;
using benchmark::Counter;
using Device = Kokkos::DefaultExecutionSpace;
using Host = Kokkos::DefaultHostExecutionSpace;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

template <class Space>
void count(benchmark::State& state, Space const& where, ts::SampleTree const& sample,
           ts::Options const& options) {
  double nodes = 0;
  ts::Report report;
  for ([[maybe_unused]] auto _ : state) {
    auto const begin = std::chrono::steady_clock::now();
    report = ts::count(where, sample.tree, options);
    state.SetIterationTime(seconds_since(begin));
    nodes += static_cast<double>(report.nodes);
    if (report.nodes != sample.nodes || report.leaves != sample.leaves ||
        report.depth != sample.depth) {
      state.SkipWithError("the tree has another size");
      return;
    }
  }
  state.counters["nodes_per_s"] = Counter(nodes, Counter::kIsRate);
  state.counters["workers"] = static_cast<double>(report.workers);
  state.counters["moved_batches"] = static_cast<double>(report.moved);
}

/// Options of the schedules whose workers are a place's own; each list holds what is tried.
struct Limits {
  std::vector<std::uint64_t> teams{0};
  std::vector<std::uint64_t> queues{0};
};

template <class Space>
void register_counts(Space const& where, ts::SampleTree const& sample, Limits const& limits) {
  for (std::string_view const name : ts::names<ts::Schedule>()) {
    ts::Schedule const schedule = *ts::parse<ts::Schedule>(name);
    bool const forks = ts::detail::scheduler_of(schedule).has_value();
    bool const has_tasks = std::string_view(Space::name()) == "OpenMP";
    if ((forks && taper::is_gpu<Space>) || (schedule == ts::Schedule::tasks && !has_tasks)) {
      continue;
    }
    Limits tried = forks ? Limits{} : limits;
    if (schedule == ts::Schedule::none) {
      tried.queues = {0};  // nothing is shared
    }
    for (std::uint64_t const some : tried.teams) {
      for (std::uint64_t const room : tried.queues) {
        ts::Options const options{.schedule = schedule, .teams = some, .queue_items = room};
        std::string label = "count/" + std::string(name) + "/" + std::string(sample.name) + "/" +
                            Space::name() + "/" + std::to_string(some) + "/" + std::to_string(room);
        benchmark::RegisterBenchmark(
            label.c_str(), [=](benchmark::State& state) { count(state, where, sample, options); })
            ->UseManualTime()
            ->Unit(benchmark::kMillisecond);
      }
    }
  }
}

/// A full tree of forks of two.
void fork_all(int depth, taper::Fork& fork) {
  if (depth > 0) {
    fork([=](taper::Fork& own) { fork_all(depth - 1, own); },
         [=](taper::Fork& own) { fork_all(depth - 1, own); });
  }
}

void register_forks(std::string const& name, std::uint32_t workers, int depth,
                    std::function<void(std::function<void(taper::Fork&)> const&)> const& run) {
  benchmark::RegisterBenchmark(("fork/" + name + "/" + std::to_string(workers)).c_str(),
                               [=](benchmark::State& state) {
                                 for ([[maybe_unused]] auto _ : state) {
                                   auto const begin = std::chrono::steady_clock::now();
                                   run([=](taper::Fork& fork) { fork_all(depth, fork); });
                                   state.SetIterationTime(seconds_since(begin));
                                 }
                                 double const forks = static_cast<double>((1 << depth) - 1) *
                                                      static_cast<double>(state.iterations());
                                 state.counters["s_per_fork"] =
                                     Counter(forks, Counter::kIsRate | Counter::kInvert);
                               })
      ->UseManualTime()
      ->Unit(benchmark::kMicrosecond);
}

void register_forks(int depth) {
  Host const where;
  auto const threads = static_cast<std::uint32_t>(where.concurrency());
  for (taper::Scheduler const scheduler : taper::schedulers) {
    if (scheduler == taper::Scheduler::tasks && std::string_view(Host::name()) != "OpenMP") {
      continue;
    }
    register_forks(std::string(to_string(scheduler)) + "/" + Host::name(),
                   scheduler == taper::Scheduler::sequential ? 1 : threads, depth,
                   [=](auto const& root) { fork_join(where, scheduler, root); });
  }
  auto const pool = std::make_shared<taper::ForkJoinPool>(threads);
  register_forks("pool/own", threads, depth, [=](auto const& root) { fork_join(*pool, root); });
}

struct Arguments {
  std::vector<ts::SampleTree> trees;
  Limits limits;
  std::uint64_t n = 0;
};

std::vector<std::string_view> parts_of(std::string_view list) {
  std::vector<std::string_view> parts;
  while (!list.empty()) {
    auto const end = list.find(',');
    parts.push_back(list.substr(0, end));
    list = end == std::string_view::npos ? "" : list.substr(end + 1);
  }
  return parts;
}

bool read_number(std::string_view text, std::uint64_t& number) {
  auto const* const end = text.data() + text.size();
  auto const [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stopped == end;
}

/// "0,528" as numbers. False: it is none, and has been complained of.
bool read_numbers(char const* flag, std::string_view list, std::vector<std::uint64_t>& numbers) {
  numbers.clear();
  for (std::string_view const text : parts_of(list)) {
    if (!read_number(text, numbers.emplace_back())) {
      numbers.clear();
      break;
    }
  }
  if (numbers.empty()) {
    std::fprintf(stderr, "perf_scheduling: %s takes numbers, as in 0,528\n", flag);
  }
  return !numbers.empty();
}

/// Takes ours out of the arguments. False: one of them is wrong, and has been complained of.
bool take(int& argc, char** argv, Arguments& arguments) {
  std::string_view trees = "T1,T3";
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    std::string_view const argument = argv[i];
    if (argument.starts_with("--trees=")) {
      trees = argument.substr(8);
    } else if (argument.starts_with("--teams=")) {
      if (!read_numbers("--teams", argument.substr(8), arguments.limits.teams)) {
        return false;
      }
    } else if (argument.starts_with("--queue=")) {
      if (!read_numbers("--queue", argument.substr(8), arguments.limits.queues)) {
        return false;
      }
    } else if (argument.starts_with("--n=")) {
      if (!read_number(argument.substr(4), arguments.n) || arguments.n == 0 ||
          arguments.n > 1'000'000) {
        std::fprintf(stderr, "perf_scheduling: --n takes a number from 1 to 1000000\n");
        return false;
      }
    } else {
      argv[kept++] = argv[i];
    }
  }
  argc = kept;
  for (std::string_view const name : parts_of(trees)) {
    auto const sample = ts::find_sample_tree(name);
    if (!sample) {
      std::fprintf(stderr, "perf_scheduling: --trees: no tree is called %.*s\n",
                   static_cast<int>(name.size()), name.data());
      return false;
    }
    arguments.trees.push_back(*sample);
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  Arguments arguments;
  if (!take(argc, argv, arguments)) {
    return 2;
  }
  Kokkos::ScopeGuard const kokkos(argc, argv);
  if (!taper::support::initialize_benchmarks(argc, argv)) {
    return 2;
  }
  {
    Device const device;
    Host const host;
    if (arguments.n > 0) {
      ts::Tree const tree{.kind = ts::Kind::binomial,
                          .root_children = static_cast<double>(arguments.n),
                          .probability = 0.1249,
                          .children = 8,
                          .seed = 42};
      ts::Report const report = ts::count(host, tree, {.schedule = ts::Schedule::sequential});
      arguments.trees = {{"binomial", tree, report.nodes, report.leaves, report.depth}};
    }
    for (ts::SampleTree const& sample : arguments.trees) {
      register_counts(device, sample, arguments.limits);
      if constexpr (!std::is_same_v<Device, Host>) {
        register_counts(host, sample, {});
      }
    }
    register_forks(arguments.n > 0 ? 8 : 16);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::ClearRegisteredBenchmarks();  // they hold instances, which go before Kokkos does
  }
  benchmark::Shutdown();
  return 0;
}
