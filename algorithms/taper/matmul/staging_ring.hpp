// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/matmul/copy_rows.hpp>
#include <taper/matmul/event.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/timeline.hpp>
#include <taper/matmul/workers.hpp>
#include <taper/place.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace taper::matmul::device {

/// Takes the place of a host instance as the HostCopier: the calling thread copies alone.
struct CallingThread {};

namespace detail {

/// Copies a matrix within host memory, by all workers of a host instance or by the calling thread.
template <class HostCopier, class T>
void copy_on_host(HostCopier const& host_copier, std::type_identity_t<Matrix<T const>> const& from,
                  Matrix<T> const& to) {
  Region const region("taper::matmul::streamed::staging");
  constexpr std::int64_t entries_per_item = std::int64_t{1} << 14;
  std::int64_t const rows =
      std::max<std::int64_t>(1, entries_per_item / std::max<std::int64_t>(1, from.columns));
  auto const copy = [&](std::int64_t item) {
    std::int64_t const end = std::min(from.rows, (item + 1) * rows);
    for (std::int64_t i = item * rows; i < end; ++i) {
      if (from.has_contiguous_rows() && to.has_contiguous_rows()) {
        std::memcpy(&to(i, 0), &from(i, 0), static_cast<std::size_t>(from.columns) * sizeof(T));
      } else {
        for (std::int64_t j = 0; j < from.columns; ++j) {
          to(i, j) = from(i, j);
        }
      }
    }
  };
  std::int64_t const items = (from.rows + rows - 1) / rows;
  if constexpr (ExecutionSpace<HostCopier>) {
    matmul::detail::for_each_item(host_copier, "taper::matmul::streamed::staging", items,
                                  [&](std::int64_t, std::int64_t item) { copy(item); });
  } else {
    for (std::int64_t item = 0; item < items; ++item) {
      copy(item);
    }
  }
}

}  // namespace detail

/// A ring of pinned buffers for matrices that the device cannot copy itself: those in pageable
/// memory or without contiguous lines. The host fills or empties one buffer while the device copies
/// others.
/// Used by: Streamed in streamed.hpp.
template <ExecutionSpace Exec, class HostCopier, class T>
class StagingRing {
 public:
  /// `entries` is the size of a buffer, at least one row of any matrix that is sent or received.
  /// 0: nothing will be sent or received.
  StagingRing(HostCopier const& host_copier, std::int64_t entries, Timeline<Exec>& timeline)
      : host_copier_(host_copier), timeline_(timeline), entries_(entries),
        memory_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "taper::matmul::streamed::staging"),
                static_cast<std::size_t>(buffers) * static_cast<std::size_t>(entries)) {}

  std::uint64_t bytes() const { return memory_.span() * sizeof(T); }

  /// Copies `from` in host memory to `to` on the device, as work of `where`. Returns when the host
  /// has read all of `from`.
  void send(Exec const& where, Matrix<T const> const& from, Matrix<T> const& to) {
    std::int64_t const step = rows_per_buffer(from.columns);
    for (std::int64_t first = 0; first < from.rows; first += step) {
      std::int64_t const rows = std::min(step, from.rows - first);
      std::size_t const index = next_buffer();
      Matrix<T> const buffer = buffer_of(index, rows, from.columns);
      detail::copy_on_host(host_copier_, from.block(first, 0, rows, from.columns), buffer);
      timeline_.run(StreamWork::to_device, where, [&] {
        copy_rows<typename Exec::memory_space, Kokkos::HostSpace>(
            where, buffer, to.block(first, 0, rows, to.columns));
      });
      copied_[index].record(where);
    }
  }

  /// Copies `from` on the device to `to` in host memory. Returns when `to` is complete.
  void receive(Exec const& where, Matrix<T const> const& from, Matrix<T> const& to) {
    std::int64_t const step = rows_per_buffer(from.columns);
    std::int64_t const pieces = (from.rows + step - 1) / step;
    std::array<std::size_t, buffers> in_flight;
    auto const rows_of = [&](std::int64_t piece) {
      return std::min(step, from.rows - piece * step);
    };
    auto const finish = [&](std::int64_t piece) {
      std::size_t const index = in_flight[static_cast<std::size_t>(piece % buffers)];
      std::int64_t const rows = rows_of(piece);
      copied_[index].wait();
      detail::copy_on_host(host_copier_, buffer_of(index, rows, from.columns),
                           to.block(piece * step, 0, rows, to.columns));
    };
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      if (piece >= buffers) {
        finish(piece - buffers);
      }
      std::size_t const index = next_buffer();
      in_flight[static_cast<std::size_t>(piece % buffers)] = index;
      std::int64_t const rows = rows_of(piece);
      timeline_.run(StreamWork::to_host, where, [&] {
        copy_rows<Kokkos::HostSpace, typename Exec::memory_space>(
            where, from.block(piece * step, 0, rows, from.columns),
            buffer_of(index, rows, from.columns));
      });
      copied_[index].record(where);
    }
    for (std::int64_t piece = std::max<std::int64_t>(0, pieces - buffers); piece < pieces;
         ++piece) {
      finish(piece);
    }
  }

 private:
  static constexpr std::int64_t buffers = 4;

  std::int64_t rows_per_buffer(std::int64_t columns) const {
    return entries_ / std::max<std::int64_t>(1, columns);
  }

  /// The next buffer of the ring. Waits until its last copy is complete.
  std::size_t next_buffer() {
    std::size_t const index = next_;
    next_ = (next_ + 1) % buffers;
    copied_[index].wait();
    return index;
  }

  Matrix<T> buffer_of(std::size_t index, std::int64_t rows, std::int64_t columns) const {
    return {memory_.data() + static_cast<std::int64_t>(index) * entries_, rows, columns, columns,
            1};
  }

  HostCopier const& host_copier_;
  Timeline<Exec>& timeline_;
  std::int64_t entries_;
  Kokkos::View<T*, Kokkos::SharedHostPinnedSpace> memory_;
  std::array<Event<Exec>, buffers> copied_;
  std::size_t next_ = 0;
};

}  // namespace taper::matmul::device
