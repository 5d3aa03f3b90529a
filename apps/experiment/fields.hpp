// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "node.hpp"
#include "result_files.hpp"
#include "settings.hpp"

#include <io/text/strings.hpp>
#include <taper/enum_names.hpp>
#include <taper/fields.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// Visitors of fields(aggregate, visit): YAML, JSON, CSV and the tables of the docs. The command
// line's visitor is driver/cli_fields.hpp.
namespace taper::app {

template <class T>
concept HasFields = requires(T& aggregate) {
  fields(aggregate, [](Field const&, auto&) {});
};

namespace detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;
template <class T>
inline constexpr bool is_list = false;
template <class T>
inline constexpr bool is_list<std::vector<T>> = true;

/// Whether a value fits into one cell of a CSV file.
template <class T>
inline constexpr bool is_scalar = std::integral<T> || std::floating_point<T> || NamedEnum<T> ||
                                  std::convertible_to<T, std::string>;
template <class T>
inline constexpr bool is_scalar<std::optional<T>> = is_scalar<T>;

/// The JSON form of a value: enumerators by name, aggregates as mappings, lists of aggregates as
/// lists of mappings, other values unchanged.
template <class T>
nlohmann::ordered_json json_of(T const& value) {
  if constexpr (is_optional<T>) {
    return value ? json_of(*value) : nlohmann::ordered_json(nullptr);
  } else if constexpr (NamedEnum<T>) {
    return to_string(value);
  } else if constexpr (HasFields<T>) {
    nlohmann::ordered_json json;
    fields(value, [&](Field const& field, auto const& member) {
      json[std::string(field.name)] = json_of(member);
    });
    return json;
  } else if constexpr (is_list<T>) {
    auto json = nlohmann::ordered_json::array();
    for (auto const& entry : value) {
      json.push_back(json_of(entry));
    }
    return json;
  } else {
    return value;
  }
}

/// The cell of a value in a CSV file or a table.
template <class T>
std::string text_of(T const& value) {
  if constexpr (is_optional<T>) {
    return value ? text_of(*value) : std::string{};
  } else if constexpr (NamedEnum<T>) {
    return std::string(to_string(value));
  } else if constexpr (std::floating_point<T>) {
    return fmt::format("{:.9g}", value);
  } else if constexpr (std::convertible_to<T, std::string>) {
    return io::csv_field(value);
  } else {
    return fmt::format("{}", value);
  }
}

/// Reads a value from YAML. Throws ConfigError with the place and what was expected.
template <class T>
void read_value(Node const& node, Field const& field, T& value) {
  if constexpr (is_optional<T>) {
    read_value(node, field, value.emplace());
  } else if constexpr (std::same_as<T, bool>) {
    value = node.boolean();
  } else if constexpr (NamedEnum<T>) {
    auto const words = names<T>();
    value = *parse<T>(words[node.choice(words)]);
  } else if constexpr (std::floating_point<T>) {
    value = node.real(static_cast<double>(field.min), static_cast<double>(field.max));
  } else if constexpr (std::integral<T>) {
    value = static_cast<T>(node.integer(field.min, field.max));
  } else {
    value = node.text();
  }
}

/// Reads a value from results.json.
template <class T>
void read_value(nlohmann::ordered_json const& json, T& value) {
  if constexpr (is_optional<T>) {
    if (json.is_null()) {
      value.reset();
    } else {
      read_value(json, value.emplace());
    }
  } else if constexpr (NamedEnum<T>) {
    value = parse<T>(json.get<std::string>()).value_or(T{});
  } else if constexpr (HasFields<T>) {
    fields(value, [&](Field const& field, auto& member) {
      read_value(json.at(std::string(field.name)), member);
    });
  } else if constexpr (is_list<T>) {
    value.clear();
    for (auto const& entry : json) {
      read_value(entry, value.emplace_back());
    }
  } else if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    value = integer_of<T>(json);
  } else {
    json.get_to(value);
  }
}

/// The type and range of a field, for the docs.
template <class T>
std::string type_of(Field const& field) {
  if constexpr (is_optional<T>) {
    return type_of<typename T::value_type>(field);
  } else if constexpr (std::same_as<T, bool>) {
    return "true, false";
  } else if constexpr (NamedEnum<T>) {
    return fmt::format("{}", fmt::join(names<T>(), ", "));
  } else if constexpr (std::integral<T>) {
    return field.max == std::numeric_limits<std::int64_t>::max()
               ? fmt::format("integer, from {}", field.min)
               : fmt::format("integer, {} to {}", field.min,
                             io::grouped(static_cast<std::uint64_t>(field.max)));
  } else if constexpr (std::floating_point<T>) {
    return "number";
  } else if constexpr (std::convertible_to<T, std::string>) {
    return "text";
  } else if constexpr (HasFields<T>) {
    return "mapping";
  } else {
    return "list";
  }
}

}  // namespace detail

/// The names of an aggregate's fields, in order.
template <class T>
std::vector<std::string_view> field_names() {
  T aggregate{};
  std::vector<std::string_view> found;
  fields(aggregate, [&](Field const& field, auto&) { found.push_back(field.name); });
  return found;
}

/// The keys that a mapping may have: `more` and the fields of the aggregates.
template <class... Aggregates>
std::vector<std::string_view> keys_of(std::initializer_list<std::string_view> more = {}) {
  std::vector<std::string_view> keys(more);
  (
      [&] {
        for (auto const name : field_names<Aggregates>()) {
          keys.push_back(name);
        }
      }(),
      ...);
  return keys;
}

/// Throws ConfigError with the present name if the mapping has the former name of a field.
template <class T>
void refuse_former_names(Node const& map) {
  T aggregate{};
  fields(aggregate, [&](Field const& field, auto&) {
    if (!field.former.empty()) {
      map.refuse_former(field.former, field.name);
    }
  });
}

/// Reads an enumerator by its name. Throws ConfigError with all names.
template <NamedEnum E>
E read_enum(Node const& node) {
  E value{};
  detail::read_value(node, {}, value);
  return value;
}

/// Reads the fields that the mapping has, without those of `except`. Other fields keep their
/// values. Throws ConfigError with the place and what was expected.
template <class T>
void read_fields(Node const& map, T& aggregate,
                 std::initializer_list<std::string_view> except = {}) {
  fields(aggregate, [&](Field const& field, auto& member) {
    bool const is_read = std::ranges::find(except, field.name) == except.end();
    if (auto const node = is_read ? map.find(field.name) : std::nullopt) {
      if constexpr (!HasFields<std::remove_cvref_t<decltype(member)>>) {
        detail::read_value(*node, field, member);
      }
    }
  });
}

/// Throws ConfigError with the message `what` if the mapping has a field of `T`.
template <class T>
void refuse_fields(Node const& map, std::string_view what) {
  for (auto const name : field_names<T>()) {
    if (auto const node = map.find(name)) {
      node->fail(what);
    }
  }
}

/// Adds the fields to a JSON mapping. An optional without a value is left out.
template <class T>
void write_fields(nlohmann::ordered_json& json, T const& aggregate) {
  if (json.is_null()) {
    // Not by operator[]: if it finds no memory, it leaves an object that crashes its destructor.
    json = nlohmann::ordered_json(nlohmann::ordered_json::value_t::object);
  }
  fields(aggregate, [&](Field const& field, auto const& member) {
    if constexpr (detail::is_optional<std::remove_cvref_t<decltype(member)>>) {
      if (!member) {
        return;
      }
    }
    json[std::string(field.name)] = detail::json_of(member);
  });
}

/// The engines of a configuration in JSON: name, fields, backend, and threads if they are given.
template <class Options>
nlohmann::ordered_json engines_json(std::vector<EngineSpec<Options>> const& engines) {
  auto json = nlohmann::ordered_json::array();
  for (auto const& [name, options, backend, threads] : engines) {
    auto& entry = json.emplace_back(nlohmann::ordered_json{{"name", name}});
    write_fields(entry, options);
    entry["backend"] = backend;
    if (threads > 0) {
      entry["threads"] = threads;
    }
  }
  return json;
}

/// Reads the fields that a JSON mapping has, by their present or former names. Other fields keep
/// their values.
template <class T>
void read_fields(nlohmann::ordered_json const& json, T& aggregate) {
  fields(aggregate, [&](Field const& field, auto& member) {
    auto found = json.find(std::string(field.name));
    if (found == json.end() && !field.former.empty()) {
      found = json.find(std::string(field.former));
    }
    if (found != json.end() &&
        !(found->is_null() && !detail::is_optional<std::remove_cvref_t<decltype(member)>>)) {
      detail::read_value(*found, member);
    }
  });
}

/// ",name,name" and ",value,value": columns of a CSV file behind other columns. Lists are left out.
template <class T>
std::string csv_header() {
  T const aggregate{};
  std::string header;
  fields(aggregate, [&](Field const& field, auto const& member) {
    if constexpr (detail::is_scalar<std::remove_cvref_t<decltype(member)>>) {
      header += fmt::format(",{}", field.name);
    }
  });
  return header;
}
template <class T>
std::string csv_values(T const& aggregate) {
  std::string row;
  fields(aggregate, [&](Field const&, auto const& member) {
    if constexpr (detail::is_scalar<std::remove_cvref_t<decltype(member)>>) {
      row += "," + detail::text_of(member);
    }
  });
  return row;
}

/// The docs' table of an aggregate of options, in Markdown: a row per field.
template <class T>
std::string field_table() {
  T const defaults{};
  std::string table = "| key | value | default | unit | meaning |\n|---|---|---|---|---|\n";
  fields(defaults, [&](Field const& field, auto const& member) {
    using Member = std::remove_cvref_t<decltype(member)>;
    std::string value;
    if constexpr (detail::is_scalar<Member>) {
      value = detail::text_of(member);
    }
    if constexpr (std::unsigned_integral<Member> && !std::same_as<Member, bool>) {
      if (std::cmp_greater(member, field.max)) {
        value.clear();  // no file can say it
      }
    }
    table +=
        fmt::format("| `{}` | {} | {} | {} | {} |\n", field.name, detail::type_of<Member>(field),
                    value.empty() ? "" : "`" + value + "`", field.unit, field.help);
  });
  return table;
}

/// The docs' table of a report, in Markdown: a row per field.
template <class T>
std::string report_table() {
  T const report{};
  std::string table = "| field | unit | meaning |\n|---|---|---|\n";
  fields(report, [&](Field const& field, auto const&) {
    table += fmt::format("| `{}` | {} | {} |\n", field.name, field.unit, field.help);
  });
  return table;
}

}  // namespace taper::app
