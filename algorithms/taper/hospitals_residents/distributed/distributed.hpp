// SPDX-License-Identifier: Apache-2.0
#pragma once

// Hospitals and residents over the processes of MPI: the front door. Link Taper::mpi. The first
// includes are in the order of the data flow. verify.hpp has the checks, and scores.hpp makes keys
// from scores.

#include <taper/hospitals_residents/distributed/report.hpp>
#include <taper/hospitals_residents/distributed/shard.hpp>

#include <taper/hospitals_residents/distributed/sides.hpp>

#include <taper/hospitals_residents/distributed/rounds.hpp>

#include <taper/hospitals_residents/distributed/run.hpp>

#include <taper/hospitals_residents/distributed/hospital_rounds.hpp>

#include <taper/hospitals_residents/distributed/hospitals_run.hpp>

#include <taper/hospitals_residents/hospitals_residents.hpp>

#include <taper/distributed/communicator.hpp>
#include <taper/error.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <mpi.h>

#include <cstdint>
#include <string>
#include <type_traits>

namespace taper::hospitals_residents {
namespace detail {

/// Throws: CollectiveError if a process has other options. Options of schedules may differ, since
/// they change no message.
inline void require_same(std::string const& function, Communicator const& communicator,
                         Options const& options, DistributedOptions const& together) {
  distributed::Fingerprint print;
  for (std::uint64_t const value :
       {static_cast<std::uint64_t>(options.proposer), static_cast<std::uint64_t>(options.mechanism),
        std::uint64_t{options.choices_per_round}, static_cast<std::uint64_t>(options.lottery),
        options.seed, together.max_message_bytes}) {
    print.add(value);
  }
  Communicator::require(communicator.same(print.value()),
                        function + ": the processes have different options");
}

}  // namespace detail

/// Assigns the residents of all processes to the hospitals of all processes: hospital_of(i) becomes
/// the hospital of resident i of this process, or `unassigned`. All processes of `communicator`
/// call it, each with its shard and with the same options.
///
///   namespace hr = taper::hospitals_residents;
///   hr::Shard<Space> const shard{offsets, hospitals, keys, seats};  // of this process
///   Kokkos::View<std::uint32_t*, Space> hospital_of("hospital_of", shard.resident_count());
///   auto const report = hr::solve(Space(), MPI_COMM_WORLD, shard, hospital_of);
///
/// The matching is that of one process, bit for bit, however the market is divided. Several
/// processes work in rounds, each with all its threads. The options schedule, wide, tail and
/// tail_threshold count only if a process is the only one of its communicator.
///
/// Equivalent to: solve(where, market, hospital_of, options) of the whole market.
/// Requires: the program has initialised MPI, with MPI_THREAD_FUNNELED at least, and one thread of
///   each process calls this; the shards are as Shard says, in host memory; hospital_of is a rank-1
///   View of std::uint32_t with an entry per resident of this process.
/// Cost, messages: a round has two exchanges of counts and two of data; RoundTraffic has the bytes.
///   If residents propose: per entry at most one offer and one rejection; per change of a limit one
///   message to each other process. If hospitals propose: each entry travels once.
/// Cost, memory of a process: if residents propose, that of one process for its shard, 4 bytes per
///   hospital of the market, and in the first round about 70 bytes per resident of the shard. If
///   hospitals propose, at first 32 bytes per entry of the shard and 16 per entry of its hospitals'
///   lists. Then 36 bytes per entry of these lists, of which 16 stay, 8 per resident and 32 per
///   hospital.
/// Errors: throws CollectiveError with the number of the process if an argument of a process is
///   wrong, or if `mechanism` is top_trading_cycles. Throws taper::Error if MPI is not initialised.
///   If MPI fails: what the communicator's error handler does. The default one ends all processes.
/// Source: Gale and Shapley 1962, in rounds. A process learns of a limit one round late. That only
///   costs offers that the hospital rejects. Rounds change the order of the proposals, which does
///   not change the matching (McVitie and Wilson 1971).
template <ExecutionSpace Exec, class Space, class Assignment>
DistributedReport solve(Exec const& where, MPI_Comm communicator, Shard<Space> const& shard,
                        Assignment const& hospital_of, Options const& options = {},
                        DistributedOptions const& distributed = {}) {
  using Memory = typename Exec::memory_space;
  static_assert(HostExecutionSpace<Exec> &&
                    std::is_same_v<typename Shard<Space>::MemorySpace, Memory>,
                "hospitals_residents::solve: shards are in host memory");
  static_assert(Kokkos::is_view_v<Assignment> && Assignment::rank == 1 &&
                    std::is_same_v<typename Assignment::value_type, std::uint32_t>,
                "hospitals_residents::solve: hospital_of is a rank-1 View of std::uint32_t");
  std::string const function = "taper::hospitals_residents::solve";
  detail::Communicator const processes(function, communicator);
  auto problem = detail::shard_problem(shard, hospital_of);
  processes.agree(function, problem.empty() ? taper::distributed::message_size_problem(
                                                  distributed.max_message_bytes)
                                            : problem);

  detail::require_same(function, processes, options, distributed);

  Region const region(function);
  Market<Memory> const own{shard.offsets, shard.hospitals, shard.keys, shard.seats};
  if (processes.processes() == 1) {
    return {.market = solve(where, own, hospital_of, options), .traffic = {}};
  }
  auto const alone = " in one process alone, not in " + std::to_string(processes.processes());
  processes.require(options.mechanism != Mechanism::top_trading_cycles,
                    function + ": mechanism 'top_trading_cycles' works" + alone);
  auto const sides = detail::gather_sides(processes, shard);
  detail::require_ids(function, sides);
  auto const format = processes.alike([&] {
    detail::require_options(function, options);
    return detail::offer_format(processes, where, own, sides.residents.all(), options);
  });
  if (options.proposer == Proposer::hospitals) {
    return detail::DistributedHospitalsRun<Exec>(where, processes, sides, own, format,
                                                 distributed)(hospital_of);
  }
  return detail::DistributedRun<Exec>(where, processes, sides, own, format,
                                      distributed)(hospital_of);
}

}  // namespace taper::hospitals_residents
