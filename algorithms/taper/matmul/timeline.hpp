// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/matmul/event.hpp>
#include <taper/matmul/report.hpp>
#include <taper/place.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <limits>
#include <utility>
#include <vector>

namespace taper::matmul::device {

/// An interval of time, in seconds since an origin.
struct Interval {
  double begin;
  double end;
};

/// The total length of the union of the intervals, in seconds.
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

/// The kinds of work of a streamed product.
enum class StreamWork { to_device, compute, to_host };

/// Records when each copy and kernel of a streamed product ran, by events before and after it.
/// Used by: Streamed and StagingRing.
template <ExecutionSpace Exec>
class Timeline {
 public:
  explicit Timeline(Exec const& where) { origin_.record(where); }

  /// Calls launch(), which must launch one piece of work on `where`. If max_open pieces are open,
  /// waits for the oldest.
  template <class Launch>
  void run(StreamWork work, Exec const& where, Launch const& launch) {
    TimedWork piece = next();
    piece.work = work;
    piece.begin.record(where);
    launch();
    piece.end.record(where);
    open_.push_back(std::move(piece));
  }

  /// Waits for all pieces and fills in the times of `streaming`.
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
    streaming.to_device_s = length_of_union(closed(StreamWork::to_device));
    streaming.compute_s = length_of_union(closed(StreamWork::compute));
    streaming.to_host_s = length_of_union(closed(StreamWork::to_host));
    streaming.elapsed_s = std::max(0.0, all.end - all.begin);
  }

 private:
  /// A copy or a kernel, and the points before and after it. It is open until its end has passed.
  struct TimedWork {
    StreamWork work = StreamWork::compute;
    Event<Exec> begin;
    Event<Exec> end;
  };
  /// The number of pieces that the calling thread may be ahead of the device. It bounds the events.
  static constexpr std::size_t max_open = 1024;

  /// A piece of work to be recorded. Reuses the events of the oldest if too many are open.
  TimedWork next() { return open_.size() < max_open ? TimedWork{} : close_oldest(); }

  /// Waits for the oldest piece and notes its times.
  TimedWork close_oldest() {
    TimedWork piece = std::move(open_.front());
    open_.pop_front();
    piece.end.wait();
    closed(piece.work)
        .push_back({piece.begin.seconds_since(origin_), piece.end.seconds_since(origin_)});
    return piece;
  }

  std::vector<Interval>& closed(StreamWork work) { return closed_[static_cast<std::size_t>(work)]; }

  Event<Exec> origin_;
  std::deque<TimedWork> open_;
  std::array<std::vector<Interval>, 3> closed_;
};

}  // namespace taper::matmul::device
