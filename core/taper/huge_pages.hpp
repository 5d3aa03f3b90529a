// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/duo.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace taper {

/// Asks the system to back `bytes` at `data` by huge pages. Only advice, and only on Linux: a
/// kernel that does not follow it, or has none free, gives ordinary pages.
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

/// An uninitialised View for a table that is large and read all over. On a host, rows of thousands
/// of people are read a word at a time: with 4 KiB pages nearly each such read misses the TLB, and
/// the first touch of a fresh table costs a page fault each 4 KiB.
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
