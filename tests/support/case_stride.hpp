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

/// Tests that go through thousands of like cases take every step-th of them: all in an ordinary
/// build; under a sanitizer, whose oracles of small vectors are 20 to 50 times slower, every 41st,
/// a prime, so that no digit of a case's number stands still. main() says so.
#ifdef TAPER_TESTS_ARE_SANITIZED
inline constexpr std::size_t like_cases_step = 41;
#else
inline constexpr std::size_t like_cases_step = 1;
#endif

}  // namespace taper::testing
