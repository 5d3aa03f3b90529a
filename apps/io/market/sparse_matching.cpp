// SPDX-License-Identifier: Apache-2.0
#include <io/market/assignment_summary.hpp>
#include <io/market/name_index.hpp>
#include <io/market/names.hpp>
#include <io/market/pairs.hpp>
#include <io/market/write.hpp>
#include <io/text/buffered_writer.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace taper::io {
namespace {

NameIndex index_of(std::vector<std::string> const& names) {
  NameIndex index;
  for (auto const& name : names) {
    index.add(name);
  }
  return index;
}

MatchingError not_listed(std::string const& file, std::size_t line, SparseMarket const& market,
                         std::uint32_t resident, std::uint32_t hospital) {
  return {file, line,
          fmt::format("{} of the {} and {} do not list each other",
                      in_quotes(market.name_of(market.first, resident)),
                      title_of(market, market.first),
                      in_quotes(market.name_of(market.second, hospital)))};
}

/// Whether the lists of the market are here to be looked at.
enum class Lists { here, elsewhere };

/// Collects the hospital of each resident.
class AssignmentReceiver : public PairReceiver {
 public:
  AssignmentReceiver(std::string file, SparseMarket const& market, Lists lists)
      : file_(std::move(file)), market_(market), lists_(lists),
        first_title_(title_of(market, market.first)),
        second_title_(title_of(market, market.second)),
        residents_(index_of(names_of(market, market.first))),
        hospitals_(index_of(names_of(market, market.second))),
        hospital_of_(market.first.count, unassigned), line_of_(market.first.count),
        residents_at_(market.second.count) {}

  std::string const& first_title() const override { return first_title_; }
  std::string const& second_title() const override { return second_title_; }
  bool allows_unassigned() const override { return true; }
  void settle_order(bool) override {}

  void add(std::string const& agent, std::optional<std::string> const& partner,
           std::size_t line) override {
    auto const resident = find(residents_, agent, first_title_, line);
    if (line_of_[resident] != 0) {
      throw MatchingError(file_, line,
                          fmt::format("{} of the {} appears twice (first on line {})",
                                      in_quotes(agent), first_title_, line_of_[resident]));
    }
    line_of_[resident] = line;
    if (lists_ == Lists::elsewhere) {
      order_.push_back(resident);
    }
    if (!partner) {
      return;
    }
    auto const hospital = find(hospitals_, *partner, second_title_, line);
    hospital_of_[resident] = hospital;
    if (lists_ == Lists::here && !entry_of(market_, resident, hospital)) {
      throw not_listed(file_, line, market_, resident, hospital);
    }
    if (++residents_at_[hospital] > market_.seats[hospital]) {
      throw MatchingError(file_, line,
                          fmt::format("{} of the {} has more {} than seats, which are {}",
                                      in_quotes(*partner), second_title_, first_title_,
                                      market_.seats[hospital]));
    }
  }

  std::vector<std::uint32_t> take() { return std::move(hospital_of_); }
  void move_to(UncheckedMatching& matching) {
    matching.hospital_of = std::move(hospital_of_);
    matching.line_of = std::move(line_of_);
    matching.order = std::move(order_);
  }

 private:
  std::uint32_t find(NameIndex const& index, std::string const& name, std::string const& title,
                     std::size_t line) const {
    auto const id = index.find(name);
    if (!id) {
      throw InputError(file_, line,
                       fmt::format("{} is not among the {}{}", in_quotes(name), title,
                                   did_you_mean(name, index.names())));
    }
    return *id;
  }

  std::string file_;
  SparseMarket const& market_;
  Lists lists_;
  std::string first_title_, second_title_;
  NameIndex residents_, hospitals_;
  std::vector<std::uint32_t> hospital_of_;
  std::vector<std::uint32_t> order_;  // the residents of the pairs, if their lists are elsewhere
  std::vector<std::size_t> line_of_;  // of the resident's pair; 0: none yet
  std::vector<std::uint32_t> residents_at_;
};

std::vector<std::uint32_t> read_assignment(Source& source, SparseMarket const& market,
                                           MatchingFormat format) {
  AssignmentReceiver pairs(source.name(), market, Lists::here);
  read_pairs(source, format, pairs);
  return pairs.take();
}

/// A hospital's name in a file of this format; a name that would mean "unassigned" is in quotes.
std::string name_in(MatchingFormat format, std::string const& name) {
  if (format == MatchingFormat::json) {
    return json_string(name);
  }
  if (format == MatchingFormat::csv) {
    return name.empty() ? "\"\"" : csv_field(name);
  }
  return name == "-" ? json_string(name) : text_word(name);
}

}  // namespace

void write_matching(std::ostream& out, SparseMarket const& market,
                    std::span<const std::uint32_t> hospital_of, MatchingFormat format) {
  BufferedWriter text(out);
  auto const json = format == MatchingFormat::json, csv = format == MatchingFormat::csv;
  auto const* const no_hospital = json ? "null" : csv ? "" : "-";
  std::vector<std::string> hospitals = names_of(market, market.second);
  for (auto& name : hospitals) {
    name = name_in(format, name);
  }
  auto const residents = names_of(market, market.first);
  if (csv) {
    text.add(csv_field(title_of(market, market.first)) + ',' +
             csv_field(title_of(market, market.second)) + "\r\n");
  }
  text.add(json ? "{" : "");
  for (std::size_t r = 0; r < residents.size(); ++r) {
    text.add(!json ? "" : r > 0 ? ",\n  " : "\n  ");
    text.add(name_in(format, residents[r]));
    text.add(json ? ": " : csv ? "," : " ");
    text.add(hospital_of[r] == unassigned ? no_hospital : hospitals[hospital_of[r]]);
    text.add(json ? "" : csv ? "\r\n" : "\n");
  }
  text.add(!json ? "" : residents.empty() ? "}\n" : "\n}\n");
}

std::vector<std::uint32_t> read_matching(std::filesystem::path const& path,
                                         SparseMarket const& market, MatchingFormat format) {
  Source source(path);
  return read_assignment(source, market, format);
}

UncheckedMatching read_unchecked_matching(std::filesystem::path const& path,
                                          SparseMarket const& market, MatchingFormat format) {
  UncheckedMatching matching;
  matching.hospital_of.assign(market.first.count, unassigned);
  try {
    Source source(path);
    matching.file = source.name();
    AssignmentReceiver pairs(source.name(), market, Lists::elsewhere);
    try {
      read_pairs(source, format, pairs);
    } catch (InputError const&) {
      matching.error = std::current_exception();
    }
    pairs.move_to(matching);
  } catch (InputError const&) {
    matching.error = std::current_exception();
  }
  return matching;
}

void require_right(UncheckedMatching const& matching, SparseMarket const& market,
                   std::optional<std::uint32_t> unlisted) {
  if (unlisted) {
    throw not_listed(matching.file, matching.line_of[*unlisted], market, *unlisted,
                     matching.hospital_of[*unlisted]);
  }
  if (matching.error) {
    std::rethrow_exception(matching.error);
  }
}

std::vector<std::uint32_t> parse_matching(std::string name, std::string_view text,
                                          SparseMarket const& market, MatchingFormat format) {
  Source source(std::move(name), text);
  return read_assignment(source, market, format);
}

}  // namespace taper::io
