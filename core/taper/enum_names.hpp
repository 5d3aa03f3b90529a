// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace taper {

/// An enumerator and its name in YAML files and on the command line.
/// Used by: the options of all algorithms.
///
/// An enumeration E that options use defines, in its own namespace, a constexpr function
/// enum_names(E). It returns a std::array of EnumName with all enumerators in their order. The
/// namespace also has using-declarations of to_string, parse and names, for callers that qualify
/// them with it.
template <class E>
struct EnumName {
  std::string_view name;
  E value;
};

/// Clang 16 deduces no arguments of aggregates by itself.
template <class E>
EnumName(std::string_view, E) -> EnumName<E>;

template <class E>
concept NamedEnum = requires(E value) {
  enum_names(value);
};

/// The name of an enumerator.
template <NamedEnum E>
constexpr std::string_view to_string(E value) {
  for (auto const& entry : enum_names(E{})) {
    if (entry.value == value) {
      return entry.name;
    }
  }
  return "?";
}

/// The enumerator with the name `text`; none if there is no such name.
template <NamedEnum E>
constexpr std::optional<E> parse(std::string_view text) {
  for (auto const& entry : enum_names(E{})) {
    if (entry.name == text) {
      return entry.value;
    }
  }
  return std::nullopt;
}

/// All names that parse<E>() accepts, in the enumeration's order.
template <NamedEnum E>
constexpr auto names() {
  constexpr auto all = enum_names(E{});
  std::array<std::string_view, all.size()> found;
  for (std::size_t i = 0; i < all.size(); ++i) {
    found[i] = all[i].name;
  }
  return found;
}

}  // namespace taper
