// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/device_info.hpp>
#include <taper/place.hpp>

#include <Kokkos_Core.hpp>

#include <chrono>
#include <memory>
#include <type_traits>

namespace taper::matmul::device {

/// A point in the work of an execution space instance. Other instances can wait for it, and it has
/// the time when it was passed. Kokkos has no events.
///
/// On a backend without a specialisation below, record() fences. That is correct, but the work of
/// different instances then does not overlap.
///
/// Used by: the streamed product (streamed.hpp, staging_ring.hpp, timeline.hpp).
template <ExecutionSpace Exec>
class Event {
 public:
  /// Sets the point after all work that was launched on `where` so far.
  void record(Exec const& where) {
    where.fence("taper::matmul::streamed: event, a fence on this backend");
    passed_ = Clock::now();
  }

  /// Makes all work that is launched on `where` from now on wait for the point. Without a recorded
  /// point it does nothing.
  void make_wait(Exec const&) const {}

  /// Blocks the calling thread until the point is passed.
  void wait() const {}

  /// Seconds from `earlier` to this event. Requires: both are passed.
  double seconds_since(Event const& earlier) const {
    return std::chrono::duration<double>(passed_ - earlier.passed_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point passed_;
};

#if defined(KOKKOS_ENABLE_CUDA)
template <>
class Event<Kokkos::Cuda> {
 public:
  void record(Kokkos::Cuda const& where) {
    if (event_ == nullptr) {
      require_cuda_success(cudaSetDevice(where.cuda_device()), "cudaSetDevice");
      cudaEvent_t event = nullptr;
      require_cuda_success(cudaEventCreate(&event), "cudaEventCreate");
      event_.reset(event);
    }
    require_cuda_success(cudaEventRecord(event_.get(), where.cuda_stream()), "cudaEventRecord");
  }

  void make_wait(Kokkos::Cuda const& where) const {
    if (event_ != nullptr) {
      require_cuda_success(cudaStreamWaitEvent(where.cuda_stream(), event_.get(), 0),
                           "cudaStreamWaitEvent");
    }
  }

  void wait() const {
    if (event_ != nullptr) {
      require_cuda_success(cudaEventSynchronize(event_.get()), "cudaEventSynchronize");
    }
  }

  double seconds_since(Event const& earlier) const {
    float milliseconds = 0;
    require_cuda_success(cudaEventElapsedTime(&milliseconds, earlier.event_.get(), event_.get()),
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

}  // namespace taper::matmul::device
