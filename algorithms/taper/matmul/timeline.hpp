// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/duo.hpp>
#include <taper/event.hpp>
#include <taper/matmul/report.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

namespace taper::matmul::device {

/// In seconds.
struct Interval {
  double begin;
  double end;
};

/// Seconds that lie in at least one of the intervals.
inline double length_of_union(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](Interval const& x, Interval const& y) { return x.begin < y.begin; });
  double length = 0;
  double covered = -std::numeric_limits<double>::infinity();
  for (auto const& [begin, end] : intervals) {
    length += std::max(0.0, end - std::max(begin, covered));
    covered = std::max(covered, end);
  }
  return length;
}

/// What a piece of a streamed product's work is for.
enum class Role { to_device, compute, to_host };

/// When the pieces ran, by events around each.
template <ExecutionSpace Exec>
class Timeline {
 public:
  explicit Timeline(Exec const& where) { origin_.record(where); }

  /// Calls launch(), which launches one piece of work on `where`.
  template <class Launch>
  void run(Role role, Exec const& where, Launch const& launch) {
    Piece piece = next();
    piece.role = role;
    piece.begin.record(where);
    launch();
    piece.end.record(where);
    open_.push_back(std::move(piece));
  }

  /// Waits for all pieces, and fills in the times.
  void write(Streaming& streaming) {
    while (!open_.empty()) {
      close_oldest();
    }
    Interval all{std::numeric_limits<double>::infinity(), 0};
    for (auto const& intervals : closed_) {
      for (auto const& [begin, end] : intervals) {
        all = {std::min(all.begin, begin), std::max(all.end, end)};
      }
    }
    streaming.to_device_s = length_of_union(closed(Role::to_device));
    streaming.compute_s = length_of_union(closed(Role::compute));
    streaming.to_host_s = length_of_union(closed(Role::to_host));
    streaming.elapsed_s = std::max(0.0, all.end - all.begin);
  }

 private:
  struct Piece {
    Role role = Role::compute;
    Event<Exec> begin;
    Event<Exec> end;
  };
  /// How far the calling thread may be ahead of the device, and how many events there are.
  static constexpr std::size_t most_open = 1024;

  Piece next() { return open_.size() < most_open ? Piece{} : close_oldest(); }

  Piece close_oldest() {
    Piece piece = std::move(open_.front());
    open_.pop_front();
    piece.end.wait();
    closed(piece.role)
        .push_back({piece.begin.seconds_since(origin_), piece.end.seconds_since(origin_)});
    return piece;
  }

  std::vector<Interval>& closed(Role role) { return closed_[static_cast<std::size_t>(role)]; }

  Event<Exec> origin_;
  std::deque<Piece> open_;
  std::array<std::vector<Interval>, 3> closed_;
};

}  // namespace taper::matmul::device
