// SPDX-License-Identifier: Apache-2.0
//
// Solves a market that no process holds alone, and checks the matching. docs/mpi.md shows it.
// Arguments: the number of residents; then "rounds" for a line per round.
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <mpi.h>
#include <string>
#include <taper/hospitals_residents/distributed/distributed.hpp>
#include <taper/hospitals_residents/distributed/verify.hpp>
#include <taper/hospitals_residents/generate.hpp>
#include <vector>

namespace hr = taper::hospitals_residents;
using Space = Kokkos::DefaultHostExecutionSpace;

// Sums over all processes, on process 0.
hr::RoundTraffic sum_of(hr::RoundTraffic const& own) {
  std::uint64_t const here[]{own.asking, own.offers, own.rejections, own.limits, own.bytes};
  std::uint64_t all[5]{};
  MPI_Reduce(here, all, 5, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  return {all[0], all[1], all[2], all[3], all[4]};
}

void print(hr::RoundTraffic const& traffic) {
  std::cout << traffic.asking << " asking, " << traffic.offers << " offers, " << traffic.rejections
            << " rejections, " << traffic.limits << " limits, " << traffic.bytes << " bytes\n";
}

void run(std::uint64_t residents, bool every_round) {
  int process = 0;
  int processes = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &process);
  MPI_Comm_size(MPI_COMM_WORLD, &processes);

  // Hospitals of 9 seats, 0.9 seats per resident, lists of 10. Each process makes its own blocks.
  hr::Workload const workload{.residents = residents,
                              .hospitals = (residents + 9) / 10,
                              .list_length = 10,
                              .seats = residents * 9 / 10};
  auto const block = [&](std::uint64_t agents) {
    auto const own = static_cast<std::uint64_t>(process);
    auto const all = static_cast<std::uint64_t>(processes);
    return hr::IdBlock{agents * own / all, agents * (own + 1) / all};
  };
  auto const made =
      hr::generate_block(Space(), workload, block(workload.residents), block(workload.hospitals));
  hr::Shard<Space> const shard{made.offsets, made.hospitals, made.keys, made.seats};
  Kokkos::View<std::uint32_t*, Space> const hospital_of("hospital_of", shard.resident_count());

  MPI_Barrier(MPI_COMM_WORLD);
  double const start = MPI_Wtime();
  auto const report = hr::solve(Space(), MPI_COMM_WORLD, shard, hospital_of);
  double const seconds = MPI_Wtime() - start;
  auto const pairs = hr::find_blocking_pairs(Space(), MPI_COMM_WORLD, shard, hospital_of);

  hr::RoundTraffic total;
  for (auto const& round : report.traffic) {
    auto const sum = sum_of(round);
    if (process == 0 && every_round) {
      std::cout << "  ";
      print(sum);
    }
    total = {total.asking + sum.asking, total.offers + sum.offers,
             total.rejections + sum.rejections, total.limits + sum.limits, total.bytes + sum.bytes};
  }
  if (process == 0) {
    std::cout << report.market.assigned << " of " << residents << " residents assigned, "
              << report.market.proposals << " proposals, " << pairs.count << " blocking pairs\n"
              << processes << " processes, " << report.market.rounds << " rounds, " << seconds
              << " s: ";
    print(total);
  }
}

int main(int argc, char* argv[]) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int status = 0;
  {
    Kokkos::ScopeGuard const kokkos(argc, argv);
    try {
      run(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000,
          argc > 2 && std::string(argv[2]) == "rounds");
    } catch (taper::CollectiveError const& error) {  // all processes have it
      status = 1;
      int process = 0;
      MPI_Comm_rank(MPI_COMM_WORLD, &process);
      if (process == 0) {
        std::cerr << error.what() << '\n';
      }
    } catch (std::exception const& error) {  // the others wait for this process
      std::cerr << error.what() << '\n';
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
  }
  MPI_Finalize();
  return status;
}
