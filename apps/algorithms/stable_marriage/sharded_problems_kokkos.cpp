// SPDX-License-Identifier: Apache-2.0
//
// Stable marriage on several devices, compiled for the widest backend of the build: the device
// backend, else the parallel host backend.
#include "solved.hpp"
#include "solver.hpp"

#include <support/config_error.hpp>
#include <support/runtime.hpp>
#include <support/spaces.hpp>

#include <io/market/id_table.hpp>
#include <taper/device_info.hpp>
#include <taper/stable_marriage/generate.hpp>
#include <taper/stable_marriage/sharded/shards.hpp>
#include <taper/stable_marriage/sharded/solve.hpp>
#include <taper/stable_marriage/verify.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace taper::app {

namespace sm = stable_marriage;

namespace {

using Space = Kokkos::DefaultExecutionSpace;

#ifdef KOKKOS_ENABLE_CUDA

/// One execution space instance per shard, each with its own stream.
class Devices {
 public:
  explicit Devices(Sharding const& sharding) {
    int present = 0;
    cudaGetDeviceCount(&present);
    if (static_cast<int>(sharding.devices) > present) {
      throw ConfigError("devices: expected at most " + std::to_string(present) +
                        ", which this process sees, found " + std::to_string(sharding.devices));
    }
    for (std::uint32_t k = 0; k < sharding.shards; ++k) {
      CurrentDevice const device(static_cast<int>(k * sharding.devices / sharding.shards));
      cudaStreamCreate(&streams_.emplace_back());
      shards_.spaces.emplace_back(streams_.back());
    }
    enable_peer_access(shards_.spaces);
  }
  ~Devices() {
    shards_.spaces.clear();
    for (auto const stream : streams_) {
      cudaStreamDestroy(stream);
    }
  }
  Devices(Devices const&) = delete;
  Devices& operator=(Devices const&) = delete;

  sm::Shards<Space> const& shards() const { return shards_; }

 private:
  std::vector<cudaStream_t> streams_;
  sm::Shards<Space> shards_;
};

#else

/// The host's execution space instance for every shard.
class Devices {
 public:
  explicit Devices(Sharding const& sharding) : shards_{std::vector<Space>(sharding.shards)} {}

  sm::Shards<Space> const& shards() const { return shards_; }

 private:
  sm::Shards<Space> shards_;
};

#endif

template <class Id>
class ShardedProblem final : public Problem {
 public:
  using Memory = typename Space::memory_space;
  using Lists = sm::ConstTable<Id, Memory>;

  ShardedProblem(Sharding const& sharding, sm::Workload const& workload)
      : devices_(sharding), instance_{sm::RowPartition::even(workload.n, sharding.shards), {}, {}} {
    auto const& partition = instance_.partition;
    auto const men = sm::allocate_lists<Id>(shards(), partition, "taper::app::men");
    auto const women = sm::allocate_lists<Id>(shards(), partition, "taper::app::women");
    sm::generate(shards(), workload, partition, men, women);
    instance_.men.assign(men.begin(), men.end());
    instance_.women.assign(women.begin(), women.end());
  }

  std::size_t size() const override { return instance_.size(); }

  Solved solve(std::string_view, sm::Options const& options) const override {
    Kokkos::View<Id*, Memory> const partner_of(
        Kokkos::view_alloc(shards().leader(), "taper::app::partner_of"), size());
    support::PhaseClock const clock;
    auto const report = sm::solve(shards(), instance_, partner_of, options, workspaces_);
    auto solved = summarize(report, clock);
    solved.partner_of_man = to_host(partner_of);
    return solved;
  }

  Verdict verify(std::span<std::uint32_t const> partner_of_man) const override {
    auto const& where = shards().leader();
    auto const partner_of = to_memory<Id>(where, partner_of_man);
    Verdict verdict;
    verdict.perfect_matching = sm::is_perfect_matching(where, partner_of);
    if (verdict.perfect_matching) {
      verdict.blocking_pairs = sm::count_blocking_pairs(where, instance_, partner_of);
    }
    return verdict;
  }

  std::vector<std::pair<std::uint32_t, std::uint32_t>>
  blocking_pairs(std::span<std::uint32_t const> partner_of_man, std::size_t limit) const override {
    auto const& where = shards().leader();
    return to_pairs(
        sm::find_blocking_pairs(where, instance_, to_memory<Id>(where, partner_of_man), limit));
  }

 private:
  sm::Shards<Space> const& shards() const { return devices_.shards(); }

  Devices devices_;
  sm::ShardedInstance<Lists> instance_;
  mutable sm::ShardedWorkspace<Id, Memory> workspaces_;  ///< reused by later runs
};

}  // namespace

std::unique_ptr<Problem> generate_problem(std::string_view backend, Sharding const& sharding,
                                          sm::Workload const& workload) {
  if (find_backend("widest") != backend) {
    throw ConfigError("devices: expected the widest backend of the build, found " +
                      std::string(backend));
  }
  if (io::id_bytes(workload.n) == sizeof(std::uint16_t)) {
    return std::make_unique<ShardedProblem<std::uint16_t>>(sharding, workload);
  }
  return std::make_unique<ShardedProblem<std::uint32_t>>(sharding, workload);
}

}  // namespace taper::app
