// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <utility>

namespace taper::app {

/// Prints on stderr. A message that cannot be written is lost, but the answer is not: fmt::print()
/// would throw for a closed terminal, a full disk, or a reader such as `head` that has ended.
template <class... Arguments>
void print_message(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  auto const text = fmt::format(format, std::forward<Arguments>(arguments)...);
  [[maybe_unused]] auto const written = std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace taper::app
