// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <vector>

namespace taper::support {

/// Removes each --n=N from the arguments and returns the sizes; only 0 if one is no positive number.
inline std::vector<std::size_t> take_sizes(int& argc, char** argv) {
  constexpr std::string_view flag = "--n=";
  std::vector<std::size_t> sizes;
  int kept = 1;
  for (int i = 1; i < argc; ++i) {
    std::string_view const argument = argv[i];
    if (argument.substr(0, flag.size()) != flag) {
      argv[kept++] = argv[i];
      continue;
    }
    auto const* const end = argument.data() + argument.size();
    auto& n = sizes.emplace_back();
    auto const [stopped, error] = std::from_chars(argument.data() + flag.size(), end, n);
    if (error != std::errc{} || stopped != end || n == 0) {
      return {0};
    }
  }
  argc = kept;
  return sizes;
}

/// The same for one size; `otherwise` if the option is missing.
inline std::size_t take_n(int& argc, char** argv, std::size_t otherwise) {
  auto const sizes = take_sizes(argc, argv);
  return sizes.empty() ? otherwise : sizes.back();
}

}  // namespace taper::support
