// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/huge_pages.hpp>
#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>

namespace taper {

/// One allocation for several Views with a common lifetime. A GPU takes about 60 us to allocate a
/// View, and another 60 us to free it.
///
/// Run the code that takes the Views twice. First, an arena without memory measures: used() is the
/// size. Then an arena of that size allocates.
///
/// Used by: the stable marriage propagator, vertex cover's component search, hospitals and residents.
template <class MemorySpace>
class Arena {
 public:
  Arena() = default;

  template <ExecutionSpace Exec>
  Arena(Exec const& where, std::string const& label, std::size_t bytes)
      : memory_(allocate_large<Kokkos::View<std::byte*, MemorySpace>>(where, label, bytes)) {}

  /// An uninitialised View that is valid as long as the arena's memory. From an arena without
  /// memory, the View must not be accessed.
  template <class View, class... Extents>
  View take(Extents... extents) {
    std::size_t const begin = used_;
    std::size_t const bytes = View::required_allocation_size(static_cast<std::size_t>(extents)...);
    used_ += (bytes + alignment - 1) / alignment * alignment;
    auto* const data = memory_ ? memory_->data() + begin : nullptr;
    return View(reinterpret_cast<typename View::pointer_type>(data), extents...);
  }

  /// The bytes that take() has handed out so far, with padding.
  std::size_t used() const { return used_; }

  /// The memory itself, for what outlives the arena. Requires: an arena with memory.
  Kokkos::View<std::byte*, MemorySpace> const& memory() const { return *memory_; }

  /// Sets all bytes to 0. Requires: memory that the calling thread can write.
  void zero_fill() const { std::memset(memory_->data(), 0, memory_->extent(0)); }

 private:
  static constexpr std::size_t alignment = 256;

  std::optional<Kokkos::View<std::byte*, MemorySpace>> memory_;
  std::size_t used_ = 0;
};

}  // namespace taper
