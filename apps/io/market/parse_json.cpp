// SPDX-License-Identifier: Apache-2.0
#include <io/market/parse_events.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <iterator>

namespace taper::io {
namespace {

/// A Source as input iterator for the JSON parser. So the file is not held in memory, and the
/// source counts lines.
class SourceIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = char const*;
  using reference = char;

  SourceIterator() = default;
  explicit SourceIterator(Source& source) : source_(&source) {}

  char operator*() const { return static_cast<char>(source_->peek()); }
  SourceIterator& operator++() {
    source_->get();
    return *this;
  }
  SourceIterator operator++(int) {
    source_->get();
    return *this;
  }

  friend bool operator==(SourceIterator const& a, SourceIterator const& b) {
    return a.done() == b.done();
  }
  friend bool operator!=(SourceIterator const& a, SourceIterator const& b) { return !(a == b); }

 private:
  bool done() const { return source_ == nullptr || source_->peek() == Source::end; }

  Source* source_ = nullptr;
};

/// Passes the parser's events on. The parser calls when it has taken the event's last byte, or one
/// more after a number, so Source::line() is the event's line.
class Sax : public nlohmann::json_sax<nlohmann::json> {
 public:
  Sax(Source& source, ParseEvents& events) : source_(source), events_(events) {}

  bool null() override { return other("null"); }
  bool boolean(bool value) override { return other(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return text(std::to_string(value)); }
  bool number_unsigned(number_unsigned_t value) override { return text(std::to_string(value)); }
  bool number_float(number_float_t, string_t const& written) override { return text(written); }
  bool string(string_t& value) override { return text(std::move(value)); }
  bool binary(binary_t&) override { return other("bytes"); }
  bool key(string_t& value) override { return text(std::move(value)); }
  bool start_object(std::size_t) override {
    events_.open_map(source_.line());
    return true;
  }
  bool end_object() override {
    events_.close_map(source_.line());
    return true;
  }
  bool start_array(std::size_t) override {
    events_.open_list(source_.line());
    return true;
  }
  bool end_array() override {
    events_.close_list(source_.line());
    return true;
  }

  bool parse_error(std::size_t, std::string const&,
                   nlohmann::detail::exception const& error) override {
    // Drop the prefix of "parse error at line 1, column 2: syntax error while parsing ...":
    // InputError adds the line.
    std::string why(json_reason(error.what()));
    if (const auto column = why.find("column "); column != std::string::npos)
      if (const auto colon = why.find(": ", column); colon != std::string::npos)
        why.erase(0, colon + 2);
    constexpr std::size_t longest = 160;
    if (why.size() > longest)
      why.replace(longest, std::string::npos, "...");
    throw InputError(source_.name(), source_.line(), "not valid JSON: " + why);
  }

 private:
  bool text(std::string value) {
    events_.text(std::move(value), source_.line());
    return true;
  }
  bool other(std::string_view what) {
    events_.other(what, source_.line());
    return true;
  }

  Source& source_;
  ParseEvents& events_;
};

}  // namespace

void parse_json(Source& source, ParseEvents& events) {
  source.read_as_text();
  if (source.peek() == Source::end)
    throw InputError(source.name(), "expected a mapping, found no entries");
  Sax sax(source, events);
  nlohmann::json::sax_parse(SourceIterator(source), SourceIterator(), &sax);
}

}  // namespace taper::io
