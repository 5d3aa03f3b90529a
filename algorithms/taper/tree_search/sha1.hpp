// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <utility>

namespace taper::tree_search {

/// A SHA-1 digest. Its first byte is the most significant byte of the first word.
struct Sha1Digest {
  std::uint32_t word[5];
};

namespace detail {

/// The last 16 words of the message schedule, and the five working variables. All indices are
/// constants, so that everything stays in registers.
struct Sha1Rounds {
  std::uint32_t w[16];
  std::uint32_t a = 0x67452301;
  std::uint32_t b = 0xEFCDAB89;
  std::uint32_t c = 0x98BADCFE;
  std::uint32_t d = 0x10325476;
  std::uint32_t e = 0xC3D2E1F0;

  KOKKOS_FORCEINLINE_FUNCTION static constexpr std::uint32_t rotated(std::uint32_t x, int by) {
    return x << by | x >> (32 - by);
  }

  template <int Round>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void round() {
    constexpr int i = Round % 16;
    if constexpr (Round >= 16) {
      w[i] = rotated(w[(i + 13) % 16] ^ w[(i + 8) % 16] ^ w[(i + 2) % 16] ^ w[i], 1);
    }
    std::uint32_t mixed = b ^ c ^ d;
    std::uint32_t constant = Round < 40 ? 0x6ED9EBA1 : 0xCA62C1D6;
    if constexpr (Round < 20) {
      mixed = d ^ (b & (c ^ d));
      constant = 0x5A827999;
    } else if constexpr (Round >= 40 && Round < 60) {
      mixed = (b & c) | (d & (b | c));
      constant = 0x8F1BBCDC;
    }
    std::uint32_t const next = rotated(a, 5) + mixed + e + constant + w[i];
    e = d;
    d = c;
    c = rotated(b, 30);
    b = a;
    a = next;
  }

  template <int... Round>
  KOKKOS_FORCEINLINE_FUNCTION constexpr void run(std::integer_sequence<int, Round...>) {
    (round<Round>(), ...);
  }
};

}  // namespace detail

/// The digest of a message of one block. `block` is the message with its padding and its length.
/// Source: FIPS 180-4.
KOKKOS_FORCEINLINE_FUNCTION constexpr Sha1Digest sha1_of_block(std::uint32_t const (&block)[16]) {
  detail::Sha1Rounds const start{};
  detail::Sha1Rounds rounds{};
  for (int i = 0; i < 16; ++i) {
    rounds.w[i] = block[i];
  }
  rounds.run(std::make_integer_sequence<int, 80>());
  return {{start.a + rounds.a, start.b + rounds.b, start.c + rounds.c, start.d + rounds.d,
           start.e + rounds.e}};
}

/// The state of a child: the digest of its parent's state and its number, 24 bytes.
KOKKOS_FORCEINLINE_FUNCTION constexpr Sha1Digest sha1_of(Sha1Digest const& digest,
                                                         std::uint32_t number) {
  std::uint32_t const* const x = digest.word;
  return sha1_of_block(
      {x[0], x[1], x[2], x[3], x[4], number, 0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 24 * 8});
}

/// The state of a root: the digest of 16 zero bytes and the seed, 20 bytes.
KOKKOS_FORCEINLINE_FUNCTION constexpr Sha1Digest sha1_of_seed(std::uint32_t seed) {
  return sha1_of_block({0, 0, 0, 0, seed, 0x80000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 20 * 8});
}

}  // namespace taper::tree_search
