// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace taper::testing {

/// Records what Kokkos Tools see during its lifetime. At most one probe may exist at a time.
class Probe {
 public:
  struct Kernel {
    std::string label;
    std::uint32_t device_id;
  };
  struct Fence {
    std::string label;
    std::uint32_t device_id;
  };

  Probe() : previous_(Kokkos::Tools::Experimental::get_callbacks()) {
    active_ = this;
    namespace tools = Kokkos::Tools::Experimental;
    tools::set_begin_parallel_for_callback(
        [](char const* label, std::uint32_t device, std::uint64_t*) {
          active_->kernels.push_back({label, device});
        });
    tools::set_begin_parallel_reduce_callback(
        [](char const* label, std::uint32_t device, std::uint64_t*) {
          active_->kernels.push_back({label, device});
        });
    tools::set_begin_parallel_scan_callback(
        [](char const* label, std::uint32_t device, std::uint64_t*) {
          active_->kernels.push_back({label, device});
        });
    tools::set_begin_fence_callback([](char const* label, std::uint32_t device, std::uint64_t*) {
      active_->fences.push_back({label, device});
    });
    tools::set_allocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, char const* label, void const*, std::uint64_t) {
          active_->allocations.emplace_back(label);
        });
    tools::set_push_region_callback(
        [](char const* label) { active_->regions.emplace_back(label); });
  }
  ~Probe() {
    Kokkos::Tools::Experimental::set_callbacks(previous_);
    active_ = nullptr;
  }
  Probe(Probe const&) = delete;
  Probe& operator=(Probe const&) = delete;

  std::vector<Kernel> kernels;
  std::vector<Fence> fences;
  std::vector<std::string> allocations;
  std::vector<std::string> regions;

 private:
  inline static Probe* active_ = nullptr;  // for the callbacks, which are plain functions
  Kokkos::Tools::Experimental::EventSet previous_;
};

/// The device ids under which tools see global fences, whatever their labels.
inline std::set<std::uint32_t> ids_of_global_fences() {
  Probe const probe;
  Kokkos::fence("test: a global fence");
  std::set<std::uint32_t> ids;
  for (auto const& fence : probe.fences) {
    ids.insert(fence.device_id);
  }
  return ids;
}

}  // namespace taper::testing
