// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>
#include <taper/report.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <vector>

// How to solve a market, and what a run did. Needs no Kokkos.

namespace taper::hospitals_residents {

/// How proposals are distributed over workers. The matching is always the same.
enum class Schedule {
  serial,    ///< one worker
  parallel,  ///< all workers
  /// In rounds until few residents are free. Then their chains are followed, without rounds.
  hybrid,
};

/// The side that proposes. The matching is the best stable one for each agent of this side, and the
/// worst for each of the other (Gale and Shapley 1962; Roth 1984).
enum class Proposer { residents, hospitals };

/// The order of residents with equal keys at a hospital.
enum class Lottery {
  by_id,     ///< the lower id
  single,    ///< one seeded order of all residents, the same at every hospital
  multiple,  ///< a seeded order per hospital
};

/// How the residents propose while many are free.
enum class Wide {
  /// Rounds on a host with many residents per thread, and on a GPU if hospitals have many seats; else
  /// chains.
  automatic,
  rounds,  ///< all free residents ask, then the hospitals select
  chains,  ///< a chain per resident: one that loses its seat asks at once
};

/// Where the chains of a hybrid run are followed.
enum class Tail {
  automatic,  ///< the device
  device,
  host,  ///< needs a Duo
};

/// What the hospitals' decisions follow. Immediate acceptance and the parallel mechanism are
/// deferred acceptance with other keys: the position of the hospital in the list comes first.
enum class Mechanism {
  deferred_acceptance,
  /// The position, then the key: no resident loses a seat to one that listed the hospital later. The
  /// "Boston" mechanism (Abdulkadiroglu and Sonmez 2003). Not stable, not strategy-proof.
  immediate_acceptance,
  /// The position divided by `choices_per_round`, rounded down, then the key: the parallel
  /// mechanism of Chinese college admissions (Chen and Kesten 2017).
  parallel_mechanism,
  /// Residents trade the hospitals' best places for them: see top_trading_cycles.hpp. One worker of
  /// a host. Efficient and strategy-proof, but not stable.
  top_trading_cycles,
};

/// How to solve. Experiments spell names and values as they are here.
struct Options {
  Schedule schedule = Schedule::hybrid;
  Proposer proposer = Proposer::residents;
  Mechanism mechanism = Mechanism::deferred_acceptance;  ///< others need proposing residents
  std::uint32_t choices_per_round = 3;                   ///< of the parallel mechanism, from 1
  Lottery lottery = Lottery::by_id;
  std::uint64_t seed = 1;       ///< of the lottery
  Wide wide = Wide::automatic;  ///< serial: always rounds, of one worker
  Tail tail = Tail::automatic;
  std::int64_t tail_threshold = -1;  ///< free residents, from 0; -1: automatic
  /// If set to true, a run of one process returns soon, with Report::status `stopped`. See solve().
  std::atomic<bool> const* stop = nullptr;
};

/// What a run did.
struct Report {
  Status status =
      Status::solved;           ///< stopped: Options::stop ended the run, and nothing else is set
  std::uint64_t assigned = 0;   ///< residents with a seat
  std::uint64_t proposals = 0;  ///< hospitals that residents asked, or the reverse; see solve()
  std::uint64_t rounds = 0;     ///< residents propose: rounds before the tail
  std::vector<Migration> migrations;  ///< of a hybrid run whose tail went to the host
};

constexpr auto enum_names(Schedule) {
  return std::array{EnumName{"serial", Schedule::serial}, EnumName{"parallel", Schedule::parallel},
                    EnumName{"hybrid", Schedule::hybrid}};
}
constexpr auto enum_names(Proposer) {
  return std::array{EnumName{"residents", Proposer::residents},
                    EnumName{"hospitals", Proposer::hospitals}};
}
constexpr auto enum_names(Lottery) {
  return std::array{EnumName{"by_id", Lottery::by_id}, EnumName{"single", Lottery::single},
                    EnumName{"multiple", Lottery::multiple}};
}
constexpr auto enum_names(Wide) {
  return std::array{EnumName{"automatic", Wide::automatic}, EnumName{"rounds", Wide::rounds},
                    EnumName{"chains", Wide::chains}};
}
constexpr auto enum_names(Tail) {
  return std::array{EnumName{"automatic", Tail::automatic}, EnumName{"device", Tail::device},
                    EnumName{"host", Tail::host}};
}
constexpr auto enum_names(Mechanism) {
  return std::array{EnumName{"deferred_acceptance", Mechanism::deferred_acceptance},
                    EnumName{"immediate_acceptance", Mechanism::immediate_acceptance},
                    EnumName{"parallel_mechanism", Mechanism::parallel_mechanism},
                    EnumName{"top_trading_cycles", Mechanism::top_trading_cycles}};
}

using taper::names;
using taper::parse;
using taper::to_string;

}  // namespace taper::hospitals_residents
