// SPDX-License-Identifier: Apache-2.0
//
// Compiles the templates of stable_marriage, once per backend and id width. Other sources of this
// folder use Problem.
#include "solver.hpp"
#include "typed_problems.hpp"

#include <support/config_error.hpp>
#include <support/runtime.hpp>
#include <support/spaces.hpp>

#include <io/text/strings.hpp>
#include <taper/huge_pages.hpp>
#include <taper/stable_marriage/generate.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

namespace taper::app {

namespace sm = stable_marriage;

namespace {

/// Calls use(space) with the default execution space of the memory that `backend` works on: the
/// device, or the widest host backend.
template <class Use>
auto with_memory_of(std::string_view backend, Use const& use) {
  if constexpr (has_device) {
    if (find_backend("device") == backend) {
      return use(Kokkos::DefaultExecutionSpace{});
    }
  }
  return use(Kokkos::DefaultHostExecutionSpace{});
}

template <class Id, class Space>
sm::Table<Id, typename Space::memory_space> allocate(std::string const& label, std::size_t n) {
  return allocate_large<sm::Table<Id, typename Space::memory_space>>(Space{}, label, n, n);
}

template <class Id, class Space>
std::unique_ptr<Problem> generate_in(Space const& space, sm::Workload const& workload) {
  auto const men = allocate<Id, Space>("taper::app::men", workload.n);
  auto const women = allocate<Id, Space>("taper::app::women", workload.n);
  sm::generate(space, workload, men, women);
  return std::make_unique<TypedProblem<Id, Space>>(men, women);
}

/// Generates tables in `Memory`, a host memory. Backends that reach the memory of `Space` solve.
template <class Id, class Space, class Memory>
std::unique_ptr<Problem> generate_in_host_memory(sm::Workload const& workload) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  auto const make = [&](std::string const& label) {
    return allocate_large<sm::Table<Id, Memory>>(Host{}, label, workload.n, workload.n);
  };
  auto const men = make("taper::app::men");
  auto const women = make("taper::app::women");
  using Plain = sm::Table<Id, Kokkos::HostSpace>;
  sm::generate(Host{}, workload, Plain(men.data(), workload.n, workload.n),
               Plain(women.data(), workload.n, workload.n));
  return std::make_unique<StreamedProblem<Id, Space, Memory>>(men, women);
}

template <class Id, class Space>
std::unique_ptr<Problem> generate_in_host_memory(Tables tables, sm::Workload const& workload) {
  return tables == Tables::pinned
             ? generate_in_host_memory<Id, Space, Kokkos::SharedHostPinnedSpace>(workload)
             : generate_in_host_memory<Id, Space, Kokkos::HostSpace>(workload);
}

template <class Id, class Space>
sm::ConstTable<Id, typename Space::memory_space> load(Space const&, char const* label,
                                                      std::size_t n, std::span<Id const> ids) {
  using Lists = sm::ConstTable<Id, typename Space::memory_space>;
  if constexpr (is_host_space<Space>) {
    return Lists(ids.data(), n, n);
  } else {
    auto const table = allocate<Id, Space>(label, n);
    Kokkos::deep_copy(table, sm::ConstTable<Id, Kokkos::HostSpace>(ids.data(), n, n));
    return table;
  }
}

}  // namespace

std::unique_ptr<Problem> generate_problem(std::string_view backend, sm::Workload const& workload) {
  return with_memory_of(backend, [&](auto const& space) {
    return io::id_bytes(workload.n) == sizeof(std::uint16_t)
               ? generate_in<std::uint16_t>(space, workload)
               : generate_in<std::uint32_t>(space, workload);
  });
}

std::unique_ptr<Problem> generate_problem(std::string_view backend, Tables tables,
                                          sm::Workload const& workload) {
  return with_memory_of(backend, [&]<class Space>(Space const&) {
    return io::id_bytes(workload.n) == sizeof(std::uint16_t)
               ? generate_in_host_memory<std::uint16_t, Space>(tables, workload)
               : generate_in_host_memory<std::uint32_t, Space>(tables, workload);
  });
}

void generate_tables(sm::Workload const& workload, io::IdTable& men, io::IdTable& women) {
  men.visit([&]<class Id>(std::span<Id> men_ids) {
    women.visit([&]<class Other>(std::span<Other> women_ids) {
      if constexpr (std::is_same_v<Id, Other>) {
        using Lists = sm::Table<Id, Kokkos::HostSpace>;
        sm::generate(Kokkos::DefaultHostExecutionSpace{}, workload,
                     Lists(men_ids.data(), workload.n, workload.n),
                     Lists(women_ids.data(), workload.n, workload.n));
      }
    });
  });
}

std::unique_ptr<Problem> load_problem(std::string_view backend, io::IdTable const& men,
                                      io::IdTable const& women) {
  auto const n = men.rows();
  return with_memory_of(backend, [&]<class Space>(Space const& space) {
    return men.visit([&]<class Id>(std::span<Id const> men_ids) -> std::unique_ptr<Problem> {
      return women.visit(
          [&]<class Other>(std::span<Other const> women_ids) -> std::unique_ptr<Problem> {
            if constexpr (std::is_same_v<Id, Other>) {
              return std::make_unique<TypedProblem<Id, Space>>(
                  load<Id>(space, "taper::app::men", n, men_ids),
                  load<Id>(space, "taper::app::women", n, women_ids));
            } else {
              throw ConfigError("the two sides of a market must have the same size");
            }
          });
    });
  });
}

std::uint64_t bytes_needed(std::size_t n, sm::Options const& options, Sharding const& sharding) {
  constexpr auto overflow = std::numeric_limits<std::uint64_t>::max();
  if (n > 1'000'000'000) {
    return overflow;  // the products below would overflow; no machine has 2^64 bytes
  }
  if (sharding.devices > 0) {
    // The numbers of shards per device differ by at most one; this is the larger.
    auto const shards_per_device = (sharding.shards + sharding.devices - 1) / sharding.devices;
    return shards_per_device * (io::market_bytes(n) / sharding.shards +
                                sm::footprint_bytes_per_shard(n, sharding.shards, options)) +
           sm::verifier_bytes(n);
  }
  // The workspace still exists while the matching is verified.
  auto const tables = io::market_bytes(n) + sm::verifier_bytes(n);
  return tables + std::min(sm::footprint_bytes(n, options), overflow - tables);
}

std::uint64_t require_memory(Engine const& engine, std::size_t n, bool loaded) {
  auto const require = [&](std::uint64_t bytes, std::string_view backend) {
    if (auto const free = free_memory_of(backend); bytes > free) {
      throw ConfigError("n = " + io::grouped(n) + " needs " + io::human_bytes(bytes) +
                        " of memory for " + engine.name + " on backend " + std::string(backend) +
                        "; " + io::human_bytes(free) + " are free");
    }
  };
  auto const backend = require_backend(engine.backend);
  bool const on_device = find_backend("device") == backend;
  // An engine that streams has tables in host memory too, and its matching is verified on the host.
  bool const streams = engine.tables != Tables::device && !loaded;
  auto const needed =
      bytes_needed(n, engine.options, engine.sharding) - (streams ? sm::verifier_bytes(n) : 0);
  auto const in_host_memory = streams ? io::market_bytes(n) + sm::verifier_bytes(n) : 0;
  if (on_device) {
    require(needed, backend);
    // Bamboo-SMP's host has a PRMatrix of its own.
    bool const host_pr_matrix = engine.options.schedule == sm::Schedule::bamboo;
    require(in_host_memory + (host_pr_matrix ? io::market_bytes(n) : 0), require_backend("host"));
    return needed;
  }
  auto const total = needed + in_host_memory - (loaded ? io::market_bytes(n) : 0);
  require(total, backend);
  return total;
}

}  // namespace taper::app
