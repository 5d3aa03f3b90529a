// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace taper::io {

/// Input that cannot be used, or a file that cannot be read or written. One line: "FILE:LINE: what
/// was expected".
class InputError : public std::runtime_error {
 public:
  explicit InputError(std::string_view what) : std::runtime_error(std::string(what)) {}

  InputError(std::string_view file, std::string_view what)
      : std::runtime_error(std::string(file).append(": ").append(what)) {}

  /// Lines count from 1; line 0 stands for "no line", as in a binary file.
  InputError(std::string_view file, std::size_t line, std::string_view what)
      : std::runtime_error(std::string(file)
                               .append(line > 0 ? ":" + std::to_string(line) : "")
                               .append(": ")
                               .append(what)) {}
};

/// Reading ended early because the caller wished it.
class Interrupted : public std::runtime_error {
 public:
  explicit Interrupted(std::string_view file)
      : std::runtime_error(std::string(file).append(": interrupted before it was read")) {}
};

/// Pairs that can be read but are no perfect matching: somebody twice, or somebody without a
/// partner.
class MatchingError : public InputError {
 public:
  using InputError::InputError;
};

}  // namespace taper::io
