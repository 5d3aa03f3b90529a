// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <support/config_error.hpp>

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::app {

/// One node of a YAML configuration, with its place in the file.
///
/// yaml-cpp alone is too lenient: it keeps the first of two equal keys, reads 010 as eight and
/// `yes` as true, and ignores unknown keys. A Node reads scalars itself. Each reader throws
/// ConfigError with the file, the line, the key's path and what was expected.
/// Used by: the experiments and machine profiles.
class Node {
 public:
  /// Reads a file that holds one document. Each of `overrides` replaces a value: "key.path=value",
  /// with the value in YAML. `content`: for the error about an empty file, "no CONTENT in FILE".
  static Node load(std::filesystem::path const& file, std::span<std::string const> overrides = {},
                   std::string_view content = "experiments");
  /// The same for a text in memory. `file`: its name, for messages.
  static Node parse(std::string const& text, std::string const& file,
                    std::span<std::string const> overrides = {},
                    std::string_view content = "experiments");

  bool is_map() const { return yaml_.IsMap(); }
  bool is_list() const { return yaml_.IsSequence(); }

  /// Throws unless this is a mapping whose keys are all among `keys`.
  void allow_only(std::vector<std::string_view> const& keys) const;
  /// Throws if this is a mapping with the key `former`, whose present name is `present`.
  void refuse_former(std::string_view former, std::string_view present) const;
  /// The value of a key; nothing if the mapping does not have it.
  std::optional<Node> find(std::string_view key) const;
  /// The value of a key. Throws if the mapping does not have it.
  Node require(std::string_view key) const;
  /// The elements of a list. Throws if it is empty.
  std::vector<Node> items() const;
  /// The elements of a list; of another node the node itself.
  std::vector<Node> each() const { return is_list() ? items() : std::vector{*this}; }

  std::int64_t integer(std::int64_t min, std::int64_t max) const;
  double real(double min, double max) const;
  bool boolean() const;
  std::string text() const;
  /// Whether this is the scalar `word`. For a word in the place of a number.
  bool is_word(std::string_view word) const { return yaml_.IsScalar() && yaml_.Scalar() == word; }
  /// The index of this scalar in `words`.
  std::size_t choice(std::span<std::string_view const> words) const;

  /// Throws "FILE:LINE: PATH: what".
  [[noreturn]] void fail(std::string_view what) const;

 private:
  /// The file, and the paths that the command line has overridden with their assignments.
  struct Origin {
    std::string file;
    std::map<std::string, std::string, std::less<>> overrides;
  };

  Node(YAML::Node yaml, std::string path, std::shared_ptr<Origin const> origin)
      : yaml_(std::move(yaml)), path_(std::move(path)), origin_(std::move(origin)) {}

  static void override_with(YAML::Node root, std::string const& assignment, Origin& origin);
  Node child(std::string_view key, YAML::Node const& value) const;
  [[noreturn]] void fail_expecting(std::string_view expected) const;
  std::string location(int line) const;

  YAML::Node yaml_;
  std::string path_;
  std::shared_ptr<Origin const> origin_;
};

}  // namespace taper::app
