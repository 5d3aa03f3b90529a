// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/rows.hpp>

#include <algorithm>
#include <cstddef>
#include <vector>

// Used by: the hybrid solver of stable marriage and the stable marriage constraint, which choose
// another way to work if all lists of a side are nearly the same.

namespace taper::preferences {

/// Whether the lists of a side are similar: any few neighbouring positions name the same few
/// candidates in all lists. The test samples 8 windows of 16 positions in 32 lists. Lists are
/// similar if each window names at most 32 different candidates.
///
/// `candidate(person, position)` is called on the host and returns an entry of a list.
/// Returns false if n < 256, since the sample would be most of a list.
/// Cost: reads 4096 entries.
template <class CandidateAt>
bool are_similar(std::size_t n, CandidateAt const& candidate) {
  constexpr std::size_t windows = 8;
  constexpr std::size_t lists = 32;
  constexpr std::size_t positions = 16;
  constexpr std::size_t max_candidates = 2 * positions;
  if (n < 2 * windows * positions) {
    return false;
  }
  std::vector<std::size_t> seen;
  for (std::size_t window = 0; window < windows; ++window) {
    std::size_t const begin = (n - positions) * window / (windows - 1);
    seen.clear();
    for (std::size_t list = 0; list < lists; ++list) {
      for (std::size_t position = begin; position < begin + positions; ++position) {
        seen.push_back(candidate((n - 1) * list / (lists - 1), position));
      }
    }
    std::sort(seen.begin(), seen.end());
    auto const different = std::unique(seen.begin(), seen.end()) - seen.begin();
    if (different > static_cast<std::ptrdiff_t>(max_candidates)) {
      return false;
    }
  }
  return true;
}

/// The same for lists in host memory.
template <class Id>
bool are_similar(Rows<Id const> const& lists, std::size_t n) {
  return are_similar(n, [&](std::size_t person, std::size_t position) -> std::size_t {
    return lists(person, position);
  });
}

}  // namespace taper::preferences
