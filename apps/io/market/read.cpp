// SPDX-License-Identifier: Apache-2.0
#include <io/error.hpp>
#include <io/events.hpp>
#include <io/named.hpp>
#include <io/numbered.hpp>
#include <io/read.hpp>
#include <io/source.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace taper::io {
namespace {

/// What the bytes look like, where no extension tells: lists, unless they can be nothing of the
/// kind.
Format format_by_content(Source& source) {
  source.skip_byte_order_mark();
  std::string_view text = source.buffered();
  if (text.starts_with("\x93NUMPY"))
    return Format::npy;
  if (text.starts_with("%YAML") || text.starts_with("---"))
    return Format::yaml;
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!text.starts_with('#') && !text.starts_with('%'))
      break;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
  if (text.starts_with('{') || text.starts_with('['))
    return Format::json;
  const std::string_view line = text.substr(0, text.find('\n'));
  return line.find(':') != std::string_view::npos && line.find('\0') == std::string_view::npos
             ? Format::yaml
             : Format::lists;
}

Format format_of(Source& source, Format wanted) {
  if (wanted != Format::automatic)
    return wanted;
  std::string const& extension = source.extension();
  if (extension == ".txt" || extension == ".lists")
    return Format::lists;
  if (extension == ".json")
    return Format::json;
  if (extension == ".yaml" || extension == ".yml")
    return Format::yaml;
  if (extension == ".npy")
    return Format::npy;
  return format_by_content(source);
}

bool has_names(Format format) {
  return format == Format::json || format == Format::yaml;
}

const std::array<std::string, 2> titles{"men", "women"};

/// Reads file after file; the sides pile up, two of them in the end.
class Reader {
 public:
  Reader(ReadOptions const& options, std::size_t files)
      : options_(options), sides_per_file_(2 / files),
        numbering_(options.preferences, options.base) {}

  void read(std::filesystem::path const& path) {
    Source source(path);
    const Format format = format_of(source, options_.format);
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
    require_equal_sides(first_, tables_[0].rows(), titles[0], tables_[1].rows(), titles[1]);
    const std::size_t n = tables_[0].rows();
    Market market;
    market.men = {titles[0], {}, std::move(tables_[0])};
    market.women = {titles[1], {}, std::move(tables_[1])};
    market.id_base = static_cast<int>(numbering_.base());
    market.notes = numbering_.notes(first_, n);
    return market;
  }

 private:
  void read_names(Source& source, Format format) {
    if (options_.preferences == Meaning::rank)
      throw InputError(source.name(),
                       "lists of names are order lists: expected --preferences order");
    if (options_.base != Base::automatic)
      throw InputError(source.name(), "names have no first id: expected no --base");
    NamedFile file(source.name(), source.stem().empty() ? titles[named_.size()] : source.stem());
    if (format == Format::json)
      parse_json(source, file);
    else
      parse_yaml(source, file);
    std::ranges::move(file.take(sides_per_file_), std::back_inserter(named_));
  }

  void read_numbers(Source& source, Format format) {
    const auto here = std::span(titles).subspan(tables_.size(), sides_per_file_);
    std::ranges::move(format == Format::npy ? read_npy(source, here, numbering_)
                                            : read_lists(source, here, numbering_),
                      std::back_inserter(tables_));
  }

  ReadOptions options_;
  std::size_t sides_per_file_;
  Numbering numbering_;
  std::string first_;
  std::vector<NamedSide> named_;
  std::vector<IdTable> tables_;
};

}  // namespace

Market read_market(std::span<const std::filesystem::path> files, ReadOptions const& options) {
  if (files.empty() || files.size() > 2)
    throw InputError(fmt::format("expected one file, or two, found {}", files.size()));
  if (files.size() == 2 && files[0] == "-" && files[1] == "-")
    throw InputError("the standard input can be only one of two files");
  Reader reader(options, files.size());
  for (auto const& file : files)
    reader.read(file);
  return reader.take();
}

}  // namespace taper::io
