// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/clique/dense_search.hpp>
#include <taper/clique/incumbent.hpp>
#include <taper/vertex_cover/branch_and_reduce/partners.hpp>
#include <taper/vertex_cover/branch_and_reduce/shared_work.hpp>
#include <taper/vertex_cover/interrupt.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace taper::clique {

/// What a search for a largest clique shares with other processes: its tasks, and the size of the
/// incumbent. Weights are 1.
///
/// Partners speak of covers: of the complement, all vertices but a clique are one. So a clique of k
/// vertices travels as a cover of n - k.
/// Used by: Search.
class SharedSearch {
 public:
  using Partners = vertex_cover::branch_and_reduce::Partners;

  /// `partners` outlives this object. `vertices`: of the whole graph. `vertices_alone`: see
  /// DistributedOptions.
  SharedSearch(Partners& partners, std::size_t vertices, std::size_t vertices_alone)
      : partners_(partners), n_(static_cast<std::uint32_t>(vertices)),
        vertices_alone_(vertices_alone) {}

  std::size_t vertices_alone() const { return vertices_alone_; }

  /// Runs run(task) for each task below `count`, the last first, in one of the processes. All call
  /// it alike, with the same incumbent. `bound`: no clique of any task is heavier. `search`: runs
  /// the tasks, on this thread.
  template <class Weights, class RunTask>
  void run_tasks(vertex_cover::Interrupt& interrupt, DenseSearch<Weights>& search,
                 Incumbent& incumbent, std::size_t count, Weight bound, RunTask const& run) {
    bound_ = bound = std::max(bound, incumbent.weight());
    tasks_ = count;
    auto const poll = [&] {
      if (std::uint32_t const cover = cover_size(incumbent); cover < partners_.limit()) {
        partners_.found(cover, cover_of(incumbent));
      }
      bool const ends = partners_.poll();
      incumbent.raise(n_ - partners_.limit());
      return ends;
    };
    search.poll_with(poll);
    auto const least = n_ - static_cast<std::uint32_t>(bound);
    constexpr std::uint64_t work = 256;  // of a task that is pruned at once
    run_tasks_together(partners_, interrupt, cover_size(incumbent), least, least, count,
                       [&](std::uint32_t task) {
                         run(task);
                         return !search.stopped_after(work);
                       });
    search.poll_with({});
  }

  /// Waits for all processes. The incumbent becomes the largest of all. `bound`: what this process
  /// knows without the tasks; `stopped`: it has reached a limit. Returns the bound of all: the size
  /// of the incumbent if the search is complete.
  Weight meet(Incumbent& incumbent, Weight bound, bool stopped) {
    bound = bound_.value_or(bound);
    auto const best = partners_.meet({.component = tasks_,
                                      .upper = cover_size(incumbent),
                                      .lower = n_ - static_cast<std::uint64_t>(bound),
                                      .stopped = stopped});
    std::vector<std::uint8_t> cover = cover_of(incumbent);
    partners_.share(cover);
    std::vector<Vertex> clique;
    for (Vertex v = 0; v < n_; ++v) {
      if (cover[v] == 0) {
        clique.push_back(v);
      }
    }
    auto const size = static_cast<Weight>(clique.size());
    incumbent.replace(size, std::move(clique));
    return best.complete ? size : n_ - static_cast<Weight>(best.lower);
  }

 private:
  std::uint32_t cover_size(Incumbent const& incumbent) const {
    return n_ - static_cast<std::uint32_t>(incumbent.clique().size());
  }
  std::vector<std::uint8_t> cover_of(Incumbent const& incumbent) const {
    std::vector<std::uint8_t> cover(n_, 1);
    for (Vertex const v : incumbent.clique()) {
      cover[v] = 0;
    }
    return cover;
  }

  Partners& partners_;
  std::uint32_t n_;
  std::size_t vertices_alone_;
  std::optional<Weight> bound_;  ///< of the tasks; none: there were no tasks
  std::uint64_t tasks_ = 0;
};

}  // namespace taper::clique
