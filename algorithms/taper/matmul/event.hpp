// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/contract.hpp>
#include <taper/duo.hpp>

#include <Kokkos_Core.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <type_traits>

namespace taper {

/// A point in the work of an instance, for other instances to wait for, and when it was passed.
///
/// Kokkos has none. Of a backend that is not named below, recording fences: right, and nothing then
/// runs at the same time as anything else.
template <ExecutionSpace Exec>
class Event {
 public:
  /// What was launched on `where` so far lies before the point, what follows lies behind it.
  void record(Exec const& where) {
    where.fence("taper::Event: events of this backend are fences");
    passed_ = Clock::now();
  }

  /// What is launched on `where` from now on waits for the point; if none was recorded, for nothing.
  void hold(Exec const&) const {}

  /// The calling thread waits for it.
  void wait() const {}

  /// Seconds from `earlier` to this; both are passed.
  double seconds_since(Event const& earlier) const {
    return std::chrono::duration<double>(passed_ - earlier.passed_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point passed_;
};

#if defined(KOKKOS_ENABLE_CUDA)
namespace detail {

inline void check(cudaError_t status, char const* call) {
  TAPER_REQUIRE(status == cudaSuccess,
                std::string("taper: ") + call + ": " + cudaGetErrorString(status));
}

}  // namespace detail

template <>
class Event<Kokkos::Cuda> {
 public:
  void record(Kokkos::Cuda const& where) {
    if (event_ == nullptr) {
      detail::check(cudaSetDevice(where.cuda_device()), "cudaSetDevice");
      cudaEvent_t event = nullptr;
      detail::check(cudaEventCreate(&event), "cudaEventCreate");
      event_.reset(event);
    }
    detail::check(cudaEventRecord(event_.get(), where.cuda_stream()), "cudaEventRecord");
  }

  void hold(Kokkos::Cuda const& where) const {
    if (event_ != nullptr) {
      detail::check(cudaStreamWaitEvent(where.cuda_stream(), event_.get(), 0),
                    "cudaStreamWaitEvent");
    }
  }

  void wait() const {
    if (event_ != nullptr) {
      detail::check(cudaEventSynchronize(event_.get()), "cudaEventSynchronize");
    }
  }

  double seconds_since(Event const& earlier) const {
    float milliseconds = 0;
    detail::check(cudaEventElapsedTime(&milliseconds, earlier.event_.get(), event_.get()),
                  "cudaEventElapsedTime");
    return milliseconds / 1e3;
  }

 private:
  struct Destroy {
    void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
  };
  std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, Destroy> event_;
};
#endif

}  // namespace taper
