// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "config_error.hpp"

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// One node of a configuration, and where it was written.
///
/// yaml-cpp alone is too lenient for experiments: it keeps the first of two equal keys, reads 010
/// as eight and `yes` as true, and says nothing of a key that nobody asked for. A Node reads
/// scalars itself and is silent about nothing: each reader throws ConfigError with the file, the
/// line, the key's path and the expectation.
class Node {
 public:
  /// The file's one document, with `overrides` ("key.path=value", the value in YAML) put in place;
  /// `content`: what an empty file has none of.
  static Node load(std::filesystem::path const& file, std::span<std::string const> overrides = {},
                   std::string_view content = "experiments");

  bool is_map() const { return yaml_.IsMap(); }
  bool is_list() const { return yaml_.IsSequence(); }

  /// Throws unless this is a mapping that holds none but these keys.
  void allow_only(std::initializer_list<std::string_view> keys) const;
  std::optional<Node> find(std::string_view key) const;
  Node require(std::string_view key) const;
  /// The elements of a list that is not empty.
  std::vector<Node> items() const;

  std::int64_t integer(std::int64_t min, std::int64_t max) const;
  double real(double min, double max) const;
  bool boolean() const;
  std::string text() const;
  /// Whether this is a scalar that reads so; for a word that takes the place of a number.
  bool is_word(std::string_view word) const { return yaml_.IsScalar() && yaml_.Scalar() == word; }
  /// The place of this scalar among `words`.
  std::size_t choice(std::span<std::string_view const> words) const;

  /// Throws "FILE:LINE: PATH: what".
  [[noreturn]] void fail(std::string_view what) const;

 private:
  /// The file, and which paths come from the command line instead.
  struct Origin {
    std::string file;
    std::map<std::string, std::string, std::less<>> overrides;
  };

  Node(YAML::Node yaml, std::string path, std::shared_ptr<Origin const> origin)
      : yaml_(std::move(yaml)), path_(std::move(path)), origin_(std::move(origin)) {}

  static void override_with(YAML::Node root, std::string const& assignment, Origin& origin);
  Node child(std::string_view key, YAML::Node const& value) const;
  [[noreturn]] void fail_expecting(std::string_view expected) const;
  std::string where(int line) const;

  YAML::Node yaml_;
  std::string path_;
  std::shared_ptr<Origin const> origin_;
};

}  // namespace taper::app
