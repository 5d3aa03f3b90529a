// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TAPER_TESTS_ARE_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TAPER_TESTS_ARE_SANITIZED 1
#endif

namespace taper::testing {

/// Tests with thousands of similar cases run every case_stride-th of them. An ordinary build runs
/// all. Under a sanitizer, oracles with small vectors are 20 to 50 times slower, and it is every
/// 41st. The stride is prime, so that every digit of a case's number varies. main() reports it.
#ifdef TAPER_TESTS_ARE_SANITIZED
inline constexpr std::size_t case_stride = 41;
#else
inline constexpr std::size_t case_stride = 1;
#endif

}  // namespace taper::testing
