// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/machine_profile.hpp>
#include <taper/spelling.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

// What a caller chooses. Standard library only.

namespace taper::marriage_propagator {

/// The two sides of a market.
enum class People { men, women };

constexpr People other(People side) {
  return side == People::men ? People::women : People::men;
}
constexpr std::size_t index_of(People side) {
  return side == People::men ? 0 : 1;
}

/// Which propagator answers a call. Results never depend on it.
enum class Schedule {
  serial,    ///< the calling thread (the paper's Section 3)
  parallel,  ///< the execution space, in three phases (Section 4)
  hybrid     ///< whichever the thresholds choose, for each call anew (Section 6,
             ///< future work)
};

constexpr auto spellings(People) {
  return std::array{Spelling{"men", People::men}, Spelling{"women", People::women}};
}

constexpr auto spellings(Schedule) {
  return std::array{Spelling{"serial", Schedule::serial}, Spelling{"parallel", Schedule::parallel},
                    Spelling{"hybrid", Schedule::hybrid}};
}

using taper::names;
using taper::parse;
using taper::to_string;

/// What the choice between serial and parallel looks at: the three parameters
/// of the paper's Section 5, and what tells how much work they stand for.
struct Situation {
  std::uint64_t free_people = 0;      ///< who must propose anew
  std::uint64_t modified_people = 0;  ///< whose domains others have changed since the last call
  std::uint64_t modified_values = 0;  ///< how many values these have lost
  std::uint64_t domain_size = 0;      ///< values left on one side after the last call
  bool alike = false;   ///< whether the lists of those who propose name the same few at the same
                        ///< places, as a sample tells when they are posted
  std::uint64_t n = 0;  ///< people a side
};

/// What a call has to do, as far as can be told beforehand.
struct Work {
  /// Free people, each by the share of a full domain that is left on average: the fewer values are
  /// left, the fewer go with a proposal.
  std::uint64_t proposers = 0;
  /// Values to take out of the other side's domains, and a row of words for each modified person.
  std::uint64_t values = 0;
};

constexpr Work estimate(Situation const& situation) {
  std::uint64_t const pairs = situation.n * situation.n;
  std::uint64_t const words = (situation.n + 63) / 64;
  return {.proposers = pairs == 0 ? 0 : situation.free_people * situation.domain_size / pairs,
          .values = situation.modified_values + situation.modified_people * words};
}

using Thresholds = PropagatorThresholds;

/// Whether a call goes to the execution space: one with many proposers, or with many values to take
/// out, as estimate() has them.
///
/// Unless at least twice as many people are free as values are missing, as in a first call, missing
/// values keep proposers going, and then few proposals, far down the lists, follow one another: best
/// on the calling thread, unless lists are alike, where all come down together, or there are so many
/// values that taking them out is most of the work, some 64 for each of the free.
constexpr bool choose_parallel(Thresholds const& thresholds, Situation const& situation) {
  if (situation.domain_size < thresholds.domain_size) {
    return false;
  }
  std::uint64_t const free = situation.free_people;
  auto const [proposers, values] = estimate(situation);
  bool const together = situation.alike || 2 * situation.modified_values <= free;
  return (together && proposers >= thresholds.free_people) ||
         (values >= thresholds.modified_values && values - thresholds.modified_values >= 64 * free);
}

/// Whether choose_parallel() may ever say so.
constexpr bool ever_parallel(Thresholds const& thresholds) {
  return thresholds.free_people != Thresholds::never ||
         thresholds.modified_values != Thresholds::never;
}

/// The thresholds of a machine that nobody has measured. A GPU call costs about
/// 0.1 ms whatever it does, and as much for every few hundred people whom it
/// changes, up to 2 ms; the serial propagator takes that long for some hundred
/// chains, or some 80,000 values: of 500 calls on an H100 (docs/results), none
/// takes more than 1.2 times the better way so. A host's threads share their
/// caches with the serial propagator, which is done before they have all
/// started, unless the domains are large; values that are gone it takes out in
/// bulk.
constexpr Thresholds unmeasured_thresholds(bool gpu, std::uint64_t concurrency) {
  if (gpu) {
    return {.free_people = 256, .modified_values = 81'920};
  }
  if (concurrency >= 8) {
    return {.free_people = 1024, .domain_size = 4'194'304};
  }
  return {};
}

struct Options {
  Schedule schedule = Schedule::hybrid;

  /// Women propose too, and what is left are the GS-lists, the smallest domains
  /// of any fixpoint of pairs (Section 6, future work). Else the men's
  /// proposals alone decide: the MGS-lists.
  bool symmetric = false;

  /// Bind the partner of whoever has one value left (the paper's inst). false
  /// leaves exactly the extended Gale-Shapley lists. The GS-lists are closed
  /// under this anyhow.
  bool engage = true;

  /// post() looks whether every list is a permutation. false: the caller has, by find_bad_row() or
  /// otherwise.
  bool check_lists = true;

  /// For hybrid; unset: those of `machine`.
  std::optional<Thresholds> thresholds = std::nullopt;
  /// Read by post(). None: unmeasured_thresholds().
  MachineProfile const* machine = nullptr;

  /// save() calls that can be open at a time.
  std::uint32_t levels = 65'536;
};

}  // namespace taper::marriage_propagator
