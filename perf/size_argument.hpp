// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>

namespace taper::support {

/// Removes --n=N from the arguments and returns N: 0 if it is no positive number, `otherwise` if
/// the option is missing.
inline std::size_t take_n(int& argc, char** argv, std::size_t otherwise) {
  constexpr std::string_view flag = "--n=";
  std::size_t n = otherwise;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    std::string_view const argument = argv[i];
    if (argument.substr(0, flag.size()) != flag) {
      argv[kept++] = argv[i];
      continue;
    }
    auto const* const end = argument.data() + argument.size();
    auto const [stopped, error] = std::from_chars(argument.data() + flag.size(), end, n);
    if (error != std::errc{} || stopped != end) {
      return 0;
    }
  }
  argc = kept;
  return n;
}

}  // namespace taper::support
