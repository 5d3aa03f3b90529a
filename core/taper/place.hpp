// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>

// Where work runs. Used by: all algorithms.

namespace taper {

template <class T>
concept ExecutionSpace = Kokkos::is_execution_space_v<T>;

/// An execution space whose kernels can access host memory.
template <class T>
concept HostExecutionSpace = ExecutionSpace<T> &&
    bool(Kokkos::SpaceAccessibility<T, Kokkos::HostSpace>::accessible);

/// The two execution space instances that a hybrid run may use. `device` has many threads; `host`
/// has few fast ones.
///
/// A run may migrate between the two only if its caller passes a Duo. With a plain instance it
/// stays on that instance.
template <ExecutionSpace Device, HostExecutionSpace Host>
struct Duo {
  Device device;
  Host host;
};

namespace detail {
template <class T>
struct PlaceTypes {
  using Device = T;
  using Host = T;
};
template <class D, class H>
struct PlaceTypes<Duo<D, H>> {
  using Device = D;
  using Host = H;
};
template <class T>
inline constexpr bool is_duo = false;
template <class D, class H>
inline constexpr bool is_duo<Duo<D, H>> = true;
}  // namespace detail

template <class T>
concept AnyDuo = detail::is_duo<T>;

/// Where work runs: an execution space instance or a Duo. The first argument of every front door.
template <class T>
concept Place = ExecutionSpace<T> || AnyDuo<T>;

template <Place P>
using DeviceOf = typename detail::PlaceTypes<P>::Device;
template <Place P>
using HostOf = typename detail::PlaceTypes<P>::Host;

/// The device of a Duo; a plain instance itself.
template <Place P>
DeviceOf<P> const& device_of(P const& place) {
  if constexpr (AnyDuo<P>) {
    return place.device;
  } else {
    return place;
  }
}

/// The host of a Duo; a plain instance itself.
template <Place P>
HostOf<P> const& host_of(P const& place) {
  if constexpr (AnyDuo<P>) {
    return place.host;
  } else {
    return place;
  }
}

/// One iteration per item, of which there may be more than 2^32.
template <ExecutionSpace Exec>
using ItemRange = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;

}  // namespace taper
