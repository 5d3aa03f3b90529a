// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <limits>
#include <string_view>
#include <type_traits>

namespace taper {

/// The name, the range and the description of one member of an aggregate.
///
/// An aggregate of options or of report fields has one function beside it:
///
///     template <FieldsOf<Options> Aggregate, class Visitor>
///     constexpr void fields(Aggregate& options, Visitor&& visit) {
///       visit(Field{.name = "mode", .help = "which search"}, options.mode);
///       ...
///     }
///
/// YAML keys, JSON, CSV headers, the command line's help and the tables of the docs all come from
/// this function. It does not visit a member that has no form in a file, such as a pointer.
///
/// Used by: the options and reports of all algorithms. apps/experiment/fields.hpp has the visitors.
struct Field {
  std::string_view name;
  std::string_view help;
  std::string_view unit = {};  ///< "seconds", "bytes"; empty for a plain number or a word
  std::int64_t min = 0;        ///< numbers only: the least value
  std::int64_t max = std::numeric_limits<std::int64_t>::max();
  std::string_view former = {};  ///< the name before version 0.2, for errors and old results
};

/// `T` is `Aggregate` or `Aggregate const`.
template <class T, class Aggregate>
concept FieldsOf = std::same_as<std::remove_const_t<T>, Aggregate>;

}  // namespace taper
