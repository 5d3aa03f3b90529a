// SPDX-License-Identifier: Apache-2.0
#include "node.hpp"

#include <support/text.hpp>

#include <io/text/strings.hpp>
#include <io/text/yaml.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace taper::app {
namespace {

/// More nodes and levels than any experiment has. Aliases of aliases can make a small file unfold
/// without end, and so can an alias within its own anchor: `a: &a [*a]`.
constexpr int max_nodes = 100'000;
constexpr int max_levels = 64;

std::string line_location(std::string const& file, int line) {
  return line < 0 ? file : fmt::format("{}:{}", file, line + 1);
}

/// Throws for equal keys and for keys that are no scalars, which yaml-cpp accepts.
void check_keys(YAML::Node const& node, std::string const& file, int& visited, int level = 0) {
  if (level > max_levels) {
    throw ConfigError(
        fmt::format("{}: more than {} levels; is this an experiment?", file, max_levels));
  }
  if (++visited > max_nodes) {
    throw ConfigError(
        fmt::format("{}: more than {} values; is this an experiment?", file, max_nodes));
  }
  if (node.IsSequence()) {
    for (auto const& item : node) {
      check_keys(item, file, visited, level + 1);
    }
  } else if (node.IsMap()) {
    std::map<std::string, int> line_of;
    for (auto const& entry : node) {
      auto const line = entry.first.Mark().line;
      if (!entry.first.IsScalar()) {
        throw ConfigError(fmt::format("{}: a key must be a plain word", line_location(file, line)));
      }
      auto const [first, fresh] = line_of.emplace(entry.first.Scalar(), line);
      if (!fresh) {
        throw ConfigError(fmt::format("{}: key '{}' was already given in line {}",
                                      line_location(file, line), first->first, first->second + 1));
      }
      check_keys(entry.second, file, visited, level + 1);
    }
  }
}

YAML::Node parse_document(std::string const& text, std::string const& file) {
  try {
    io::YamlSyntaxCheck check;
    if (io::parse_two_documents(text, check) > 1) {
      throw ConfigError(fmt::format("{}: expected one YAML document, found a second", file));
    }
    auto document = YAML::Load(text);
    int visited = 0;
    check_keys(document, file, visited);
    return document;
  } catch (YAML::Exception const& error) {
    throw ConfigError(
        fmt::format("{}: not valid YAML: {}", line_location(file, error.mark.line), error.msg));
  }
}

std::string read_text(std::filesystem::path const& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    throw ConfigError(fmt::format("{}: no such file", file.string()));
  }
  if (std::filesystem::is_directory(file, error)) {
    throw ConfigError(fmt::format("{}: is a folder, expected a YAML file", file.string()));
  }
  std::ifstream stream(file);
  std::ostringstream text;
  if (!stream || !(text << stream.rdbuf())) {
    if (stream && std::filesystem::file_size(file, error) == 0) {
      return {};
    }
    throw ConfigError(fmt::format("{}: cannot be read: {}", file.string(), std::strerror(errno)));
  }
  return text.str();
}

/// Throws ConfigError unless the text is UTF-8 without control bytes. Result files are JSON, which
/// holds no other text.
void require_text(std::string const& text, std::string const& file) {
  if (std::ranges::any_of(
          text, [](unsigned char c) { return c < 0x20 && c != '\t' && c != '\n' && c != '\r'; })) {
    throw ConfigError(fmt::format("{}: expected YAML, found binary data", file));
  }
  if (auto const at = io::find_invalid_utf8(text); at < text.size()) {
    auto const line = std::count(text.begin(), text.begin() + std::ptrdiff_t(at), '\n');
    throw ConfigError(fmt::format("{}: expected UTF-8, found the byte 0x{:02x}",
                                  line_location(file, static_cast<int>(line)),
                                  static_cast<unsigned char>(text[at])));
  }
}

/// Whether a scalar is neither in quotes (yaml-cpp gives it the tag "!") nor tagged as text. A
/// quoted number is text.
bool is_plain_scalar(YAML::Node const& node) {
  return node.IsScalar() && node.Tag() != "!" && node.Tag() != "tag:yaml.org,2002:str";
}

std::string describe(YAML::Node const& node) {
  switch (node.Type()) {
  case YAML::NodeType::Scalar:
    return node.Scalar().empty()   ? "empty quotes"
           : is_plain_scalar(node) ? io::in_quotes(node.Scalar())
           : node.Tag() == "!"     ? io::in_quotes(node.Scalar()) + " in quotes, which is text"
                                   : io::in_quotes(node.Scalar()) + ", which is tagged as text";
  case YAML::NodeType::Sequence:
    return node.size() == 0 ? "an empty list" : "a list";
  case YAML::NodeType::Map:
    return "a mapping";
  default:
    return "nothing";
  }
}

}  // namespace

Node Node::load(std::filesystem::path const& file, std::span<std::string const> overrides,
                std::string_view content) {
  return parse(read_text(file), file.string(), overrides, content);
}

Node Node::parse(std::string const& text, std::string const& file,
                 std::span<std::string const> overrides, std::string_view content) {
  require_text(text, file);
  auto origin = std::make_shared<Origin>();
  origin->file = file;
  auto root = parse_document(text, file);
  if (root.IsNull()) {
    throw ConfigError(fmt::format("no {} in {}", content, origin->file));
  }
  if (!root.IsMap()) {
    throw ConfigError(fmt::format("{}: expected a mapping of keys at the top, found {}",
                                  origin->file, root.IsScalar() ? "text" : describe(root)));
  }
  for (auto const& assignment : overrides) {
    override_with(root, assignment, *origin);
  }
  return Node(root, "", std::move(origin));
}

void Node::override_with(YAML::Node root, std::string const& assignment, Origin& origin) {
  auto const place = fmt::format("command line '{}'", assignment);
  auto const equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw ConfigError(fmt::format("{}: expected key=value", place));
  }
  auto const path = assignment.substr(0, equals);
  auto const value = parse_document(assignment.substr(equals + 1), place);

  // Assigning to a YAML::Node variable writes into the tree. reset() only moves the variable.
  YAML::Node at = root;
  std::string walked;
  for (std::size_t begin = 0; begin <= path.size();) {
    auto const end = std::min(path.find('.', begin), path.size());
    auto const step = path.substr(begin, end - begin);
    auto const last = end == path.size();
    if (step.empty()) {
      throw ConfigError(
          fmt::format("{}: expected key=value, with a dot between the parts of a key", place));
    }
    if (at.IsSequence()) {
      auto const index = parse_integer(step);
      if (!index || *index < 0 || static_cast<std::size_t>(*index) >= at.size()) {
        throw ConfigError(fmt::format("{}: '{}' has entries 0 to {}, not '{}'", place, walked,
                                      static_cast<long>(at.size()) - 1, step));
      }
      auto next = at[static_cast<std::size_t>(*index)];
      if (last) {
        next = value;
      }
      at.reset(next);
    } else if (at.IsMap()) {
      if (!last && !at[step]) {
        throw ConfigError(fmt::format("{}: there is no '{}' in the file", place,
                                      walked.empty() ? step : walked + "." + step));
      }
      auto next = at[step];
      if (last) {
        next = value;
      }
      at.reset(next);
    } else {
      throw ConfigError(fmt::format("{}: '{}' is {}, not a mapping with a key '{}'", place, walked,
                                    describe(at), step));
    }
    walked += (walked.empty() ? "" : ".") + step;
    begin = end + 1;
  }
  origin.overrides[path] = place;
}

void Node::allow_only(std::vector<std::string_view> const& known) const {
  if (!is_map()) {
    fail_expecting("a mapping");
  }
  for (auto const& entry : yaml_) {
    auto const key = entry.first.Scalar();
    if (std::ranges::find(known, key) == known.end()) {
      auto unknown = child(key, entry.second);
      throw ConfigError(fmt::format("{}: unknown key '{}'{}",
                                    unknown.location(entry.first.Mark().line), unknown.path_,
                                    expected_instead(key, known)));
    }
  }
}

void Node::refuse_former(std::string_view former, std::string_view present) const {
  if (auto const found = find(former)) {
    found->fail(fmt::format("the present name of this key is '{}'", present));
  }
}

std::optional<Node> Node::find(std::string_view key) const {
  for (auto const& entry : yaml_) {
    if (entry.first.Scalar() == key) {
      return child(key, entry.second);
    }
  }
  return std::nullopt;
}

Node Node::require(std::string_view key) const {
  if (auto found = find(key)) {
    return *found;
  }
  throw ConfigError(
      fmt::format("{}: missing key '{}'", location(yaml_.Mark().line),
                  path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key)));
}

std::vector<Node> Node::items() const {
  if (!is_list() || yaml_.size() == 0) {
    fail_expecting("a list with at least one entry");
  }
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < yaml_.size(); ++i) {
    nodes.push_back(child(std::to_string(i), yaml_[i]));
  }
  return nodes;
}

std::int64_t Node::integer(std::int64_t min, std::int64_t max) const {
  auto const value = is_plain_scalar(yaml_) ? parse_integer(yaml_.Scalar()) : std::nullopt;
  if (!value || *value < min || *value > max) {
    fail_expecting(fmt::format("a decimal integer from {} to {}", min, max));
  }
  return *value;
}

double Node::real(double min, double max) const {
  auto const value = is_plain_scalar(yaml_) ? parse_real(yaml_.Scalar()) : std::nullopt;
  if (!value || *value < min || *value > max) {
    fail_expecting(fmt::format("a number from {} to {}", min, max));
  }
  return *value;
}

bool Node::boolean() const {
  if (is_plain_scalar(yaml_) && (yaml_.Scalar() == "true" || yaml_.Scalar() == "false")) {
    return yaml_.Scalar() == "true";
  }
  fail_expecting("true or false");
}

std::string Node::text() const {
  if (!yaml_.IsScalar() || yaml_.Scalar().empty()) {
    fail_expecting("text");
  }
  // yaml-cpp writes some escapes, such as \_, as single bytes.
  if (io::find_invalid_utf8(yaml_.Scalar()) != yaml_.Scalar().size()) {
    fail_expecting("text in UTF-8");
  }
  return yaml_.Scalar();
}

std::size_t Node::choice(std::span<std::string_view const> words) const {
  if (yaml_.IsScalar()) {
    auto const found = std::find(words.begin(), words.end(), yaml_.Scalar());
    if (found != words.end()) {
      return static_cast<std::size_t>(found - words.begin());
    }
    if (yaml_.Scalar() == "sequential" && std::ranges::find(words, "serial") != words.end()) {
      fail("the present name of the value 'sequential' is 'serial'");
    }
    if (auto const meant = did_you_mean(yaml_.Scalar(), words); !meant.empty()) {
      fail(fmt::format("unknown value '{}'{}", yaml_.Scalar(), meant));
    }
  }
  fail_expecting("one of " + enumerate(words));
}

void Node::fail(std::string_view what) const {
  throw ConfigError(fmt::format("{}: {}: {}", location(yaml_.Mark().line), path_, what));
}

void Node::fail_expecting(std::string_view expected) const {
  fail(fmt::format("expected {}, found {}", expected, describe(yaml_)));
}

Node Node::child(std::string_view key, YAML::Node const& value) const {
  return Node(value, path_.empty() ? std::string(key) : fmt::format("{}.{}", path_, key), origin_);
}

/// FILE:LINE, or the command line's assignment that has overridden this key or one above it.
std::string Node::location(int line) const {
  for (auto const& [path, place] : origin_->overrides) {
    if (path_ == path || path_.starts_with(path + ".")) {
      return place;
    }
  }
  return line_location(origin_->file, line);
}

}  // namespace taper::app
