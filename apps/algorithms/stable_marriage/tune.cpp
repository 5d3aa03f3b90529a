// SPDX-License-Identifier: Apache-2.0
#include "tune.hpp"

#include "solver.hpp"

#include <support/runtime.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace taper::app {

namespace sm = stable_marriage;

namespace {

using Better = Sampler::Better;

/// A threshold above every size: a host run then has one worker.
constexpr std::uint64_t one_worker = sm::max_people;

void measure_scan(Sampler& sampler, std::string const& name, ExecutionCosts& costs) {
  sampler.begin(name + ": runs of rejections");
  // A solo instance has n acceptances, and about n rejections between two of them.
  std::size_t const n = name == "device" ? 16'384 : sampler.quick() ? 2048 : 4096;
  auto const backend = require_backend(name);
  auto const problem = generate_problem(backend, sm::Workload{.family = sm::Family::solo, .n = n});
  sm::Options const options{.tail = sm::Tail::device, .min_proposers_per_thread = one_worker};
  costs.scan_candidates_per_us =
      sampler.measure(name + ".scan_candidates_per_us", Better::more, [&] {
        double const us = 1e6 * problem->solve(backend, options).seconds.execution;
        return static_cast<double>(n) * static_cast<double>(n) / us;
      });
}

/// A family per ListKind.
struct Kind {
  ListKind lists;
  sm::Family family;
};
constexpr std::array kinds{Kind{ListKind::distinct_first_choices, sm::Family::uniform},
                           Kind{ListKind::similar_lists, sm::Family::congested},
                           Kind{ListKind::other_lists, sm::Family::correlated}};

/// Compares one worker with two on each kind of lists.
void measure_workers(Sampler& sampler) {
  sampler.begin("host: a second worker");
  auto const backend = require_backend("host");
  if (!can_use_threads(backend, 2)) {
    return;
  }
  Choice choice{"min_proposers_per_thread", "one worker", "two", {}};
  for (std::size_t n = 1024; n <= (sampler.quick() ? 4096u : 8192u); n *= 2) {
    for (auto const& [lists, family] : kinds) {
      auto const problem = generate_problem(backend, sm::Workload{.family = family, .n = n});
      auto const execution = [&](std::uint64_t min_proposers) {
        return [&, min_proposers] {
          return problem
              ->solve(backend, {.tiers = false, .min_proposers_per_thread = min_proposers})
              .seconds.execution;
        };
      };
      choice.crossings.push_back(sampler.compare(n / 2, execution(one_worker), execution(n / 2)));
    }
  }
  auto const largest = choice.crossings.back().size;
  // A second worker may still pay for larger sizes than those that were measured.
  sampler.tuning.machine.min_proposers_per_thread =
      std::min(sampler.choose(std::move(choice)).from, 2 * largest);
}

/// 1, 2, 4 and so on, and all.
std::vector<std::uint64_t> thread_counts(std::uint64_t all) {
  std::vector<std::uint64_t> counts;
  for (std::uint64_t threads = 1; threads < all; threads *= 2) {
    counts.push_back(threads);
  }
  counts.push_back(all);
  return counts;
}

/// Named options to compare.
using Ways = std::vector<std::pair<std::string, sm::Options>>;

/// Seconds of all phases.
Sampler::Sample run_of(Problem const& problem, std::string_view backend,
                       sm::Options const& options) {
  return [&problem, backend, options] { return problem.solve(backend, options).seconds.phases(); };
}

/// Checks what a policy chooses with the measured profile, by `chosen`, against `ways`.
void check_policy(Sampler& sampler, std::string const& policy, sm::Workload const& workload,
                  Problem const& problem, std::string_view backend, sm::Options chosen,
                  Ways const& ways) {
  chosen.machine = &sampler.tuning.machine;
  Sampler::NamedSamples samples;
  for (auto [name, options] : ways) {
    options.machine = &sampler.tuning.machine;
    samples.push_back({name, run_of(problem, backend, options)});
  }
  sampler.check_run(policy, fmt::format("{}, n = {}", to_string(workload.family), workload.n),
                    run_of(problem, backend, chosen), samples);
}

/// Measures how many threads are of use for these lists, and adds the limit to the profile.
void measure_thread_limit(Sampler& sampler, ListKind lists, Problem const& problem,
                          std::string_view backend, Ways const& ways) {
  std::vector<Sampler::Sample> samples;
  for (auto const& [name, options] : ways) {
    samples.push_back(run_of(problem, backend, options));
  }
  auto const seconds = sampler.interleaved_minimum(samples);
  ThreadSweep sweep{.lists = lists, .n = problem.size(), .times = {}, .limit = {}};
  for (std::size_t i = 0; i < ways.size(); ++i) {
    sweep.times.push_back({ways[i].second.max_threads.value_or(0), seconds[i]});
  }
  sweep.limit = useful_threads(sweep.times);
  if (sweep.limit) {
    sampler.tuning.machine.thread_limits.push_back({lists, sweep.n, *sweep.limit});
  }
  sampler.tuning.thread_sweeps.push_back(std::move(sweep));
}

/// Measures and checks the number of threads, per kind of lists. With less than four threads there
/// is no limit: min_proposers_per_thread says enough.
void measure_threads_of_hybrid(Sampler& sampler) {
  sampler.begin("host: the number of threads");
  auto const backend = require_backend("host");
  auto const counts = thread_counts(static_cast<std::uint64_t>(sampler.tuning.host_threads));
  if (counts.size() == 1) {
    return;
  }
  Ways ways;
  for (auto const threads : counts) {
    ways.push_back({fmt::format("{} threads", threads),
                    {.tiers = false, .min_proposers_per_thread = 1, .max_threads = threads}});
  }
  bool const limits = counts.back() >= 4;
  auto const sizes = sampler.quick() ? std::vector<std::size_t>{limits ? 8192u : 2048u}
                     : limits        ? std::vector<std::size_t>{4096, 12'000}
                                     : std::vector<std::size_t>{4096};
  for (auto const n : sizes) {
    if (bytes_needed(n, {}) > free_memory_of(backend) / 2) {
      continue;
    }
    for (auto const& [lists, family] : kinds) {
      sm::Workload const workload{.family = family, .n = n};
      auto const problem = generate_problem(backend, workload);
      if (limits) {
        measure_thread_limit(sampler, lists, *problem, backend, ways);
      }
      check_policy(sampler, "host.stable_marriage.threads", workload, *problem, backend,
                   {.tiers = false}, ways);
    }
  }
}

/// Checks the tail: where it goes on a GPU, and whether it pays on a host.
void check_tail(Sampler& sampler, std::string const& name, sm::Workload const& workload,
                Problem const& problem) {
  auto const fixed = [](sm::Tail tail, std::int64_t threshold) {
    return sm::Options{.tail = tail,
                       .tail_threshold = threshold,
                       .tiers = false,
                       .lazy_ranks = sm::LazyRanks::never};
  };
  Ways const on_host{{"without a tail", fixed(sm::Tail::automatic, 0)}};
  Ways const on_gpu{{"device", fixed(sm::Tail::device, -1)}, {"host", fixed(sm::Tail::host, -1)}};
  check_policy(sampler, name + ".stable_marriage.tail", workload, problem, require_backend(name),
               fixed(sm::Tail::automatic, -1), name == "host" ? on_host : on_gpu);
}

/// Checks how a hybrid run on a host starts.
void check_start(Sampler& sampler, sm::Workload const& workload, Problem const& problem) {
  Ways ways;
  for (auto const way : {sm::LazyRanks::columns, sm::LazyRanks::shortlists, sm::LazyRanks::never}) {
    ways.push_back({std::string(to_string(way)), {.tiers = false, .lazy_ranks = way}});
  }
  check_policy(sampler, "host.stable_marriage.lazy_ranks", workload, problem,
               require_backend("host"), {.tiers = false}, ways);
}

/// Checks the parts of a hybrid run that the profile decides, or no measurement does.
void check_hybrid(Sampler& sampler, std::string const& name) {
  sampler.begin(name + ": checks of stable marriage");
  auto const backend = require_backend(name);
  constexpr std::size_t small = 2048;
  constexpr std::size_t large = 6144;  // above the least size for shortlists
  for (auto const n : {small, large}) {
    for (auto const family :
         {sm::Family::uniform, sm::Family::congested, sm::Family::correlated, sm::Family::solo}) {
      if (n == large && (sampler.quick() || family == sm::Family::solo)) {
        continue;
      }
      sm::Workload const workload{.family = family, .n = n};
      auto const problem = generate_problem(backend, workload);
      check_policy(sampler, name + ".stable_marriage.tiers", workload, *problem, backend, {},
                   {{"without tiers", {.tiers = false}}});
      check_tail(sampler, name, workload, *problem);
      if (name == "host") {
        check_start(sampler, workload, *problem);
      }
    }
  }
}

}  // namespace

void tune_stable_marriage(Sampler& sampler) {
  auto& machine = sampler.tuning.machine;
  measure_host_costs(sampler);
  measure_scan(sampler, "host", machine.host);
  if (find_backend("device")) {
    measure_device_costs(sampler);
    measure_scan(sampler, "device", machine.device);
  }
  measure_workers(sampler);
  measure_threads_of_hybrid(sampler);
  check_hybrid(sampler, "host");
  if (find_backend("device")) {
    check_hybrid(sampler, "device");
  }
}

std::size_t stable_marriage_tune_steps() {
  return 2 + 1 + 3 + (find_backend("device") ? 3 + 1 + 1 : 0);
}

}  // namespace taper::app
