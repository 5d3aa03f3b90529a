// SPDX-License-Identifier: Apache-2.0
#include "fault_in_words.hpp"
#include "solve.hpp"

#include <mpi/processes.hpp>
#include <support/seconds_of.hpp>
#include <support/spaces.hpp>

#include <taper/hospitals_residents/count_draws.hpp>
#include <taper/hospitals_residents/generate.hpp>
#include <taper/hospitals_residents/hospitals_residents.hpp>
#include <taper/hospitals_residents/ties.hpp>
#include <taper/hospitals_residents/verify.hpp>

#include <Kokkos_Core.hpp>

#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace taper::app {

namespace hr = hospitals_residents;

namespace {

using HostIds = Kokkos::View<std::uint32_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

/// What a solve on `Space` runs on: the host too, if the tail may go there.
template <class Space, class Market, class Assignment>
hr::Report solve_on(Space const& where, Market const& market, Assignment const& hospital_of,
                    hr::Options const& options) {
  if (options.tail == hr::Tail::host) {
    return hr::solve(WithHost<Space>{where, {}}, market, hospital_of, options);
  }
  return hr::solve(where, market, hospital_of, options);
}

template <class Space, class Market, class Assignment, class Tiers>
MarketVerdict verdict_on(Space const& where, Market const& market, Assignment const& hospital_of,
                         Tiers const& tiers, std::uint64_t limit, hr::Stability stability) {
  MarketVerdict verdict;
  if (auto const bad = hr::find_bad_assignment(where, market, hospital_of)) {
    verdict.fault = fault_in_words(*bad);
    return verdict;
  }
  auto const pairs = hr::find_blocking_pairs(where, market, hospital_of, limit, stability, tiers);
  verdict.blocking_pairs = pairs.count;
  for (auto const& [resident, hospital] : pairs.first) {
    verdict.first.emplace_back(resident, hospital);
  }
  return verdict;
}

template <class Space>
class MarketOn final : public LoadedMarket {
  using Memory = typename Space::memory_space;

 public:
  MarketOn(Space const& where, hr::Workload const& workload)
      : where_(where), market_(hr::generate(where, workload).market()),
        hospital_of_("taper::app::hospital_of", workload.residents) {}

  std::pair<hr::Report, double> solve(hr::Options const& options) override {
    hr::Report report;
    double const seconds =
        seconds_of([&] { report = solve_on(where_, market_, hospital_of_, options); });
    return {std::move(report), seconds};
  }
  MarketVerdict verify(std::uint64_t limit) const override {
    return verdict_on(where_, market_, hospital_of_, hr::Constants<std::uint32_t, Memory>(), limit,
                      hr::Stability::weak);
  }

 private:
  Space where_;
  hr::Market<Memory> market_;
  Kokkos::View<std::uint32_t*, Memory> hospital_of_;
};

/// The View of a span, in the memory where it lies.
template <class Memory = Kokkos::HostSpace, class T>
hr::Constants<T, Memory> view_of(std::span<T const> values) {
  return Kokkos::View<T const*, Memory, Kokkos::MemoryUnmanaged>(values.data(), values.size());
}

template <class Memory>
hr::Market<Memory> market_view(MarketArrays const& market) {
  return {view_of<Memory>(market.offsets), view_of<Memory>(market.hospitals),
          view_of<Memory>(market.keys), view_of<Memory>(market.seats)};
}

hr::Market<Kokkos::HostSpace> host_market(MarketArrays const& market) {
  return market_view<Kokkos::HostSpace>(market);
}

}  // namespace

std::unique_ptr<LoadedMarket> generate_market(std::string_view backend, int threads,
                                              hr::Workload const& workload) {
  std::unique_ptr<LoadedMarket> market;
  with_backend(backend, [&]<class Space>(std::type_identity<Space>) {
    market = std::make_unique<MarketOn<Space>>(with_threads<Space>(threads), workload);
  });
  return market;
}

namespace {

/// A copy of the market in the memory of a backend; the market itself if the backend reaches it.
template <class Memory>
hr::Market<Memory> market_in(hr::Market<Kokkos::HostSpace> const& market) {
  auto const there = [](auto const& view) {
    return Kokkos::create_mirror_view_and_copy(Memory{}, view);
  };
  return {there(market.offsets), there(market.hospitals), there(market.keys), there(market.seats)};
}

}  // namespace

MarketVectors generate_market_vectors(hr::Workload const& workload) {
  auto const market = hr::generate(Kokkos::DefaultHostExecutionSpace(), workload).market();
  auto const copy_of = [](auto const& view) {
    using Value = typename std::remove_cvref_t<decltype(view)>::non_const_value_type;
    return std::vector<Value>(view.data(), view.data() + view.extent(0));
  };
  return {copy_of(market.offsets), copy_of(market.hospitals), copy_of(market.keys),
          copy_of(market.seats)};
}

MarketSolution solve_market(std::string_view backend, int threads, MarketArrays const& market,
                            hr::Options const& options) {
  MarketSolution solution;
  auto const here = host_market(market);
  solution.hospital_of.resize(here.resident_count());
  HostIds const hospital_of(solution.hospital_of.data(), solution.hospital_of.size());
  with_backend(backend, [&]<class Space>(std::type_identity<Space>) {
    using Memory = typename Space::memory_space;
    auto const where = with_threads<Space>(threads);
    auto const loaded = market_in<Memory>(here);
    auto const assignment = Kokkos::create_mirror_view(Memory{}, hospital_of);
    solution.seconds =
        seconds_of([&] { solution.report = solve_on(where, loaded, assignment, options); });
    Kokkos::deep_copy(hospital_of, assignment);
  });
  return solution;
}

std::pair<hr::Report, double> solve_market_there(std::string_view backend, int threads,
                                                 MarketArrays const& market,
                                                 std::span<std::uint32_t> hospital_of,
                                                 hr::Options const& options) {
  std::pair<hr::Report, double> solved;
  with_backend(backend, [&]<class Space>(std::type_identity<Space>) {
    using Memory = typename Space::memory_space;
    Kokkos::View<std::uint32_t*, Memory> const assignment(hospital_of.data(), hospital_of.size());
    auto const there = market_view<Memory>(market);
    solved.second = seconds_of(
        [&] { solved.first = solve_on(with_threads<Space>(threads), there, assignment, options); });
  });
  return solved;
}

DrawCounter load_draws(std::string_view backend, int threads, MarketArrays const& market) {
  DrawCounter counter;
  with_backend(backend, [&]<class Space>(std::type_identity<Space>) {
    counter = [where = with_threads<Space>(threads),
               loaded = market_in<typename Space::memory_space>(host_market(market))](
                  std::uint64_t draws, hr::Options const& options) {
      std::vector<std::uint32_t> counts(loaded.entry_count());
      Kokkos::deep_copy(HostIds(counts.data(), counts.size()),
                        hr::count_draws(where, loaded, draws, options));
      return counts;
    };
  });
  return counter;
}

void count_draws_there(std::string_view backend, int threads, MarketArrays const& market,
                       std::uint64_t draws, hr::Options const& options,
                       std::function<void(std::uint32_t const*)> const& use) {
  with_backend(backend, [&]<class Space>(std::type_identity<Space>) {
    auto const counts =
        hr::count_draws(with_threads<Space>(threads),
                        market_view<typename Space::memory_space>(market), draws, options);
    use(counts.data());
  });
}

std::optional<MarketSolution> solve_ties(MarketArrays const& market, TieRule rule) {
  MarketSolution solution;
  hr::MarketWithTies const ties{host_market(market), view_of(market.tiers)};
  solution.hospital_of.resize(ties.market.resident_count());
  HostIds const hospital_of(solution.hospital_of.data(), solution.hospital_of.size());
  bool exists = true;
  solution.seconds = seconds_of([&] {
    if (rule == TieRule::largest) {
      hr::approximate_largest(ties, hospital_of);
    } else {
      exists = rule == TieRule::strong ? hr::find_strongly_stable(ties, hospital_of)
                                       : hr::find_super_stable(ties, hospital_of);
    }
  });
  return exists ? std::optional(std::move(solution)) : std::nullopt;
}

MarketVerdict verify_market(MarketArrays const& market, std::span<std::uint32_t const> hospital_of,
                            std::uint64_t limit, hr::Stability stability) {
  return verdict_on(Kokkos::DefaultHostExecutionSpace(), host_market(market), view_of(hospital_of),
                    view_of(market.tiers), limit, stability);
}

MarketVerdict verify_market_there(std::string_view backend, MarketArrays const& market,
                                  std::span<std::uint32_t> hospital_of, std::uint64_t limit) {
  MarketVerdict verdict;
  with_backend(backend, [&]<class Space>(std::type_identity<Space>) {
    using Memory = typename Space::memory_space;
    Kokkos::View<std::uint32_t*, Memory> const assignment(hospital_of.data(), hospital_of.size());
    verdict = verdict_on(Space(), market_view<Memory>(market), assignment,
                         hr::Constants<std::uint32_t, Memory>(), limit, hr::Stability::weak);
  });
  return verdict;
}

std::optional<std::uint64_t> find_bad_list_there(std::string_view backend,
                                                 MarketArrays const& market) {
  std::optional<std::uint64_t> bad;
  with_backend(backend, [&]<class Space>(std::type_identity<Space>) {
    bad = hr::find_bad_list(Space(), market_view<typename Space::memory_space>(market));
  });
  return bad;
}

namespace {

/// As missing_for_market(), for what several processes lack.
template <class Space>
std::string missing_for_processes(hr::Options const& options) {
  if (!std::is_same_v<Space, Kokkos::DefaultHostExecutionSpace>) {
    return "several processes need backend host";
  }
  if (options.mechanism == hr::Mechanism::top_trading_cycles) {
    return "mechanism 'top_trading_cycles' works in one process";
  }
  return {};
}

}  // namespace

std::string missing_for_market(std::string_view backend, hr::Options const& options, int threads) {
  std::string missing;
  any_space([&]<class Space>(std::string_view name, std::type_identity<Space>) {
    if (name != backend) {
      return false;
    }
    if (!can_have_threads<Space>(threads)) {
      missing = "backend " + std::string(name) + " cannot run on " + std::to_string(threads) +
                " threads here";
    } else if (options.proposer == hr::Proposer::hospitals &&
               options.mechanism != hr::Mechanism::deferred_acceptance) {
      missing =
          "with mechanism '" + std::string(to_string(options.mechanism)) + "' residents propose";
    } else if (options.mechanism == hr::Mechanism::top_trading_cycles && !is_host_space<Space>) {
      missing = "mechanism 'top_trading_cycles' needs a host backend; " + std::string(name) +
                " is a device";
    } else if (processes().count > 1) {
      missing = missing_for_processes<Space>(options);
    }
    return true;
  });
  return missing;
}

}  // namespace taper::app
