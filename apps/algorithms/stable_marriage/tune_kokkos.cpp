// SPDX-License-Identifier: Apache-2.0
//
// What the library's own kernels cost here: the loops are those that the policy decides between.
#include "sampler.hpp"
#include "spaces.hpp"

#include <taper/stable_marriage/stable_marriage.hpp>

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

/// Work that needs no memory, some tenths of a millisecond.
struct Spin {
  KOKKOS_FUNCTION void operator()(std::uint64_t i, double& sum) const {
    auto x = static_cast<double>(i);
    for (int step = 0; step < 100'000; ++step) {
      x = 0.5 * x + 1;
    }
    sum += x;
  }
};

/// The last chain of a run, which is all acceptances: everybody is engaged to the one after the next
/// in order of merit, and the best man is free. He takes the first woman, whose partner takes the
/// second, and so on, one after the other to the end. Who is who is drawn at random, so that nobody
/// lies beside the one before.
///
/// The host follows it as it follows a GPU's last chains, with candidates that have just come from
/// there and are in no cache; the GPU as it would itself.
template <class Space, class Memory>
class ChainOfAcceptances {
 public:
  explicit ChainOfAcceptances(std::uint32_t n)
      : n_(n),
        standing_(where_, n), next_{decltype(Next::first)("taper::app::positions", n),
                                    decltype(Next::candidates)("taper::app::next_candidates", n)},
        on_device_("taper::app::candidates", has_device ? n : 0),
        best_(Kokkos::create_mirror(standing_.best)), bar_(Kokkos::create_mirror(standing_.bar)),
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
      bool const engaged = i + 1 < n;
      best_(women[i]) =
          engaged ? sm::detail::Offer::pack(i + 1, men[i + 1], i + 1) : sm::detail::no_offer;
      bar_(women[i]) = static_cast<Id>(engaged ? i + 1 : std::numeric_limits<Id>::max());
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

  /// Seconds an acceptance takes.
  double follow() {
    Kokkos::deep_copy(where_, standing_.best, best_);
    Kokkos::deep_copy(where_, standing_.bar, bar_);
    Kokkos::deep_copy(where_, frontier_.waiting, sm::detail::Chain{best_man_, 0});
    frontier_.live = 1;
    if constexpr (has_device) {
      Device const device{};
      Kokkos::deep_copy(device, next_.candidates, on_device_);
      device.fence("taper::app: the candidates have come");
    }
    where_.fence("taper::app: the chain may begin");
    return seconds_of([&] { run(); }) / n_;
  }

 private:
  using Next = sm::detail::NextCandidates<Id, Memory>;
  using Alone = sm::detail::Alone<Id, Memory>;
  using Contended = sm::detail::Filtered<sm::detail::FetchMin<Id, Memory>, Id, Memory>;
  using Counters = Kokkos::View<sm::detail::Tally*, Memory>;

  void run() {
    if constexpr (is_gpu<Space>) {
      sm::detail::follow_by_lanes(
          where_, "taper::app::chain",
          sm::detail::Propose<Next, Contended, Counters>{next_, {{standing_}}, counters_, n_},
          frontier_, 0);
    } else {
      sm::detail::Propose<Next, Alone, Counters> const propose{next_, {standing_}, counters_, n_};
      sm::detail::Chain chain{best_man_, 0};
      sm::detail::Tally tally{};
      while (propose(chain, tally) != Outcome::retired) {
      }
    }
  }

  Space where_{};
  std::uint32_t n_;
  sm::detail::Standing<Id, Memory> standing_;
  Next next_;
  decltype(sm::detail::NextCandidates<Id, Device::memory_space>::candidates) on_device_;
  Kokkos::View<AtomicWord*, Kokkos::HostSpace> best_;
  Kokkos::View<Id*, Kokkos::HostSpace> bar_;
  Frontier<sm::detail::Chain, Memory> frontier_;
  Counters counters_;
  std::uint32_t best_man_ = 0;
};

template <class Space, class Memory>
void measure_side(Sampler& sampler, std::string const& name, SideCosts& costs) {
  sampler.begin(name + ": a kernel");
  costs.launch_us = sampler.measure(name + ".launch_us", Better::less, [] {
    constexpr int kernels = 100;
    Space const where{};
    return 1e6 / kernels * seconds_of([&] {
             for (int i = 0; i < kernels; ++i) {
               Kokkos::parallel_for("taper::app::do_nothing",
                                    Kokkos::RangePolicy<Space>(where, 0, where.concurrency()),
                                    DoNothing{});
               where.fence("taper::app: the kernel has ended");
             }
           });
  });

  sampler.begin(name + ": a chain of acceptances");
  constexpr std::uint32_t people = 30'000;
  ChainOfAcceptances<Space, Memory> chain(people);
  costs.proposal_us =
      sampler.measure(name + ".proposal_us", Better::less, [&] { return 1e6 * chain.follow(); });
}

/// Between page-locked memory, which a tail uses, and the device's.
void measure_copies(Sampler& sampler, CopyCosts& costs) {
  using Pinned = Kokkos::SharedHostPinnedSpace;
  sampler.begin("copies");
  Device const where{};
  constexpr std::size_t many = std::size_t{64} << 20;
  Kokkos::View<std::uint8_t*, Device::memory_space> const there("taper::app::there", many);
  Kokkos::View<std::uint8_t*, Pinned> const here("taper::app::here", many);
  auto const copy_us = [&](auto const& to, auto const& from) {
    return 1e6 * seconds_of([&] {
             Kokkos::deep_copy(where, to, from);
             where.fence("taper::app: the copy has arrived");
           });
  };
  std::pair<std::size_t, std::size_t> const few{0, 64};
  costs.latency_us = sampler.measure("copies.latency_us", Better::less, [&] {
    return copy_us(Kokkos::subview(here, few), Kokkos::subview(there, few));
  });
  costs.to_host_bytes_per_us = sampler.measure("copies.to_host_bytes_per_us", Better::more, [&] {
    return static_cast<double>(many) / copy_us(here, there);
  });
  costs.to_device_bytes_per_us =
      sampler.measure("copies.to_device_bytes_per_us", Better::more,
                      [&] { return static_cast<double>(many) / copy_us(there, here); });
}

}  // namespace

void measure_threads(Sampler& sampler) {
  Host const where{};
  int const threads = where.concurrency();
  auto const spin = [&](int parts) {
    return seconds_of([&] {
      double sum = 0;
      Kokkos::parallel_reduce("taper::app::spin", Kokkos::RangePolicy<Host>(where, 0, parts),
                              Spin{}, sum);
    });
  };
  std::vector<double> at_once;
  for (int i = 0; i < 51; ++i) {
    at_once.push_back(threads * spin(1) / spin(threads));
  }
  std::ranges::nth_element(at_once, at_once.begin() + 25);
  sampler.tuning.host_threads = threads;
  sampler.tuning.threads_at_once = std::min(sampler.tuning.threads_at_once, at_once[25]);
}

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
