// SPDX-License-Identifier: Apache-2.0
#include "solve.hpp"

#include <support/spaces.hpp>

#include <taper/stable_marriage/stable_marriage.hpp>
#include <taper/stable_marriage/verify.hpp>
#include <taper/vertex_cover/vertex_cover.hpp>

#include <Kokkos_Core.hpp>

#include <type_traits>

namespace taper::python {

namespace sm = stable_marriage;
namespace vc = vertex_cover;

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
template <class T>
using HostView = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

/// The view itself if `Memory` is host memory, else a copy there.
template <class Memory, class T>
auto in_memory(HostView<T> const& view) {
  if constexpr (std::is_same_v<Memory, Kokkos::HostSpace>) {
    return view;
  } else {
    return Kokkos::create_mirror_view_and_copy(Memory{}, view);
  }
}

/// The same for a table of n x n ids.
template <class Memory, class Id>
sm::ConstTable<Id, Memory> table_in_memory(Id const* ids, std::size_t n) {
  if constexpr (std::is_same_v<Memory, Kokkos::HostSpace>) {
    return sm::ConstTable<Id, Memory>(ids, n, n);
  } else {
    sm::Table<Id, Memory> const table("taper::python::table", n, n);
    Kokkos::deep_copy(table, sm::ConstTable<Id, Kokkos::HostSpace>(ids, n, n));
    return table;
  }
}

template <class Id>
sm::Instance<sm::ConstTable<Id, Kokkos::HostSpace>> host_instance(Tables<Id> const& tables) {
  using Memory = Kokkos::HostSpace;
  return {table_in_memory<Memory>(tables.first, tables.n),
          table_in_memory<Memory>(tables.second, tables.n)};
}

/// Whether a run gets a host to migrate to. On the host's own cores only if the options ask for it.
bool needs_host(sm::Options const& options, bool on_host) {
  return options.schedule == sm::Schedule::bamboo ||
         (options.schedule == sm::Schedule::hybrid && (!on_host || options.tail == sm::Tail::host));
}

template <class Space, class Id>
sm::Report match_on(int threads, Tables<Id> const& tables, Id* partner_of,
                    sm::Options const& options) {
  using Memory = typename Space::memory_space;
  auto const where = app::with_threads<Space>(threads);
  sm::Instance<sm::ConstTable<Id, Memory>> const instance{
      table_in_memory<Memory>(tables.first, tables.n),
      table_in_memory<Memory>(tables.second, tables.n)};
  HostView<Id> const result(partner_of, tables.n);
  auto const there = in_memory<Memory>(result);
  auto const report = needs_host(options, app::is_host_space<Space>)
                          ? sm::solve(app::WithHost<Space>{where, {}}, instance, there, options)
                          : sm::solve(where, instance, there, options);
  if constexpr (!std::is_same_v<Memory, Kokkos::HostSpace>) {
    Kokkos::deep_copy(result, there);
  }
  return report;
}

/// The place of a search: a device with the host, or the threads of a host backend.
template <class Space>
auto search_place([[maybe_unused]] int threads) {
  if constexpr (app::is_host_space<Space>) {
    return app::with_threads<Space>(threads);
  } else {
    return app::with_host<Space>();
  }
}

}  // namespace

bool kokkos_runs() {
  return Kokkos::is_initialized();
}

bool kokkos_has_ended() {
  return Kokkos::is_finalized();
}

template <class Id>
sm::Report match_tables(std::string_view backend, int threads, Tables<Id> const& tables,
                        Id* partner_of, sm::Options const& options) {
  sm::Report report;
  app::with_backend(backend, [&]<class Space>(std::type_identity<Space>) {
    report = match_on<Space>(threads, tables, partner_of, options);
  });
  return report;
}

template <class Id>
std::optional<std::pair<std::size_t, std::size_t>> find_bad_entry(Id const* table, std::size_t n) {
  auto const bad = sm::find_bad_row(Host(), table_in_memory<Kokkos::HostSpace>(table, n));
  return bad ? std::optional(std::pair(bad->row, bad->entry)) : std::nullopt;
}

template <class Id>
TablesVerdict verify_tables(Tables<Id> const& tables, Id const* partner_of, std::size_t limit) {
  HostView<Id const> const partners(partner_of, tables.n);
  TablesVerdict verdict;
  verdict.bad_agent = sm::find_bad_partner(Host(), partners);
  if (!verdict.bad_agent) {
    auto const instance = host_instance(tables);
    verdict.blocking_pairs = sm::count_blocking_pairs(Host(), instance, partners);
    for (auto const& pair : sm::find_blocking_pairs(Host(), instance, partners, limit)) {
      verdict.first.emplace_back(pair.man, pair.woman);
    }
  }
  return verdict;
}

vc::Report find_cover(std::string_view backend, int threads, CsrGraph const& graph,
                      std::uint8_t* in_cover, vc::Options const& options) {
  HostView<std::uint64_t const> const offsets(graph.offsets, graph.vertices + 1);
  HostView<std::uint32_t const> const entries(graph.entries, graph.entry_count);
  HostView<std::uint8_t> const cover(in_cover, graph.vertices);
  vc::Report report;
  app::with_backend(backend, [&]<class Space>(std::type_identity<Space>) {
    using Memory = typename Space::memory_space;
    auto const there = in_memory<Memory>(cover);
    report = vc::solve(search_place<Space>(threads),
                       vc::Graph{in_memory<Memory>(offsets), in_memory<Memory>(entries)}, there,
                       options);
    if constexpr (!std::is_same_v<Memory, Kokkos::HostSpace>) {
      Kokkos::deep_copy(cover, there);
    }
  });
  return report;
}

template sm::Report match_tables(std::string_view, int, Tables<std::uint16_t> const&,
                                 std::uint16_t*, sm::Options const&);
template sm::Report match_tables(std::string_view, int, Tables<std::uint32_t> const&,
                                 std::uint32_t*, sm::Options const&);
template std::optional<std::pair<std::size_t, std::size_t>> find_bad_entry(std::uint16_t const*,
                                                                           std::size_t);
template std::optional<std::pair<std::size_t, std::size_t>> find_bad_entry(std::uint32_t const*,
                                                                           std::size_t);
template TablesVerdict verify_tables(Tables<std::uint16_t> const&, std::uint16_t const*,
                                     std::size_t);
template TablesVerdict verify_tables(Tables<std::uint32_t> const&, std::uint32_t const*,
                                     std::size_t);

}  // namespace taper::python
