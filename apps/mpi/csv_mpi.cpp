// SPDX-License-Identifier: Apache-2.0
#include "csv_mpi.hpp"
#include "deliver_mpi.hpp"
#include "processes.hpp"

#include <io/market/csv_range.hpp>
#include <io/market/read_csv_market.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace taper::app {
namespace {

using Reader = io::CsvMarketReader;

/// The home of a name: the first process that reads it.
struct Home {
  std::uint32_t process = 0;
  std::uint32_t place = 0;  ///< of the name among those that `process` sent to its directory
  std::uint64_t line = 0;   ///< where `process` read the name, if each row is an agent
};

/// Finds the homes of the names that this process has read. The directory of a name is a process,
/// chosen by the hash of the name. All processes that read the name ask its directory.
class Homes {
 public:
  /// `own`: the names; `lines`: the lines of the first of them, perhaps none.
  Homes(Communicator const& communicator, std::vector<std::string> const& own,
        std::vector<std::size_t> const& lines)
      : process_(communicator.process()), sent_(communicator.processes()), homes_(own.size()) {
    PerProcess<char> names(communicator.processes());
    PerProcess<std::uint64_t> lines_of(communicator.processes());
    for (std::uint32_t id = 0; id < own.size(); ++id) {
      auto const directory = directory_of(own[id]);
      append_name(names[directory], own[id]);
      lines_of[directory].push_back(id < lines.size() ? lines[id] : 0);
      directories_.push_back(directory);
      sent_[directory].push_back(id);
    }
    auto const homes = deliver(
        communicator, look_up(deliver(communicator, names), deliver(communicator, lines_of)));
    for (std::size_t directory = 0; directory < sent_.size(); ++directory) {
      for (std::size_t place = 0; place < sent_[directory].size(); ++place) {
        homes_[sent_[directory][place]] = homes[directory][place];
      }
    }
  }

  Home const& home_of(std::size_t id) const { return homes_[id]; }
  /// Whether this process is the first that reads the name.
  bool is_here(std::size_t id) const { return homes_[id].process == process_; }
  std::uint32_t directory_of(std::uint32_t id) const { return directories_[id]; }
  /// The number in this process of one of its names, from its directory and its place there.
  std::uint32_t id_of(std::uint32_t directory, std::uint32_t place) const {
    return sent_[directory][place];
  }

 private:
  std::uint32_t directory_of(std::string_view name) const {
    return static_cast<std::uint32_t>(std::hash<std::string_view>{}(name) % sent_.size());
  }

  /// As a directory: the home of each name that a process has sent.
  static PerProcess<Home> look_up(PerProcess<char> const& names,
                                  PerProcess<std::uint64_t> const& lines) {
    std::unordered_map<std::string_view, Home> home_of;
    PerProcess<Home> homes(names.size());
    for (std::uint32_t process = 0; process < names.size(); ++process) {
      std::uint32_t place = 0;
      for (auto const name : names_in(names[process])) {
        Home const here{process, place, lines[process][place]};
        homes[process].push_back(home_of.try_emplace(name, here).first->second);
        ++place;
      }
    }
    return homes;
  }

  std::uint32_t process_;
  PerProcess<std::uint32_t> sent_;  ///< per directory: the numbers of the names sent to it
  std::vector<std::uint32_t> directories_;
  std::vector<Home> homes_;
};

/// Numbers the hospitals of all processes: first those of process 0, in the order of its lines,
/// then the new ones of process 1, and so on.
class AllHospitals {
 public:
  AllHospitals(Communicator const& communicator, std::vector<std::string> const& own) {
    Homes const homes(communicator, own, {});
    std::vector<char> names;
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (homes.is_here(i)) {
        append_name(names, own[i]);
      }
    }
    for (auto const& part : share(communicator, names)) {
      for (auto const name : names_in(part)) {
        index_.add(std::string(name));
      }
    }
    for (auto const& name : own) {
      number_of_.push_back(*index_.find(name));
    }
  }

  /// The number in the whole market of this process's i-th hospital.
  std::uint32_t number_of(std::size_t i) const { return number_of_[i]; }
  io::NameIndex& index() { return index_; }

 private:
  io::NameIndex index_;
  std::vector<std::uint32_t> number_of_;
};

/// A row in a message to the process of its resident.
struct SentRow {
  std::uint64_t line;
  double place;
  double score;
  std::uint32_t directory;
  std::uint32_t name;  ///< the place of the resident's name in its directory: Home::place
  std::uint32_t hospital;
  std::uint32_t unused = 0;
};

/// Throws: ConfigError in all processes if a resident has two rows, in a table whose rows are
///   agents.
void require_one_row_each(Reader::SideRows const& rows, Homes const& homes) {
  std::string problem;
  for (std::uint32_t id = 0; id < rows.agent_lines.size() && problem.empty(); ++id) {
    if (!homes.is_here(id)) {
      problem = io::InputError(rows.file, rows.agent_lines[id],
                               fmt::format("{}: {} appears twice (first on line {})", rows.title,
                                           io::in_quotes(rows.agents.names()[id]),
                                           homes.home_of(id).line))
                    .what();
    }
  }
  agree(problem);
}

/// Keeps the residents that belong to this process, with the rows that all processes have of them.
void join_rows(Communicator const& communicator, Reader::SideRows& rows,
               AllHospitals const& hospitals, bool has_values) {
  Homes const homes(communicator, rows.agents.names(), rows.agent_lines);
  require_one_row_each(rows, homes);
  Reader::SideRows own;
  own.file = rows.file;
  own.title = rows.title;
  std::vector<std::uint32_t> kept_as(rows.agents.names().size());
  for (std::uint32_t id = 0; id < kept_as.size(); ++id) {
    if (homes.is_here(id)) {
      kept_as[id] = own.agents.add(rows.agents.names()[id]).first;
    }
  }
  auto const add = [&](std::uint32_t owner, SentRow const& row) {
    own.owners.push_back(owner);
    own.ids.push_back(row.hospital);
    own.places.push_back(row.place);
    own.lines.push_back(row.line);
    if (has_values) {
      own.scores.push_back(row.score);
    }
  };
  PerProcess<SentRow> others(communicator.processes());
  for (std::size_t entry = 0; entry < rows.owners.size(); ++entry) {
    auto const id = rows.owners[entry];
    auto const& home = homes.home_of(id);
    SentRow const row{
        rows.lines[entry],      rows.places[entry], has_values ? rows.scores[entry] : 0,
        homes.directory_of(id), home.place,         hospitals.number_of(rows.ids[entry])};
    if (homes.is_here(id)) {
      add(kept_as[id], row);
    } else {
      others[home.process].push_back(row);
    }
  }
  for (auto const& part : deliver(communicator, others)) {
    for (auto const& row : part) {  // from later processes, so from later lines
      add(kept_as[homes.id_of(row.directory, row.name)], row);
    }
  }
  rows = std::move(own);
}

/// The seats of all hospitals of the market, from those that each process has read.
/// Throws: ConfigError in all processes if two rows disagree.
std::vector<Reader::Seats> join_seats(std::string const& file,
                                      std::vector<Reader::Seats> const& own,
                                      AllHospitals& hospitals) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  // The least word of a hospital has its first line in the upper half, and its seats in the lower.
  std::vector<std::int64_t> first(hospitals.index().names().size(), none);
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (own[i].line != 0) {
      first[hospitals.number_of(i)] =
          static_cast<std::int64_t>(own[i].line) << 32 | std::int64_t{own[i].seats};
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, first.data(), static_cast<int>(first.size()), MPI_INT64_T, MPI_MIN,
                MPI_COMM_WORLD);
  std::vector<Reader::Seats> seats(first.size());
  for (std::size_t id = 0; id < first.size(); ++id) {
    if (first[id] != none) {
      seats[id] = {static_cast<std::uint32_t>(first[id]), static_cast<std::size_t>(first[id] >> 32),
                   file};
    }
  }
  std::string problem;
  for (std::size_t i = 0; i < own.size() && problem.empty(); ++i) {
    auto const& known = seats[hospitals.number_of(i)];
    if (own[i].line != 0 && own[i].seats != known.seats) {
      auto const& name = hospitals.index().names()[hospitals.number_of(i)];
      problem = io::InputError(file, own[i].line,
                               fmt::format("{} has {} seats, and {} in {}:{}", io::in_quotes(name),
                                           own[i].seats, known.seats, file, known.line))
                    .what();
    }
  }
  agree(problem);
  return seats;
}

/// The sum of the values of all processes before this one.
std::uint64_t sum_before(std::uint64_t own) {
  std::uint64_t before = 0;
  MPI_Exscan(&own, &before, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return processes().own == 0 ? 0 : before;
}

/// Makes the part of this process from the market of its residents and of all hospitals.
io::MarketPart part_of(io::SparseMarket market, Reader const& reader) {
  auto const own = static_cast<std::uint64_t>(processes().own);
  auto const count = static_cast<std::uint64_t>(processes().count);
  io::MarketPart part;
  part.lowest_first = reader.lowest_first();
  part.has_scores = reader.has_values();
  for (std::size_t entry = 0; part.has_scores && entry < market.entries(); ++entry) {
    part.scores.push_back(market.scores[market.keys[entry]]);
  }
  if (part.has_scores) {
    market.keys.clear();
    market.scores.clear();
  }
  auto const first_seat = market.seats.begin();
  auto const all = market.seats.size();
  market.seats = {first_seat + static_cast<std::ptrdiff_t>(all * own / count),
                  first_seat + static_cast<std::ptrdiff_t>(all * (own + 1) / count)};
  part.residents = market.first.count;
  int ties = market.has_resident_ties() ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &part.residents, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  MPI_Allreduce(MPI_IN_PLACE, &ties, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (ties != 0 && !market.has_resident_ties()) {
    for (std::uint32_t resident = 0; resident < market.first.count; ++resident) {
      for (auto entry = market.begin_of(resident); entry < market.end_of(resident); ++entry) {
        market.resident_tiers.push_back(
            static_cast<std::uint32_t>(entry - market.begin_of(resident)));
      }
    }
  }
  part.own = std::move(market);
  return part;
}

}  // namespace

io::MarketPart read_csv_part(std::filesystem::path const& path,
                             io::MarketReadOptions const& options) {
  std::optional<io::CsvRange> range;
  together([&] {
    range.emplace(path, static_cast<std::uint64_t>(processes().own),
                  static_cast<std::uint64_t>(processes().count));
  });
  auto const lines_before = sum_before(range->lines());
  bool const is_long = lines_before + range->lines() > std::numeric_limits<std::int32_t>::max();
  agree(is_long ? path.string() + ": over several processes a table has at most 2^31 - 1 lines"
                : "");
  Reader reader(options);
  together([&] { range->read(reader, lines_before); });
  range.reset();
  Communicator const communicator("taper", MPI_COMM_WORLD);
  AllHospitals hospitals(communicator, reader.hospitals().names());
  reader.seats() = join_seats(reader.residents().file, reader.seats(), hospitals);
  join_rows(communicator, reader.residents(), hospitals, reader.has_values());
  reader.hospitals() = std::move(hospitals.index());
  io::SparseMarket market;
  together([&] { market = reader.take(); });
  return part_of(std::move(market), reader);
}

}  // namespace taper::app
