// SPDX-License-Identifier: Apache-2.0
// The lengths of all cycles of a permutation, by tapering. docs/tapering.md explains it.
#include <Kokkos_Core.hpp>
#include <cstdint>
#include <iostream>
#include <numeric>
#include <taper/random.hpp>
#include <taper/tapering.hpp>

using Device = Kokkos::DefaultExecutionSpace;
using Host = Kokkos::DefaultHostExecutionSpace;

struct Walk {
  std::uint32_t start, position, steps;
};

template <class Memory>
struct FollowCycle {
  using State = Walk;
  using Tally = std::uint64_t;                  // the steps of one worker
  Kokkos::View<std::uint32_t*, Memory> next;    // the permutation
  Kokkos::View<std::uint32_t*, Memory> length;  // per smallest element of a cycle; else 0
  Kokkos::View<std::uint64_t, Memory> steps{"cycles::steps"};

  KOKKOS_FUNCTION taper::Outcome operator()(Walk& walk, Tally& tally) const {
    ++tally;
    ++walk.steps;
    walk.position = next(walk.position);
    if (walk.position == walk.start) {
      length(walk.start) = walk.steps;  // no race: no other walk has this start
    }
    return walk.position > walk.start ? taper::Outcome::again : taper::Outcome::retired;
  }
  KOKKOS_FUNCTION std::uint32_t progress(Walk const& walk) const { return walk.steps; }
  KOKKOS_FUNCTION void prefetch_for(Walk const&) const {}
  KOKKOS_FUNCTION void publish(Tally tally) const { Kokkos::atomic_add(&steps(), tally); }
};

void follow(auto const& where, auto const& step, auto& frontier, taper::Leg const& leg) {
  taper::run_leg(where, "cycles::leg", step, frontier, leg);
  auto const steps = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, step.steps);
  std::cout << where.name() << ", max_workers " << leg.max_workers << ": " << steps() << " steps, "
            << frontier.live << " chains live\n";
}

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  constexpr std::uint32_t n = 1 << 18;
  Kokkos::View<std::uint32_t*, Kokkos::HostSpace> const next_here("cycles::next", n);
  std::iota(next_here.data(), next_here.data() + n, 0);
  taper::RandomStream stream(4, 0);
  taper::shuffle(next_here.data(), n, stream);
  auto const next = Kokkos::create_mirror_view_and_copy(Device::memory_space{}, next_here);
  Kokkos::View<std::uint32_t*, Device::memory_space> const length("cycles::length", n);

  taper::Frontier<Walk, Device::memory_space> chains(Device{}, "cycles::chains", n);
  Kokkos::parallel_for(
      "cycles::start", n, KOKKOS_LAMBDA(std::uint32_t i) {
        chains.waiting(i) = {next(i), next(i), 0};
      });
  follow(Device{}, FollowCycle<Device::memory_space>{next, length}, chains,
         {.stop_at_live = 4, .turn = 32, .max_workers = std::uint64_t(Device{}.concurrency())});

  auto [tail, bytes] = taper::migrate(Device{}, Host{}, "cycles::tail", chains);
  std::cout << "migration to the host: " << tail.live << " chains, " << bytes << " bytes\n";
  auto const length_here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, length);
  follow(Host{}, FollowCycle<Kokkos::HostSpace>{next_here, length_here}, tail, {.max_workers = 1});

  std::uint32_t wrong = 0;
  Kokkos::View<bool*, Kokkos::HostSpace> const seen("cycles::seen", n);
  for (std::uint32_t start = 0; start < n; ++start) {
    std::uint32_t steps = 0;
    for (std::uint32_t at = start; !seen(at); at = next_here(at), ++steps) {
      seen(at) = true;
    }
    wrong += length_here(start) != steps;
  }
  std::cout << wrong << " of " << n << " lengths differ from the serial program's\n";
  return wrong == 0 ? 0 : 1;
}
