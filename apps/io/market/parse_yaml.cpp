// SPDX-License-Identifier: Apache-2.0
#include <io/error.hpp>
#include <io/events.hpp>
#include <io/text.hpp>

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstddef>
#include <sstream>
#include <utility>

namespace taper::io {
namespace {

std::size_t line_of(YAML::Mark const& mark) {
  return mark.is_null() ? 0 : static_cast<std::size_t>(mark.line) + 1;
}

/// The parser's own events rather than its tree: that keeps duplicate keys, plain text and lines.
class Handler : public YAML::EventHandler {
 public:
  Handler(std::string const& file, Events& events) : file_(file), events_(events) {}

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
  Events& events_;
  std::size_t line_ = 0;
  bool started_ = false;
  bool empty_ = true;
};

/// Hears nothing: is it YAML at all?
class Deaf : public YAML::EventHandler {
 public:
  void OnDocumentStart(YAML::Mark const&) override {}
  void OnDocumentEnd() override {}
  void OnNull(YAML::Mark const&, YAML::anchor_t) override {}
  void OnAlias(YAML::Mark const&, YAML::anchor_t) override {}
  void OnScalar(YAML::Mark const&, std::string const&, YAML::anchor_t,
                std::string const&) override {}
  void OnSequenceStart(YAML::Mark const&, std::string const&, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(YAML::Mark const&, std::string const&, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}
};

/// The parser would put the same sign for all that is no UTF-8, and two names could become one.
void require_utf8(Source const& source, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto length = utf8_length(text.substr(at));
    if (length == 0)
      throw InputError(source.name(),
                       1 + static_cast<std::size_t>(
                               std::count(text.begin(), text.begin() + std::ptrdiff_t(at), '\n')),
                       fmt::format("expected UTF-8, found the byte 0x{:02x}",
                                   static_cast<unsigned char>(text[at])));
    at += length;
  }
}

std::string all_of(Source& source) {
  std::string text;
  for (int c = source.get(); c != Source::end; c = source.get()) {
    if (c < 0x20 && c != '\t' && c != '\n' && c != '\r')
      throw InputError(source.name(), source.line(), "expected YAML, found binary data");
    text += static_cast<char>(c);
  }
  require_utf8(source, text);
  return text;
}

/// Throws: InputError where it is no YAML, and what the handler does.
void parse(std::string const& file, std::string const& text, YAML::EventHandler& handler) {
  std::istringstream stream(text);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(handler)) {
    }
  } catch (YAML::Exception const& error) {
    throw InputError(file, line_of(error.mark), "no valid YAML: " + error.msg);
  }
}

}  // namespace

void parse_yaml(Source& source, Events& events) {
  const std::string text = all_of(source);
  Handler handler(source.name(), events);
  try {
    parse(source.name(), text, handler);
  } catch (InputError const&) {
    // Where a bracket is missing, the parser gives events that nobody wrote before it sees that:
    // a complaint about these would mislead.
    Deaf deaf;
    parse(source.name(), text, deaf);
    throw;
  }
  if (handler.empty())
    throw InputError(source.name(), "no entries in this file");
}

}  // namespace taper::io
