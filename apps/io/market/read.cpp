// SPDX-License-Identifier: Apache-2.0
#include <io/form/form.hpp>
#include <io/form/signatures.hpp>
#include <io/market/join_lists.hpp>
#include <io/market/market_arrays.hpp>
#include <io/market/named_lists.hpp>
#include <io/market/numbered_lists.hpp>
#include <io/market/parse_events.hpp>
#include <io/market/read.hpp>
#include <io/market/read_csv_market.hpp>
#include <io/market/read_preflib.hpp>
#include <io/market/tied_lists.hpp>
#include <io/text/error.hpp>
#include <io/text/fields.hpp>
#include <io/text/source.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace taper::io {
namespace {

/// Whether the first line that is neither empty nor a comment is a number alone, as in lists.
bool begins_with_size(Source& source) {
  auto const text = signature::head_of(source.head(signature::head_bytes)).content;
  auto const line = trimmed(text.substr(0, text.find('\n')));
  return !line.empty() && line.find_first_not_of("0123456789") == line.npos;
}

/// The format: what the user says, else by the extension, else by the content. Throws: InputError
/// if the content is of a form that is not read.
MarketFormat format_of(Source& source, MarketFormat wanted) {
  auto const given = wanted != MarketFormat::automatic;
  auto const by_signature = market_form(source, given);
  if (given)
    return wanted;
  std::string const& extension = source.extension();
  if (by_signature == MarketFormat::glasgow)
    return MarketFormat::glasgow;
  if (extension == ".json")
    return MarketFormat::json;
  if (extension == ".yaml" || extension == ".yml")
    return MarketFormat::yaml;
  if (by_signature)
    return *by_signature;
  if (extension == ".npy")
    return MarketFormat::npy;
  if (extension == ".soc" || extension == ".soi" || extension == ".toc" || extension == ".toi")
    return MarketFormat::preflib;
  if ((extension == ".csv" || extension == ".tsv") && !begins_with_size(source))
    return MarketFormat::csv;
  if (extension == ".txt" || extension == ".lists")
    return MarketFormat::lists;
  // Lists, unless they cannot be lists.
  std::string_view text = signature::head_of(source.buffered()).content;
  return text.substr(0, text.find('\n')).find(':') != std::string_view::npos ? MarketFormat::yaml
                                                                             : MarketFormat::lists;
}

bool has_names(MarketFormat format) {
  return format == MarketFormat::json || format == MarketFormat::yaml;
}

/// What the files of a market have in common.
enum class Kind { lists, tables, orders, both_sides };

Kind kind_of(MarketFormat format) {
  switch (format) {
  case MarketFormat::csv:
    return Kind::tables;
  case MarketFormat::preflib:
    return Kind::orders;
  case MarketFormat::glasgow:
  case MarketFormat::algmatch:
  case MarketFormat::algmatch_hr:
  case MarketFormat::algmatch_sm:
  case MarketFormat::arrays:
    return Kind::both_sides;
  default:
    return Kind::lists;
  }
}

std::string_view in_words(Kind kind) {
  return kind == Kind::tables   ? "a table with titles (CSV)"
         : kind == Kind::orders ? "orders of PrefLib"
                                : "lists";
}

/// Whether the second side of a file of algmatch has seats; nothing: the file decides.
std::optional<bool> seats_in(MarketFormat format) {
  return format == MarketFormat::algmatch ? std::nullopt
                                          : std::optional(format == MarketFormat::algmatch_hr);
}

const std::array<std::string, 2> side_titles{"men", "women"};

/// Reads one or two files and collects the two sides.
class Reader {
 public:
  Reader(MarketReadOptions const& options, std::size_t files)
      : options_(options), sides_per_file_(2 / files),
        numbering_(options.preferences, options.base), tables_of_csv_(options) {}

  void read(Source& source) {
    const MarketFormat format = format_of(source, options_.format);
    const Kind kind = kind_of(format);
    if (!first_.empty() && kind != kind_)
      throw InputError(source.name(),
                       fmt::format("expected {}, as in {}", in_words(kind_), first_));
    kind_ = kind;
    if (kind == Kind::tables)
      tables_of_csv_.read(source);
    else if (kind == Kind::both_sides)
      read_both_sides(source, format);
    else if (kind == Kind::orders)
      orders_.push_back(read_preflib(source));
    else if (has_names(format))
      read_mappings(source, format);
    else
      read_numbers(source, format);
    if (!named_.empty() && !tables_.empty())
      throw InputError(source.name(),
                       first_.empty()
                           ? "expected names or ids on both sides, found one of each"
                           : fmt::format("expected {}, as in {}",
                                         first_has_names_ ? "names" : "numbers", first_));
    if (first_.empty()) {
      first_ = source.name();
      first_has_names_ = !named_.empty();
    }
  }

  /// Reads the file of --seats.
  void read_seats(Source& source) {
    if (kind_ == Kind::tables)
      return tables_of_csv_.read(source);
    if (seats_.line != 0)
      throw InputError(source.name(), fmt::format("the seats are in {} already", seats_.file));
    seats_ = read_seats_table(source, options_.columns);
  }

  AnyMarket take() {
    if (kind_ == Kind::tables)
      return tables_of_csv_.take();
    if (kind_ == Kind::orders)
      return join_orders(std::move(orders_), seats_, options_);
    if (!named_.empty())
      return join(std::move(named_[0]), std::move(named_[1]), seats_, options_.strict);
    if (seats_.line != 0)
      throw InputError(seats_.file, seats_.line, "seats are for agents with names");
    if (kind_ == Kind::both_sides)
      return *std::move(both_sides_);
    require_equal_sides(first_, tables_[0].rows(), titles_[0], tables_[1].rows(), titles_[1]);
    const std::size_t n = tables_[0].rows();
    Market market;
    market.men = {titles_[0], {}, std::move(tables_[0])};
    market.women = {titles_[1], {}, std::move(tables_[1])};
    market.id_base = static_cast<int>(numbering_.base());
    market.notes = numbering_.notes(first_, n);
    return market;
  }

 private:
  /// Reads the sides of a JSON or YAML file, which have names, or are lists of ids.
  void read_mappings(Source& source, MarketFormat format) {
    const std::size_t before = named_.size() + tables_.size();
    NamedFile file(source.name(), source.stem().empty() ? side_titles[before] : source.stem());
    if (format == MarketFormat::json)
      parse_json(source, file);
    else
      parse_yaml(source, file);
    auto sides = file.take(sides_per_file_);
    if (auto seats = file.take_seats(); seats.line != 0) {
      if (seats_.line != 0)
        throw InputError(seats.file, seats.line,
                         fmt::format("capacities appear twice (first in {})", seats_.file));
      seats_ = std::move(seats);
    }
    for (NamedSide& side : sides) {
      if (side.indexed) {
        titles_[tables_.size()] = side.title();
        tables_.push_back(index_table(side, numbering_));
        continue;
      }
      if (options_.preferences == ListMeaning::rank)
        throw InputError(source.name(),
                         "--preferences rank is for numbered lists, and this file has names");
      if (options_.base != IdBase::automatic)
        throw InputError(source.name(), "--base is for numbered lists, and this file has names");
      named_.push_back(std::move(side));
    }
  }

  void read_both_sides(Source& source, MarketFormat format) {
    const bool arrays = format == MarketFormat::arrays, glasgow = format == MarketFormat::glasgow;
    if (sides_per_file_ != 2)
      throw InputError(source.name(), fmt::format("{} has both sides: give one file",
                                                  arrays    ? "an archive of arrays"
                                                  : glasgow ? "an instance of the Glasgow solvers"
                                                            : "a file of algmatch"));
    if (arrays)
      both_sides_ = read_market_archive(source, options_);
    else
      both_sides_ = glasgow ? read_glasgow(source, options_)
                            : read_algmatch(source, options_, seats_in(format));
  }

  void read_numbers(Source& source, MarketFormat format) {
    const std::size_t before = std::min<std::size_t>(tables_.size(), 2 - sides_per_file_);
    const auto here = std::span(side_titles).subspan(before, sides_per_file_);
    auto const read_tables = format == MarketFormat::npy ? read_npy : read_lists;
    std::ranges::move(read_tables(source, here, numbering_), std::back_inserter(tables_));
  }

  MarketReadOptions options_;
  std::size_t sides_per_file_;
  Numbering numbering_;
  std::array<std::string, 2> titles_ = side_titles;
  std::string first_;
  bool first_has_names_ = false;
  Kind kind_ = Kind::lists;
  CsvMarketReader tables_of_csv_;
  std::vector<PrefLibOrders> orders_;
  std::optional<AnyMarket> both_sides_;
  std::vector<NamedSide> named_;
  NamedSeats seats_;
  std::vector<IdTable> tables_;
};

/// The market that was read, with a remark about entries that were dropped.
AnyMarket finish(AnyMarket market) {
  auto* const sparse = std::get_if<SparseMarket>(&market);
  if (sparse != nullptr && sparse->one_sided.count() > 0)
    sparse->notes.push_back(one_sided_note(sparse->one_sided));
  return market;
}

/// The complete lists that `market` must have.
Market require_complete(AnyMarket market, std::string_view file) {
  if (auto* const complete = std::get_if<Market>(&market))
    return std::move(*complete);
  auto const& sparse = std::get<SparseMarket>(market);
  throw InputError(file, fmt::format("expected equal sides, complete lists without ties, and one "
                                     "seat each; found {} {} with {} entries, and {} {}",
                                     sparse.first.count, sparse.first.title, sparse.entries(),
                                     sparse.second.count, sparse.second.title));
}

}  // namespace

AnyMarket read_any_market(std::span<const std::filesystem::path> files,
                          MarketReadOptions const& options) {
  if (files.empty() || files.size() > 2)
    throw InputError(fmt::format("expected one or two files, found {}", files.size()));
  if (files.size() == 2 && files[0] == "-" && files[1] == "-")
    throw InputError("the standard input (-) can be only one of the two files");
  if (std::filesystem::is_directory(files[0])) {
    if (files.size() == 2 || !options.seats.empty())
      throw InputError(files[0].string(), "arrays have both sides and the seats: give one folder");
    return finish(read_market_folder(files[0], options));
  }
  Reader reader(options, files.size());
  for (auto const& file : files) {
    Source source(file, options.stop);
    reader.read(source);
  }
  if (!options.seats.empty()) {
    Source source(options.seats, options.stop);
    reader.read_seats(source);
  }
  return finish(reader.take());
}

AnyMarket parse_any_market(std::string const& name, std::span<const std::string_view> texts,
                           MarketReadOptions const& options) {
  Reader reader(options, texts.size());
  for (const std::string_view text : texts) {
    Source source(name, text);
    reader.read(source);
  }
  return finish(reader.take());
}

Market read_market(std::span<const std::filesystem::path> files, MarketReadOptions const& options) {
  return require_complete(read_any_market(files, options),
                          files.empty() ? std::string() : files[0].string());
}

Market parse_market(std::string const& name, std::span<const std::string_view> texts,
                    MarketReadOptions const& options) {
  return require_complete(parse_any_market(name, texts, options), name);
}

}  // namespace taper::io
