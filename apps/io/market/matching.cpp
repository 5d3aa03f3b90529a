// SPDX-License-Identifier: Apache-2.0
#include <io/market/names.hpp>
#include <io/market/pairs.hpp>
#include <io/market/write.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <unordered_map>

namespace taper::io {
namespace {

constexpr std::uint32_t no_partner = std::numeric_limits<std::uint32_t>::max();

/// Collects pairs and checks that each person is in exactly one.
class PairCollector : public PairReceiver {
 public:
  /// `proposer` is the side that comes first in a pair, unless a header or the names show
  /// otherwise.
  PairCollector(std::string const& file, Market const& market, Proposer proposer)
      : file_(file), women_first_(proposer == Proposer::women), men_(names_of(market, market.men)),
        women_(names_of(market, market.women)), men_title_(title_of(market, market.men)),
        women_title_(title_of(market, market.women)), man_number_(numbers(men_)),
        woman_number_(numbers(women_)), partner_of_man_(men_.size(), no_partner),
        man_line_(men_.size()), woman_line_(women_.size()) {}

  std::string const& first_title() const override { return men_title_; }
  std::string const& second_title() const override { return women_title_; }
  bool allows_unassigned() const override { return false; }

  void settle_order(bool women_first) override {
    settled_ = true;
    women_first_ = women_first;
  }

  void add(std::string const& first, std::optional<std::string> const& partner,
           std::size_t line) override {
    std::string const& second = *partner;
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

}  // namespace

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
  PairCollector pairs(source.name(), market, proposer);
  read_pairs(source, format, pairs);
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
