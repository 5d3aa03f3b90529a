// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>
#include <taper/hospitals_residents/distributed/report.hpp>
#include <taper/hospitals_residents/options.hpp>
#include <taper/hospitals_residents/stability.hpp>
#include <taper/hospitals_residents/workload.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::app {

/// The arrays of a market: see hospitals_residents::Market. In host memory, if not said otherwise.
struct MarketArrays {
  std::span<std::int64_t const> offsets;
  std::span<std::uint32_t const> hospitals;
  std::span<std::uint32_t const> keys;
  std::span<std::uint32_t const> seats;
  std::span<std::uint32_t const> tiers;  ///< of the residents, per entry; empty: no ties
};

/// What becomes of ties.
enum class TieRule {
  broken,   ///< by the lottery or by the order of the file
  largest,  ///< weakly stable, with at least two thirds of the residents of a largest matching
  strong,   ///< strongly stable
  super,    ///< super-stable
};

constexpr auto enum_names(TieRule) {
  return std::array{EnumName{"broken", TieRule::broken}, EnumName{"largest", TieRule::largest},
                    EnumName{"strong", TieRule::strong}, EnumName{"super", TieRule::super}};
}

struct MarketSolution {
  std::vector<std::uint32_t> hospital_of;  ///< ~0u: unassigned
  hospitals_residents::Report report;
  double seconds = 0;  ///< of the solve alone
};

/// What a matching of a market is found to be.
struct MarketVerdict {
  std::string fault;                 ///< why it is no matching; empty if it is one
  std::uint64_t blocking_pairs = 0;  ///< 0: stable
  /// The first of them: resident and hospital.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> first;
};

/// A market in the memory of a backend.
class LoadedMarket {
 public:
  virtual ~LoadedMarket() = default;

  /// Solves it, and keeps the matching. Returns the report and the seconds.
  virtual std::pair<hospitals_residents::Report, double>
  solve(hospitals_residents::Options const& options) = 0;
  /// Checks the matching of the last solve, without the solver.
  virtual MarketVerdict verify(std::uint64_t limit) const = 0;
  /// What the processes of the last solve sent to each other, per round; none if it was one.
  virtual std::vector<hospitals_residents::RoundTraffic> traffic() const { return {}; }
};

/// Generates a market on `backend`, one of backend_names(). `threads`: of a host backend; 0: all.
/// Throws: taper::Error.
std::unique_ptr<LoadedMarket> generate_market(std::string_view backend, int threads,
                                              hospitals_residents::Workload const& workload);

/// The arrays of a market with memory of their own.
struct MarketVectors {
  std::vector<std::int64_t> offsets;
  std::vector<std::uint32_t> hospitals;
  std::vector<std::uint32_t> keys;
  std::vector<std::uint32_t> seats;
};

/// Generates a market into host memory, on all threads. Throws: taper::Error.
MarketVectors generate_market_vectors(hospitals_residents::Workload const& workload);

/// Solves a market on `backend`. Throws: taper::Error.
MarketSolution solve_market(std::string_view backend, int threads, MarketArrays const& market,
                            hospitals_residents::Options const& options);

/// The same for arrays in the memory of `backend`, and an entry per resident there.
std::pair<hospitals_residents::Report, double>
solve_market_there(std::string_view backend, int threads, MarketArrays const& market,
                   std::span<std::uint32_t> hospital_of,
                   hospitals_residents::Options const& options);

/// Solves one market with many lotteries. Entry e of the result is the number of draws in which its
/// resident gets its hospital. Throws: taper::Error.
using DrawCounter = std::function<std::vector<std::uint32_t>(
    std::uint64_t draws, hospitals_residents::Options const& options)>;

/// A counter on `backend`, in whose memory it has the market. It reads the arrays of a host backend
/// in place.
DrawCounter load_draws(std::string_view backend, int threads, MarketArrays const& market);

/// As a DrawCounter, for arrays in the memory of `backend`. Calls use(counts) with the counts there.
void count_draws_there(std::string_view backend, int threads, MarketArrays const& market,
                       std::uint64_t draws, hospitals_residents::Options const& options,
                       std::function<void(std::uint32_t const*)> const& use);

/// Solves a market with ties on one thread of the host. Nothing: no matching has the stability that
/// `rule` asks for. Requires: a rule other than TieRule::broken. Throws: taper::Error.
std::optional<MarketSolution> solve_ties(MarketArrays const& market, TieRule rule);

/// Checks a matching of a market on the host. Ties count as ties. Throws: taper::Error.
MarketVerdict
verify_market(MarketArrays const& market, std::span<std::uint32_t const> hospital_of,
              std::uint64_t limit,
              hospitals_residents::Stability stability = hospitals_residents::Stability::weak);

/// The same on `backend` for arrays in its memory. The arrays have no tiers.
MarketVerdict verify_market_there(std::string_view backend, MarketArrays const& market,
                                  std::span<std::uint32_t> hospital_of, std::uint64_t limit);

/// As hospitals_residents::find_bad_list() on `backend`, for arrays in its memory.
std::optional<std::uint64_t> find_bad_list_there(std::string_view backend,
                                                 MarketArrays const& market);

/// The reason why `backend` cannot run with these options on `threads` threads; empty if it can.
/// Requires a started Runtime.
std::string missing_for_market(std::string_view backend,
                               hospitals_residents::Options const& options, int threads);

}  // namespace taper::app
