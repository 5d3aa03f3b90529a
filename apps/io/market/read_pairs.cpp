// SPDX-License-Identifier: Apache-2.0
#include <io/form/form.hpp>
#include <io/market/names.hpp>
#include <io/market/pairs.hpp>
#include <io/market/parse_events.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::io {
namespace {

bool is_blank(int c) {
  return c == ' ' || c == '\t' || c == '\n';
}

bool is_yaml(std::string_view extension) {
  return extension == ".yaml" || extension == ".yml";
}

/// YAML files are written as JSON, which is valid YAML.
MatchingFormat format_by_extension(std::string_view extension) {
  return extension == ".csv"                          ? MatchingFormat::csv
         : extension == ".json" || is_yaml(extension) ? MatchingFormat::json
                                                      : MatchingFormat::text;
}

/// A word of the text format, or a field of a CSV file.
struct Word {
  std::string text;
  bool quoted = false;
};

/// The partner that a word names; nothing if it is `absent` without quotes.
std::optional<std::string> partner_in(Word const& word, std::string_view absent,
                                      PairReceiver const& pairs) {
  const bool is_absent = pairs.allows_unassigned() && !word.quoted && word.text == absent;
  return is_absent ? std::nullopt : std::optional(word.text);
}

Word next_word(Source& source) {
  std::string word;
  int c = source.get();
  if (c != '"') {
    for (word += static_cast<char>(c); source.peek() != Source::end && !is_blank(source.peek());)
      word += static_cast<char>(source.get());
    return {word, false};
  }
  const std::size_t line = source.line();
  word = '"';
  do {
    c = source.get();
    if (c == Source::end || c == '\n')
      throw InputError(source.name(), line, "expected a closing double quote");
    word += static_cast<char>(c);
    if (c == '\\' && source.peek() != Source::end)
      word += static_cast<char>(source.get());
  } while (c != '"');
  const auto parsed = nlohmann::json::parse(word, nullptr, false);
  if (!parsed.is_string())
    throw InputError(source.name(), line, fmt::format("{} is not a valid quoted name", word));
  return {parsed.get<std::string>(), true};
}

void read_text(Source& source, PairReceiver& pairs) {
  std::vector<Word> words;
  for (;;) {
    while (source.peek() == ' ' || source.peek() == '\t')
      source.get();
    if (source.peek() == '#' || source.peek() == '%')
      while (source.peek() != '\n' && source.peek() != Source::end)
        source.get();
    const int c = source.peek();
    if (c != '\n' && c != Source::end) {
      words.push_back(next_word(source));
      continue;
    }
    if (!words.empty() && words.size() != 2)
      throw InputError(source.name(), source.line(),
                       fmt::format("expected two names, one of the {} and one of the {}, found {}",
                                   pairs.first_title(), pairs.second_title(), words.size()));
    if (!words.empty())
      pairs.add(words[0].text, partner_in(words[1], "-", pairs), source.line());
    words.clear();
    if (source.get() == Source::end)
      return;
  }
}

/// The fields of the next CSV record; none at the end of the file. A quoted field may contain line
/// ends.
std::vector<Word> next_record(Source& source) {
  std::vector<Word> fields;
  if (source.peek() == Source::end)
    return fields;
  bool in_field_quotes = false;
  fields.emplace_back();
  for (;;) {
    const int c = source.get();
    const std::size_t line = source.line();
    if (c == Source::end && in_field_quotes)
      throw InputError(source.name(), line, "expected a closing double quote");
    if (c == '"' && in_field_quotes && source.peek() == '"')
      fields.back().text += static_cast<char>(source.get());
    else if (c == '"')
      in_field_quotes = !in_field_quotes, fields.back().quoted = true;
    else if (in_field_quotes)
      fields.back().text += static_cast<char>(c);
    else if (c == ',')
      fields.emplace_back();
    else if (c == '\n' || c == Source::end)
      return fields;
    else
      fields.back().text += static_cast<char>(c);
  }
}

void read_csv(Source& source, PairReceiver& pairs) {
  bool first = true, second_first = false;
  while (true) {
    const auto fields = next_record(source);
    if (fields.empty())
      return;
    if (fields.size() == 1 && fields[0].text.empty())
      continue;
    if (fields.size() != 2)
      throw InputError(source.name(), source.line(),
                       fmt::format("expected two fields, {} and {}, found {}", pairs.first_title(),
                                   pairs.second_title(), fields.size()));
    const std::vector cells{fields[0].text, fields[1].text};
    const bool header =
        std::exchange(first, false) &&
        std::ranges::is_permutation(cells, std::vector{pairs.first_title(), pairs.second_title()});
    if (header) {
      second_first = cells[0] == pairs.second_title();
      pairs.settle_order(second_first);
      continue;
    }
    // Only an agent of the first side can be unassigned.
    const std::size_t agent = second_first && pairs.allows_unassigned() ? 1 : 0;
    pairs.add(cells[agent], partner_in(fields[1 - agent], "", pairs), source.line());
  }
}

/// Reads a JSON or YAML mapping from each proposer to the partner.
class PairEvents : public ParseEvents {
 public:
  PairEvents(std::string const& file, PairReceiver& pairs) : file_(file), pairs_(pairs) {}

  void open_map(std::size_t line) override {
    if (std::exchange(opened_, true))
      unexpected("a mapping", line);
  }
  void close_map(std::size_t) override {}
  void open_list(std::size_t line) override { unexpected("a list", line); }
  void close_list(std::size_t) override {}
  void other(std::string_view what, std::size_t line) override {
    if (!key_ || what != "null" || !pairs_.allows_unassigned())
      unexpected(what, line);
    pairs_.add(*key_, std::nullopt, line);
    key_.reset();
  }

  void text(std::string text, std::size_t line) override {
    if (!opened_)
      unexpected(in_quotes(text), line);
    if (!key_) {
      key_ = std::move(text);
      return;
    }
    pairs_.add(*key_, text, line);
    key_.reset();
  }

 private:
  [[noreturn]] void unexpected(std::string_view found, std::size_t line) const {
    throw InputError(
        file_, line,
        fmt::format("expected {}, found {}",
                    !opened_ ? "a mapping from each proposer's name to the partner's"
                    : key_   ? fmt::format("the name of the partner of {}", in_quotes(*key_))
                             : "a name",
                    found));
  }

  std::string const& file_;
  PairReceiver& pairs_;
  bool opened_ = false;
  std::optional<std::string> key_;
};

}  // namespace

std::string text_word(std::string const& name) {
  // read_pairs() would take a file that begins with a brace for JSON.
  const bool plain =
      !name.empty() && name.front() != '{' && std::ranges::none_of(name, [](unsigned char c) {
        return c <= ' ' || c == 0x7f || c == '"' || c == '#' || c == '%';
      });
  return plain ? name : json_string(name);
}

MatchingFormat matching_format_of(std::filesystem::path path) {
  if (path.extension() == ".gz")
    path.replace_extension();
  return format_by_extension(path.extension().string());
}

void read_pairs(Source& source, MatchingFormat format, PairReceiver& pairs) {
  market_form(source, true);  // refuses what is no text
  source.read_as_text();
  const bool yaml = format == MatchingFormat::automatic && is_yaml(source.extension());
  if (format == MatchingFormat::automatic) {
    format = format_by_extension(source.extension());
    // In the text format a name that begins with a brace is in quotes.
    if (format == MatchingFormat::text && source.extension() != ".txt" &&
        source.buffered().starts_with('{'))
      format = MatchingFormat::json;
  }
  if (format == MatchingFormat::json) {
    PairEvents events(source.name(), pairs);
    yaml ? parse_yaml(source, events) : parse_json(source, events);
  } else if (format == MatchingFormat::csv) {
    read_csv(source, pairs);
  } else {
    read_text(source, pairs);
  }
}

}  // namespace taper::io
