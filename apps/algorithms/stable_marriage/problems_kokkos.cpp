// SPDX-License-Identifier: Apache-2.0
//
// The only place where commands meet the library's templates: each backend and id width is compiled
// here, once.
#include "config_error.hpp"
#include "runtime.hpp"
#include "solver.hpp"
#include "spaces.hpp"
#include "typed_problems.hpp"

#include <io/text.hpp>
#include <taper/large_view.hpp>
#include <taper/stable_marriage/generate.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

namespace taper::app {

namespace sm = stable_marriage;

namespace {

/// Calls use(Space) for the space whose memory `backend` works on: the device, or the widest host
/// backend.
template <class Use>
auto in_memory_of(std::string_view backend, Use const& use) {
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

/// Tables in `Memory`, one of the host's, for solving on backends of the memory of `Space`.
template <class Id, class Space, class Memory>
std::unique_ptr<Problem> generate_outside(sm::Workload const& workload) {
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
std::unique_ptr<Problem> generate_outside(Tables tables, sm::Workload const& workload) {
  return tables == Tables::pinned
             ? generate_outside<Id, Space, Kokkos::SharedHostPinnedSpace>(workload)
             : generate_outside<Id, Space, Kokkos::HostSpace>(workload);
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
  return in_memory_of(backend, [&](auto const& space) {
    return io::id_bytes(workload.n) == sizeof(std::uint16_t)
               ? generate_in<std::uint16_t>(space, workload)
               : generate_in<std::uint32_t>(space, workload);
  });
}

std::unique_ptr<Problem> generate_problem(std::string_view backend, Tables tables,
                                          sm::Workload const& workload) {
  return in_memory_of(backend, [&]<class Space>(Space const&) {
    return io::id_bytes(workload.n) == sizeof(std::uint16_t)
               ? generate_outside<std::uint16_t, Space>(tables, workload)
               : generate_outside<std::uint32_t, Space>(tables, workload);
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
  return in_memory_of(backend, [&]<class Space>(Space const& space) {
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

std::uint64_t bytes_needed(std::size_t n, sm::Options const& options, Sharing const& sharing) {
  constexpr auto most = std::numeric_limits<std::uint64_t>::max();
  if (n > 1'000'000'000) {
    return most;  // the products below would overflow, and no machine has 2^64 bytes
  }
  if (sharing.devices > 0) {
    // Shards are dealt out in equal numbers, but for one more.
    auto const a_device = (sharing.shards + sharing.devices - 1) / sharing.devices;
    return a_device * (io::market_bytes(n) / sharing.shards +
                       sm::footprint_bytes_a_shard(n, sharing.shards)) +
           sm::verifier_bytes(n);
  }
  // The workspace is there still when the matching is verified.
  auto const tables = io::market_bytes(n) + sm::verifier_bytes(n);
  return tables + std::min(sm::footprint_bytes(n, options), most - tables);
}

std::uint64_t require_memory(Engine const& engine, std::size_t n, bool loaded) {
  auto const require = [&](std::uint64_t bytes, std::string_view backend) {
    if (auto const free = free_memory_of(backend); bytes > free) {
      throw ConfigError("n = " + io::grouped(n) + " needs " + io::human_bytes(bytes) +
                        " of memory for " + engine.name + " on backend " + std::string(backend) +
                        ", but " + io::human_bytes(free) + " are free");
    }
  };
  auto const backend = require_backend(engine.backend);
  bool const on_device = find_backend("device") == backend;
  // Tables in the host's memory, and those that the engine works on. What comes from there is verified
  // there.
  bool const streams = engine.tables != Tables::device && !loaded;
  auto const needed =
      bytes_needed(n, engine.options, engine.sharing) - (streams ? sm::verifier_bytes(n) : 0);
  auto const outside = streams ? io::market_bytes(n) + sm::verifier_bytes(n) : 0;
  if (on_device) {
    require(needed, backend);
    require(outside, require_backend("host"));
    return needed;
  }
  auto const here = needed + outside - (loaded ? io::market_bytes(n) : 0);
  require(here, backend);
  return here;
}

}  // namespace taper::app
