// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <support/oracles.hpp>
#include <taper/place.hpp>
#include <taper/stable_marriage/generate.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstdint>

/// Instances of the library's families, and the library's answers. For tests of stable marriage.
namespace taper::testing {

inline constexpr std::array all_families{
    stable_marriage::Family::perfect,   stable_marriage::Family::solo,
    stable_marriage::Family::congested, stable_marriage::Family::random,
    stable_marriage::Family::uniform,   stable_marriage::Family::correlated};

/// The instance of a workload, in the memory of `where`.
template <class Id = std::uint16_t, class Space>
auto generated_instance(Space const& where, stable_marriage::Workload const& workload) {
  using Memory = typename Space::memory_space;
  stable_marriage::Table<Id, Memory> const men("test::men", workload.n, workload.n);
  stable_marriage::Table<Id, Memory> const women("test::women", workload.n, workload.n);
  stable_marriage::generate(where, workload, men, women);
  return stable_marriage::Instance<stable_marriage::ConstTable<Id, Memory>>{men, women};
}

struct Answer {
  Matching partner_of;
  stable_marriage::Report report;
};

/// The library's answer. An entry that it does not write is no man's partner.
template <Place P, class Id, class Memory>
Answer answer_of(P const& place,
                 stable_marriage::Instance<stable_marriage::ConstTable<Id, Memory>> const& instance,
                 stable_marriage::Options const& options = {}) {
  Kokkos::View<Id*, Memory> const partner_of("test::partner_of", instance.size());
  Kokkos::deep_copy(partner_of, static_cast<Id>(-1));
  auto const report = stable_marriage::solve(place, instance, partner_of, options);
  return {to_matching(partner_of), report};
}

}  // namespace taper::testing
