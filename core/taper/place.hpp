// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

namespace taper {

template <class T>
concept ExecutionSpace = Kokkos::is_execution_space_v<T>;

template <class T>
concept HostExecutionSpace = ExecutionSpace<T> &&
    bool(Kokkos::SpaceAccessibility<T, Kokkos::HostSpace>::accessible);

/// The two instances that a hybrid run may use: the wide side, and the side with fast cores.
/// Handing over a Duo is what allows a run to migrate; a plain instance stays where it is.
template <ExecutionSpace Device, HostExecutionSpace Host>
struct Duo {
  Device device;
  Host host;
};

namespace detail {
template <class T>
struct Sides {
  using Device = T;
  using Host = T;
};
template <class D, class H>
struct Sides<Duo<D, H>> {
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

/// Where work runs: an execution space instance, or a Duo.
template <class T>
concept Place = ExecutionSpace<T> || AnyDuo<T>;

template <Place P>
using DeviceOf = typename detail::Sides<P>::Device;
template <Place P>
using HostOf = typename detail::Sides<P>::Host;

template <Place P>
DeviceOf<P> const& device_of(P const& place) {
  if constexpr (AnyDuo<P>) {
    return place.device;
  } else {
    return place;
  }
}

/// Of a plain instance, itself.
template <Place P>
HostOf<P> const& host_of(P const& place) {
  if constexpr (AnyDuo<P>) {
    return place.host;
  } else {
    return place;
  }
}

}  // namespace taper
