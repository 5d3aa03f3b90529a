// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <string>
#include <utility>

namespace taper {

/// A scoped Kokkos Tools region. Phase times are read from these: the library holds no stopwatch of
/// its own.
class Region {
 public:
  explicit Region(std::string const& name) { Kokkos::Profiling::pushRegion(name); }
  ~Region() { Kokkos::Profiling::popRegion(); }
  Region(Region const&) = delete;
  Region& operator=(Region const&) = delete;
};

/// A region that ends with its instance fenced, so that a tool which reads clocks at region ends
/// sees the work and not only its launch.
template <class ExecutionSpace>
class FencedRegion {
 public:
  FencedRegion(ExecutionSpace const& where, std::string name)
      : where_(where), name_(std::move(name)), region_(name_) {}
  ~FencedRegion() { where_.fence(name_ + ": end of the phase"); }

 private:
  ExecutionSpace where_;
  std::string name_;
  Region region_;
};

}  // namespace taper
