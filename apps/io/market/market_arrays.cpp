// SPDX-License-Identifier: Apache-2.0
#include <io/market/join_lists.hpp>
#include <io/market/market_arrays.hpp>
#include <io/market/zip_archive.hpp>
#include <io/matrix/npy.hpp>
#include <io/text/atomic_file.hpp>
#include <io/text/error.hpp>
#include <io/text/source.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace taper::io {
namespace {

namespace fs = std::filesystem;

/// The arrays of a folder or an archive.
class Arrays {
 public:
  Arrays(std::string name, fs::path folder) : name_(std::move(name)), folder_(std::move(folder)) {}
  Arrays(std::string name, std::string const& archive)
      : name_(std::move(name)), archive_(std::in_place, name_, archive) {}

  std::string const& name() const { return name_; }

  /// The array with the first of these names that is there; null if none is.
  std::unique_ptr<Source> find(std::initializer_list<std::string_view> names) const {
    for (auto const name : names) {
      auto const file = fmt::format("{}.npy", name);
      if (!archive_) {
        if (fs::exists(folder_ / file)) {
          return std::make_unique<Source>(folder_ / file);
        }
      } else if (archive_->contains(file)) {
        return std::make_unique<Source>(fmt::format("{}/{}", name_, file),
                                        archive_->bytes_of(file));
      }
    }
    return nullptr;
  }

  std::unique_ptr<Source> require(std::initializer_list<std::string_view> names) const {
    auto source = find(names);
    if (!source) {
      throw InputError(name_, fmt::format("expected an array {}.npy", *names.begin()));
    }
    return source;
  }

 private:
  std::string name_;
  fs::path folder_;
  std::optional<ZipArchive> archive_;
};

/// Appends the numbers of `piece`. `first`: the entry of the array that numbers[0] is. Throws:
/// InputError if a number does not fit.
template <class From, class To>
void append(std::string const& name, std::uint64_t first, std::vector<From> const& piece,
            std::vector<To>& numbers) {
  for (auto const number : piece) {
    auto fits = true;
    if constexpr (std::is_floating_point_v<From>) {
      fits = std::isfinite(number);
    } else if constexpr (!std::is_floating_point_v<To>) {
      fits = std::in_range<To>(number);
    }
    if (!fits) {
      throw InputError(name, fmt::format("entry {} is {}, which is out of range",
                                         first + numbers.size(), number));
    }
    numbers.push_back(static_cast<To>(number));
  }
}

constexpr std::size_t piece_entries = std::size_t{1} << 17;

/// Reads the data of an array of `From` piece by piece.
template <class From, class To>
std::vector<To> read_as(Source& source, std::uint64_t count) {
  std::vector<To> numbers;
  std::vector<From> piece;
  NpyData data(source, count * sizeof(From));
  while (numbers.size() < count) {
    piece.resize(std::min<std::uint64_t>(piece_entries, count - numbers.size()));
    data.read({reinterpret_cast<char*>(piece.data()), piece.size() * sizeof(From)});
    append(source.name(), 0, piece, numbers);
  }
  data.end();
  return numbers;
}

void require_one_dimension(Source const& source, NpyHeader const& header) {
  if (header.shape.size() != 1) {
    throw InputError(source.name(), fmt::format("expected an array of one dimension, found {}",
                                                header.shape.size()));
  }
}

/// Calls read(From{}) with the type of the numbers of an array of one dimension: whole numbers of 8
/// to 64 bits; for To = double also floating point. Throws: InputError if it is another array.
template <class To, class Read>
std::vector<To> read_by_type(Source const& source, NpyHeader const& header, Read const& read) {
  require_one_dimension(source, header);
  std::string_view const type = header.type;
  auto const is = [&](std::string_view name) {
    return type.size() == 3 && (type[0] == '<' || (type[0] == '|' && type[2] == '1')) &&
           type.substr(1) == name;
  };
  if (is("u1")) {
    return read(std::uint8_t{});
  }
  if (is("i1")) {
    return read(std::int8_t{});
  }
  if (is("u2")) {
    return read(std::uint16_t{});
  }
  if (is("i2")) {
    return read(std::int16_t{});
  }
  if (is("u4")) {
    return read(std::uint32_t{});
  }
  if (is("i4")) {
    return read(std::int32_t{});
  }
  if (is("u8")) {
    return read(std::uint64_t{});
  }
  if (is("i8")) {
    return read(std::int64_t{});
  }
  if constexpr (std::is_floating_point_v<To>) {
    if (is("f4")) {
      return read(float{});
    }
    if (is("f8")) {
      return read(double{});
    }
  }
  throw InputError(source.name(),
                   fmt::format("expected little-endian {}, found dtype {}",
                               std::is_floating_point_v<To> ? "numbers" : "whole numbers",
                               in_quotes(type)));
}

template <class To>
std::vector<To> read_array(Source& source) {
  auto const header = read_npy_header(source);
  return read_by_type<To>(
      source, header, [&]<class From>(From) { return read_as<From, To>(source, header.shape[0]); });
}

void require_size(Source const& source, std::size_t found, std::size_t expected,
                  std::string_view per) {
  if (found != expected) {
    throw InputError(source.name(), fmt::format("expected {} numbers, one per {}, found {}",
                                                grouped(expected), per, grouped(found)));
  }
}

void check_offsets(Source const& source, std::vector<std::int64_t> const& offsets,
                   std::size_t entries) {
  if (offsets.empty() || offsets.front() != 0) {
    throw InputError(source.name(), "expected offsets that begin with 0");
  }
  auto const falls = std::ranges::adjacent_find(offsets, std::greater{});
  if (falls != offsets.end()) {
    throw InputError(source.name(), fmt::format("entry {} is {}, less than the entry before it",
                                                falls - offsets.begin() + 1, *(falls + 1)));
  }
  if (std::cmp_not_equal(offsets.back(), entries)) {
    throw InputError(source.name(),
                     fmt::format("expected {} at the end, the number of entries, found {}", entries,
                                 offsets.back()));
  }
}

/// Checks that ids are below the number of hospitals, and that no list has one twice. The market may
/// be a part of that of the file, which begins with these numbers.
void check_lists(std::string const& file, SparseMarket const& market,
                 std::uint64_t first_resident = 0, std::uint64_t first_entry = 0) {
  std::vector<std::uint32_t> last_owner(market.second.count,
                                        std::numeric_limits<std::uint32_t>::max());
  for (std::uint32_t resident = 0; resident < market.first.count; ++resident) {
    for (auto entry = market.begin_of(resident); entry < market.end_of(resident); ++entry) {
      auto const id = market.hospitals[entry];
      if (id >= market.second.count) {
        throw InputError(file, fmt::format("entry {}: expected an id below {}, found {}",
                                           first_entry + entry, market.second.count, id));
      }
      if (std::exchange(last_owner[id], resident) == resident) {
        throw InputError(file, fmt::format("entry {}: {} appears twice in the list of resident {}",
                                           first_entry + entry, id, first_resident + resident));
      }
    }
  }
}

/// Checks that classes begin with 0 and do not fall within a list.
void check_tiers(std::string const& file, SparseMarket const& market,
                 std::uint64_t first_entry = 0) {
  for (std::uint32_t resident = 0; resident < market.first.count; ++resident) {
    std::uint32_t last = 0;
    for (auto entry = market.begin_of(resident); entry < market.end_of(resident); ++entry) {
      auto const tier = market.resident_tiers[entry];
      auto const first = entry == market.begin_of(resident);
      if ((first && tier != 0) || tier < last || tier > last + 1) {
        throw InputError(file,
                         fmt::format("entry {}: expected classes 0, 1, 2, ... that do not fall in "
                                     "a list, found {}",
                                     first_entry + entry, tier));
      }
      last = tier;
    }
  }
}

void read_scores(Source& source, SparseMarket& market, bool lowest_first) {
  auto const scores = read_array<double>(source);
  require_size(source, scores.size(), market.entries(), "entry");
  set_keys_by_score(market, scores, lowest_first);
}

SparseMarket read_arrays(Arrays const& arrays, MarketReadOptions const& options) {
  SparseMarket market;
  market.first.title = "residents";
  market.second.title = "hospitals";
  auto const offsets = arrays.require({"offsets"});
  market.offsets = read_array<std::int64_t>(*offsets);
  auto const hospitals = arrays.require({"hospitals", "entries"});
  market.hospitals = read_array<std::uint32_t>(*hospitals);
  check_offsets(*offsets, market.offsets, market.entries());
  market.first.count = market.offsets.size() - 1;
  if (auto const seats = arrays.find({"seats", "capacities"})) {
    market.seats = read_array<std::uint32_t>(*seats);
  } else if (!market.hospitals.empty()) {
    market.seats.assign(std::size_t{std::ranges::max(market.hospitals)} + 1, 1);
    market.notes.push_back(fmt::format("{}: without an array seats.npy {} hospitals have one each",
                                       arrays.name(), grouped(market.seats.size())));
  }
  market.second.count = market.seats.size();
  check_lists(hospitals->name(), market);
  if (auto const tiers = arrays.find({"resident_tiers"})) {
    market.resident_tiers = read_array<std::uint32_t>(*tiers);
    require_size(*tiers, market.resident_tiers.size(), market.entries(), "entry");
    check_tiers(tiers->name(), market);
  }
  if (auto const keys = arrays.find({"keys", "ranks"})) {
    market.keys = read_array<std::uint32_t>(*keys);
    require_size(*keys, market.keys.size(), market.entries(), "entry");
  } else if (auto const scores = arrays.find({"scores"})) {
    read_scores(*scores, market, options.lowest_first);
  } else if (auto const priorities = arrays.find({"priorities"})) {
    read_scores(*priorities, market, true);
  } else {
    market.keys.resize(market.entries());
    market.notes.push_back(fmt::format("{}: without an array keys.npy or scores.npy all residents "
                                       "tie at each hospital",
                                       arrays.name()));
  }
  return market;
}

/// An array of which parts are read.
class ArrayFile {
 public:
  /// The array of `folder` with the first of these names that is there. Throws: InputError if there
  /// is none, or if it is compressed or cut short.
  ArrayFile(fs::path const& folder, std::initializer_list<std::string_view> names)
      : source_(Arrays(folder.string(), folder).require(names)) {
    header_ = read_npy_header(*source_);
    require_one_dimension(*source_, header_);
    require_plain_file();
  }

  std::string const& name() const { return source_->name(); }
  std::uint64_t size() const { return header_.shape[0]; }

  /// The entries from `begin` to before `end`.
  template <class To>
  std::vector<To> read(std::uint64_t begin, std::uint64_t end) const {
    return read_by_type<To>(*source_, header_, [&]<class From>(From) {
      std::vector<To> numbers;
      numbers.reserve(end - begin);
      std::ifstream file(name(), std::ios::binary);
      file.seekg(static_cast<std::streamoff>(data_at_ + begin * sizeof(From)));
      std::vector<From> piece;
      while (numbers.size() < end - begin) {
        piece.resize(std::min<std::uint64_t>(piece_entries, end - begin - numbers.size()));
        if (!file.read(reinterpret_cast<char*>(piece.data()),
                       static_cast<std::streamsize>(piece.size() * sizeof(From)))) {
          throw InputError(name(), "cannot be read to its end");
        }
        append(name(), begin, piece, numbers);
      }
      return numbers;
    });
  }

 private:
  /// Finds where the data begin, and compares their size with the shape.
  void require_plain_file() {
    auto const bytes = npy_magic.size() + 6;
    std::string start(bytes, '\0');
    std::ifstream(name(), std::ios::binary).read(start.data(), static_cast<std::streamsize>(bytes));
    if (!start.starts_with(npy_magic)) {
      throw InputError(name(), "expected an array without compression: several processes read it");
    }
    auto const is_short = start[npy_magic.size()] == 1;
    std::uint32_t length = 0;
    std::memcpy(&length, start.data() + npy_magic.size() + 2, is_short ? 2 : 4);
    data_at_ = npy_magic.size() + 2 + (is_short ? 2 : 4) + length;
    auto const found = fs::file_size(name());
    auto const item = header_.type.empty() ? 0 : header_.type.back() - '0';
    auto const expected = data_at_ + size() * static_cast<std::uint64_t>(item);
    if (item > 0 && item <= 8 && found != expected) {
      throw InputError(name(), fmt::format("expected a file of {} bytes, found {}",
                                           grouped(expected), grouped(found)));
    }
  }

  std::unique_ptr<Source> source_;
  NpyHeader header_;
  std::uint64_t data_at_ = 0;
};

/// Writes an array of one dimension.
template <class Number>
void write_array(fs::path const& path, std::string_view type, std::span<Number const> numbers) {
  AtomicFile file(path);
  auto& out = file.stream();
  out << npy_header(type, std::array{std::uint64_t{numbers.size()}});
  out.write(reinterpret_cast<char const*>(numbers.data()),
            static_cast<std::streamsize>(numbers.size_bytes()));
  file.commit();
}

/// Writes the score of each entry.
void write_scores(fs::path const& path, SparseMarket const& market) {
  AtomicFile file(path);
  auto& out = file.stream();
  out << npy_header("<f8", std::array{std::uint64_t{market.entries()}});
  for (auto const key : market.keys) {
    out.write(reinterpret_cast<char const*>(&market.scores[key]), sizeof(double));
  }
  file.commit();
}

/// Checks the offsets of residents from `first` on, of `entries` entries in all. `last`: they end
/// with the market.
void check_part_of_offsets(std::string const& file, std::vector<std::int64_t> const& offsets,
                           std::uint64_t first, bool last, std::uint64_t entries) {
  auto const falls = std::ranges::adjacent_find(offsets, std::greater{});
  if (falls != offsets.end()) {
    throw InputError(file,
                     fmt::format("entry {} is {}, less than the entry before it",
                                 first + static_cast<std::uint64_t>(falls - offsets.begin()) + 1,
                                 *(falls + 1)));
  }
  if ((first == 0 && offsets.front() != 0) || offsets.front() < 0) {
    throw InputError(file, "expected offsets that begin with 0");
  }
  if (std::cmp_greater(offsets.back(), entries) ||
      (last && std::cmp_not_equal(offsets.back(), entries))) {
    throw InputError(file, fmt::format("expected {} at the end, the number of entries, found {}",
                                       entries, offsets.back()));
  }
}

/// Reads the keys and the tie classes of entries `begin` to before `end`, of `entries` in all.
void read_part_of_entries(fs::path const& folder, std::uint64_t entries, std::uint64_t begin,
                          std::uint64_t end, SparseMarket& own) {
  Arrays const arrays(folder.string(), folder);
  auto const read = [&](std::initializer_list<std::string_view> names) {
    ArrayFile const array(folder, names);
    if (array.size() != entries) {
      throw InputError(array.name(), fmt::format("expected {} numbers, one per entry, found {}",
                                                 grouped(entries), grouped(array.size())));
    }
    return array.read<std::uint32_t>(begin, end);
  };
  if (auto const tiers = arrays.find({"resident_tiers"})) {
    own.resident_tiers = read({"resident_tiers"});
    check_tiers(tiers->name(), own, begin);
  }
  if (arrays.find({"keys", "ranks"})) {
    own.keys = read({"keys", "ranks"});
  } else if (auto const scores = arrays.find({"scores", "priorities"})) {
    throw InputError(scores->name(), "several processes read no scores, which are sorted over the "
                                     "whole market: save keys.npy, where lower is better");
  } else {
    own.keys.resize(end - begin);
    own.notes.push_back(fmt::format("{}: without an array keys.npy or scores.npy all residents "
                                    "tie at each hospital",
                                    arrays.name()));
  }
}

}  // namespace

SparseMarket read_market_folder(fs::path const& folder, MarketReadOptions const& options) {
  return read_arrays(Arrays(folder.string(), folder), options);
}

SparseMarket read_market_archive(Source& source, MarketReadOptions const& options) {
  std::string bytes;
  for (auto more = source.buffered(); !more.empty(); more = source.buffered()) {
    bytes += more;
    source.skip(more.size());
  }
  return read_arrays(Arrays(source.name(), bytes), options);
}

MarketPart read_market_part(fs::path const& folder, std::uint64_t part, std::uint64_t parts) {
  if (!fs::exists(folder)) {
    throw InputError(folder.string(), "cannot be read: No such file or directory");
  }
  if (!fs::is_directory(folder)) {
    throw InputError(folder.string(), "expected a folder of NumPy arrays, of which each process "
                                      "reads a part; found a file");
  }
  ArrayFile const offsets(folder, {"offsets"});
  ArrayFile const hospitals(folder, {"hospitals", "entries"});
  ArrayFile const seats(folder, {"seats", "capacities"});
  if (offsets.size() == 0) {
    throw InputError(offsets.name(), "expected offsets that begin with 0");
  }
  MarketPart read;
  SparseMarket& own = read.own;
  own.first.title = "residents";
  own.second.title = "hospitals";
  read.residents = offsets.size() - 1;
  own.second.count = seats.size();
  auto const begin = read.residents * part / parts;
  auto const end = read.residents * (part + 1) / parts;
  own.first.count = end - begin;
  own.offsets = offsets.read<std::int64_t>(begin, end + 1);
  check_part_of_offsets(offsets.name(), own.offsets, begin, end == read.residents,
                        hospitals.size());
  auto const first_entry = static_cast<std::uint64_t>(own.offsets.front());
  auto const end_entry = static_cast<std::uint64_t>(own.offsets.back());
  for (auto& offset : own.offsets) {
    offset -= static_cast<std::int64_t>(first_entry);
  }
  own.hospitals = hospitals.read<std::uint32_t>(first_entry, end_entry);
  own.seats =
      seats.read<std::uint32_t>(seats.size() * part / parts, seats.size() * (part + 1) / parts);
  check_lists(hospitals.name(), own, begin, first_entry);
  read_part_of_entries(folder, hospitals.size(), first_entry, end_entry, own);
  return read;
}

void require_new_folder(fs::path const& folder) {
  std::error_code error;
  if (fs::exists(folder, error) &&
      (!fs::is_directory(folder, error) || !fs::is_empty(folder, error))) {
    throw InputError(folder.string(), "expected a new folder, but it exists and is not empty");
  }
}

void write_market_arrays(fs::path const& folder, SparseMarket const& market) {
  require_new_folder(folder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw InputError(folder.string(), error.message());
  }
  if (market.scores.empty()) {
    write_array<std::uint32_t>(folder / "keys.npy", "<u4", market.keys);
  } else {
    write_scores(folder / (market.lowest_score_first() ? "priorities.npy" : "scores.npy"), market);
  }
  if (market.has_resident_ties()) {
    write_array<std::uint32_t>(folder / "resident_tiers.npy", "<u4", market.resident_tiers);
  }
  write_array<std::uint32_t>(folder / "seats.npy", "<u4", market.seats);
  write_array<std::uint32_t>(folder / "hospitals.npy", "<u4", market.hospitals);
  write_array<std::int64_t>(folder / "offsets.npy", "<i8", market.offsets);
}

}  // namespace taper::io
