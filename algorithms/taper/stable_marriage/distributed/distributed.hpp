// SPDX-License-Identifier: Apache-2.0
#pragma once

// Stable marriage over the processes of MPI: the front door. Link Taper::mpi. The first includes
// are in the order of the data flow. verify.hpp has the checks.

#include <taper/stable_marriage/distributed/report.hpp>
#include <taper/stable_marriage/distributed/shard.hpp>

#include <taper/distributed/communicator.hpp>

#include <taper/stable_marriage/distributed/sides.hpp>

#include <taper/stable_marriage/distributed/ranks.hpp>

#include <taper/stable_marriage/distributed/rounds.hpp>

#include <taper/stable_marriage/distributed/run.hpp>

#include <taper/stable_marriage/stable_marriage.hpp>

#include <taper/place.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <mpi.h>

#include <cstdint>
#include <string>
#include <type_traits>

namespace taper::stable_marriage {
namespace detail {

/// Throws: CollectiveError if a process has other options, as far as they change messages.
inline void require_same(std::string const& function, Communicator const& communicator,
                         Options const& options, DistributedOptions const& together) {
  distributed::Fingerprint print;
  for (std::uint64_t const value :
       {static_cast<std::uint64_t>(options.proposer), std::uint64_t{options.count},
        together.max_message_bytes, std::uint64_t{together.candidates}}) {
    print.add(value);
  }
  communicator.require(communicator.same(print.value()),
                       function + ": the processes have different options");
}

}  // namespace detail

/// Writes the stable matching of the people of all processes that is best for the proposing side:
/// partner_of(i) becomes the woman of man i of this process. All processes of `communicator` call
/// it, each with its shard and with the same options.
///
///   namespace sm = taper::stable_marriage;
///   using Space = Kokkos::DefaultHostExecutionSpace;
///   sm::Table<std::uint16_t, Space> men("men", own_men, n), women("women", own_women, n);  // fill
///   Kokkos::View<std::uint16_t*, Space> partner_of("partner_of", own_men);
///   sm::Shard<sm::ConstTable<std::uint16_t, Space>> const shard{men, women};
///   auto const report = sm::solve(Space(), MPI_COMM_WORLD, shard, partner_of);
///
/// The matching is that of one process, bit for bit, however the people are divided. Several
/// processes work in rounds, and read the options `proposer`, `machine`, `max_threads` and
/// `min_proposers_per_thread`. The others count only if a process is the only one of its
/// communicator.
///
/// Equivalent to: solve(where, instance, partner_of, options) of the whole instance.
/// Requires: the program has initialised MPI, with MPI_THREAD_FUNNELED at least, and one thread of
///   each process calls this; shards are as Shard says, in host memory; partner_of is a rank-1 View
///   of ids of the shard's type, with an entry per man of this process.
/// Cost, messages: each rank travels once to the process of its proposer, if that is another one. A
///   round has two exchanges of a number with each other process, and two of data. RoundTraffic has
///   the bytes.
/// Cost, memory of a process with p proposers and r receivers, without their lists: while ranks
///   travel, n max(p, r) + n p ids in tables of ranks, and two tiles. A tile has an id per proposer
///   of one process and receiver of another. Then n p ids and 44 n bytes. If process 0 finishes: 24
///   bytes per candidate of an own proposer; in process 0 also 16 n bytes, and at most 256 MiB for
///   the candidates of all processes.
/// Errors: throws CollectiveError with the number of the process if an argument of a process is
///   wrong. Also if the options have `count`, or if some row is no permutation, so that people have
///   no partner. Throws taper::Error if MPI is not initialised. If MPI fails: what the
///   communicator's error handler does. The default one ends all processes.
/// Source: Gale and Shapley 1962, in rounds. Rounds change the order of the proposals, which does
///   not change the matching (McVitie and Wilson 1971).
template <ExecutionSpace Exec, class Preferences, class Partners>
DistributedReport solve(Exec const& where, MPI_Comm communicator, Shard<Preferences> const& shard,
                        Partners const& partner_of, Options const& options = {},
                        DistributedOptions const& distributed = {}) {
  using Memory = typename Exec::memory_space;
  static_assert(HostExecutionSpace<Exec> &&
                    std::is_same_v<typename Preferences::memory_space, Memory>,
                "stable_marriage::solve: shards are in host memory");
  static_assert(
      Kokkos::is_view_v<Partners> && Partners::rank == 1 &&
          std::is_same_v<typename Partners::value_type, typename Preferences::non_const_value_type>,
      "stable_marriage::solve: partner_of is a rank-1 View of ids of the shard's type");
  std::string const function = "taper::stable_marriage::solve";
  detail::Communicator const processes(function, communicator);
  auto problem = detail::partners_problem(shard, partner_of);
  auto const sides = detail::require_sides(
      function, processes, shard,
      problem.empty() ? taper::distributed::message_size_problem(distributed.max_message_bytes)
                      : problem);
  detail::require_same(function, processes, options, distributed);

  Region const region(function);
  if (processes.processes() == 1) {
    return {.instance =
                solve(where, Instance<Preferences>{shard.men, shard.women}, partner_of, options),
            .traffic = {}};
  }
  processes.require(!options.count, function + ": 'count' works in one process alone, not in " +
                                        std::to_string(processes.processes()));
  processes.alike([&] { detail::require_threads(function, options); });
  bool const men_propose = options.proposer == Proposer::men;
  auto run = [&] {
    FencedRegion const phase(where, "taper::stable_marriage::initialisation");
    return detail::DistributedRun<Exec, Preferences>(
        where, processes, men_propose ? sides.men : sides.women,
        men_propose ? sides.women : sides.men, men_propose ? shard.men : shard.women,
        men_propose ? shard.women : shard.men, options, distributed);
  }();
  {
    FencedRegion const phase(where, "taper::stable_marriage::execution");
    run.propose_in_rounds();
  }
  FencedRegion const phase(where, "taper::stable_marriage::postprocessing");
  return run.write(partner_of, sides.men.first(processes.process()));
}

}  // namespace taper::stable_marriage
