// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <string>
#include <utility>

namespace taper {

/// A scoped Kokkos Tools region. Phase times come from regions; the library has no timers.
/// Used by: all algorithms.
class Region {
 public:
  explicit Region(std::string const& name) { Kokkos::Profiling::pushRegion(name); }
  ~Region() { Kokkos::Profiling::popRegion(); }
  Region(Region const&) = delete;
  Region& operator=(Region const&) = delete;
};

/// A region that fences its execution space instance before it ends. A tool that reads clocks at
/// region ends then measures the work, not only its launch.
/// Used by: the phases of stable marriage.
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
