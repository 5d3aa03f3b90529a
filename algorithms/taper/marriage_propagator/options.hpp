// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>
#include <taper/machine_profile.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

// The options of the stable marriage constraint, and how hybrid chooses. Standard library only.

namespace taper::marriage_propagator {

/// The two sides of a market.
enum class Side { men, women };

constexpr Side other(Side side) {
  return side == Side::men ? Side::women : Side::men;
}
constexpr std::size_t index_of(Side side) {
  return side == Side::men ? 0 : 1;
}

/// Whose propagators answer the calls. The results never depend on it.
enum class Engine {
  taper,              ///< Taper's, of which Schedule chooses one
  published_serial,   ///< the paper's Algorithm 2, on the calling thread
  published_parallel  ///< the paper's Algorithm 3, on the execution space
};

/// Which of Taper's propagators answers a call. The results never depend on it.
enum class Schedule {
  serial,    ///< the serial propagator, on the calling thread
  parallel,  ///< the parallel propagator, on the execution space, in three phases
  hybrid     ///< one of these per call, as the thresholds choose (paper, Section 6, future work)
};

constexpr auto enum_names(Side) {
  return std::array{EnumName{"men", Side::men}, EnumName{"women", Side::women}};
}

constexpr auto enum_names(Engine) {
  return std::array{EnumName{"taper", Engine::taper},
                    EnumName{"published_serial", Engine::published_serial},
                    EnumName{"published_parallel", Engine::published_parallel}};
}

constexpr auto enum_names(Schedule) {
  return std::array{EnumName{"serial", Schedule::serial}, EnumName{"parallel", Schedule::parallel},
                    EnumName{"hybrid", Schedule::hybrid}};
}

using taper::names;
using taper::parse;
using taper::to_string;

/// What hybrid knows about a call before it runs: the three parameters of the paper's Section 5
/// (free people, modified people, domain size), and what turns them into an amount of work.
struct Situation {
  std::uint64_t free_people = 0;      ///< free proposers; all of them in a first call
  std::uint64_t modified_people = 0;  ///< persons from which the solver has removed values
  std::uint64_t modified_values = 0;  ///< values that these have lost
  std::uint64_t domain_size = 0;      ///< pairs left after the last call
  bool similar_lists = false;         ///< whether the proposers' lists are similar (sampled)
  std::uint64_t n = 0;                ///< persons per side
};

/// An estimate of a call's work.
struct Work {
  /// Free proposers, weighted by the average share of a domain that is left. The fewer values are
  /// left, the fewer a proposal removes.
  std::uint64_t proposers = 0;
  /// Values to remove from the other side's domains, plus one row of words per modified person.
  std::uint64_t values = 0;
};

constexpr Work estimate(Situation const& situation) {
  std::uint64_t const pairs = situation.n * situation.n;
  std::uint64_t const words = (situation.n + 63) / 64;
  return {.proposers = pairs == 0 ? 0 : situation.free_people * situation.domain_size / pairs,
          .values = situation.modified_values + situation.modified_people * words};
}

using Thresholds = PropagatorThresholds;

/// Whether a call goes to the execution space: if it has many proposers, or many values to remove,
/// as estimate() counts them.
///
/// Many proposers count only if they can propose at once. That holds if at least twice as many
/// persons are free as values are missing, as in a first call, or if the lists are similar and all
/// proposers advance together. Otherwise missing values keep proposers going: few proposals, far
/// down the lists, follow one another, which suits one thread.
///
/// Many values count if their removal is most of the work: 64 or more per free proposer. They count
/// no more if nearly all values go: the serial propagator then rebuilds rows from what stays.
constexpr bool choose_parallel(Thresholds const& thresholds, Situation const& situation) {
  if (situation.domain_size < thresholds.domain_size) {
    return false;
  }
  std::uint64_t const free = situation.free_people;
  auto const [proposers, values] = estimate(situation);
  bool const together = situation.similar_lists || 2 * situation.modified_values <= free;
  bool const many_values = values >= thresholds.modified_values &&
                           values < thresholds.modified_values_end &&
                           values - thresholds.modified_values >= 64 * free;
  return (together && proposers >= thresholds.free_people) || many_values;
}

/// Whether choose_parallel() can return true for any situation with n persons per side: at most
/// all of both sides are free, and all of both are modified and have lost all values.
constexpr bool can_choose_parallel(Thresholds const& thresholds, std::uint64_t n) {
  std::uint64_t const words = (n + 63) / 64;
  return n * n >= thresholds.domain_size &&
         (2 * n >= thresholds.free_people || 2 * n * (n + words) >= thresholds.modified_values);
}

/// The thresholds of a machine without a profile.
///
/// GPU: a call takes about 0.1 ms, plus 0.1 ms per few hundred changed persons, up to 2 ms. In that
/// time the serial propagator handles some hundred chains, or some 80,000 values. Of 500 calls on
/// an H100 (docs/results), none takes more than 1.2 times the time of the better propagator.
///
/// Host: the threads share their caches with the serial propagator. It is done before they have all
/// started, unless the domains are large. Removed values it handles in bulk, so these never count.
/// With similar lists all threads ask the same few persons: 16 threads of a Xeon took 2.5 times as
/// long as one.
constexpr Thresholds default_thresholds(bool gpu, std::uint64_t concurrency,
                                        bool similar_lists = false) {
  if (gpu) {
    return {.free_people = 256, .modified_values = 81'920};
  }
  if (concurrency >= 8 && !similar_lists) {
    return {.free_people = 1024, .domain_size = 4'194'304};
  }
  return {};
}

/// The thresholds of a market: those of the options, else those of the machine's costs, else
/// default_thresholds().
///
/// costs: of the side that runs the parallel propagator; null: no profile.
inline Thresholds thresholds_for(std::optional<Thresholds> const& given,
                                 ExecutionCosts const* costs, bool gpu, std::uint64_t concurrency,
                                 std::uint64_t n, bool similar_lists) {
  if (given) {
    return *given;
  }
  if (costs != nullptr) {
    if (auto const measured = costs->propagator_thresholds(n, similar_lists)) {
      return *measured;
    }
  }
  return default_thresholds(gpu, concurrency, similar_lists);
}

/// The options of Propagator::post().
///
/// symmetric: if false, the men's proposals alone decide, and the domains become the MGS-lists of
/// the paper. If true, the women propose as well, and the domains become the GS-lists: the smallest
/// domains that a fixpoint of pairs can have (Section 6, future work).
///
/// bind_partner: if false, the domains become exactly the extended Gale-Shapley lists. If true, a
/// person with one value left binds its partner (the paper's inst), which removes more from
/// MGS-lists. The GS-lists do not change by it.
///
/// The paper's propagators let only the men propose, and its Algorithm 3 has no inst. So post()
/// throws if a published engine has `symmetric`, or published_parallel has `bind_partner`.
struct Options {
  Engine engine = Engine::taper;
  Schedule schedule = Schedule::hybrid;  ///< of the engine taper; close to the better one
  bool symmetric = false;                ///< false as in the paper; true removes more
  bool bind_partner = true;              ///< true as in the paper's Algorithm 2, which has inst
  bool check_lists = true;  ///< post() checks for permutations; false if the caller has checked
  std::optional<Thresholds> thresholds = std::nullopt;  ///< for hybrid; unset: those of `machine`
  MachineProfile const* machine = nullptr;  ///< read by post(); null: default_thresholds()
  std::uint32_t max_levels = 65'536;        ///< save() calls that may be open at once; 0: no trail
};

}  // namespace taper::marriage_propagator
