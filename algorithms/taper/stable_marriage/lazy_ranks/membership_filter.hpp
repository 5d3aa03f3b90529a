// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vector_register.hpp>

#include <bit>
#include <cstdint>

#if defined(__AVX512BW__) && !defined(__CUDACC__)
#include <immintrin.h>
#define TAPER_FILTER_AVX512 1
#endif

namespace taper::stable_marriage::detail {

/// Finds the members of a small set of people in a preference list. It tests `group` entries at a
/// time, since most groups have no member. This version reads a mark per person, two loads each.
///
/// Used by: the runs without a rank matrix. A receiver searches its list for the proposers that
/// have asked.
template <class Id, int bytes = vector_bytes>
class MembershipFilter {
 public:
  static constexpr std::uint32_t group = 8;

  /// `marks` has an entry per person, which is not 0 for members.
  explicit MembershipFilter(std::uint8_t const* marks) : marks_(marks) {}

  /// Adds a member. Each person with a mark must be inserted.
  void insert(std::uint32_t) {}

  /// A bit per entry of the next group, the first the lowest. Each member has its bit; some other
  /// entries may have one too.
  std::uint32_t may_contain(Id const* list) const {
    std::uint8_t any = 0;
    for (std::uint32_t k = 0; k < group; ++k) {
      any |= marks_[list[k]];
    }
    return any == 0 ? 0 : (1u << group) - 1;
  }

 private:
  std::uint8_t const* marks_;
};

#if defined(TAPER_FILTER_AVX512)
/// The same with 32 entries per instruction, since the two loads per person above are too many. A
/// member sets one bit in each of two tables of 32 words, which fit registers. Bits 0 to 4 of its
/// id choose the word of lower_, bits 9 to 13 that of upper_, and bits 5 to 8 the bit in both. With
/// 30 members among thousands, about 0.5 % of the other people have both bits.
template <>
class MembershipFilter<std::uint16_t, 64> {
 public:
  static constexpr std::uint32_t group = 32;

  explicit MembershipFilter(std::uint8_t const*) {}

  void insert(std::uint32_t person) {
    std::uint32_t const bit = 1u << (person >> 5 & 15);
    lower_[person & 31] |= static_cast<std::uint16_t>(bit);
    upper_[person >> 9 & 31] |= static_cast<std::uint16_t>(bit);
  }

  std::uint32_t may_contain(std::uint16_t const* list) const {
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

/// The first position before `end` of a list of n for which is_member(position) is true. It is
/// called only for positions that pass the filter. Returns `end` or more if there is none.
template <class Id, class IsMember>
std::uint32_t find_first_member(MembershipFilter<Id> const& filter, Id const* list,
                                std::uint32_t end, std::uint32_t n, IsMember const& is_member) {
  constexpr std::uint32_t group = MembershipFilter<Id>::group;
  for (std::uint32_t begin = 0; begin < end; begin += group) {
    std::uint32_t candidates =
        begin + group <= n ? filter.may_contain(list + begin) : ~0u >> (32 - (n - begin));
    for (; candidates != 0; candidates &= candidates - 1) {
      std::uint32_t const position =
          begin + static_cast<std::uint32_t>(std::countr_zero(candidates));
      if (is_member(position)) {
        return position;
      }
    }
  }
  return end;
}

}  // namespace taper::stable_marriage::detail
