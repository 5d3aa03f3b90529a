// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/arena.hpp>
#include <taper/atomics.hpp>
#include <taper/backend.hpp>
#include <taper/bounded_search.hpp>
#include <taper/device_info.hpp>
#include <taper/error.hpp>
#include <taper/huge_pages.hpp>
#include <taper/report.hpp>
#include <taper/vertex_cover/component_search/registry.hpp>
#include <taper/vertex_cover/component_search/search.hpp>
#include <taper/vertex_cover/component_search/search_state.hpp>
#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/report.hpp>
#include <taper/work_queues.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace taper::vertex_cover::component_search {

/// The smallest quota, in nodes per team and launch. A team that reaches it has branched in the
/// launch, so that every launch advances the search.
inline constexpr std::uint64_t min_quota = 2;

/// Initialises the teams. Team t owns row `first_row + t` of Registry::covers.
template <class MemorySpace>
struct BeginTeams {
  Kokkos::View<TeamState*, MemorySpace> teams;
  std::uint32_t first_row;

  KOKKOS_FUNCTION void operator()(std::uint32_t team) const {
    teams(team) = {};
    teams(team).cover_row = first_row + team;
  }
};

/// Runs Search on a Task, in launches of bounded length. Between launches the host checks the
/// deadline and the caller's stop flag. Used by: run_search().
template <ExecutionSpace Exec, class Degree>
class SearchRun {
 public:
  SearchRun(Exec const& where, Task const& task, Options const& options,
            std::chrono::steady_clock::time_point deadline)
      : where_(where), task_(task), options_(options), search_(search_options(options)),
        deadline_(deadline) {
    for (RootComponent const& root : task.roots) {
      largest_ = std::max(largest_, root.size);
    }
    vertices_ = (largest_ + 31) / 32 * 32;
  }

  /// Runs the search, and adds to the report's counters.
  SearchResult operator()(Report& report) {
    SearchPlan<Exec> const plan =
        make_plan<Exec, Degree>(where_, task_, search_, options_.k >= 0, vertices_);
    report.teams = plan.teams;
    report.array_vertices = largest_;
    report.degree_bits = 8 * sizeof(Degree);
    report.stack_bytes = plan.slots * slot_bytes<Degree>(vertices_);
    report.scratch_bytes = plan.scratch;
    report.in_scratch = plan.in_scratch;
    std::string const label = "taper::vertex_cover::balance";
    if (search_.balance == Balance::steal) {
      return run(plan, report, StealingDeques<Memory>(where_, label, plan.teams, plan.stack));
    }
    return run(plan, report,
               SharedQueue<Memory>(
                   where_, label, plan.teams, plan.stack, plan.queue,
                   search_.balance == Balance::none ? plan.teams : SharedQueue<Memory>::no_quota));
  }

 private:
  using Memory = typename Exec::memory_space;
  using NodeGraph = TeamGraph<Exec, Degree>;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

  /// A copy of a View in host memory. `why`: a noun phrase for the fence.
  template <class View>
  auto to_host(View const& view, std::string const& why) const {
    std::vector<typename View::non_const_value_type> values(view.extent(0));
    Kokkos::deep_copy(
        where_,
        Kokkos::View<typename View::non_const_value_type*, Kokkos::HostSpace, Unmanaged>(
            values.data(), values.size()),
        view);
    where_.fence("taper::vertex_cover::component_search: wait for " + why);
    return values;
  }

  template <class Balance>
  SearchResult run(SearchPlan<Exec> const& plan, Report& report, Balance const& balance) {
    return options_.k >= 0 ? run<true>(plan, report, balance) : run<false>(plan, report, balance);
  }

  template <bool parameterized, class Balance>
  SearchResult run(SearchPlan<Exec> const& plan, Report& report, Balance const& balance) {
    std::string const name = "taper::vertex_cover::";
    auto const roots = static_cast<std::uint32_t>(task_.roots.size());
    bool const count = search_.count;
    Arena<Memory> sizes;
    allocate_tables<Exec, Degree>(sizes, plan, task_, vertices_, count);
    Arena<Memory> arena(where_, name + "tables", sizes.used());
    SearchTables<Exec> const tables =
        allocate_tables<Exec, Degree>(arena, plan, task_, vertices_, count);

    write_tables(where_, tables, task_);
    Kokkos::parallel_for(
        name + "begin_teams",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint32_t>>(
            where_, 0, static_cast<std::uint32_t>(plan.teams)),
        BeginTeams<Memory>{tables.teams, static_cast<std::uint32_t>(roots + plan.entries)});
    Kokkos::deep_copy(where_, tables.histogram, AtomicWord{0});

    component_search::Search<Exec, Degree, Balance, parameterized> search{
        {tables.offsets, tables.entries, has_long_rows(task_), tables.bits},
        tables.roots,
        Registry<Memory, parameterized>(where_, name + "registry", roots, plan.entries, plan.teams,
                                        vertices_ / 32),
        balance,
        IndexPool<Memory>(where_, name + "free_slots", plan.slots, plan.teams, plan.first_slots),
        allocate_slots(plan.first_slots),
        tables.replay_start,
        tables.path,
        tables.arrays,
        tables.teams,
        tables.control,
        tables.histogram,
        vertices_,
        task_.target_size,
        search_.components,
        search_.bounds,
        search_.degree_bound,
        search_.first_branch == FirstBranch::vertex,
        search_.count,
        search_.bounds ? std::min(search_.small_vertices, SmallGraph<small_words>::capacity) : 0,
        {}};
    write_root_entries(search);
    Status const status = launch_until_done(search, plan);
    add_counters(search, report);
    return read_result(search, status);
  }

  template <class Search>
  void write_root_entries(Search const& search) const {
    std::vector<Entry> entries;
    for (std::uint32_t i = 0; i < task_.roots.size(); ++i) {
      std::uint32_t const bound = task_.bounds[i];
      entries.push_back({SizedCover::pack(bound, i), 1, nothing, 0, (task_.roots[i].size + 31) / 32,
                         task_.roots[i].size - 1, bound});
    }
    Kokkos::deep_copy(
        where_,
        Kokkos::subview(search.registry.entries,
                        std::pair<std::size_t, std::size_t>(0, entries.size())),
        Kokkos::View<Entry const*, Kokkos::HostSpace, Unmanaged>(entries.data(), entries.size()));
    if constexpr (Search::parameterized) {
      Kokkos::deep_copy(where_,
                        Kokkos::subview(search.registry.attainable,
                                        std::pair<std::size_t, std::size_t>(0, entries.size())),
                        Kokkos::View<std::uint32_t const*, Kokkos::HostSpace, Unmanaged>(
                            task_.bounds.data(), task_.bounds.size()));
    }
    where_.fence("taper::vertex_cover::component_search: wait for the copy of the roots");
  }

  /// The number of teams of the first launch. A search of some milliseconds has too little work for
  /// all resident teams of a GPU, and idle teams slow down the others. A search that goes on has
  /// enough.
  std::uint64_t first_launch_teams(SearchPlan<Exec> const& plan) const {
    bool const fewer = is_gpu<Exec> && search_.teams == 0 && plan.teams >= 4;
    return fewer ? plan.teams / 4 : plan.teams;
  }

  using Slots = Kokkos::View<unsigned char**, Kokkos::LayoutRight, Memory>;
  Slots allocate_slots(std::uint64_t count) const {
    return allocate_large<Slots>(where_, "taper::vertex_cover::slots", count,
                                 slot_bytes<Degree>(vertices_));
  }

  /// Makes the storage four times as large if half of it was in use. Few searches need all of the
  /// plan, and to allocate and free 1 GiB takes a GPU up to 4 ms. While storage is full, teams
  /// branch without it.
  template <class Search>
  void grow_storage(Search& search, SearchPlan<Exec> const& plan) const {
    std::uint64_t const slots = search.slots.extent(0);
    std::uint64_t const more = std::min(4 * slots, plan.slots);
    if (slots == more || search.free_slots.used(where_) < slots / 2) {
      return;
    }
    std::uint64_t const free_bytes = free_memory_bytes(where_);  // 0: unknown
    if (free_bytes != 0 && more * slot_bytes<Degree>(vertices_) > free_bytes) {
      return;  // old and new storage exist at the same time
    }
    Slots const larger = allocate_slots(more);
    Kokkos::deep_copy(
        where_, Kokkos::subview(larger, std::pair<std::size_t, std::size_t>(0, slots), Kokkos::ALL),
        search.slots);
    search.free_slots.make_available(where_, more);
    search.slots = larger;
  }

  template <class Search>
  void launch(Search search, SearchPlan<Exec> const& plan, std::uint64_t teams) const {
    search.balance = search.balance.restricted_to(static_cast<std::uint32_t>(teams));
    typename Search::Policy policy(where_, static_cast<int>(teams), plan.team.threads,
                                   plan.team.lanes);
    policy.set_scratch_size(0, Kokkos::PerTeam(plan.scratch));
    Kokkos::parallel_for("taper::vertex_cover::search", policy, search);
  }

  template <class Search>
  Status launch_until_done(Search& search, SearchPlan<Exec> const& plan) const {
    std::uint64_t total = 0;
    for (std::uint32_t const bound : task_.bounds) {
      total += bound;
    }
    if (total <= task_.target_size) {
      return Status::solved;  // the greedy covers reach the target, see set_bounds()
    }
    SearchControl control{0,
                          keep_running,
                          0,
                          0,
                          static_cast<std::uint32_t>(task_.roots.size()),
                          static_cast<std::uint32_t>(total)};
    std::uint64_t const quota =
        std::clamp<std::uint64_t>(first_quota_entries / (vertices_ + 1), min_quota, first_quota);
    std::uint64_t teams = first_launch_teams(plan);
    search.limits = {teams < plan.teams ? 2 * quota : quota, patience, 0};
    SearchEnd const end = run_bounded_search(
        where_, "taper::vertex_cover::component_search", control, search.control,
        {.deadline = deadline_, .stop = options_.stop}, [&] { launch(search, plan, teams); },
        [&](std::chrono::duration<double> duration) {
          if (options_.progress != nullptr) {
            publish_progress(search);
          }
          if (is_solved(search, control)) {
            return true;
          }
          grow_storage(search, plan);
          search.limits.nodes = teams < plan.teams
                                    ? quota
                                    : next_quota(search.limits.nodes, min_quota, duration,
                                                 control.stop == quota_reached);
          teams = plan.teams;
          search.limits.team_offset = static_cast<std::uint32_t>(
              (search.limits.team_offset + plan.teams / 2 + 1) % plan.teams);
          return false;
        });
    return end == SearchEnd::finished ? Status::solved : Status::stopped;
  }

  /// Whether the search is solved after a launch that has ended with this control.
  template <class Search>
  bool is_solved(Search const& search, SearchControl const& control) const {
    if (control.stop == exhausted || (control.stop == answered && options_.k < 0)) {
      return true;
    }
    // The sizes in the snapshot decide, not the propagated ones. If they exceed the target, the
    // search goes on.
    return options_.k >= 0 && sum_of_best(read_registry(search)) <= task_.target_size;
  }

  /// Relaxed stores: values for display, which order no other data.
  template <class Search>
  void publish_progress(Search const& search) const {
    std::uint64_t nodes = 0;
    for (TeamState const& team : to_host(search.teams, "the node counts")) {
      nodes += team.nodes;
    }
    options_.progress->nodes.store(nodes, std::memory_order_relaxed);
    // A sum less than `below` contains no bound without a cover, see set_bounds().
    std::uint64_t const size = task_.taken + sum_of_best(read_registry(search));
    if (size < task_.below) {
      options_.progress->best.store(size, std::memory_order_relaxed);
    }
  }

  template <class Search>
  void add_counters(Search const& search, Report& report) const {
    std::array<double, activities> time{};
    for (TeamState const& team : to_host(search.teams, "the counters")) {
      report.nodes += team.nodes;
      report.component_branches += team.component_branches;
      report.registry_full += team.registry_full;
      report.storage_full += team.storage_full;
      for (std::size_t i = 0; i < activities; ++i) {
        time[i] += static_cast<double>(team.time[i]);
      }
    }
    report.steals += search.balance.moved(where_);
    if (search_.count) {
      double const whole = std::accumulate(time.begin(), time.end(), 0.0);
      for (std::size_t i = 0; i < activities && whole > 0; ++i) {
        report.activities.push_back({activity_names[i], time[i] / whole});
      }
      auto const histogram = to_host(search.histogram, "the histogram");
      report.components_histogram.resize(histogram_bins);
      for (std::size_t i = 0; i < histogram_bins; ++i) {
        report.components_histogram[i] += histogram[i];
      }
    }
  }

  template <class Search>
  RegistrySnapshot read_registry(Search const& search) const {
    std::pair<std::size_t, std::size_t> const used{
        0, task_.roots.size() + search.registry.free_entries.used(where_)};
    return {to_host(Kokkos::subview(search.registry.entries, used), "the registry"),
            task_.roots.size()};
  }

  std::uint64_t sum_of_best(RegistrySnapshot const& snapshot) const {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < task_.roots.size(); ++i) {
      total += snapshot.size(i);
    }
    return total;
  }

  template <class Search>
  SearchResult read_result(Search const& search, Status status) const {
    RegistrySnapshot const snapshot = read_registry(search);
    SearchResult result{status, {}, {}, std::vector<std::uint8_t>(task_.graph.vertices(), 0)};
    for (std::uint32_t i = 0; i < task_.roots.size(); ++i) {
      result.sizes.push_back(snapshot.size(i));
      result.improved.push_back(snapshot.size(i) < task_.bounds[i] ? 1 : 0);
      if (result.improved.back() != 0) {
        snapshot.for_each_row(i, [&](std::uint32_t row, std::uint32_t first, std::uint32_t end) {
          auto const bits =
              to_host(Kokkos::subview(search.registry.covers, row,
                                      std::pair<std::size_t, std::size_t>(first, end)),
                      "a component's cover");
          for (std::uint32_t v = first * 32; v < std::min(end * 32, task_.roots[i].size); ++v) {
            result.in_cover[task_.roots[i].base + v] |=
                static_cast<std::uint8_t>(bits[v / 32 - first] >> v % 32 & 1);
          }
        });
      }
    }
    return result;
  }

  static constexpr std::uint64_t first_quota = 1024;  ///< nodes; fewer if the nodes are large
  /// The first quota is smaller if its nodes would have more degrees than this together.
  static constexpr std::uint64_t first_quota_entries = std::uint64_t{1} << 22;
  /// In ticks: about 40 ms of GPU cycles, 4 ms on a host in nanoseconds.
  static constexpr std::uint64_t patience = std::uint64_t{1} << (is_gpu<Exec> ? 26 : 22);

  Exec const& where_;
  Task const& task_;
  Options const& options_;
  ComponentSearchOptions const search_;
  std::chrono::steady_clock::time_point deadline_;
  std::uint32_t largest_ = 0;   ///< vertices of the largest root
  std::uint32_t vertices_ = 0;  ///< the same, rounded up to a multiple of 32
};

/// The bits per degree for a graph with the greatest degree `top`. Throws: see DegreeBits.
inline unsigned degree_bits(DegreeBits wanted, std::uint64_t top) {
  // The greatest value of each type is reserved for taken vertices.
  auto const fit = [&](unsigned bits) { return top + 1 < std::uint64_t{1} << bits; };
  auto const fixed = [&](unsigned bits) {
    TAPER_REQUIRE(fit(bits), "taper::vertex_cover::solve: degree_bits " + std::to_string(bits) +
                                 " hold degrees up to " +
                                 std::to_string((std::uint64_t{1} << bits) - 2) +
                                 "; the greatest degree is " + std::to_string(top));
    return bits;
  };
  switch (wanted) {
  case DegreeBits::bits_8:
    return fixed(8);
  case DegreeBits::bits_16:
    return fixed(16);
  case DegreeBits::bits_32:
    return fixed(32);
  case DegreeBits::short_integers:
    return fit(16) ? 16 : 32;
  case DegreeBits::automatic:
    break;
  }
  return fit(8) ? 8 : fit(16) ? 16 : 32;
}

/// Searches a task on `where`, and adds to the report's counters. Used by: solve().
template <ExecutionSpace Exec>
SearchResult run_search(Exec const& where, Task const& task, Options const& options,
                        std::chrono::steady_clock::time_point deadline, Report& report) {
  std::size_t top = 0;
  for (Vertex v = 0; v < task.graph.vertices(); ++v) {
    top = std::max(top, task.graph.degree(v));
  }
  switch (degree_bits(search_options(options).degree_bits, top)) {
  case 8:
    return SearchRun<Exec, std::uint8_t>(where, task, options, deadline)(report);
  case 16:
    return SearchRun<Exec, std::uint16_t>(where, task, options, deadline)(report);
  default:
    return SearchRun<Exec, std::uint32_t>(where, task, options, deadline)(report);
  }
}

}  // namespace taper::vertex_cover::component_search
