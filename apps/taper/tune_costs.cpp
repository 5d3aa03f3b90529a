// SPDX-License-Identifier: Apache-2.0
//
// What the library's own kernels cost here: the loops are those that the policy decides between.
#include "sampler.hpp"
#include "spaces.hpp"

#include <taper/large_view.hpp>
#include <taper/stable_marriage/generate.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
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

/// Lists that are all alike, everybody engaged to the one after the next in order of merit, and the
/// best man free: he takes the first woman, whose partner takes the second, and so on, one after
/// the other to the end.
template <class Space>
class ChainOfAcceptances {
  using Memory = typename Space::memory_space;
  using Lists = sm::ConstTable<Id, Memory>;

 public:
  explicit ChainOfAcceptances(std::uint32_t n)
      : n_(n), men_(allocate("taper::app::men")), women_(allocate("taper::app::women")),
        ranks_(sm::detail::allocate_ranks<Id, Memory>(where_, "taper::app::ranks", n, n)),
        standing_(where_, n), engaged_("taper::app::engaged", n), bars_("taper::app::bars", n),
        frontier_(where_, "taper::app::frontier", 1), counters_("taper::app::counters", 0) {
    sm::generate(where_, sm::Workload{.family = sm::Family::congested, .n = n}, men_, women_);
    sm::detail::build_rank_matrix(where_, Lists(women_), ranks_);
    where_.fence("taper::app: the ranks are there");
    auto const order_of_women = first_row(men_);
    auto const merit = first_row(women_);
    for (std::uint32_t i = 0; i + 1 < n; ++i) {
      engaged_(order_of_women(i)) =
          sm::detail::Offer::pack(i + 1, std::uint32_t{merit(i + 1)}, i + 1);
      bars_(order_of_women(i)) = static_cast<Id>(i + 1);
    }
    engaged_(order_of_women(n - 1)) = sm::detail::no_offer;
    bars_(order_of_women(n - 1)) = std::numeric_limits<Id>::max();
    best_man_ = merit(0);
  }

  /// Seconds an acceptance takes.
  double follow() {
    Kokkos::deep_copy(where_, standing_.best, engaged_);
    Kokkos::deep_copy(where_, standing_.bar, bars_);
    auto const waiting = Kokkos::create_mirror_view(frontier_.waiting);
    waiting(0) = {best_man_, 0};
    Kokkos::deep_copy(where_, frontier_.waiting, waiting);
    frontier_.live = 1;
    where_.fence("taper::app: the chain may begin");
    return seconds_of([&] { run(); }) / n_;
  }

 private:
  using Alone = sm::detail::Alone<Id, Memory>;
  using Counters = Kokkos::View<sm::detail::Tally*, Memory>;
  template <class Lookup>
  using Step = sm::detail::Propose<Lookup, Alone, Counters>;

  sm::Table<Id, Memory> allocate(std::string const& label) const {
    return allocate_large<sm::Table<Id, Memory>>(where_, label, n_, n_);
  }

  static auto first_row(sm::Table<Id, Memory> const& table) {
    auto const row = Kokkos::subview(table, 0, Kokkos::ALL);
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, row);
  }

  void run() {
    sm::detail::RankMatrixLookup<Id> const lookup{
        rows_of(Lists(men_)), {ranks_.data(), static_cast<std::size_t>(ranks_.stride(0))}};
    if constexpr (is_gpu<Space>) {
      auto const next =
          sm::detail::gather_next_candidates(where_, lookup, standing_.best, frontier_.waiting, 1);
      sm::detail::follow_by_lanes(
          where_, "taper::app::chain",
          Step<std::remove_const_t<decltype(next)>>{next, Alone{standing_}, counters_, n_},
          frontier_, 0);
    } else {
      run_leg(where_, "taper::app::chain",
              Step<sm::detail::RankMatrixLookup<Id>>{lookup, {standing_}, counters_, n_}, frontier_,
              {.workers = 1});
    }
  }

  Space where_{};
  std::uint32_t n_;
  sm::Table<Id, Memory> men_;
  sm::Table<Id, Memory> women_;
  sm::Table<Id, Memory> ranks_;
  sm::detail::Standing<Id, Memory> standing_;
  Kokkos::View<AtomicWord*, Kokkos::HostSpace> engaged_;
  Kokkos::View<Id*, Kokkos::HostSpace> bars_;
  Frontier<sm::detail::Chain, Memory> frontier_;
  Counters counters_;
  std::uint32_t best_man_ = 0;
};

template <class Space>
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
  constexpr std::uint32_t people = 4096;
  ChainOfAcceptances<Space> chain(people);
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
  measure_side<Host>(sampler, "host", sampler.tuning.machine.host);
}

void measure_device_costs([[maybe_unused]] Sampler& sampler) {
  if constexpr (has_device) {
    measure_side<Device>(sampler, "device", sampler.tuning.machine.device);
    measure_copies(sampler, sampler.tuning.machine.copies);
  }
}

}  // namespace taper::app
