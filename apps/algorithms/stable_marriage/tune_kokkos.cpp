// SPDX-License-Identifier: Apache-2.0
//
// Measures the costs of the library's own loops, between which scheduling decisions choose.
#include "tune.hpp"

#include <support/spaces.hpp>

#include <taper/stable_marriage/phases.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace taper::app {

namespace sm = stable_marriage;

namespace {

using Device = Kokkos::DefaultExecutionSpace;
using Host = Kokkos::DefaultHostExecutionSpace;
using Id = std::uint16_t;
using Better = Sampler::Better;

struct DoNothing {
  KOKKOS_FUNCTION void operator()(std::uint64_t) const {}
};

/// A chain without rejections, like the last chain of a run. Receiver i holds proposer i + 1, and
/// proposer 0, the best one, is free. It displaces proposer 1 from receiver 0, which displaces
/// proposer 2 from receiver 1, and so on to the last receiver. The ids are shuffled, so that
/// consecutive agents are not neighbours in memory.
///
/// The host follows the chain as it follows a GPU's last chains: the candidates have just been
/// copied and are in no cache. The GPU follows it with a warp.
template <class Space, class Memory>
class ChainOfAcceptances {
 public:
  explicit ChainOfAcceptances(std::uint32_t n)
      : n_(n),
        standing_(where_, n), next_{decltype(Next::first)("taper::app::positions", n),
                                    decltype(Next::candidates)("taper::app::next_candidates", n)},
        on_device_("taper::app::candidates", has_device ? n : 0),
        best_(Kokkos::create_mirror(standing_.best)),
        rank_limit_(Kokkos::create_mirror(standing_.rank_limit)),
        frontier_(where_, "taper::app::frontier", 1), counters_("taper::app::counters", 0) {
    std::vector<std::uint32_t> men(n);
    std::iota(men.begin(), men.end(), 0u);
    auto women = men;
    std::mt19937 random(1);
    std::ranges::shuffle(men, random);
    std::ranges::shuffle(women, random);
    best_man_ = men[0];
    auto const first = Kokkos::create_mirror(next_.first);
    auto const candidates = Kokkos::create_mirror(next_.candidates);
    for (std::uint32_t i = 0; i < n; ++i) {
      bool const has_offer = i + 1 < n;
      best_(women[i]) =
          has_offer ? sm::detail::Offer::pack(i + 1, men[i + 1], i + 1) : sm::detail::no_offer;
      rank_limit_(women[i]) = static_cast<Id>(has_offer ? i + 1 : std::numeric_limits<Id>::max());
      first(men[i]) = i;
      for (std::uint32_t at = i; at < std::min(i + Next::columns, n); ++at) {
        candidates(men[i], at % Next::columns) =
            sm::detail::Candidate<Id>::pack(static_cast<Id>(women[at]), static_cast<Id>(i));
      }
    }
    Kokkos::deep_copy(next_.first, first);
    Kokkos::deep_copy(next_.candidates, candidates);
    if constexpr (has_device) {
      Kokkos::deep_copy(on_device_, candidates);
    }
  }

  /// Follows the chain. Returns the seconds per acceptance.
  double follow() {
    Kokkos::deep_copy(where_, standing_.best, best_);
    Kokkos::deep_copy(where_, standing_.rank_limit, rank_limit_);
    Kokkos::deep_copy(where_, frontier_.waiting, sm::detail::Chain{best_man_, 0});
    frontier_.live = 1;
    if constexpr (has_device) {
      Device const device{};
      Kokkos::deep_copy(device, next_.candidates, on_device_);
      device.fence("taper::app: wait for the copy of the candidates");
    }
    where_.fence("taper::app: wait for the start of the chain");
    return seconds_of([&] { run(); }) / n_;
  }

 private:
  using Next = sm::detail::NextCandidates<Id, Memory>;
  using PlainAccess = sm::detail::PlainAccess<Id, Memory>;
  using Contended = sm::detail::WithRankLimits<sm::detail::FetchMin<Id, Memory>, Id, Memory>;
  using Counters = Kokkos::View<sm::detail::Tally*, Memory>;

  void run() {
    if constexpr (is_gpu<Space>) {
      sm::detail::run_warp_tail(
          where_, "taper::app::chain",
          sm::detail::Propose<Next, Contended, Counters>{next_, {{standing_}}, counters_, n_},
          frontier_, 0);
    } else {
      sm::detail::Propose<Next, PlainAccess, Counters> const propose{
          next_, {standing_}, counters_, n_};
      sm::detail::Chain chain{best_man_, 0};
      sm::detail::Tally tally{};
      while (propose(chain, tally) != Outcome::retired) {
      }
    }
  }

  Space where_{};
  std::uint32_t n_;
  sm::detail::StandingOffers<Id, Memory> standing_;
  Next next_;
  decltype(sm::detail::NextCandidates<Id, Device::memory_space>::candidates) on_device_;
  Kokkos::View<AtomicWord*, Kokkos::HostSpace> best_;
  Kokkos::View<Id*, Kokkos::HostSpace> rank_limit_;
  Frontier<sm::detail::Chain, Memory> frontier_;
  Counters counters_;
  std::uint32_t best_man_ = 0;
};

template <class Space, class Memory>
void measure_side(Sampler& sampler, std::string const& name, ExecutionCosts& costs) {
  sampler.begin(name + ": a kernel launch");
  costs.launch_us = sampler.measure(name + ".launch_us", Better::less, [] {
    constexpr int kernels = 100;
    Space const where{};
    return 1e6 / kernels * seconds_of([&] {
             for (int i = 0; i < kernels; ++i) {
               Kokkos::parallel_for("taper::app::do_nothing",
                                    Kokkos::RangePolicy<Space>(where, 0, where.concurrency()),
                                    DoNothing{});
               where.fence("taper::app: wait for the kernel");
             }
           });
  });

  sampler.begin(name + ": a chain of acceptances");
  constexpr std::uint32_t people = 30'000;
  ChainOfAcceptances<Space, Memory> chain(people);
  costs.proposal_us =
      sampler.measure(name + ".proposal_us", Better::less, [&] { return 1e6 * chain.follow(); });
}

/// Measures copies between device memory and page-locked memory, which a tail uses.
void measure_copies(Sampler& sampler, CopyCosts& costs) {
  using Pinned = Kokkos::SharedHostPinnedSpace;
  sampler.begin("copies");
  Device const where{};
  constexpr std::size_t large = std::size_t{64} << 20;
  Kokkos::View<std::uint8_t*, Device::memory_space> const device_bytes("taper::app::device_bytes",
                                                                       large);
  Kokkos::View<std::uint8_t*, Pinned> const host_bytes("taper::app::host_bytes", large);
  auto const copy_us = [&](auto const& to, auto const& from) {
    return 1e6 * seconds_of([&] {
             Kokkos::deep_copy(where, to, from);
             where.fence("taper::app: wait for the copy");
           });
  };
  std::pair<std::size_t, std::size_t> const small{0, 64};
  costs.latency_us = sampler.measure("copies.latency_us", Better::less, [&] {
    return copy_us(Kokkos::subview(host_bytes, small), Kokkos::subview(device_bytes, small));
  });
  costs.to_host_bytes_per_us = sampler.measure("copies.to_host_bytes_per_us", Better::more, [&] {
    return static_cast<double>(large) / copy_us(host_bytes, device_bytes);
  });
  costs.to_device_bytes_per_us =
      sampler.measure("copies.to_device_bytes_per_us", Better::more, [&] {
        return static_cast<double>(large) / copy_us(device_bytes, host_bytes);
      });
}

}  // namespace

void measure_host_costs(Sampler& sampler) {
  measure_side<Host, sm::detail::HostCopy<Id>::Memory>(sampler, "host",
                                                       sampler.tuning.machine.host);
}

void measure_device_costs([[maybe_unused]] Sampler& sampler) {
  if constexpr (has_device) {
    measure_side<Device, Device::memory_space>(sampler, "device", sampler.tuning.machine.device);
    measure_copies(sampler, sampler.tuning.machine.copies);
  }
}

}  // namespace taper::app
