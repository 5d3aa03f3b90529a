// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/rows.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace taper::stable_marriage::detail {

/// Whether some lists of n have the same few receivers at the same few positions, all along: at
/// each of 8 places, 16 positions of 32 lists name at most 32 receivers. `liked(person, position)`
/// is asked on the host.
template <class Liked>
bool are_alike(std::size_t n, Liked const& liked) {
  constexpr std::size_t places = 8;
  constexpr std::size_t people = 32;
  constexpr std::size_t positions = 16;
  constexpr std::size_t few = 2 * positions;
  if (n < people * positions) {
    return false;
  }
  std::vector<std::size_t> seen;
  for (std::size_t place = 0; place < places; ++place) {
    std::size_t const begin = (n - positions) * place / (places - 1);
    seen.clear();
    for (std::size_t person = 0; person < people; ++person) {
      for (std::size_t position = begin; position < begin + positions; ++position) {
        seen.push_back(liked((n - 1) * person / (people - 1), position));
      }
    }
    std::sort(seen.begin(), seen.end());
    if (std::unique(seen.begin(), seen.end()) - seen.begin() > static_cast<std::ptrdiff_t>(few)) {
      return false;
    }
  }
  return true;
}

/// The same of lists in host memory.
template <class Id>
bool are_alike(Rows<Id const> const& lists, std::size_t n) {
  return are_alike(n, [&](std::size_t person, std::size_t position) -> std::size_t {
    return lists(person, position);
  });
}

}  // namespace taper::stable_marriage::detail
