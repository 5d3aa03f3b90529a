// SPDX-License-Identifier: Apache-2.0
#include "device.hpp"
#include "solve.hpp"

#include <support/config_error.hpp>
#include <support/spaces.hpp>

#include <taper/copy_entries.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>
#include <taper/stable_marriage/verify.hpp>
#include <taper/vertex_cover/vertex_cover.hpp>

#include <Kokkos_Core.hpp>

#include <string>
#include <type_traits>
#include <variant>

namespace taper::python {

namespace sm = stable_marriage;
namespace vc = vertex_cover;

namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using Device = Kokkos::DefaultExecutionSpace;
using DeviceMemory = Device::memory_space;
template <class T>
using HostView = Kokkos::View<T*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
template <class T>
using DeviceView = Kokkos::View<T*, DeviceMemory>;

/// The view itself if `Memory` is host memory, else a copy there.
template <class Memory, class T>
auto in_memory(HostView<T> const& view) {
  if constexpr (std::is_same_v<Memory, Kokkos::HostSpace>) {
    return view;
  } else {
    return Kokkos::create_mirror_view_and_copy(Memory{}, view);
  }
}

/// The same as a View of constants.
template <class Memory, class T>
auto constants_in_memory(HostView<T const> const& view) {
  auto const there = in_memory<Memory>(view);
  return typename std::remove_const_t<decltype(there)>::const_type(there);
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

/// Solves on `where`, and on the host too if the options need one.
template <class Space, class Instance, class Partners>
sm::Report solve_on(Space const& where, Instance const& instance, Partners const& partner_of,
                    sm::Options const& options) {
  return needs_host(options, app::is_host_space<Space>)
             ? sm::solve(app::WithHost<Space>{where, {}}, instance, partner_of, options)
             : sm::solve(where, instance, partner_of, options);
}

template <class Space, class Id>
sm::Report match_on(int threads, Tables<Id> const& tables, Id* partner_of,
                    sm::Options const& options) {
  using Memory = typename Space::memory_space;
  sm::Instance<sm::ConstTable<Id, Memory>> const instance{
      table_in_memory<Memory>(tables.first, tables.n),
      table_in_memory<Memory>(tables.second, tables.n)};
  HostView<Id> const result(partner_of, tables.n);
  auto const there = in_memory<Memory>(result);
  auto const report = solve_on(app::with_threads<Space>(threads), instance, there, options);
  if constexpr (!std::is_same_v<Memory, Kokkos::HostSpace>) {
    Kokkos::deep_copy(result, there);
  }
  return report;
}

template <class Id>
sm::Instance<sm::ConstTable<Id, DeviceMemory>> device_instance(Tables<Id> const& tables) {
  return {sm::ConstTable<Id, DeviceMemory>(tables.first, tables.n, tables.n),
          sm::ConstTable<Id, DeviceMemory>(tables.second, tables.n, tables.n)};
}

/// What a perfect matching is found to be, on the execution space that reaches it.
template <class Space, class Instance, class Partners>
TablesVerdict verify_on(Space const& where, Instance const& instance, Partners const& partner_of,
                        std::size_t limit) {
  TablesVerdict verdict;
  verdict.bad_agent = sm::find_bad_partner(where, partner_of);
  if (!verdict.bad_agent) {
    verdict.blocking_pairs = sm::count_blocking_pairs(where, instance, partner_of);
    for (auto const& pair : sm::find_blocking_pairs(where, instance, partner_of, limit)) {
      verdict.first.emplace_back(pair.man, pair.woman);
    }
  }
  return verdict;
}

template <class Space, class Table>
std::optional<std::pair<std::size_t, std::size_t>> bad_entry_on(Space const& where,
                                                                Table const& table) {
  auto const bad = sm::find_bad_row(where, table);
  return bad ? std::optional(std::pair(bad->row, bad->entry)) : std::nullopt;
}

/// Converts numbers to ids; those out of range become the greatest number, which is none.
template <class Id>
struct ToIds {
  DeviceView<std::int32_t const> from;
  DeviceView<Id> to;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    std::int32_t const number = from(i);
    bool const in_range = number >= 0 && static_cast<std::size_t>(number) < to.extent(0);
    to(i) = in_range ? static_cast<Id>(number) : static_cast<Id>(-1);
  }
};

struct CountNegative {
  DeviceView<std::int32_t const> numbers;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::size_t& found) const {
    found += numbers(i) < 0 ? 1u : 0u;
  }
};

struct AddCounts {
  DeviceView<std::uint32_t const> counts;
  DeviceView<std::uint32_t> sums;

  KOKKOS_FUNCTION void operator()(std::size_t i) const { sums(i) += counts(i); }
};

using Numbers = Kokkos::RangePolicy<Device, Kokkos::IndexType<std::size_t>>;

/// Calls use(graph) with the graph in Views.
template <class Use>
auto with_graph(DeviceGraph const& graph, Use const& use) {
  return std::visit(
      [&]<class Offset>(Offset const* offsets) {
        return use(vc::Graph{DeviceView<Offset const>(offsets, graph.vertices + 1),
                             DeviceView<std::uint32_t const>(graph.entries, graph.entry_count)});
      },
      graph.offsets);
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
std::optional<std::pair<std::size_t, std::size_t>> find_bad_entry(Id const* table, std::size_t rows,
                                                                  std::size_t n) {
  return bad_entry_on(Host(), sm::ConstTable<Id, Kokkos::HostSpace>(table, rows, n));
}

template <class Id>
TablesVerdict verify_tables(Tables<Id> const& tables, Id const* partner_of, std::size_t limit) {
  return verify_on(Host(), host_instance(tables), HostView<Id const>(partner_of, tables.n), limit);
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
    report = vc::solve(
        search_place<Space>(threads),
        vc::Graph{constants_in_memory<Memory>(offsets), constants_in_memory<Memory>(entries)},
        there, options);
    if constexpr (!std::is_same_v<Memory, Kokkos::HostSpace>) {
      Kokkos::deep_copy(cover, there);
    }
  });
  return report;
}

bool has_gpu() {
#ifdef KOKKOS_ENABLE_CUDA
  return true;
#else
  return false;
#endif
}

Gpu gpu() {
#ifdef KOKKOS_ENABLE_CUDA
  constexpr std::uintptr_t legacy_default_stream = 1;  // which is not 0 for other libraries
  Kokkos::Cuda const where;
  auto const stream = reinterpret_cast<std::uintptr_t>(where.cuda_stream());
  return {where.cuda_device(), stream == 0 ? legacy_default_stream : stream};
#else
  return {};
#endif
}

std::optional<int> gpu_of([[maybe_unused]] void const* pointer) {
#ifdef KOKKOS_ENABLE_CUDA
  cudaPointerAttributes attributes{};
  if (cudaPointerGetAttributes(&attributes, pointer) != cudaSuccess) {
    (void)cudaGetLastError();  // else a later call reports it
    return std::nullopt;
  }
  return attributes.type == cudaMemoryTypeDevice    ? std::optional(attributes.device)
         : attributes.type == cudaMemoryTypeManaged ? std::optional(gpu().id)
                                                    : std::nullopt;
#else
  return 0;
#endif
}

void wait_for_stream([[maybe_unused]] std::uintptr_t stream) {
#ifdef KOKKOS_ENABLE_CUDA
  int before = 0;
  (void)cudaGetDevice(&before);
  (void)cudaSetDevice(gpu().id);  // whose default streams 1 and 2 mean
  auto const status = cudaStreamSynchronize(reinterpret_cast<cudaStream_t>(stream));
  (void)cudaSetDevice(before);
  if (status != cudaSuccess) {
    (void)cudaGetLastError();
    throw app::ConfigError(std::string("the stream that makes the array: ") +
                           cudaGetErrorString(status));
  }
#endif
}

std::shared_ptr<void> allocate_on_device(std::size_t bytes) {
  using Bytes = DeviceView<unsigned char>;
  auto* const memory =
      new Bytes(Kokkos::view_alloc(Kokkos::WithoutInitializing, "taper::python::array"), bytes);
  return {static_cast<void*>(memory->data()), [memory](void*) {
            if (!Kokkos::is_finalized()) {
              delete memory;
            }
          }};
}

void copy_to_host(void const* from, void* to, std::size_t bytes) {
  Kokkos::deep_copy(
      HostView<unsigned char>(static_cast<unsigned char*>(to), bytes),
      DeviceView<unsigned char const>(static_cast<unsigned char const*>(from), bytes));
}

void copy_to_device(void const* from, void* to, std::size_t bytes) {
  Kokkos::deep_copy(DeviceView<unsigned char>(static_cast<unsigned char*>(to), bytes),
                    HostView<unsigned char const>(static_cast<unsigned char const*>(from), bytes));
}

void copy_on_device(void const* from, void* to, std::size_t bytes) {
  Device const where;
  Kokkos::deep_copy(
      where, DeviceView<unsigned char>(static_cast<unsigned char*>(to), bytes),
      DeviceView<unsigned char const>(static_cast<unsigned char const*>(from), bytes));
  where.fence("taper::python::copy_on_device: wait for the copy");
}

std::size_t count_negative(std::int32_t const* numbers, std::size_t count) {
  std::size_t found = 0;
  Kokkos::parallel_reduce("taper::python::count_negative", Numbers(Device(), 0, count),
                          CountNegative{DeviceView<std::int32_t const>(numbers, count)}, found);
  return found;
}

bool has_fault_on_device(DeviceGraph const& graph) {
  return with_graph(graph,
                    [](auto const& views) { return vc::find_fault(Device(), views).has_value(); });
}

vc::Report find_cover_on_device(DeviceGraph const& graph, std::uint8_t* in_cover,
                                vc::Options const& options) {
  return with_graph(graph, [&](auto const& views) {
    return vc::solve(search_place<Device>(0), views,
                     DeviceView<std::uint8_t>(in_cover, graph.vertices), options);
  });
}

void add_counts_on_device(std::uint32_t const* counts, std::uint32_t* sums, std::size_t count) {
  Device const where;
  Kokkos::parallel_for("taper::python::add_counts", Numbers(where, 0, count),
                       AddCounts{DeviceView<std::uint32_t const>(counts, count),
                                 DeviceView<std::uint32_t>(sums, count)});
  where.fence("taper::python::add_counts: wait for the sums");
}

template <class Id>
sm::Report match_tables_on_device(Tables<Id> const& tables, std::int32_t* partner_of,
                                  sm::Options const& options) {
  Device const where;
  DeviceView<Id> const partners(
      Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::python::partners"), tables.n);
  auto const report = solve_on(where, device_instance(tables), partners, options);
  copy_entries(where, "taper::python::copy_partners", partners,
               DeviceView<std::int32_t>(partner_of, tables.n));
  where.fence("taper::python::match_tables_on_device: wait for the copy of the matching");
  return report;
}

template <class Id>
std::optional<std::pair<std::size_t, std::size_t>> find_bad_entry_on_device(Id const* table,
                                                                            std::size_t n) {
  return bad_entry_on(Device(), sm::ConstTable<Id, DeviceMemory>(table, n, n));
}

template <class Id>
TablesVerdict verify_tables_on_device(Tables<Id> const& tables, std::int32_t const* partner_of,
                                      std::size_t limit) {
  Device const where;
  DeviceView<Id> const partners(
      Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::python::partners"), tables.n);
  Kokkos::parallel_for("taper::python::to_ids", Numbers(where, 0, tables.n),
                       ToIds<Id>{DeviceView<std::int32_t const>(partner_of, tables.n), partners});
  return verify_on(where, device_instance(tables), DeviceView<Id const>(partners), limit);
}

template sm::Report match_tables(std::string_view, int, Tables<std::uint16_t> const&,
                                 std::uint16_t*, sm::Options const&);
template sm::Report match_tables(std::string_view, int, Tables<std::uint32_t> const&,
                                 std::uint32_t*, sm::Options const&);
template std::optional<std::pair<std::size_t, std::size_t>>
find_bad_entry(std::uint16_t const*, std::size_t, std::size_t);
template std::optional<std::pair<std::size_t, std::size_t>>
find_bad_entry(std::uint32_t const*, std::size_t, std::size_t);
template TablesVerdict verify_tables(Tables<std::uint16_t> const&, std::uint16_t const*,
                                     std::size_t);
template TablesVerdict verify_tables(Tables<std::uint32_t> const&, std::uint32_t const*,
                                     std::size_t);
template sm::Report match_tables_on_device(Tables<std::uint16_t> const&, std::int32_t*,
                                           sm::Options const&);
template sm::Report match_tables_on_device(Tables<std::uint32_t> const&, std::int32_t*,
                                           sm::Options const&);
template std::optional<std::pair<std::size_t, std::size_t>>
find_bad_entry_on_device(std::uint16_t const*, std::size_t);
template std::optional<std::pair<std::size_t, std::size_t>>
find_bad_entry_on_device(std::uint32_t const*, std::size_t);
template TablesVerdict verify_tables_on_device(Tables<std::uint16_t> const&, std::int32_t const*,
                                               std::size_t);
template TablesVerdict verify_tables_on_device(Tables<std::uint32_t> const&, std::int32_t const*,
                                               std::size_t);

}  // namespace taper::python
