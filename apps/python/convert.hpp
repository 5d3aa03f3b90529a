// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <experiment/fields.hpp>
#include <support/config_error.hpp>
#include <support/text.hpp>

#include <io/text/strings.hpp>
#include <taper/enum_names.hpp>
#include <taper/fields.hpp>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

// Values between Python and C++: options, reports, and arrays without copies.

namespace taper::python {

namespace py = pybind11;

/// An array of contiguous entries of exactly this type, without conversion.
template <class T>
using Array = py::array_t<T, py::array::c_style>;

template <class T>
std::span<T const> span_of(Array<T> const& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

/// Holds Python objects for work that may outlive its call: they are released with the GIL.
template <class... Objects>
std::shared_ptr<void const> keep(Objects const&... objects) {
  return {new py::tuple(py::make_tuple(objects...)), [](py::tuple const* kept) {
            py::gil_scoped_acquire const gil;
            delete kept;
          }};
}

/// An array that owns the memory of the vector.
template <class T>
py::array_t<T> to_array(std::vector<T> entries) {
  auto owner = std::make_unique<std::vector<T>>(std::move(entries));
  auto const size = owner->size();
  auto* const data = owner->data();
  py::capsule const base(owner.release(),
                         [](void* vector) { delete static_cast<std::vector<T>*>(vector); });
  return py::array_t<T>(static_cast<py::ssize_t>(size), data, base);
}

using app::HasFields;
using app::detail::is_list;
using app::detail::is_optional;

/// A value of a report: enumerators by name, aggregates as dicts.
template <class T>
py::object to_python(T const& value) {
  if constexpr (is_optional<T>) {
    return value ? to_python(*value) : py::none();
  } else if constexpr (NamedEnum<T>) {
    return py::str(std::string(to_string(value)));
  } else if constexpr (HasFields<T>) {
    py::dict dict;
    fields(value, [&](Field const& field, auto const& member) {
      dict[py::str(field.name.data(), field.name.size())] = to_python(member);
    });
    return dict;
  } else if constexpr (is_list<T>) {
    py::list list;
    for (auto const& entry : value) {
      list.append(to_python(entry));
    }
    return list;
  } else {
    return py::cast(value);
  }
}

namespace detail {

[[noreturn]] inline void fail_option(Field const& field, std::string const& expected,
                                     py::handle found) {
  throw app::ConfigError(std::string(field.name) + ": expected " + expected + ", found " +
                         py::repr(found).cast<std::string>());
}

/// An int, or another object that is an index, such as NumPy's integers; not a bool.
inline std::optional<std::int64_t> integer_of(py::handle value) {
  if (PyBool_Check(value.ptr()) || PyIndex_Check(value.ptr()) == 0) {
    return std::nullopt;
  }
  auto const index = py::reinterpret_steal<py::int_>(PyNumber_Index(value.ptr()));
  int overflow = 0;
  auto const number = PyLong_AsLongLongAndOverflow(index.ptr(), &overflow);
  return overflow == 0 ? std::optional<std::int64_t>(number) : std::nullopt;
}

/// Throws ConfigError with the option's name and what was expected.
template <class T>
void read_option(Field const& field, py::handle value, T& member) {
  if constexpr (is_optional<T>) {
    if (value.is_none()) {
      member.reset();
    } else {
      read_option(field, value, member.emplace());
    }
  } else if constexpr (std::same_as<T, bool>) {
    if (!PyBool_Check(value.ptr())) {
      fail_option(field, "True or False", value);
    }
    member = value.cast<bool>();
  } else if constexpr (NamedEnum<T>) {
    auto const known = names<T>();
    auto const word = py::isinstance<py::str>(value) ? value.cast<std::string>() : std::string{};
    auto const named = parse<T>(word);
    if (!named) {
      fail_option(field, "one of " + app::enumerate(known), value);
    }
    member = *named;
  } else if constexpr (std::floating_point<T>) {
    if (PyFloat_Check(value.ptr()) == 0 && !integer_of(value)) {
      fail_option(field, "a number", value);
    }
    member = value.cast<T>();
    if (!(member >= static_cast<T>(field.min) && member <= static_cast<T>(field.max))) {
      fail_option(field,
                  "a number from " + std::to_string(field.min) + " to " + std::to_string(field.max),
                  value);
    }
  } else {
    auto const number = integer_of(value);
    if (!number || *number < field.min || *number > field.max || !std::in_range<T>(*number)) {
      auto const from = "an integer from " + std::to_string(field.min);
      fail_option(field,
                  field.max == std::numeric_limits<std::int64_t>::max()
                      ? from + " on"
                      : from + " to " + std::to_string(field.max),
                  value);
    }
    member = static_cast<T>(*number);
  }
}

}  // namespace detail

/// Sets the fields of the aggregates that `given` has. Throws ConfigError for a name that none of
/// them has, and for a value that its field cannot have.
template <class... Aggregates>
void read_options(py::dict const& given, Aggregates&... aggregates) {
  std::vector<std::string_view> known;
  (fields(aggregates,
          [&](Field const& field, auto& member) {
            py::str const name(field.name.data(), field.name.size());
            known.push_back(field.name);
            if (given.contains(name)) {
              detail::read_option(field, given[name], member);
            }
          }),
   ...);
  for (auto const& [key, value] : given) {
    auto const name = key.template cast<std::string>();
    if (std::ranges::find(known, name) == known.end()) {
      throw app::ConfigError("unknown option " + io::in_quotes(name) +
                             app::expected_instead(name, known));
    }
  }
}

}  // namespace taper::python
