// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "solved.hpp"
#include "solver.hpp"

#include <support/config_error.hpp>
#include <support/phase_clock.hpp>
#include <support/spaces.hpp>

#include <io/text/strings.hpp>
#include <taper/stable_marriage/solve_streamed.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>
#include <taper/stable_marriage/verify.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// The Problems on one device or host, by the width of ids and by the memory of their tables.
/// Used by: problems_kokkos.cpp.
namespace taper::app {

/// Calls use(std::type_identity<Where>{}) for the backend with this name.
/// Throws: ConfigError if it cannot reach `Memory`.
template <class Memory, class Use>
void on_backend(std::string_view backend, Use const& use) {
  auto const known =
      any_space([&]<class Where>(std::string_view name, std::type_identity<Where> where) {
        if constexpr (Kokkos::SpaceAccessibility<Where, Memory>::accessible) {
          if (name == backend) {
            use(where);
            return true;
          }
        }
        return false;
      });
  if (!known) {
    throw ConfigError("backend " + io::in_quotes(backend) + " cannot reach this instance's memory");
  }
}

/// Whether a run gets a host to migrate to. A run on the host's own cores gets one only if the
/// options ask for it; otherwise nothing would be gained.
inline bool may_migrate(stable_marriage::Options const& options, bool on_host) {
  using enum stable_marriage::Schedule;
  return options.schedule == bamboo ||
         (options.schedule == hybrid && (!on_host || options.tail == stable_marriage::Tail::host));
}

/// The part of a Problem that does not solve: it verifies on `Space`, which reaches the tables.
template <class Id, class Space, class Memory>
class InMemoryProblem : public Problem {
 public:
  using Lists = stable_marriage::ConstTable<Id, Memory>;

  InMemoryProblem(Lists men, Lists women) : instance_{std::move(men), std::move(women)} {}

  std::size_t size() const override { return instance_.size(); }

  Verdict verify(std::span<std::uint32_t const> partner_of_man) const override {
    auto const partner_of = to_memory<Id>(Space{}, partner_of_man);
    Verdict verdict;
    verdict.perfect_matching = stable_marriage::is_perfect_matching(Space{}, partner_of);
    if (verdict.perfect_matching) {
      verdict.blocking_pairs =
          stable_marriage::count_blocking_pairs(Space{}, instance_, partner_of);
    }
    return verdict;
  }

  std::vector<std::pair<std::uint32_t, std::uint32_t>>
  blocking_pairs(std::span<std::uint32_t const> partner_of_man, std::size_t limit) const override {
    return to_pairs(stable_marriage::find_blocking_pairs(
        Space{}, instance_, to_memory<Id>(Space{}, partner_of_man), limit));
  }

 protected:
  stable_marriage::Instance<Lists> const& instance() const { return instance_; }

 private:
  stable_marriage::Instance<Lists> instance_;
};

/// A Problem whose tables are in the memory of `Space`. Any backend that reaches this memory can
/// solve.
template <class Id, class Space>
class TypedProblem final : public InMemoryProblem<Id, Space, typename Space::memory_space> {
 public:
  using Memory = typename Space::memory_space;
  using InMemoryProblem<Id, Space, Memory>::InMemoryProblem;

  Solved solve(std::string_view backend, stable_marriage::Options const& options) const override {
    Solved solved;
    Kokkos::View<Id*, Memory> const partner_of("taper::app::partner_of", this->size());
    on_backend<Memory>(backend, [&]<class Where>(std::type_identity<Where>) {
      auto const solve_at = [&](auto const& place) {
        support::PhaseClock const clock;
        auto const report =
            stable_marriage::solve(place, this->instance(), partner_of, options, workspace_);
        return summarize(report, clock);
      };
      solved = may_migrate(options, is_host_space<Where>) ? solve_at(WithHost<Where>{})
                                                          : solve_at(Where{});
    });
    solved.partner_of_man = to_host(partner_of);
    return solved;
  }

 private:
  mutable stable_marriage::Workspace<Id, Memory> workspace_;  ///< reused by later runs
};

/// A Problem whose tables are in `Memory`, a host memory. Backends that reach the memory of `Space`
/// solve; each solve copies the tables.
template <class Id, class Space, class Memory>
class StreamedProblem final
    : public InMemoryProblem<Id, Kokkos::DefaultHostExecutionSpace, Kokkos::HostSpace> {
 public:
  using Tables = stable_marriage::Table<Id, Memory>;

  StreamedProblem(Tables const& men, Tables const& women)
      : InMemoryProblem<Id, Kokkos::DefaultHostExecutionSpace, Kokkos::HostSpace>(plain(men),
                                                                                  plain(women)),
        tables_{men, women} {}

  Solved solve(std::string_view backend, stable_marriage::Options const& options) const override {
    Solved solved;
    Kokkos::View<Id*, Kokkos::HostSpace> const partner_of("taper::app::partner_of", this->size());
    on_backend<typename Space::memory_space>(backend, [&]<class Where>(std::type_identity<Where>) {
      auto const solve_at = [&](auto const& place) {
        stable_marriage::Streamed const streamed{place, streams_of<Where>()};
        support::PhaseClock const clock;
        auto const report =
            stable_marriage::solve(streamed, tables_, partner_of, options, workspace_);
        return summarize(report, clock);
      };
      if constexpr (is_host_space<Where>) {
        solved = may_migrate(options, true) ? solve_at(WithHost<Where>{}) : solve_at(Where{});
      } else {
        solved = solve_at(WithHost<Where>{});  // the host reads the tables
      }
    });
    solved.partner_of_man = {partner_of.data(), partner_of.data() + partner_of.extent(0)};
    return solved;
  }

 private:
  static stable_marriage::ConstTable<Id, Kokkos::HostSpace> plain(Tables const& table) {
    return stable_marriage::ConstTable<Id, Kokkos::HostSpace>(table.data(), table.extent(0),
                                                              table.extent(1));
  }

  /// Three streams on a device: one works on a part of the tables that has arrived, one copies the
  /// next part, and one waits behind it.
  template <class Where>
  static std::vector<Where> streams_of() {
    if constexpr (is_host_space<Where>) {
      return {Where{}};
    } else {
      return Kokkos::Experimental::partition_space(Where{}, std::vector<int>{1, 1, 1});
    }
  }

  stable_marriage::Instance<stable_marriage::ConstTable<Id, Memory>> tables_;
  mutable stable_marriage::StreamedWorkspace<Id, typename Space::memory_space> workspace_;
};

}  // namespace taper::app
