// SPDX-License-Identifier: Apache-2.0
#include <io/form/form.hpp>
#include <io/market/names.hpp>
#include <io/market/parse_events.hpp>
#include <io/market/write.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <unordered_map>

namespace taper::io {
namespace {

constexpr std::uint32_t no_partner = std::numeric_limits<std::uint32_t>::max();

bool is_blank(int c) {
  return c == ' ' || c == '\t' || c == '\n';
}

/// A name as one word of the text format, in quotes if necessary.
std::string text_word(std::string const& name) {
  // read_matching() would take a file that begins with a brace for JSON.
  const bool plain =
      !name.empty() && name.front() != '{' && std::ranges::none_of(name, [](unsigned char c) {
        return c <= ' ' || c == 0x7f || c == '"' || c == '#' || c == '%';
      });
  return plain ? name : json_string(name);
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

/// Collects pairs and checks that each person is in exactly one.
class PairCollector {
 public:
  /// `proposer` is the side that comes first in a pair, unless a header or the names show
  /// otherwise.
  PairCollector(std::string const& file, Market const& market, Proposer proposer)
      : file_(file), women_first_(proposer == Proposer::women), men_(names_of(market, market.men)),
        women_(names_of(market, market.women)), men_title_(title_of(market, market.men)),
        women_title_(title_of(market, market.women)), man_number_(numbers(men_)),
        woman_number_(numbers(women_)), partner_of_man_(men_.size(), no_partner),
        man_line_(men_.size()), woman_line_(women_.size()) {}

  std::string const& men_title() const { return men_title_; }
  std::string const& women_title() const { return women_title_; }

  void settle_order(bool women_first) {
    settled_ = true;
    women_first_ = women_first;
  }

  void add(std::string const& first, std::string const& second, std::size_t line) {
    if (!settled_) {
      // Both sides use the same numbers. Only a name that one side alone has shows the order.
      const bool man = man_number_.contains(first);
      const bool woman = woman_number_.contains(first);
      settle_order(man == woman ? women_first_ : woman);
    }
    std::string const& man = women_first_ ? second : first;
    std::string const& woman = women_first_ ? first : second;
    const auto m = find(man_number_, men_, man, men_title_, line);
    const auto w = find(woman_number_, women_, woman, women_title_, line);
    claim(man_line_[m], man, men_title_, line);
    claim(woman_line_[w], woman, women_title_, line);
    partner_of_man_[m] = w;
  }

  /// The partner of each man. Throws: MatchingError if a man has none. Since no woman is in two
  /// pairs, every woman has one if every man has.
  std::vector<std::uint32_t> take() {
    const auto missing = std::ranges::find(partner_of_man_, no_partner);
    if (missing != partner_of_man_.end())
      throw MatchingError(
          file_,
          fmt::format("{} of the {} has no partner: expected {} pairs, found {}",
                      in_quotes(men_[static_cast<std::size_t>(missing - partner_of_man_.begin())]),
                      men_title_, men_.size(),
                      men_.size() - static_cast<std::size_t>(
                                        std::ranges::count(partner_of_man_, no_partner))));
    return std::move(partner_of_man_);
  }

 private:
  using Numbers = std::unordered_map<std::string, std::uint32_t>;

  static Numbers numbers(std::vector<std::string> const& names) {
    Numbers result;
    for (std::uint32_t id = 0; id < names.size(); ++id)
      result.emplace(names[id], id);
    return result;
  }

  std::uint32_t find(Numbers const& numbers, std::vector<std::string> const& names,
                     std::string const& name, std::string const& title, std::size_t line) const {
    const auto it = numbers.find(name);
    if (it == numbers.end())
      throw InputError(file_, line,
                       fmt::format("{} is not among the {}{}", in_quotes(name), title,
                                   did_you_mean(name, names)));
    return it->second;
  }

  /// Records the person's line in `taken`; 0 means that the person is free. Throws: MatchingError.
  void claim(std::size_t& taken, std::string const& name, std::string const& title,
             std::size_t line) const {
    if (taken != 0)
      throw MatchingError(file_, line,
                          fmt::format("{} of the {} appears twice (first on line {})",
                                      in_quotes(name), title, taken));
    taken = line;
  }

  std::string const& file_;
  bool women_first_;
  bool settled_ = false;
  std::vector<std::string> men_, women_;
  std::string men_title_, women_title_;
  Numbers man_number_, woman_number_;
  std::vector<std::uint32_t> partner_of_man_;
  std::vector<std::size_t> man_line_, woman_line_;  // of the person's pair; 0: none yet
};

std::string next_word(Source& source) {
  std::string word;
  int c = source.get();
  if (c != '"') {
    for (word += static_cast<char>(c); source.peek() != Source::end && !is_blank(source.peek());)
      word += static_cast<char>(source.get());
    return word;
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
  return parsed.get<std::string>();
}

void read_text(Source& source, PairCollector& pairs) {
  std::vector<std::string> words;
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
                                   pairs.men_title(), pairs.women_title(), words.size()));
    if (!words.empty())
      pairs.add(words[0], words[1], source.line());
    words.clear();
    if (source.get() == Source::end)
      return;
  }
}

/// The fields of the next CSV record; none at the end of the file. A quoted field may contain line
/// ends.
std::vector<std::string> next_record(Source& source) {
  std::vector<std::string> fields;
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
      fields.back() += static_cast<char>(source.get());
    else if (c == '"')
      in_field_quotes = !in_field_quotes;
    else if (in_field_quotes)
      fields.back() += static_cast<char>(c);
    else if (c == ',')
      fields.emplace_back();
    else if (c == '\n' || c == Source::end)
      return fields;
    else
      fields.back() += static_cast<char>(c);
  }
}

void read_csv(Source& source, PairCollector& pairs) {
  bool first = true;
  while (true) {
    const auto fields = next_record(source);
    if (fields.empty())
      return;
    if (fields.size() == 1 && fields[0].empty())
      continue;
    if (fields.size() != 2)
      throw InputError(source.name(), source.line(),
                       fmt::format("expected two fields, {} and {}, found {}", pairs.men_title(),
                                   pairs.women_title(), fields.size()));
    const bool header =
        std::exchange(first, false) &&
        std::ranges::is_permutation(fields, std::vector{pairs.men_title(), pairs.women_title()});
    if (header)
      pairs.settle_order(fields[0] == pairs.women_title());
    else
      pairs.add(fields[0], fields[1], source.line());
  }
}

/// Reads a JSON or YAML mapping from each proposer to the partner.
class PairEvents : public ParseEvents {
 public:
  PairEvents(std::string const& file, PairCollector& pairs) : file_(file), pairs_(pairs) {}

  void open_map(std::size_t line) override {
    if (std::exchange(opened_, true))
      unexpected("a mapping", line);
  }
  void close_map(std::size_t) override {}
  void open_list(std::size_t line) override { unexpected("a list", line); }
  void close_list(std::size_t) override {}
  void other(std::string_view what, std::size_t line) override { unexpected(what, line); }

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
  PairCollector& pairs_;
  bool opened_ = false;
  std::optional<std::string> key_;
};

}  // namespace

MatchingFormat matching_format_of(std::filesystem::path path) {
  if (path.extension() == ".gz")
    path.replace_extension();
  return format_by_extension(path.extension().string());
}

void write_matching(std::ostream& out, Market const& market,
                    std::span<const std::uint32_t> partner_of_man, MatchingFormat format,
                    Proposer proposer) {
  const std::size_t n = market.size();
  const auto men = names_of(market, market.men);
  const auto women = names_of(market, market.women);
  if (format == MatchingFormat::csv) {
    out << csv_field(title_of(market, market.men)) << ','
        << csv_field(title_of(market, market.women)) << "\r\n";
    for (std::size_t man = 0; man < n; ++man)
      out << csv_field(men[man]) << ',' << csv_field(women[partner_of_man[man]]) << "\r\n";
    return;
  }
  std::vector<std::uint32_t> partner_of(partner_of_man.begin(), partner_of_man.end());
  if (proposer == Proposer::women)
    for (std::uint32_t man = 0; man < n; ++man)
      partner_of[partner_of_man[man]] = man;
  auto const& proposers = proposer == Proposer::men ? men : women;
  auto const& others = proposer == Proposer::men ? women : men;
  if (format == MatchingFormat::json) {
    out << '{';
    for (std::size_t i = 0; i < n; ++i)
      out << (i > 0 ? ",\n  " : "\n  ") << json_string(proposers[i]) << ": "
          << json_string(others[partner_of[i]]);
    out << (n > 0 ? "\n}\n" : "}\n");
  } else {
    for (std::size_t i = 0; i < n; ++i)
      out << text_word(proposers[i]) << ' ' << text_word(others[partner_of[i]]) << '\n';
  }
}

namespace {

std::vector<std::uint32_t> read_matching(Source& source, Market const& market,
                                         MatchingFormat format, Proposer proposer) {
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
  PairCollector pairs(source.name(), market, proposer);
  if (format == MatchingFormat::json) {
    PairEvents events(source.name(), pairs);
    yaml ? parse_yaml(source, events) : parse_json(source, events);
  } else if (format == MatchingFormat::csv) {
    read_csv(source, pairs);
  } else {
    read_text(source, pairs);
  }
  return pairs.take();
}

}  // namespace

std::vector<std::uint32_t> read_matching(std::filesystem::path const& path, Market const& market,
                                         MatchingFormat format, Proposer proposer) {
  Source source(path);
  return read_matching(source, market, format, proposer);
}

std::vector<std::uint32_t> parse_matching(std::string name, std::string_view text,
                                          Market const& market, MatchingFormat format,
                                          Proposer proposer) {
  Source source(std::move(name), text);
  return read_matching(source, market, format, proposer);
}

}  // namespace taper::io
