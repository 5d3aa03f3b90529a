// SPDX-License-Identifier: Apache-2.0
#include <io/market/named_lists.hpp>
#include <io/market/numbered_lists.hpp>
#include <io/market/parse_events.hpp>
#include <io/market/read.hpp>
#include <io/matrix/npy.hpp>
#include <io/text/error.hpp>
#include <io/text/source.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace taper::io {
namespace {

/// The format by the first bytes, for files whose extension does not tell: lists, unless they
/// cannot be lists.
MarketFormat format_by_content(Source& source) {
  if (source.head(npy_magic.size()).starts_with(npy_magic))
    return MarketFormat::npy;
  source.read_as_text();
  std::string_view text = source.buffered();
  if (text.starts_with("%YAML") || text.starts_with("---"))
    return MarketFormat::yaml;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!text.starts_with('#') && !text.starts_with('%'))
      break;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  if (text.starts_with('{') || text.starts_with('['))
    return MarketFormat::json;
  const std::string_view line = text.substr(0, text.find('\n'));
  return line.find(':') != std::string_view::npos && line.find('\0') == std::string_view::npos
             ? MarketFormat::yaml
             : MarketFormat::lists;
}

MarketFormat format_of(Source& source, MarketFormat wanted) {
  if (wanted != MarketFormat::automatic)
    return wanted;
  std::string const& extension = source.extension();
  if (extension == ".txt" || extension == ".lists")
    return MarketFormat::lists;
  if (extension == ".json")
    return MarketFormat::json;
  if (extension == ".yaml" || extension == ".yml")
    return MarketFormat::yaml;
  if (extension == ".npy")
    return MarketFormat::npy;
  return format_by_content(source);
}

bool has_names(MarketFormat format) {
  return format == MarketFormat::json || format == MarketFormat::yaml;
}

const std::array<std::string, 2> side_titles{"men", "women"};

/// Reads one or two files and collects the two sides.
class Reader {
 public:
  Reader(MarketReadOptions const& options, std::size_t files)
      : options_(options), sides_per_file_(2 / files),
        numbering_(options.preferences, options.base) {}

  void read(std::filesystem::path const& path) {
    Source source(path);
    const MarketFormat format = format_of(source, options_.format);
    if (!first_.empty() && has_names(format) == named_.empty())
      throw InputError(source.name(), fmt::format("expected {}, as in {}",
                                                  named_.empty() ? "numbers" : "names", first_));
    if (has_names(format))
      read_names(source, format);
    else
      read_numbers(source, format);
    if (first_.empty())
      first_ = source.name();
  }

  Market take() {
    if (!named_.empty())
      return join(std::move(named_[0]), std::move(named_[1]));
    require_equal_sides(first_, tables_[0].rows(), side_titles[0], tables_[1].rows(),
                        side_titles[1]);
    const std::size_t n = tables_[0].rows();
    Market market;
    market.men = {side_titles[0], {}, std::move(tables_[0])};
    market.women = {side_titles[1], {}, std::move(tables_[1])};
    market.id_base = static_cast<int>(numbering_.base());
    market.notes = numbering_.notes(first_, n);
    return market;
  }

 private:
  void read_names(Source& source, MarketFormat format) {
    if (options_.preferences == ListMeaning::rank)
      throw InputError(source.name(),
                       "--preferences rank is for numbered lists, and this file has names");
    if (options_.base != IdBase::automatic)
      throw InputError(source.name(), "--base is for numbered lists, and this file has names");
    NamedFile file(source.name(),
                   source.stem().empty() ? side_titles[named_.size()] : source.stem());
    if (format == MarketFormat::json)
      parse_json(source, file);
    else
      parse_yaml(source, file);
    std::ranges::move(file.take(sides_per_file_), std::back_inserter(named_));
  }

  void read_numbers(Source& source, MarketFormat format) {
    const auto here = std::span(side_titles).subspan(tables_.size(), sides_per_file_);
    std::ranges::move(format == MarketFormat::npy ? read_npy(source, here, numbering_)
                                                  : read_lists(source, here, numbering_),
                      std::back_inserter(tables_));
  }

  MarketReadOptions options_;
  std::size_t sides_per_file_;
  Numbering numbering_;
  std::string first_;
  std::vector<NamedSide> named_;
  std::vector<IdTable> tables_;
};

}  // namespace

Market read_market(std::span<const std::filesystem::path> files, MarketReadOptions const& options) {
  if (files.empty() || files.size() > 2)
    throw InputError(fmt::format("expected one or two files, found {}", files.size()));
  if (files.size() == 2 && files[0] == "-" && files[1] == "-")
    throw InputError("the standard input (-) can be only one of the two files");
  Reader reader(options, files.size());
  for (auto const& file : files)
    reader.read(file);
  return reader.take();
}

}  // namespace taper::io
