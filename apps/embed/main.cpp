// SPDX-License-Identifier: Apache-2.0
//
// A program that uses Kokkos itself calls Taper on its own Views and execution space instance.
// Built in Taper's tree and, as a test of the installed package, alone. See docs/embedding.md.
#include <taper/stable_marriage/stable_marriage.hpp>
#include <taper/version.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <iostream>

namespace {

using Space = Kokkos::DefaultExecutionSpace;
using Id = std::uint16_t;
constexpr std::size_t n = 3;
using Lists = std::array<std::array<Id, n>, n>;

// Men 0 and 1 prefer woman 0, and she prefers man 1. Man 0 then displaces man 2 at woman 1, and man
// 2 gets the last woman of his list.
constexpr Lists men_lists = {{{0, 1, 2}, {0, 1, 2}, {1, 0, 2}}};
constexpr Lists women_lists = {{{1, 0, 2}, {0, 2, 1}, {0, 1, 2}}};
constexpr std::array<Id, n> expected = {1, 0, 2};

Kokkos::View<Id const**, Kokkos::LayoutRight, Space> to_device(Space const& where,
                                                               Lists const& lists) {
  Kokkos::View<Id**, Kokkos::LayoutRight, Space> table(
      Kokkos::view_alloc(where, "embed::preferences"), n, n);
  Kokkos::deep_copy(
      where, table,
      Kokkos::View<Id const**, Kokkos::LayoutRight, Kokkos::HostSpace>(lists.front().data(), n, n));
  where.fence("embed: wait for the copy of the lists");
  return table;
}

bool run() {
  auto const instances = Kokkos::Experimental::partition_space(Space(), 1);
  Space const where = instances[0];

  namespace sm = taper::stable_marriage;
  sm::Instance const instance{to_device(where, men_lists), to_device(where, women_lists)};
  Kokkos::View<Id*, Space> partner_of(Kokkos::view_alloc(where, "embed::partner_of"), n);

  auto const report = sm::solve(where, instance, partner_of);

  auto const result = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), partner_of);
  std::cout << "Taper " << taper::version << " on " << Space::name() << ", " << report.proposals
            << " proposals\n";
  bool right = report.status == taper::Status::solved;
  for (std::size_t man = 0; man < n; ++man) {
    std::cout << "  man " << man << ": woman " << result(man) << '\n';
    right = right && result(man) == expected[man];
  }
  return right;
}

}  // namespace

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  if (!run()) {
    std::cerr << "embed: this is not the man-optimal matching\n";
    return 1;
  }
  return 0;
}
