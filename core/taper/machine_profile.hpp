// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The measured costs of one machine, which scheduling decisions read. Needs only the standard
// library.
// Used by: the options of stable marriage, of its propagator, and of matrix products.

namespace taper {

/// When a call of the stable marriage propagator runs in parallel on the execution space. The
/// quantities are those of marriage_propagator::estimate().
///
/// It does if the domains are at least `domain_size` large, and either enough people are free or
/// enough values must be removed from the other side's domains, but not too many: if few values
/// stay, the serial propagator rebuilds rows from these. By default it never does.
struct PropagatorThresholds {
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t free_people = never;
  std::uint64_t modified_values = never;
  std::uint64_t domain_size = 0;              ///< values left in the domains of one side
  std::uint64_t modified_values_end = never;  ///< from here on values count no more
};

/// The thresholds that were measured with markets of `n` persons per side.
struct MeasuredThresholds {
  /// Whether the lists were similar: see preferences/list_similarity.hpp. Calls of one size take
  /// many times as long with one kind of lists as with the other.
  bool similar_lists = false;
  std::uint64_t n = 1;
  PropagatorThresholds thresholds;
};

/// The factor from one size to another, from 1: how far a measurement is away.
inline double size_factor(std::uint64_t a, std::uint64_t b) {
  auto const [less, more] =
      std::minmax({std::max<std::uint64_t>(a, 1), std::max<std::uint64_t>(b, 1)});
  return static_cast<double>(more) / static_cast<double>(less);
}

/// The costs of a GPU, or of the host's cores.
struct ExecutionCosts {
  /// Time per step of a single chain: from one acceptance to the next, without a rejection in
  /// between.
  double proposal_us = 1;
  /// Candidates per microsecond that a team, or a core, tests in a run of rejections.
  double scan_candidates_per_us = 1000;
  /// Time from the launch of a kernel on all workers until the host knows of its end.
  double launch_us = 10;
  std::vector<MeasuredThresholds> propagator;

  /// The propagator's thresholds for a market: those of its kind of lists with the nearest size.
  /// The end of the modified values is a share of all n * n pairs, so it is scaled to n. None if
  /// this kind was not measured.
  std::optional<PropagatorThresholds> propagator_thresholds(std::uint64_t n,
                                                            bool similar_lists) const {
    MeasuredThresholds const* nearest = nullptr;
    for (MeasuredThresholds const& row : propagator) {
      if (row.similar_lists == similar_lists &&
          (nearest == nullptr || size_factor(row.n, n) < size_factor(nearest->n, n))) {
        nearest = &row;
      }
    }
    if (nearest == nullptr) {
      return std::nullopt;
    }
    PropagatorThresholds found = nearest->thresholds;
    if (found.modified_values_end != PropagatorThresholds::never) {
      double const factor = static_cast<double>(n) / static_cast<double>(nearest->n);
      found.modified_values_end = static_cast<std::uint64_t>(
          std::min(static_cast<double>(found.modified_values_end) * factor * factor, 0x1p62));
    }
    return found;
  }
};

/// The costs of copies between host and device memory.
struct CopyCosts {
  double to_host_bytes_per_us = 10'000;
  double to_device_bytes_per_us = 10'000;
  double latency_us = 10;  ///< a copy of a few bytes, until the host knows of its end
};

/// The largest extent for which a recursive matrix product calls its kernel.
struct ForkJoinCutoff {
  std::string engine;
  std::string kernel;
  std::uint64_t threshold = 1;
};

/// What a hybrid run of stable marriage on a host knows of the proposers' lists before it starts.
enum class ListKind {
  distinct_first_choices,  ///< at least half of the receivers are a first choice
  similar_lists,           ///< as in preferences/list_similarity.hpp
  other_lists
};

constexpr auto enum_names(ListKind) {
  return std::array{EnumName{"distinct_first_choices", ListKind::distinct_first_choices},
                    EnumName{"similar_lists", ListKind::similar_lists},
                    EnumName{"other_lists", ListKind::other_lists}};
}

/// The number of threads beyond which a hybrid run of stable marriage on a host becomes no faster.
struct ThreadLimit {
  ListKind lists = ListKind::other_lists;
  std::uint64_t n = 1;  ///< agents per side of the runs that were measured
  std::uint64_t threads = 1;
};

/// The profile of one machine, as `taper tune` measures it. Scheduling decisions that depend on
/// costs read it; no result depends on it. Without a profile, each decision has a built-in answer.
struct MachineProfile {
  ExecutionCosts device;  ///< runs parallel parts; without a GPU, the host's costs
  ExecutionCosts host;
  CopyCosts copies;
  /// Stable marriage on a host uses one thread per this many proposers in its parallel part.
  std::uint64_t min_proposers_per_thread = 4096;
  /// Kinds and sizes that gain from all threads are not in the list.
  std::vector<ThreadLimit> thread_limits;
  std::vector<ForkJoinCutoff> fork_join;

  /// The most threads for a hybrid run of stable marriage on a host: the limit of this kind of
  /// lists with the nearest size. A limit holds for half to twice its size, since larger runs gain
  /// from more threads. None: no limit.
  std::optional<std::uint64_t> thread_limit(ListKind lists, std::uint64_t n) const {
    ThreadLimit const* nearest = nullptr;
    for (ThreadLimit const& limit : thread_limits) {
      if (limit.lists == lists && size_factor(limit.n, n) <= 2 &&
          (nearest == nullptr || size_factor(limit.n, n) < size_factor(nearest->n, n))) {
        nearest = &limit;
      }
    }
    return nearest == nullptr ? std::nullopt : std::optional(nearest->threads);
  }

  /// The measured cut-off of this engine and kernel; none if it was not measured.
  std::optional<std::uint64_t> fork_join_threshold(std::string_view engine,
                                                   std::string_view kernel) const {
    for (ForkJoinCutoff const& cutoff : fork_join) {
      if (cutoff.engine == engine && cutoff.kernel == kernel) {
        return cutoff.threshold;
      }
    }
    return std::nullopt;
  }
};

}  // namespace taper
