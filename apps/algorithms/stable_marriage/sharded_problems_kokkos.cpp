// SPDX-License-Identifier: Apache-2.0
//
// Stable marriage on several devices: compiled for the device backend of the build, or for the
// widest of the host's where it has none.
#include "config_error.hpp"
#include "runtime.hpp"
#include "solved.hpp"
#include "solver.hpp"
#include "spaces.hpp"

#include <io/id_table.hpp>
#include <taper/resources.hpp>
#include <taper/shards.hpp>
#include <taper/stable_marriage/generate.hpp>
#include <taper/stable_marriage/solve_shards.hpp>
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

/// One instance a shard, with a stream of its own.
class Devices {
 public:
  explicit Devices(Sharing const& sharing) {
    int present = 0;
    cudaGetDeviceCount(&present);
    if (static_cast<int>(sharing.devices) > present) {
      throw ConfigError("devices: " + std::to_string(sharing.devices) + ", but this process sees " +
                        std::to_string(present));
    }
    for (std::uint32_t k = 0; k < sharing.shards; ++k) {
      taper::detail::OnDevice const device(static_cast<int>(k * sharing.devices / sharing.shards));
      cudaStreamCreate(&streams_.emplace_back());
      shards_.spaces.emplace_back(streams_.back());
    }
    reach_peers(shards_);
  }
  ~Devices() {
    shards_.spaces.clear();
    for (auto const stream : streams_) {
      cudaStreamDestroy(stream);
    }
  }
  Devices(Devices const&) = delete;
  Devices& operator=(Devices const&) = delete;

  Shards<Space> const& shards() const { return shards_; }

 private:
  std::vector<cudaStream_t> streams_;
  Shards<Space> shards_;
};

#else

/// The one instance, again and again.
class Devices {
 public:
  explicit Devices(Sharing const& sharing) : shards_{std::vector<Space>(sharing.shards)} {}

  Shards<Space> const& shards() const { return shards_; }

 private:
  Shards<Space> shards_;
};

#endif

template <class Id>
class ShardedProblem final : public Problem {
 public:
  using Memory = typename Space::memory_space;
  using Lists = sm::ConstTable<Id, Memory>;

  ShardedProblem(Sharing const& sharing, sm::Workload const& workload)
      : devices_(sharing), instance_{Homes::even(workload.n, sharing.shards), {}, {}} {
    auto const& homes = instance_.homes;
    auto const men = sm::allocate_lists<Id>(shards(), homes, "taper::app::men");
    auto const women = sm::allocate_lists<Id>(shards(), homes, "taper::app::women");
    sm::generate(shards(), workload, homes, men, women);
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
  Shards<Space> const& shards() const { return devices_.shards(); }

  Devices devices_;
  sm::ShardedInstance<Lists> instance_;
  mutable sm::ShardedWorkspace<Id, Memory> workspaces_;  ///< kept from run to run
};

}  // namespace

std::unique_ptr<Problem> generate_problem(std::string_view backend, Sharing const& sharing,
                                          sm::Workload const& workload) {
  if (find_backend("widest") != backend) {
    throw ConfigError("devices: only the widest backend of a build is shared, not " +
                      std::string(backend));
  }
  if (io::id_bytes(workload.n) == sizeof(std::uint16_t)) {
    return std::make_unique<ShardedProblem<std::uint16_t>>(sharing, workload);
  }
  return std::make_unique<ShardedProblem<std::uint32_t>>(sharing, workload);
}

}  // namespace taper::app
