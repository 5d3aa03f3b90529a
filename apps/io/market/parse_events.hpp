// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/source.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace taper::io {

/// What a JSON or a YAML file says, in its order; keys come as text, between open_map() and
/// close_map(). Lines from 1.
class Events {
 public:
  virtual ~Events() = default;

  virtual void open_map(std::size_t line) = 0;
  virtual void close_map(std::size_t line) = 0;
  virtual void open_list(std::size_t line) = 0;
  virtual void close_list(std::size_t line) = 0;

  /// A key, a string or a number, as it is written: 010 and yes are no more than these letters.
  virtual void text(std::string text, std::size_t line) = 0;

  /// `what` can never be a name: "null", say.
  virtual void other(std::string_view what, std::size_t line) = 0;
};

/// Both throw InputError where the file is not well-formed, and let the exceptions of `events`
/// through.
void parse_json(Source& source, Events& events);
void parse_yaml(Source& source, Events& events);

}  // namespace taper::io
