// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/weights.hpp>
#include <taper/error.hpp>
#include <taper/fork_join.hpp>
#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

// What front doors share that take Views and search on the host.
// Used by: clique.hpp, independent_set/independent_set.hpp.

namespace taper::clique {

/// Calls callable(fork) on all threads of the place's host. A device without a host: on the calling
/// thread.
template <Place P, class Callable>
void fork_on_host(P const& place, Callable const& callable) {
  auto const start = [&]<HostExecutionSpace Host>(Host const& host) {
    fork_join(host, concurrency(host) > 1 ? Scheduler::pool : Scheduler::serial, callable);
  };
  if constexpr (HostExecutionSpace<HostOf<P>>) {
    start(host_of(place));
  } else {
    fork_join(Kokkos::DefaultHostExecutionSpace{}, Scheduler::serial, callable);
  }
}

/// A copy of the weights in host memory. `function`: the caller, for messages.
///
/// Async: returns with `where` fenced.
/// Throws: taper::Error if there is not one weight per vertex; with the first vertex whose weight
///   is negative, or with which the sum exceeds max_weight_sum.
template <class Space, class Weights>
std::vector<Weight> checked_weights(std::string const& function, Space const& where,
                                    Weights const& weights, std::size_t vertices) {
  static_assert(Weights::rank == 1 &&
                    std::is_same_v<typename Weights::non_const_value_type, Weight>,
                "solve: weights is a rank-1 View of std::int64_t");
  TAPER_REQUIRE(weights.extent(0) == vertices,
                function + ": weights has " + std::to_string(weights.extent(0)) +
                    " entries, the graph has " + std::to_string(vertices) + " vertices");
  std::vector<Weight> values(vertices);
  Kokkos::deep_copy(
      where,
      Kokkos::View<Weight*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
          values.data(), values.size()),
      weights);
  where.fence(function + ": wait for the weights");
  if (auto const fault = find_fault(values)) {
    auto const vertex = std::to_string(fault->vertex);
    TAPER_REQUIRE(fault->kind != WeightFault::Kind::negative,
                  function + ": the weight of vertex " + vertex + " is " +
                      std::to_string(values[fault->vertex]) + "; allowed are integers from 0");
    throw Error(function + ": the weights up to vertex " + vertex + " have a sum above " +
                std::to_string(max_weight_sum) + ", the most that is allowed");
  }
  return values;
}

}  // namespace taper::clique
