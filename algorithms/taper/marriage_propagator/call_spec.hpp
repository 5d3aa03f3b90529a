// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/options.hpp>

#include <array>
#include <cstdint>

// The kinds of calls that experiments measure. Standard library only.
// Used by: generate.hpp, `taper run` and the benchmarks.

namespace taper::marriage_propagator {

/// The classes of calls in the paper's Section 5, and two more.
enum class Family {
  all_free,   ///< full domains: the first call, all men free
  missing,    ///< full domains, but each value of both sides is missing with a probability
  two_free,   ///< later in a search, after a couple was assigned
  none_free,  ///< after the first call: values above the men's minima and below the women's maxima
              ///< are gone (partially pruned domains)
  search      ///< all calls of a whole search for the first solution
};

constexpr auto enum_names(Family) {
  return std::array{EnumName{"all_free", Family::all_free}, EnumName{"missing", Family::missing},
                    EnumName{"two_free", Family::two_free},
                    EnumName{"none_free", Family::none_free}, EnumName{"search", Family::search}};
}

/// Specifies one call, and the removals and calls that lead to it. prepare_call() performs these.
struct CallSpec {
  Family family = Family::all_free;
  std::uint32_t one_in = 1024;  ///< missing: the probability that a value is missing is 1 / one_in
  std::uint32_t modified = 2;   ///< none_free: persons whose domains were narrowed for this call
  double narrowed = 0;          ///< two_free, none_free: share of persons narrowed before, 0 to 1
  std::uint32_t decided = 0;    ///< two_free: couples assigned before this one
  std::uint64_t seed = 1;

  friend bool operator==(CallSpec const&, CallSpec const&) = default;
};

}  // namespace taper::marriage_propagator
