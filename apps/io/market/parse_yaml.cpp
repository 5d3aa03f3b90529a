// SPDX-License-Identifier: Apache-2.0
#include <io/market/parse_events.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>
#include <io/text/yaml.hpp>

#include <fmt/format.h>
#include <yaml-cpp/exceptions.h>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace taper::io {
namespace {

std::size_t line_of(YAML::Mark const& mark) {
  return mark.is_null() ? 0 : static_cast<std::size_t>(mark.line) + 1;
}

/// Passes the parser's events on. Unlike the parser's tree, they keep duplicate keys, scalars as
/// written, and lines.
class Handler : public YAML::EventHandler {
 public:
  Handler(std::string const& file, ParseEvents& events) : file_(file), events_(events) {}

  bool empty() const { return empty_; }

  void OnDocumentStart(YAML::Mark const& mark) override {
    if (std::exchange(started_, true))
      throw InputError(file_, line_of(mark), "expected one YAML document, found a second");
  }
  void OnDocumentEnd() override {}

  void OnNull(YAML::Mark const& mark, YAML::anchor_t) override {
    at(mark);
    events_.other("null", line_);
  }
  void OnAlias(YAML::Mark const& mark, YAML::anchor_t) override {
    throw InputError(file_, line_of(mark), "expected the list itself, found an alias (*name)");
  }
  void OnScalar(YAML::Mark const& mark, std::string const&, YAML::anchor_t,
                std::string const& value) override {
    at(mark);
    events_.text(value, line_);
  }
  void OnSequenceStart(YAML::Mark const& mark, std::string const&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    at(mark);
    events_.open_list(line_);
  }
  void OnSequenceEnd() override { events_.close_list(line_); }
  void OnMapStart(YAML::Mark const& mark, std::string const&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    at(mark);
    events_.open_map(line_);
  }
  void OnMapEnd() override { events_.close_map(line_); }

 private:
  void at(YAML::Mark const& mark) {
    empty_ = false;
    line_ = line_of(mark);
  }

  std::string const& file_;
  ParseEvents& events_;
  std::size_t line_ = 0;
  bool started_ = false;
  bool empty_ = true;
};

/// Throws InputError if the text is not UTF-8. The parser would replace every invalid byte by the
/// same character, and two names could become equal.
void require_utf8(Source const& source, std::string_view text) {
  if (auto const at = find_invalid_utf8(text); at < text.size())
    throw InputError(source.name(),
                     1 + static_cast<std::size_t>(
                             std::count(text.begin(), text.begin() + std::ptrdiff_t(at), '\n')),
                     fmt::format("expected UTF-8, found the byte 0x{:02x}",
                                 static_cast<unsigned char>(text[at])));
}

/// The whole text. Throws: InputError if it is binary or not UTF-8.
std::string all_of(Source& source) {
  source.read_as_text();
  std::string text;
  for (int c = source.get(); c != Source::end; c = source.get()) {
    if (c < 0x20 && c != '\t' && c != '\n')
      throw InputError(source.name(), source.line(), "expected YAML, found binary data");
    text += static_cast<char>(c);
  }
  require_utf8(source, text);
  return text;
}

/// Parses `text`. The handler refuses a second document.
/// Throws: InputError if it is not YAML, and what the handler throws.
void parse(std::string const& file, std::string const& text, YAML::EventHandler& handler) {
  try {
    parse_two_documents(text, handler);
  } catch (YAML::Exception const& error) {
    throw InputError(file, line_of(error.mark), "not valid YAML: " + error.msg);
  }
}

}  // namespace

void parse_yaml(Source& source, ParseEvents& events) {
  const std::string text = all_of(source);
  Handler handler(source.name(), events);
  try {
    parse(source.name(), text, handler);
  } catch (InputError const&) {
    // If a bracket is missing, the parser sends wrong events before it finds the error, and the
    // handler's message would mislead. So check the syntax first.
    YamlSyntaxCheck check;
    parse(source.name(), text, check);
    throw;
  }
  if (handler.empty())
    throw InputError(source.name(), "expected a mapping, found no entries");
}

}  // namespace taper::io
