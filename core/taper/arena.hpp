// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/duo.hpp>
#include <taper/large_view.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstring>
#include <optional>
#include <string>

namespace taper {

/// One allocation for Views that come and go together: a GPU takes some 60 us to allocate each one,
/// and as many to free it.
///
/// Who wants Views of an arena writes down what he takes once, and takes it twice: from an arena
/// without memory, whose `used()` tells how much it comes to, and from one of that size.
template <class MemorySpace>
class Arena {
 public:
  Arena() = default;

  template <ExecutionSpace Exec>
  Arena(Exec const& where, std::string const& label, std::size_t bytes)
      : memory_(allocate_large<Kokkos::View<std::byte*, MemorySpace>>(where, label, bytes)) {}

  /// An uninitialised View, for as long as the arena is there; of one without memory, not to be read.
  template <class View, class... Extents>
  View take(Extents... extents) {
    std::size_t const begin = used_;
    std::size_t const bytes = View::required_allocation_size(static_cast<std::size_t>(extents)...);
    used_ += (bytes + alignment - 1) / alignment * alignment;
    auto* const data = memory_ ? memory_->data() + begin : nullptr;
    return View(reinterpret_cast<typename View::pointer_type>(data), extents...);
  }

  std::size_t used() const { return used_; }

  /// All bytes are 0. Requires: memory that the calling thread writes.
  void wipe() const { std::memset(memory_->data(), 0, memory_->extent(0)); }

 private:
  static constexpr std::size_t alignment = 256;

  std::optional<Kokkos::View<std::byte*, MemorySpace>> memory_;
  std::size_t used_ = 0;
};

}  // namespace taper
