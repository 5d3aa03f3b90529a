// SPDX-License-Identifier: Apache-2.0
//
// The only place where commands meet the library's templates: each backend and id width is compiled
// here, once.
#include "config_error.hpp"
#include "runtime.hpp"
#include "solved.hpp"
#include "solver.hpp"
#include "spaces.hpp"

#include <io/text.hpp>
#include <support/phase_clock.hpp>
#include <taper/duo.hpp>
#include <taper/large_view.hpp>
#include <taper/stable_marriage/generate.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>
#include <taper/stable_marriage/verify.hpp>

#include <algorithm>
#include <limits>
#include <string>
#include <type_traits>

namespace taper::app {

namespace sm = stable_marriage;

namespace {

/// The instance on which `Space` runs a schedule, with the host beside a device where the run may
/// migrate.
template <class Space, class Use>
auto at_place(sm::Schedule schedule, Use const& use) {
  if constexpr (!is_host_space<Space>) {
    if (schedule == sm::Schedule::hybrid) {
      return use(Duo<Space, Kokkos::DefaultHostExecutionSpace>{});
    }
  }
  return use(Space{});
}

/// `Space` is the default execution space of the tables' memory; any backend that reaches them can
/// solve.
template <class Id, class Space>
class TypedProblem final : public Problem {
 public:
  using Memory = typename Space::memory_space;
  using Lists = sm::ConstTable<Id, Memory>;

  TypedProblem(Lists men, Lists women) : instance_{std::move(men), std::move(women)} {}

  std::size_t size() const override { return instance_.size(); }

  Solved solve(std::string_view backend, sm::Options const& options) const override {
    Solved solved;
    Kokkos::View<Id*, Memory> const partner_of("taper::app::partner_of", size());
    auto const known =
        any_space([&]<class Where>(std::string_view name, std::type_identity<Where>) {
          if constexpr (Kokkos::SpaceAccessibility<Where, Memory>::accessible) {
            if (name == backend) {
              support::PhaseClock const clock;
              auto const report = at_place<Where>(options.schedule, [&](auto const& place) {
                return sm::solve(place, instance_, partner_of, options, workspace_);
              });
              solved = summarize(report, clock);
              return true;
            }
          }
          return false;
        });
    if (!known) {
      throw ConfigError("backend " + io::in_quotes(backend) +
                        " cannot reach this instance's memory");
    }
    solved.partner_of_man = to_host(partner_of);
    return solved;
  }

  Verdict verify(std::span<std::uint32_t const> partner_of_man) const override {
    auto const partner_of = to_memory<Id>(Space{}, partner_of_man);
    Verdict verdict;
    verdict.perfect_matching = sm::is_perfect_matching(Space{}, partner_of);
    if (verdict.perfect_matching) {
      verdict.blocking_pairs = sm::count_blocking_pairs(Space{}, instance_, partner_of);
    }
    return verdict;
  }

  std::vector<std::pair<std::uint32_t, std::uint32_t>>
  blocking_pairs(std::span<std::uint32_t const> partner_of_man, std::size_t limit) const override {
    return to_pairs(sm::find_blocking_pairs(Space{}, instance_,
                                            to_memory<Id>(Space{}, partner_of_man), limit));
  }

 private:
  sm::Instance<Lists> instance_;
  mutable sm::Workspace<Id, Memory> workspace_;  ///< kept from run to run
};

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
                       sm::footprint_bytes_a_shard(n, sharing.shards));
  }
  auto const tables = io::market_bytes(n);
  return tables + std::min(sm::footprint_bytes(n, options), most - tables);
}

std::uint64_t require_memory(Engine const& engine, std::size_t n, bool loaded) {
  auto const backend = require_backend(engine.backend);
  bool const on_device = find_backend("device") == backend;
  auto const needed = bytes_needed(n, engine.options, engine.sharing) -
                      (loaded && !on_device ? io::market_bytes(n) : 0);
  auto const free = free_memory_of(backend);
  if (needed > free) {
    throw ConfigError("n = " + io::grouped(n) + " needs " + io::human_bytes(needed) +
                      " of memory on backend " + std::string(backend) + ", but " +
                      io::human_bytes(free) + " are free");
  }
  return needed;
}

}  // namespace taper::app
