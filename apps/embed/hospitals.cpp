// SPDX-License-Identifier: Apache-2.0
//
// Assigns four residents to two hospitals, and checks the matching. docs/hospitals_residents.md shows it.
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iostream>
#include <taper/hospitals_residents/hospitals_residents.hpp>
#include <taper/hospitals_residents/verify.hpp>

using Space = Kokkos::DefaultHostExecutionSpace;

template <class T>
Kokkos::View<T*, Space> view_of(std::initializer_list<T> values) {
  Kokkos::View<T*, Space> const view("market", values.size());
  std::copy(values.begin(), values.end(), view.data());
  return view;
}

int main(int argc, char* argv[]) {
  Kokkos::ScopeGuard const kokkos(argc, argv);
  // Residents 0 and 1 list hospitals 0 and 1; resident 2 lists 0 alone, resident 3 lists 1, then 0.
  taper::hospitals_residents::Market<Space> const market{
      view_of<std::int64_t>({0, 2, 4, 5, 7}), view_of<std::uint32_t>({0, 1, 0, 1, 0, 1, 0}),
      view_of<std::uint32_t>({2, 1, 1, 3, 0, 0, 3}),  // what the hospital thinks of each; 0 is best
      view_of<std::uint32_t>({2, 1})};                // seats
  Kokkos::View<std::uint32_t*, Space> const hospital_of("hospital_of", 4);
  auto const report = taper::hospitals_residents::solve(Space(), market, hospital_of);
  for (std::uint32_t resident = 0; resident < 4; ++resident) {
    std::cout << "resident " << resident << ": ";
    if (hospital_of(resident) == taper::hospitals_residents::unassigned) {
      std::cout << "unassigned\n";
    } else {
      std::cout << "hospital " << hospital_of(resident) << '\n';
    }
  }
  auto const pairs = taper::hospitals_residents::find_blocking_pairs(Space(), market, hospital_of);
  std::cout << report.proposals << " proposals, " << pairs.count << " blocking pairs\n";
}
