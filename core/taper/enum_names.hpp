// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace taper {

/// An enumerator and how YAML and the command line spell it.
///
/// An enumeration that options use has, in its own namespace, a constexpr function spellings(E)
/// that returns a std::array of these, all enumerators in their order; and the three functions
/// below by `using`, so that they are found where the enumeration is.
template <class E>
struct Spelling {
  std::string_view name;
  E value;
};

template <class E>
concept Spelled = requires(E value) {
  spellings(value);
};

/// An option's value as YAML and the command line spell it.
template <Spelled E>
constexpr std::string_view to_string(E value) {
  for (auto const& spelling : spellings(E{})) {
    if (spelling.value == value) {
      return spelling.name;
    }
  }
  return "?";
}

template <Spelled E>
constexpr std::optional<E> parse(std::string_view text) {
  for (auto const& spelling : spellings(E{})) {
    if (spelling.name == text) {
      return spelling.value;
    }
  }
  return std::nullopt;
}

/// All that parse<E>() knows, in the enumeration's order.
template <Spelled E>
constexpr auto names() {
  constexpr auto all = spellings(E{});
  std::array<std::string_view, all.size()> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    found[i] = all[i].name;
  }
  return found;
}

}  // namespace taper
