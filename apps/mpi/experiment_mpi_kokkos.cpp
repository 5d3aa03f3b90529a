// SPDX-License-Identifier: Apache-2.0
#include "experiment.hpp"
#include "parts_mpi.hpp"

#include <algorithms/hospitals_residents/fault_in_words.hpp>
#include <algorithms/hospitals_residents/solve.hpp>
#include <support/interrupt.hpp>
#include <support/spaces.hpp>

#include <taper/hospitals_residents/distributed/distributed.hpp>
#include <taper/hospitals_residents/distributed/fields.hpp>
#include <taper/hospitals_residents/distributed/verify.hpp>
#include <taper/hospitals_residents/generate.hpp>

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace taper::app {

namespace hr = hospitals_residents;

namespace {

/// What process 0 tells all processes to do.
struct Command {
  enum class What { generate, solve, verify } what = What::generate;
  int threads = 0;
  hr::Workload workload = {};
  hr::Options options = {};
  std::uint64_t limit = 0;
};
static_assert(std::is_trivially_copyable_v<Command>);

/// The part of one process, and the results of the last command.
class MarketPart {
  using Memory = HostSpace::memory_space;

 public:
  void execute(Command const& command) {
    switch (command.what) {
    case Command::What::generate:
      generate(command);
      break;
    case Command::What::solve:
      solve(command.options);
      break;
    case Command::What::verify:
      verify(command.limit);
      break;
    }
  }

  hr::DistributedReport report = {};  ///< in process 0 its traffic is that of all processes
  double seconds = 0;
  MarketVerdict verdict = {};

 private:
  void generate(Command const& command) {
    shard_ = {};
    hospital_of_ = {};
    auto const block = [](std::uint64_t agents) {
      auto const own = static_cast<std::uint64_t>(processes().own);
      auto const all = static_cast<std::uint64_t>(processes().count);
      return hr::IdBlock{agents * own / all, agents * (own + 1) / all};
    };
    together([&] {
      where_ = with_threads<HostSpace>(command.threads);
      auto const& workload = command.workload;
      auto const made = hr::generate_block(where_, workload, block(workload.residents),
                                           block(workload.hospitals));
      shard_ = {made.offsets, made.hospitals, made.keys, made.seats};
      hospital_of_ =
          Kokkos::View<std::uint32_t*, Memory>("taper::app::hospital_of", shard_.resident_count());
      where_.fence("taper::app: wait for the part of the market");
    });
  }

  void solve(hr::Options const& options) {
    MPI_Barrier(MPI_COMM_WORLD);
    double const start = MPI_Wtime();
    report = hr::solve(where_, MPI_COMM_WORLD, shard_, hospital_of_, options);
    seconds = MPI_Wtime() - start;
    sum_traffic(report.traffic);
  }

  void verify(std::uint64_t limit) {
    verdict = {};
    if (auto const bad = hr::find_bad_assignment(where_, MPI_COMM_WORLD, shard_, hospital_of_)) {
      verdict.fault = fault_in_words(*bad);
      return;
    }
    auto const pairs = hr::find_blocking_pairs(where_, MPI_COMM_WORLD, shard_, hospital_of_, limit);
    verdict.blocking_pairs = pairs.count;
    for (auto const& [resident, hospital] : pairs.first) {
      verdict.first.emplace_back(resident, hospital);
    }
  }

  HostSpace where_;
  hr::Shard<Memory> shard_;
  Kokkos::View<std::uint32_t*, Memory> hospital_of_;
};

/// The whole market, as process 0 uses it: each call is a command to all processes.
class MarketParts final : public LoadedMarket {
 public:
  MarketParts(int threads, hr::Workload const& workload) {
    execute({.what = Command::What::generate, .threads = threads, .workload = workload});
  }

  std::pair<hr::Report, double> solve(hr::Options const& options) override {
    execute({.what = Command::What::solve, .options = options});
    return {part_->report.market, part_->seconds};
  }
  MarketVerdict verify(std::uint64_t limit) const override {
    execute({.what = Command::What::verify, .limit = limit});
    return part_->verdict;
  }
  std::vector<hr::RoundTraffic> traffic() const override { return part_->report.traffic; }

 private:
  void execute(Command const& command) const {
    give_command(std::as_bytes(std::span(&command, 1)));
    in_all([&] {
      part_->execute(command);
      return 0;
    });
  }

  std::unique_ptr<MarketPart> part_ = std::make_unique<MarketPart>();
};

}  // namespace

std::unique_ptr<LoadedMarket> generate_market_parts(int threads, hr::Workload const& workload) {
  return std::make_unique<MarketParts>(threads, workload);
}

void serve_market_parts() {
  Interrupt const interrupt;  // process 0 decides when the run ends
  MarketPart part;
  Command command;
  while (take_command(std::as_writable_bytes(std::span(&command, 1)))) {
    try {
      in_all([&] {
        part.execute(command);
        return 0;
      });
    } catch (ConfigError const&) {
      // Process 0 has it too, and reports it.
    }
  }
}

}  // namespace taper::app
