// SPDX-License-Identifier: Apache-2.0
#pragma once

// Hospitals and residents over the processes of MPI: the front door. Link Taper::mpi. The order of
// the first includes is the order of the data flow.

#include <taper/hospitals_residents/distributed/report.hpp>
#include <taper/hospitals_residents/distributed/shard.hpp>

#include <taper/hospitals_residents/distributed/communicator.hpp>
#include <taper/hospitals_residents/distributed/sides.hpp>

#include <taper/hospitals_residents/distributed/rounds.hpp>

#include <taper/hospitals_residents/distributed/run.hpp>

#include <taper/hospitals_residents/distributed/hospital_rounds.hpp>

#include <taper/hospitals_residents/distributed/hospitals_run.hpp>

#include <taper/hospitals_residents/hospitals_residents.hpp>

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

/// Throws CollectiveError if a process has other options. Those of schedules make no difference.
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
/// The matching is that of the front door for one process, bit for bit, however the market is
/// divided. schedule, wide, tail and tail_threshold say how a process works that
/// is alone in its communicator; several processes work in rounds, each with all its threads.
///
/// Equivalent to: solve(where, market, hospital_of, options) of the whole market.
/// Requires: the program has initialised MPI, with MPI_THREAD_FUNNELED at least, and one thread of
///   each process calls this; the shards are as Shard says, in host memory; hospital_of is a rank-1
///   View of std::uint32_t with an entry per resident of this process.
/// Cost: at most one offer of 12 bytes per entry and one rejection of 4; a change of a hospital's
///   limit is 8 bytes for each other process. A round has two exchanges of counts and two of data.
///   Memory of a process: what one process needs for its shard, 4 bytes per hospital of the market,
///   and in the first round about 70 bytes per resident of the shard. If hospitals propose, each
///   entry travels once to the process of its hospital, in 16 bytes; then a proposal is 12 bytes and a
///   rejection 4. Memory at first: 32 bytes per entry of the shard and 16 per entry of its hospitals'
///   lists; then 36 per entry of these, of which 16 stay, 8 per resident and 32 per hospital.
/// Errors: throws CollectiveError if an argument of a process is wrong; the message has the number
///   of the process. Throws taper::Error if MPI is not initialised. If MPI fails: what the
///   communicator's error handler does. The default one ends all processes.
/// Source: Gale and Shapley 1962, in rounds. That late limits do no harm follows from McVitie and
///   Wilson 1971: the order of the proposals does not change the matching.
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
