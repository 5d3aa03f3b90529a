// SPDX-License-Identifier: Apache-2.0
#include <io/market/mapped_file.hpp>
#include <io/market/market_arrays.hpp>
#include <io/market/market_parts.hpp>
#include <io/market/npy_numbers.hpp>
#include <io/market/zip_archive.hpp>
#include <io/matrix/npy.hpp>
#include <io/text/error.hpp>
#include <io/text/source.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::io {
namespace {

/// Where the bytes of an array are.
struct ArrayPlace {
  std::string name;  ///< for messages
  std::filesystem::path file;
  std::uint64_t begin = 0;
  std::uint64_t size = 0;
};

/// The places of the arrays in a folder or an archive.
class ArrayPlaces {
 public:
  explicit ArrayPlaces(std::filesystem::path path) : path_(std::move(path)) {
    if (!std::filesystem::exists(path_)) {
      throw InputError(name(), "cannot be read: No such file or directory");
    }
    if (std::filesystem::is_directory(path_)) {
      return;
    }
    mapped_.emplace(path_);
    if (!mapped_->bytes().starts_with("PK")) {
      throw InputError(name(), "expected a table (.csv), or a folder or .npz archive of NumPy "
                               "arrays, of which each process reads a part");
    }
    archive_.emplace(name(), mapped_->bytes());
  }

  std::string name() const { return path_.string(); }

  /// The array with the first of these names that is there.
  std::optional<ArrayPlace> find(std::initializer_list<std::string_view> names) const {
    for (auto const array : names) {
      auto const file = fmt::format("{}.npy", array);
      if (archive_ && archive_->contains(file)) {
        auto const bytes = archive_->stored_bytes_of(file);
        auto const begin = static_cast<std::uint64_t>(bytes.data() - mapped_->bytes().data());
        return ArrayPlace{fmt::format("{}/{}", name(), file), path_, begin, bytes.size()};
      }
      if (auto const path = path_ / file; !archive_ && std::filesystem::exists(path)) {
        return ArrayPlace{path.string(), path, 0, std::filesystem::file_size(path)};
      }
    }
    return std::nullopt;
  }

  ArrayPlace require(std::initializer_list<std::string_view> names) const {
    auto const place = find(names);
    if (!place) {
      throw InputError(name(), fmt::format("expected an array {}.npy", *names.begin()));
    }
    return *place;
  }

 private:
  std::filesystem::path path_;
  std::optional<MappedFile> mapped_;
  std::optional<ZipArchive> archive_;
};

/// An array of which parts are read.
class ArrayFile {
 public:
  /// Throws: InputError if it is compressed or cut short, or has more than one dimension.
  explicit ArrayFile(ArrayPlace place) : place_(std::move(place)) {
    constexpr std::uint64_t longest_header = (1 << 16) + 12;
    std::string start(std::min(longest_header, place_.size), '\0');
    std::ifstream file = open_at(0);
    file.read(start.data(), static_cast<std::streamsize>(start.size()));
    if (start.starts_with("\x1f\x8b")) {
      throw InputError(name(), "expected an array without compression: several processes read it");
    }
    Source source(name(), start);
    header_ = read_npy_header(source);
    require_one_dimension(name(), header_);
    data_at_ = start.size() - rest_of(source);
    require_size_of_file();
  }

  std::string const& name() const { return place_.name; }
  std::uint64_t size() const { return header_.shape[0]; }

  /// The entries from `begin` to before `end`.
  template <class To>
  std::vector<To> read(std::uint64_t begin, std::uint64_t end) const {
    return read_by_type<To>(name(), header_, [&]<class From>(From) {
      std::vector<To> numbers;
      numbers.reserve(end - begin);
      std::ifstream file = open_at(data_at_ + begin * sizeof(From));
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
  std::ifstream open_at(std::uint64_t byte) const {
    std::ifstream file(place_.file, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(place_.begin + byte));
    return file;
  }

  /// The bytes that the header has left.
  static std::uint64_t rest_of(Source& source) {
    std::uint64_t rest = 0;
    for (auto more = source.buffered(); !more.empty(); more = source.buffered()) {
      rest += more.size();
      source.skip(more.size());
    }
    return rest;
  }

  /// Compares the size of the data with the shape.
  void require_size_of_file() const {
    auto const item = header_.type.empty() ? 0 : header_.type.back() - '0';
    auto const expected = data_at_ + size() * static_cast<std::uint64_t>(item);
    if (item > 0 && item <= 8 && place_.size != expected) {
      throw InputError(name(), fmt::format("expected a file of {} bytes, found {}",
                                           grouped(expected), grouped(place_.size)));
    }
  }

  ArrayPlace place_;
  NpyHeader header_;
  std::uint64_t data_at_ = 0;
};

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
void read_part_of_entries(ArrayPlaces const& arrays, std::uint64_t entries, std::uint64_t begin,
                          std::uint64_t end, MarketPart& read) {
  SparseMarket& own = read.own;
  auto const numbers_in = [&]<class Number>(ArrayPlace const& place, Number) {
    ArrayFile const array(place);
    if (array.size() != entries) {
      throw InputError(array.name(), fmt::format("expected {} numbers, one per entry, found {}",
                                                 grouped(entries), grouped(array.size())));
    }
    return array.read<Number>(begin, end);
  };
  if (auto const tiers = arrays.find({"resident_tiers"})) {
    own.resident_tiers = numbers_in(*tiers, std::uint32_t{});
    check_tiers(tiers->name, own, begin);
  }
  if (auto const keys = arrays.find({"keys", "ranks"})) {
    own.keys = numbers_in(*keys, std::uint32_t{});
  } else if (auto const scores = arrays.find({"scores"})) {
    read.scores = numbers_in(*scores, double{});
    read.has_scores = true;
  } else if (auto const priorities = arrays.find({"priorities"})) {
    read.scores = numbers_in(*priorities, double{});
    read.has_scores = true;
    read.lowest_first = true;
  } else {
    own.keys.resize(end - begin);
    own.notes.push_back(fmt::format("{}: without an array keys.npy or scores.npy all residents "
                                    "tie at each hospital",
                                    arrays.name()));
  }
}

}  // namespace

MarketPart read_market_part(std::filesystem::path const& market, std::uint64_t part,
                            std::uint64_t parts, MarketReadOptions const& options) {
  ArrayPlaces const arrays(market);
  ArrayFile const offsets(arrays.require({"offsets"}));
  ArrayFile const hospitals(arrays.require({"hospitals", "entries"}));
  ArrayFile const seats(arrays.require({"seats", "capacities"}));
  if (offsets.size() == 0) {
    throw InputError(offsets.name(), "expected offsets that begin with 0");
  }
  MarketPart read;
  read.lowest_first = options.lowest_first;
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
  read_part_of_entries(arrays, hospitals.size(), first_entry, end_entry, read);
  return read;
}

}  // namespace taper::io
