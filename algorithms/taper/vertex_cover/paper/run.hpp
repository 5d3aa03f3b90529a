// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/arena.hpp>
#include <taper/backend.hpp>
#include <taper/balance.hpp>
#include <taper/report.hpp>
#include <taper/vertex_cover/host_graph.hpp>
#include <taper/vertex_cover/options.hpp>
#include <taper/vertex_cover/paper/open_branches.hpp>
#include <taper/vertex_cover/paper/search.hpp>
#include <taper/vertex_cover/paper/shape.hpp>
#include <taper/vertex_cover/paper/task.hpp>
#include <taper/vertex_cover/report.hpp>

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

namespace taper::vertex_cover::paper {

inline constexpr std::uint64_t least_share = 2;  ///< nodes: who ends a launch has branched in it

/// A team's share of the next launch, so that it lasts about a tenth of a second, within a factor of
/// two. A launch that ended for want of work says nothing about the time that a share takes.
inline std::uint64_t next_share(std::uint64_t share, Stop why,
                                std::chrono::duration<double> lasted) {
  if (lasted.count() < 0.05 && why == pause_here) {
    return share * 2;
  }
  return lasted.count() > 0.2 ? std::max(share / 2, least_share) : share;
}

/// Each team with a row of the registry's covers, those from `first_row` on.
template <class MemorySpace>
struct BeginTeams {
  Kokkos::View<TeamState*, MemorySpace> teams;
  std::uint32_t first_row;

  KOKKOS_FUNCTION void operator()(std::uint32_t team) const {
    teams(team) = {};
    teams(team).row = first_row + team;
  }
};

/// Runs Search on a Task, in launches of bounded length, between which the host looks at the clock
/// and the caller's flag.
template <ExecutionSpace Exec, class Degree>
class Run {
 public:
  Run(Exec const& where, Task const& task, Options const& options,
      std::chrono::steady_clock::time_point deadline)
      : where_(where), task_(task), options_(options), deadline_(deadline) {
    std::uint32_t largest = 0;
    for (Root const& root : task.roots) {
      largest = std::max(largest, root.size);
    }
    vertices_ = (largest + 31) / 32 * 32;
  }

  Outcome operator()(Report& report) {
    Shape<Exec> const shape = plan_shape<Exec, Degree>(where_, task_, options_, vertices_);
    report.teams = shape.teams;
    std::string const label = "taper::vertex_cover::balance";
    if (options_.balance == Balance::steal) {
      return search(shape, report, Stealing<Memory>(where_, label, shape.teams, shape.stack));
    }
    return search(shape, report,
                  SharedList<Memory>(where_, label, shape.teams, shape.stack, shape.queue,
                                     options_.balance == Balance::none
                                         ? shape.teams
                                         : SharedList<Memory>::no_quota));
  }

 private:
  using Memory = typename Exec::memory_space;
  using Work = Board<Exec, Degree>;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;

  template <class T>
  using List = Kokkos::View<T*, Memory>;
  template <class T>
  using Table = Kokkos::View<T**, Kokkos::LayoutRight, Memory>;
  using Bits = Kokkos::View<std::uint32_t**, Memory>;

  /// What a search needs beside its registry and pools.
  struct Tables {
    List<std::uint32_t> offsets;
    List<std::uint32_t> entries;
    Bits bits;
    List<Root> roots;
    List<TeamState> teams;
    Kokkos::View<Control, Memory> control;
    List<AtomicWord> histogram;
    Table<unsigned char> slots;
    Table<unsigned char> parked;
    Table<std::uint32_t> path;
    Table<unsigned char> arrays;
  };

  Tables take_tables(Arena<Memory>& arena, Shape<Exec> const& shape) const {
    std::size_t const n = task_.graph.vertices();
    std::size_t const words = has_rows_of_bits() ? vertices_ / 32 : 0;
    std::size_t const slot = slot_bytes<Degree>(vertices_);
    return {arena.template take<List<std::uint32_t>>(n + 1),
            arena.template take<List<std::uint32_t>>(task_.graph.entries.size()),
            arena.template take<Bits>(words == 0 ? 0 : n, words),
            arena.template take<List<Root>>(task_.roots.size()),
            arena.template take<List<TeamState>>(shape.teams),
            arena.template take<Kokkos::View<Control, Memory>>(),
            arena.template take<List<AtomicWord>>(options_.count ? histogram_bins : 0),
            arena.template take<Table<unsigned char>>(shape.slots, slot),
            arena.template take<Table<unsigned char>>(shape.teams, slot),
            arena.template take<Table<std::uint32_t>>(shape.teams, vertices_ + 1),
            arena.template take<Table<unsigned char>>(
                shape.in_scratch ? 0 : shape.teams,
                shape.in_scratch ? 0 : Work::arrays_bytes(vertices_))};
  }

  template <class T>
  void copy_to(List<T> const& view, std::vector<T> const& values) const {
    Kokkos::deep_copy(
        where_, view,
        Kokkos::View<T const*, Kokkos::HostSpace, Unmanaged>(values.data(), values.size()));
  }
  template <class View>
  auto to_host(View const& view, std::string const& why) const {
    std::vector<typename View::non_const_value_type> values(view.extent(0));
    Kokkos::deep_copy(
        where_,
        Kokkos::View<typename View::non_const_value_type*, Kokkos::HostSpace, Unmanaged>(
            values.data(), values.size()),
        view);
    where_.fence("taper::vertex_cover::paper: " + why);
    return values;
  }

  template <class Balance>
  Outcome search(Shape<Exec> const& shape, Report& report, Balance const& balance) {
    return options_.k >= 0 ? search<true>(shape, report, balance)
                           : search<false>(shape, report, balance);
  }

  template <bool answers, class Balance>
  Outcome search(Shape<Exec> const& shape, Report& report, Balance const& balance) {
    std::string const name = "taper::vertex_cover::";
    auto const roots = static_cast<std::uint32_t>(task_.roots.size());
    Arena<Memory> sizes;
    take_tables(sizes, shape);
    Arena<Memory> arena(where_, name + "tables", sizes.used());
    Tables const tables = take_tables(arena, shape);

    std::vector<std::uint32_t> const offsets(task_.graph.offsets.begin(),
                                             task_.graph.offsets.end());
    std::vector<std::uint32_t> const entries = entries_from_base();
    copy_to(tables.offsets, offsets);
    copy_to(tables.entries, entries);
    copy_to(tables.roots, task_.roots);
    Kokkos::parallel_for(
        name + "begin_teams",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint32_t>>(
            where_, 0, static_cast<std::uint32_t>(shape.teams)),
        BeginTeams<Memory>{tables.teams, static_cast<std::uint32_t>(roots + shape.entries)});
    Kokkos::deep_copy(where_, tables.histogram, AtomicWord{0});
    write_bits(tables.bits, entries);

    paper::Search<Exec, Degree, Balance, answers> const search{
        {tables.offsets, tables.entries, has_long_rows(), tables.bits},
        tables.roots,
        Registry<Memory, answers>(where_, name + "registry", roots, shape.entries, shape.teams,
                                  vertices_ / 32),
        balance,
        IndexPool<Memory>(where_, name + "free_slots", shape.slots, shape.teams),
        tables.slots,
        tables.parked,
        tables.path,
        tables.arrays,
        tables.teams,
        tables.control,
        tables.histogram,
        vertices_,
        task_.enough,
        options_.components,
        options_.bounds,
        options_.count,
        options_.bounds ? std::min(options_.small_vertices, SmallGraph<small_words>::room) : 0,
        {}};
    set_roots(search);
    Status const status = launch_until_done(search, shape);
    count(search, report);
    return collect(search, status);
  }

  /// Neighbours counted from the first vertex of their root.
  std::vector<std::uint32_t> entries_from_base() const {
    std::vector<std::uint32_t> entries(task_.graph.entries.begin(), task_.graph.entries.end());
    for (Root const& root : task_.roots) {
      for (auto e = task_.graph.offsets[root.base]; e < task_.graph.offsets[root.base + root.size];
           ++e) {
        entries[e] -= root.base;
      }
    }
    return entries;
  }

  bool has_long_rows() const { return task_.graph.entries.size() >= 16 * task_.graph.vertices(); }

  /// Not where they would have more words than there are edges.
  bool has_rows_of_bits() const {
    std::size_t const words = vertices_ / 32;
    return has_long_rows() && task_.graph.vertices() * words <= task_.graph.entries.size() * 2 &&
           words <= Work::most_bit_words;
  }

  void write_bits(Bits const& bits, std::vector<std::uint32_t> const& entries) const {
    auto const here = Kokkos::create_mirror(bits);
    for (std::size_t v = 0; v < bits.extent(0); ++v) {
      for (auto e = task_.graph.offsets[v]; e < task_.graph.offsets[v + 1]; ++e) {
        here(v, entries[e] / 32) |= 1u << entries[e] % 32;
      }
    }
    Kokkos::deep_copy(where_, bits, here);
    where_.fence("taper::vertex_cover::paper: the host's rows may go");
  }

  template <class Search>
  void set_roots(Search const& search) const {
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
    if constexpr (Search::answers) {
      Kokkos::deep_copy(where_,
                        Kokkos::subview(search.registry.known,
                                        std::pair<std::size_t, std::size_t>(0, entries.size())),
                        Kokkos::View<std::uint32_t const*, Kokkos::HostSpace, Unmanaged>(
                            task_.bounds.data(), task_.bounds.size()));
    }
    where_.fence("taper::vertex_cover::paper: the host's arrays may go");
  }

  /// Teams of the first launch. A search of some milliseconds has not work enough for all that a GPU
  /// can hold, and those that look for it take the others' time; what is left then is worth all.
  std::uint64_t beginners(Shape<Exec> const& shape) const {
    bool const fewer = is_gpu<Exec> && options_.teams == 0 && shape.teams >= 4;
    return fewer ? shape.teams / 4 : shape.teams;
  }

  template <class Search>
  void launch(Search search, Shape<Exec> const& shape, std::uint64_t teams) const {
    search.balance = search.balance.among(static_cast<std::uint32_t>(teams));
    typename Search::Policy policy(where_, static_cast<int>(teams), shape.team.threads,
                                   shape.team.lanes);
    policy.set_scratch_size(0, Kokkos::PerTeam(static_cast<int>(
                                   Search::fixed_bytes() + 16 +
                                   (shape.in_scratch ? Work::arrays_bytes(vertices_) : 0))));
    Kokkos::parallel_for("taper::vertex_cover::search", policy, search);
  }

  template <class Search>
  Status launch_until_done(Search search, Shape<Exec> const& shape) const {
    using Clock = std::chrono::steady_clock;
    std::uint64_t total = 0;
    for (std::uint32_t const bound : task_.bounds) {
      total += bound;
    }
    if (total <= task_.enough) {
      return Status::solved;  // the greedy covers': no bound would be below k, see set_bounds()
    }
    Control control{0,
                    go_on,
                    0,
                    0,
                    static_cast<std::uint32_t>(task_.roots.size()),
                    static_cast<std::uint32_t>(total)};
    Kokkos::View<Control, Kokkos::HostSpace, Unmanaged> const control_here(&control);
    std::uint64_t const share =
        std::clamp<std::uint64_t>(first_entries / (vertices_ + 1), least_share, first_share);
    std::uint64_t teams = beginners(shape);
    search.pace = {teams < shape.teams ? 2 * share : share, patience, 0};
    AtomicWord heard = 0;
    std::uint64_t silent = 0;  // launches in a row without a sign of life
    for (;;) {
      control.stop = go_on;
      Kokkos::deep_copy(where_, search.control, control_here);
      auto const begin = Clock::now();
      launch(search, shape, teams);
      Kokkos::deep_copy(where_, control_here, search.control);
      where_.fence("taper::vertex_cover::paper: how far the search has come");
      auto const end = Clock::now();
      if (options_.progress != nullptr) {
        publish_progress(search);
      }
      if (control.stop == exhausted || (control.stop == answered && options_.k < 0)) {
        return Status::solved;
      }
      // Covers of the entries, not what was carried up: if that were too little, the search goes on.
      if (options_.k >= 0 && total_of(open_branches(search)) <= task_.enough) {
        return Status::solved;
      }
      silent = control.heartbeat == heard ? silent + 1 : 0;
      heard = control.heartbeat;
      if (silent == most_silent || end >= deadline_ ||
          (options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed))) {
        return Status::stopped;
      }
      search.pace.nodes =
          teams < shape.teams
              ? share
              : next_share(search.pace.nodes, static_cast<Stop>(control.stop), end - begin);
      teams = shape.teams;
      search.pace.shift =
          static_cast<std::uint32_t>((search.pace.shift + shape.teams / 2 + 1) % shape.teams);
    }
  }

  template <class Search>
  void publish_progress(Search const& search) const {
    std::uint64_t nodes = 0;
    for (TeamState const& team : to_host(search.teams, "the nodes visited so far")) {
      nodes += team.nodes;
    }
    options_.progress->nodes.store(nodes, std::memory_order_relaxed);
    // Below `below` no root's bound stands for a cover that it has not: see set_bounds().
    std::uint64_t const size = task_.taken + total_of(open_branches(search));
    if (size < task_.below) {
      options_.progress->best.store(size, std::memory_order_relaxed);
    }
  }

  template <class Search>
  void count(Search const& search, Report& report) const {
    std::array<double, activities> time{};
    for (TeamState const& team : to_host(search.teams, "what the teams have counted")) {
      report.nodes += team.nodes;
      report.component_branches += team.component_branches;
      report.registry_full += team.unsplit;
      report.storage_full += team.lean_branches;
      for (std::size_t i = 0; i < activities; ++i) {
        time[i] += static_cast<double>(team.time[i]);
      }
    }
    report.steals += search.balance.moved(where_);
    if (options_.count) {
      double const whole = std::accumulate(time.begin(), time.end(), 0.0);
      for (std::size_t i = 0; i < activities && whole > 0; ++i) {
        report.activities.push_back({activity_names[i], time[i] / whole});
      }
      auto const histogram = to_host(search.histogram, "the components of the branches");
      report.components_histogram.resize(histogram_bins);
      for (std::size_t i = 0; i < histogram_bins; ++i) {
        report.components_histogram[i] += histogram[i];
      }
    }
  }

  template <class Search>
  OpenBranches open_branches(Search const& search) const {
    std::pair<std::size_t, std::size_t> const used{0, task_.roots.size() +
                                                          search.registry.free.used(where_)};
    return {to_host(Kokkos::subview(search.registry.entries, used), "the registry"),
            task_.roots.size()};
  }

  std::uint64_t total_of(OpenBranches const& open) const {
    std::uint64_t total = 0;
    for (std::size_t i = 0; i < task_.roots.size(); ++i) {
      total += open.size(i);
    }
    return total;
  }

  template <class Search>
  Outcome collect(Search const& search, Status status) const {
    OpenBranches const open = open_branches(search);
    Outcome outcome{status, {}, {}, std::vector<std::uint8_t>(task_.graph.vertices(), 0)};
    for (std::uint32_t i = 0; i < task_.roots.size(); ++i) {
      outcome.sizes.push_back(open.size(i));
      outcome.improved.push_back(open.size(i) < task_.bounds[i] ? 1 : 0);
      if (outcome.improved.back() != 0) {
        open.for_each_row(i, [&](std::uint32_t row, std::uint32_t first, std::uint32_t end) {
          auto const bits =
              to_host(Kokkos::subview(search.registry.covers, row,
                                      std::pair<std::size_t, std::size_t>(first, end)),
                      "a component's cover");
          for (std::uint32_t v = first * 32; v < std::min(end * 32, task_.roots[i].size); ++v) {
            outcome.in_cover[task_.roots[i].base + v] |=
                static_cast<std::uint8_t>(bits[v / 32 - first] >> v % 32 & 1);
          }
        });
      }
    }
    return outcome;
  }

  static constexpr std::uint64_t first_share = 1024;  ///< nodes, and fewer where they are large
  static constexpr std::uint64_t first_entries = std::uint64_t{1} << 22;
  /// About 40 ms of a GPU's cycles, 4 ms of a host's nanoseconds.
  static constexpr std::uint64_t patience = std::uint64_t{1} << (is_gpu<Exec> ? 26 : 22);
  static constexpr std::uint64_t most_silent = 1000;

  Exec const& where_;
  Task const& task_;
  Options const& options_;
  std::chrono::steady_clock::time_point deadline_;
  std::uint32_t vertices_ = 0;
};

/// Searches with degrees as wide as the graph's greatest needs.
template <ExecutionSpace Exec>
Outcome run_search(Exec const& where, Task const& task, Options const& options,
                   std::chrono::steady_clock::time_point deadline, Report& report) {
  std::size_t top = 0;
  for (Vertex v = 0; v < task.graph.vertices(); ++v) {
    top = std::max(top, task.graph.degree(v));
  }
  // The greatest value of a width means that a vertex has been taken.
  if (top < std::numeric_limits<std::uint8_t>::max()) {
    return Run<Exec, std::uint8_t>(where, task, options, deadline)(report);
  }
  if (top < std::numeric_limits<std::uint16_t>::max()) {
    return Run<Exec, std::uint16_t>(where, task, options, deadline)(report);
  }
  return Run<Exec, std::uint32_t>(where, task, options, deadline)(report);
}

}  // namespace taper::vertex_cover::paper
