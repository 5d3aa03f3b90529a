// SPDX-License-Identifier: Apache-2.0
#include <io/market/join_lists.hpp>
#include <io/market/market_arrays.hpp>
#include <io/market/npy_numbers.hpp>
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

template <class To>
std::vector<To> read_array(Source& source) {
  auto const header = read_npy_header(source);
  return read_by_type<To>(source.name(), header, [&]<class From>(From) {
    return read_as<From, To>(source, header.shape[0]);
  });
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

}  // namespace

void check_lists(std::string const& file, SparseMarket const& market, std::uint64_t first_resident,
                 std::uint64_t first_entry) {
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

void check_tiers(std::string const& file, SparseMarket const& market, std::uint64_t first_entry) {
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
