// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vector_register.hpp>

#include <bit>
#include <cstdint>

#if defined(__AVX512BW__) && !defined(__CUDACC__)
#include <immintrin.h>
#define TAPER_SIEVE_AVX512 1
#endif

namespace taper::stable_marriage::detail {

/// Finds marked people in a list, a run of it at a time: most runs have none. Here by a look at each
/// one's mark, two loads a person.
template <class Id, int bytes = vector_bytes>
class Sieve {
 public:
  static constexpr std::uint32_t run = 8;

  explicit Sieve(std::uint8_t const* marks) : marks_(marks) {}

  /// Whoever is marked must be put in.
  void put(std::uint32_t) {}

  /// A bit for each of the next `run` people, the first the lowest: all that are marked have one, and
  /// perhaps some others.
  std::uint32_t holds(Id const* list) const {
    std::uint8_t any = 0;
    for (std::uint32_t k = 0; k < run; ++k) {
      any |= marks_[list[k]];
    }
    return any == 0 ? 0 : (1u << run) - 1;
  }

 private:
  std::uint8_t const* marks_;
};

#if defined(TAPER_SIEVE_AVX512)
/// The same with 32 people an instruction, which the loads above are too many for. Two tables of 512
/// bits in registers have a bit for the lower and the upper part of each marked id; of 30 marked
/// people among thousands some 0.5 % of the others have both.
template <>
class Sieve<std::uint16_t, 64> {
 public:
  static constexpr std::uint32_t run = 32;

  explicit Sieve(std::uint8_t const*) {}

  void put(std::uint32_t person) {
    std::uint32_t const bit = 1u << (person >> 5 & 15);
    lower_[person & 31] |= static_cast<std::uint16_t>(bit);
    upper_[person >> 9 & 31] |= static_cast<std::uint16_t>(bit);
  }

  std::uint32_t holds(std::uint16_t const* list) const {
    __m512i const people = _mm512_loadu_si512(list);
    __m512i const bits = _mm512_and_si512(
        _mm512_permutexvar_epi16(people, _mm512_loadu_si512(lower_)),
        _mm512_permutexvar_epi16(_mm512_srli_epi16(people, 9), _mm512_loadu_si512(upper_)));
    __m512i const bit = _mm512_and_si512(_mm512_srli_epi16(people, 5), _mm512_set1_epi16(15));
    return _mm512_test_epi16_mask(bits, _mm512_sllv_epi16(_mm512_set1_epi16(1), bit));
  }

 private:
  alignas(64) std::uint16_t lower_[32] = {};
  alignas(64) std::uint16_t upper_[32] = {};
};
#endif

/// The first position before `end` of a list of n, among those where the sieve may have somebody, at
/// which `ends(position)`; `end` or more if there is none.
template <class Id, class Ends>
std::uint32_t first_held(Sieve<Id> const& sieve, Id const* list, std::uint32_t end, std::uint32_t n,
                         Ends const& ends) {
  constexpr std::uint32_t run = Sieve<Id>::run;
  for (std::uint32_t begin = 0; begin < end; begin += run) {
    std::uint32_t held = begin + run <= n ? sieve.holds(list + begin) : ~0u >> (32 - (n - begin));
    for (; held != 0; held &= held - 1) {
      std::uint32_t const position = begin + static_cast<std::uint32_t>(std::countr_zero(held));
      if (ends(position)) {
        return position;
      }
    }
  }
  return end;
}

}  // namespace taper::stable_marriage::detail
