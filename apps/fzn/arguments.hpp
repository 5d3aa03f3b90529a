// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gecode/int.hh>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Checks of the constraint's arguments.
// Used by: the propagator (stable_matching.cpp) and the decomposition.

namespace taper::fzn {

/// An argument of the constraint that does not fit.
struct InvalidArgument : Gecode::Exception {
  explicit InvalidArgument(std::string const& message)
      : Exception("stable_matching", message.c_str()) {}
};

inline constexpr char const* mens_lists_argument = "pm (the men's lists)";
inline constexpr char const* womens_lists_argument = "pw (the women's lists)";

inline void require_equal_sides(int men, int women) {
  if (men != women) {
    throw InvalidArgument("there are " + std::to_string(men) + " men and " + std::to_string(women) +
                          " women: the sides must be equal");
  }
}

inline void require_places(char const* argument, Gecode::IntVarArgs const& people, int base) {
  int const last = base + people.size() - 1;
  for (int i = 0; i < people.size(); ++i) {
    if (people[i].min() < base || people[i].max() > last) {
      throw InvalidArgument(std::string(argument) + ": variable " + std::to_string(i) +
                            " (from 0) has " + std::to_string(people[i].min()) + ".." +
                            std::to_string(people[i].max()) + ", but places are " +
                            std::to_string(base) + ".." + std::to_string(last));
    }
  }
}

/// Calls use(person, place, candidate) for each entry of n lists of n ids that count from `base`;
/// all three count from 0. Throws InvalidArgument at the first entry by which a list is no
/// permutation.
template <class Use>
void read_lists(char const* argument, Gecode::IntArgs const& ids, int n, int base, Use const& use) {
  std::int64_t const needed = std::int64_t{n} * n;
  if (ids.size() != needed) {
    throw InvalidArgument(std::string(argument) + " has " + std::to_string(ids.size()) +
                          " entries, but " + std::to_string(n) + " people per side need " +
                          std::to_string(needed));
  }
  std::vector<int> last_row(static_cast<std::size_t>(n), -1);  // per id: the last with this id
  for (int row = 0; row < n; ++row) {
    for (int entry = 0; entry < n; ++entry) {
      int const given = ids[row * n + entry];
      int const id = given - base;
      bool const in_range = id >= 0 && id < n;
      if (!in_range || std::exchange(last_row[static_cast<std::size_t>(id)], row) == row) {
        throw InvalidArgument(std::string(argument) + ": entry " + std::to_string(entry) +
                              " of row " + std::to_string(row) + " (both from 0) is " +
                              std::to_string(given) +
                              (in_range ? ", which is repeated"
                                        : ", which is not in " + std::to_string(base) + ".." +
                                              std::to_string(base + n - 1)));
      }
      use(row, entry, id);
    }
  }
}

}  // namespace taper::fzn
