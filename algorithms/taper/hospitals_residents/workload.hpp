// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/enum_names.hpp>

#include <array>
#include <cstdint>

namespace taper::hospitals_residents {

/// The families of markets that generate() makes. Every list has `list_length` hospitals, or all
/// if there are fewer.
enum class Family {
  uniform,     ///< each list is a uniform sample of the hospitals, in random order
  popularity,  ///< hospital i is drawn with a probability like that of i^-(1 - 1/skew)
  geographic,  ///< hospitals near the resident's place on a circle, in random order
  /// A uniform sample, sorted by strength * quality + (1 - strength) * taste. Keys are strength *
  /// merit + (1 - strength) * opinion. Quality and merit are common to all that judge.
  scores,
};

/// How the seats are divided.
enum class Capacities {
  equal,      ///< as evenly as possible
  power_law,  ///< hospital i gets a share like that of 1 / (i + 1)
};

constexpr auto enum_names(Family) {
  return std::array{EnumName{"uniform", Family::uniform},
                    EnumName{"popularity", Family::popularity},
                    EnumName{"geographic", Family::geographic}, EnumName{"scores", Family::scores}};
}
constexpr auto enum_names(Capacities) {
  return std::array{EnumName{"equal", Capacities::equal},
                    EnumName{"power_law", Capacities::power_law}};
}

/// What to generate. The same workload gives the same market on every machine and backend: all
/// arithmetic is with integers.
struct Workload {
  Family family = Family::uniform;
  std::uint64_t residents = 0;
  std::uint64_t hospitals = 0;
  std::uint32_t list_length = 10;
  std::uint64_t seats = 0;  ///< of all hospitals
  Capacities capacities = Capacities::equal;
  std::uint32_t key_classes = 0;  ///< classes of equal keys at each hospital; 0: 2^32
  std::uint32_t skew = 3;         ///< popularity: the exponent is 1 - 1/skew; from 1 (uniform)
  std::uint32_t reach = 50;       ///< geographic: the farthest hospital, in hospitals
  double strength = 0.5;          ///< scores: weight of what is common, 0 to 1, in 1/65,536ths
  std::uint64_t seed = 1;
};

}  // namespace taper::hospitals_residents
