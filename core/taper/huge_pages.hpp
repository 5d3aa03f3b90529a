// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

#if defined(__linux__)
#include <sys/mman.h>
#endif

// Large pages for large tables in host memory.
// Used by: stable marriage, its propagator, preferences/, matrix products, Arena.

namespace taper {

/// Advises the system to back `bytes` at `data` by huge pages of 2 MiB. Linux only; the system may
/// ignore it or have no huge page free, and then uses ordinary pages.
inline void advise_huge_pages([[maybe_unused]] void* data, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  constexpr std::uintptr_t huge = std::uintptr_t{2} << 20;
  auto const begin = (reinterpret_cast<std::uintptr_t>(data) + huge - 1) / huge * huge;
  auto const end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / huge * huge;
  if (begin < end) {
    madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
  }
#endif
}

/// Allocates an uninitialised View for a large table with random accesses. In host memory it asks
/// for huge pages: with pages of 4 KiB, almost every random read misses the TLB, and the first
/// write of a new table causes a page fault per 4 KiB.
template <class View, ExecutionSpace Exec, class... Extents>
View allocate_large(Exec const& where, std::string const& label, Extents... extents) {
  View const view(Kokkos::view_alloc(where, Kokkos::WithoutInitializing, label), extents...);
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::HostSpace,
                                           typename View::memory_space>::accessible) {
    advise_huge_pages(view.data(), view.span() * sizeof(typename View::value_type));
  }
  return view;
}

}  // namespace taper
