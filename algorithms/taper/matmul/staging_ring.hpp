// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/duo.hpp>
#include <taper/event.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/timeline.hpp>
#include <taper/matmul/transfer.hpp>
#include <taper/matmul/workers.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace taper::matmul::device {

/// In the place of a host instance: the calling thread does it alone.
struct CallingThread {};

namespace detail {

/// Copies a matrix in host memory, by all workers of an instance.
template <class Helpers, class T>
void copy_by_host(Helpers const& helpers, std::type_identity_t<Matrix<T const>> const& from,
                  Matrix<T> const& to) {
  Region const region("taper::matmul::streamed::staging");
  constexpr std::int64_t entries_a_turn = std::int64_t{1} << 14;
  std::int64_t const rows =
      std::max<std::int64_t>(1, entries_a_turn / std::max<std::int64_t>(1, from.columns));
  auto const copy = [&](std::int64_t turn) {
    std::int64_t const end = std::min(from.rows, (turn + 1) * rows);
    for (std::int64_t i = turn * rows; i < end; ++i) {
      if (from.has_contiguous_rows() && to.has_contiguous_rows()) {
        std::memcpy(&to(i, 0), &from(i, 0), static_cast<std::size_t>(from.columns) * sizeof(T));
      } else {
        for (std::int64_t j = 0; j < from.columns; ++j) {
          to(i, j) = from(i, j);
        }
      }
    }
  };
  std::int64_t const turns = (from.rows + rows - 1) / rows;
  if constexpr (ExecutionSpace<Helpers>) {
    matmul::detail::for_each_item(helpers, "taper::matmul::streamed::staging", turns,
                                  [&](std::int64_t, std::int64_t turn) { copy(turn); });
  } else {
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      copy(turn);
    }
  }
}

}  // namespace detail

/// A ring of buffers that copy engines reach, through which everything goes that they do not reach
/// or that has no contiguous rows: the host copies to or from one while others are on their way.
template <ExecutionSpace Exec, class Helpers, class T>
class Staging {
 public:
  /// `entries` of each buffer: at least the columns of what is sent or received. 0: nothing is.
  Staging(Helpers const& helpers, std::int64_t entries, Timeline<Exec>& timeline)
      : helpers_(helpers), timeline_(timeline), entries_(entries),
        memory_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "taper::matmul::streamed::staging"),
                static_cast<std::size_t>(buffers) * static_cast<std::size_t>(entries)) {}

  std::uint64_t bytes() const { return memory_.span() * sizeof(T); }

  /// Returns once the host has read all of `from`.
  void send(Exec const& where, Matrix<T const> const& from, Matrix<T> const& to) {
    std::int64_t const step = rows_a_buffer(from.columns);
    for (std::int64_t first = 0; first < from.rows; first += step) {
      std::int64_t const rows = std::min(step, from.rows - first);
      std::size_t const which = next();
      Matrix<T> const buffer = buffer_of(which, rows, from.columns);
      detail::copy_by_host(helpers_, from.block(first, 0, rows, from.columns), buffer);
      timeline_.run(Role::to_device, where, [&] {
        copy_rows<typename Exec::memory_space, Kokkos::HostSpace>(
            where, buffer, to.block(first, 0, rows, to.columns));
      });
      passed_[which].record(where);
    }
  }

  /// Returns once `to` is complete.
  void receive(Exec const& where, Matrix<T const> const& from, Matrix<T> const& to) {
    std::int64_t const step = rows_a_buffer(from.columns);
    std::int64_t const pieces = (from.rows + step - 1) / step;
    std::array<std::size_t, buffers> under_way;
    auto const rows_of = [&](std::int64_t piece) {
      return std::min(step, from.rows - piece * step);
    };
    auto const land = [&](std::int64_t piece) {
      std::size_t const which = under_way[static_cast<std::size_t>(piece % buffers)];
      std::int64_t const rows = rows_of(piece);
      passed_[which].wait();
      detail::copy_by_host(helpers_, buffer_of(which, rows, from.columns),
                           to.block(piece * step, 0, rows, to.columns));
    };
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      if (piece >= buffers) {
        land(piece - buffers);
      }
      std::size_t const which = next();
      under_way[static_cast<std::size_t>(piece % buffers)] = which;
      std::int64_t const rows = rows_of(piece);
      timeline_.run(Role::to_host, where, [&] {
        copy_rows<Kokkos::HostSpace, typename Exec::memory_space>(
            where, from.block(piece * step, 0, rows, from.columns),
            buffer_of(which, rows, from.columns));
      });
      passed_[which].record(where);
    }
    for (std::int64_t piece = std::max<std::int64_t>(0, pieces - buffers); piece < pieces;
         ++piece) {
      land(piece);
    }
  }

 private:
  static constexpr std::int64_t buffers = 4;

  std::int64_t rows_a_buffer(std::int64_t columns) const {
    return entries_ / std::max<std::int64_t>(1, columns);
  }

  /// The buffer that was given away first; what was copied from or to it has arrived.
  std::size_t next() {
    std::size_t const which = next_;
    next_ = (next_ + 1) % buffers;
    passed_[which].wait();
    return which;
  }

  Matrix<T> buffer_of(std::size_t which, std::int64_t rows, std::int64_t columns) const {
    return {memory_.data() + static_cast<std::int64_t>(which) * entries_, rows, columns, columns,
            1};
  }

  Helpers const& helpers_;
  Timeline<Exec>& timeline_;
  std::int64_t entries_;
  Kokkos::View<T*, Kokkos::SharedHostPinnedSpace> memory_;
  std::array<Event<Exec>, buffers> passed_;
  std::size_t next_ = 0;
};

}  // namespace taper::matmul::device
