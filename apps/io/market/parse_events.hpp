// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/text/source.hpp>

#include <cstddef>
#include <string>
#include <string_view>

namespace taper::io {

/// Receives the content of a JSON or YAML file as events, in the order of the file. Keys come as
/// text() between open_map() and close_map(). Lines count from 1.
/// Used by: read_market() and read_matching(), which check the structure event by event.
class ParseEvents {
 public:
  virtual ~ParseEvents() = default;

  virtual void open_map(std::size_t line) = 0;
  virtual void close_map(std::size_t line) = 0;
  virtual void open_list(std::size_t line) = 0;
  virtual void close_list(std::size_t line) = 0;

  /// A key, a string or a number, as written: 010 and yes are names, not 10 and true.
  virtual void text(std::string text, std::size_t line) = 0;

  /// A value that cannot be a name, such as "null".
  virtual void other(std::string_view what, std::size_t line) = 0;
};

/// Parse a file and call `events`. Throw: InputError if the file is malformed, and what `events`
/// throws.
void parse_json(Source& source, ParseEvents& events);
void parse_yaml(Source& source, ParseEvents& events);

}  // namespace taper::io
