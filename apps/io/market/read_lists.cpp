// SPDX-License-Identifier: Apache-2.0
#include <io/market/numbered_lists.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>

namespace taper::io {
namespace {

constexpr bool is_comment(char c) {
  return c == '#' || c == '%';
}
constexpr bool is_separator(char c) {
  return c == ' ' || c == '\t' || c == ',';
}
constexpr bool ends_token(char c) {
  return c == '\n' || is_separator(c) || is_comment(c);
}

std::optional<std::uint64_t> number(std::string_view token) {
  std::uint64_t value = 0;
  const auto [stop, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  const bool whole = error == std::errc{} && stop == token.data() + token.size();
  return whole ? std::optional(value) : std::nullopt;
}

/// An id of up to 32 bits. Excludes the largest value: minus a base it would have to stay out of
/// range.
std::optional<std::uint32_t> id(std::string_view token) {
  const auto value = number(token);
  return value && *value < std::numeric_limits<std::uint32_t>::max()
             ? std::optional(static_cast<std::uint32_t>(*value))
             : std::nullopt;
}

/// Splits a text into entries, line by line; skips comments.
class Tokens {
 public:
  explicit Tokens(Source& source) : source_(source) { source_.read_as_text(); }

  /// Goes to the next line that holds entries; false at the end of the file.
  bool next_line() {
    while (next() == Found::line_end) {
    }
    pending_ = found_ == Found::token;
    return pending_;
  }

  /// The next entry of this line; valid until the next call.
  std::optional<std::string_view> next_in_line() {
    if (!std::exchange(pending_, false))
      next();
    return found_ == Found::token ? std::optional(token_) : std::nullopt;
  }

  /// The line of the entry found last.
  std::size_t line() const { return token_line_; }

 private:
  enum class Found { token, line_end, file_end };

  Found next() {
    skip_while(is_separator);
    if (const auto ahead = source_.buffered(); !ahead.empty() && is_comment(ahead.front()))
      skip_while([](char c) { return c != '\n'; });
    const auto ahead = source_.buffered();
    if (ahead.empty())
      return found_ = Found::file_end;
    if (ahead.front() == '\n') {
      source_.skip(1);
      ++line_;
      return found_ = Found::line_end;
    }
    token_line_ = line_;
    take_token(ahead);
    return found_ = Found::token;
  }

  template <class Match>
  void skip_while(Match const& match) {
    for (;;) {
      const auto ahead = source_.buffered();
      const auto stop = std::find_if_not(ahead.begin(), ahead.end(), match);
      source_.skip(static_cast<std::size_t>(stop - ahead.begin()));
      if (stop != ahead.end() || ahead.empty())
        return;
    }
  }

  void take_token(std::string_view ahead) {
    auto stop = std::find_if(ahead.begin(), ahead.end(), ends_token);
    token_ = {ahead.begin(), stop};
    source_.skip(token_.size());
    if (stop != ahead.end())
      return;
    // The token crosses the end of the buffer. A very long token is not a number, and its start is
    // enough for a message.
    constexpr std::size_t enough = 80;
    for (split_token_ = token_.substr(0, enough); stop == ahead.end();) {
      ahead = source_.buffered();
      if (ahead.empty())
        break;
      stop = std::find_if(ahead.begin(), ahead.end(), ends_token);
      const std::string_view more(ahead.begin(), stop);
      source_.skip(more.size());
      split_token_ += more.substr(0, enough);
    }
    token_ = split_token_;
  }

  Source& source_;
  std::string_view token_;
  std::string split_token_;
  std::size_t line_ = 1;
  std::size_t token_line_ = 1;
  bool pending_ = false;
  Found found_ = Found::line_end;
};

/// Reads the first line, which is n alone.
std::size_t read_size(Source const& source, Tokens& tokens) {
  constexpr auto expected = "expected n, the number of people on each side";
  if (!tokens.next_line())
    throw InputError(source.name(), fmt::format("{}, found no entries", expected));
  std::vector<std::string> entries;
  while (const auto token = tokens.next_in_line())
    if (entries.size() < 3)
      entries.emplace_back(*token);
  const auto n = number(entries[0]);
  if (!n)
    throw InputError(source.name(), tokens.line(),
                     fmt::format("{}, found {}", expected, in_quotes(entries[0])));
  if (entries.size() == 2 && number(entries[1]) && number(entries[1]) != n)
    throw InputError(
        source.name(), tokens.line(),
        fmt::format("sides of {} and {}: unequal sides are not supported in this form; "
                    "JSON, YAML and CSV have them",
                    *n, *number(entries[1])));
  if (entries.size() > 1)
    throw InputError(source.name(), tokens.line(),
                     fmt::format("{}, alone in the first line, found {} after it", expected,
                                 in_quotes(entries[1])));
  return *n;
}

/// Reads the next line as the next row of the table.
void read_row(Source const& source, Tokens& tokens, TableBuilder& table,
              std::vector<std::uint32_t>& row) {
  if (!tokens.next_line())
    throw InputError(source.name(), tokens.line(),
                     fmt::format("the file ends before {}: expected {} lists of the {}",
                                 table.list_name(), table.n(), table.title()));
  const std::size_t line = tokens.line();
  std::size_t entries = 0;
  for (; const auto token = tokens.next_in_line(); ++entries) {
    if (entries >= table.n())
      continue;
    const auto entry = id(*token);
    if (!entry)
      table.reject(line, entries, *token);
    row[entries] = *entry;
  }
  if (entries != table.n())
    throw InputError(
        source.name(), line,
        fmt::format("{}: expected {} entries, found {}{}", table.list_name(), table.n(), entries,
                    entries < table.n() ? " (incomplete lists are not supported yet)" : ""));
  table.add(row, line);
}

}  // namespace

std::vector<IdTable> read_lists(Source& source, std::span<const std::string> titles,
                                Numbering& numbering) {
  Tokens tokens(source);
  const std::size_t n = read_size(source, tokens);
  std::vector<IdTable> tables;
  std::vector<std::uint32_t> row;
  for (std::string const& title : titles) {
    TableBuilder table(source.name(), title, n, numbering);
    row.resize(n);
    while (!table.complete())
      read_row(source, tokens, table, row);
    tables.push_back(table.take());
  }
  if (tokens.next_line())
    throw InputError(source.name(), tokens.line(),
                     fmt::format("expected the end of the file after {} lists, found {}",
                                 titles.size() * n, in_quotes(*tokens.next_in_line())));
  return tables;
}

}  // namespace taper::io
