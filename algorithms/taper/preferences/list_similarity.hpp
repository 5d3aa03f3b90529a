// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/place.hpp>
#include <taper/rows.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

// Used by: the hybrid solver of stable marriage and the stable marriage constraint, which choose
// another way to work if all lists of a side are nearly the same.

namespace taper::preferences {

namespace detail {

/// The entries by which lists are compared: 8 windows of 16 positions in 32 of `people` lists, each
/// of n entries.
struct ListSample {
  static constexpr std::size_t windows = 8;
  static constexpr std::size_t lists = 32;
  static constexpr std::size_t positions = 16;
  static constexpr std::size_t size = windows * lists * positions;

  std::size_t people;
  std::size_t n;

  /// Whether the lists are long enough for a sample to tell.
  bool exists() const { return people > 0 && n >= 2 * windows * positions; }
  /// The place of entry i, 0 <= i < size, window by window.
  KOKKOS_FUNCTION std::size_t person(std::size_t i) const {
    return (people - 1) * (i / positions % lists) / (lists - 1);
  }
  KOKKOS_FUNCTION std::size_t position(std::size_t i) const {
    return (n - positions) * (i / (lists * positions)) / (windows - 1) + i % positions;
  }
};

/// Whether each window of the sample has at most 32 different entries. `entry(i)` returns entry i.
/// False if there is no sample.
template <class EntryAt>
bool few_per_window(ListSample const& places, EntryAt const& entry) {
  if (!places.exists()) {
    return false;
  }
  constexpr std::size_t window = ListSample::lists * ListSample::positions;
  constexpr std::ptrdiff_t max_candidates = 2 * ListSample::positions;
  std::vector<std::size_t> seen(window);
  for (std::size_t begin = 0; begin < ListSample::size; begin += window) {
    for (std::size_t i = 0; i < window; ++i) {
      seen[i] = entry(begin + i);
    }
    std::sort(seen.begin(), seen.end());
    if (std::unique(seen.begin(), seen.end()) - seen.begin() > max_candidates) {
      return false;
    }
  }
  return true;
}

/// Copies the sample of lists in the memory of a GPU.
template <class Id, class Sample>
struct TakeSample {
  Rows<Id const> lists;
  ListSample places;
  Sample sample;
  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    sample(i) = lists(places.person(i), places.position(i));
  }
};

}  // namespace detail

/// Whether the lists of a side are similar: any few neighbouring positions name the same few
/// candidates in all lists. The test samples 8 windows of 16 positions in 32 lists. Lists are
/// similar if each window names at most 32 different candidates.
///
/// `candidate(person, position)` is called on the host and returns an entry of a list.
/// Returns false if n < 256, since the sample would be most of a list.
/// Cost: reads 4096 entries.
template <class CandidateAt>
bool are_similar(std::size_t n, CandidateAt const& candidate) {
  detail::ListSample const places{n, n};
  return detail::few_per_window(places, [&](std::size_t i) -> std::size_t {
    return candidate(places.person(i), places.position(i));
  });
}

/// The same for `people` lists of n entries in the memory of `where`: all of a side, or a part.
/// On a GPU: one kernel, and a copy of the sample to the host; returns with `where` fenced.
template <ExecutionSpace Exec, class Id>
bool are_similar([[maybe_unused]] Exec const& where, Rows<Id const> const& lists,
                 std::size_t people, std::size_t n) {
  detail::ListSample const places{people, n};
  if constexpr (!is_gpu<Exec>) {
    return detail::few_per_window(places, [&](std::size_t i) -> std::size_t {
      return lists(places.person(i), places.position(i));
    });
  } else {
    if (!places.exists()) {
      return false;
    }
    using Sample = Kokkos::View<Id*, typename Exec::memory_space>;
    Sample const sample(
        Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::preferences::list_sample"),
        +detail::ListSample::size);
    Kokkos::parallel_for("taper::preferences::take_sample",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::size_t>>(
                             where, 0, +detail::ListSample::size),
                         detail::TakeSample<Id, Sample>{lists, places, sample});
    auto const here = Kokkos::create_mirror_view(Kokkos::HostSpace{}, sample);
    Kokkos::deep_copy(where, here, sample);
    where.fence("taper::preferences: wait for the sample of the lists");
    return detail::few_per_window(places, [&](std::size_t i) -> std::size_t { return here(i); });
  }
}

}  // namespace taper::preferences
