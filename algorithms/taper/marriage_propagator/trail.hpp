// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/marriage_propagator/domains.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace taper::marriage_propagator::detail {

/// The pairs that left the domains since each open save(), in order.
///
/// A pair leaves at most once on a branch of a search, so n * n entries suffice for any depth.
/// Entries are not touched before they are written. So a trail occupies as much memory as its
/// longest branch.
template <class Id>
class Trail {
 public:
  struct Pair {
    Id man;
    Id value;
  };

  /// Without levels and without memory.
  Trail() = default;
  /// For `n` persons per side, and `levels` open saves.
  Trail(std::uint32_t n, std::uint32_t levels)
      : pairs_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "taper::marriage_propagator::trail"),
               levels > 0 ? std::size_t{n} * n : 0),
        marks_(
            Kokkos::view_alloc(Kokkos::WithoutInitializing, "taper::marriage_propagator::levels"),
            levels) {}

  /// Closes all saves.
  void reset() { size_ = depth_ = 0; }

  std::uint32_t depth() const { return depth_; }
  bool is_recording() const { return depth_ > 0; }

  void push(std::uint32_t man, std::uint32_t value) {
    pairs_(size_++) = {static_cast<Id>(man), static_cast<Id>(value)};
  }
  void save() {
    TAPER_REQUIRE(depth_ < marks_.extent(0),
                  "taper::marriage_propagator::save: " + std::to_string(depth_) +
                      " saves are open, which is Options::max_levels");
    marks_(depth_++) = size_;
  }
  /// Calls put_back(man, value) for each pair that left since the last save(), the last first.
  /// Closes that save.
  template <class PutBack>
  void restore(PutBack const& put_back) {
    TAPER_REQUIRE(depth_ > 0, "taper::marriage_propagator::restore: no save() is open");
    std::uint64_t const mark = marks_(--depth_);
    while (size_ > mark) {
      Pair const pair = pairs_(--size_);
      put_back(std::uint32_t{pair.man}, std::uint32_t{pair.value});
    }
  }

 private:
  Kokkos::View<Pair*, Kokkos::HostSpace> pairs_;
  Kokkos::View<std::uint64_t*, Kokkos::HostSpace> marks_;
  std::uint64_t size_ = 0;
  std::uint32_t depth_ = 0;
};

}  // namespace taper::marriage_propagator::detail
