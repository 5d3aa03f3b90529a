// SPDX-License-Identifier: Apache-2.0
#include <io/market/csv_columns.hpp>
#include <io/market/csv_table.hpp>
#include <io/market/hospital_lists.hpp>
#include <io/market/names.hpp>
#include <io/market/write.hpp>
#include <io/text/buffered_writer.hpp>
#include <io/text/source.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace taper::io {
namespace {

/// Writes the mappings of JSON, which is YAML too.
class JsonLists {
 public:
  JsonLists(BufferedWriter& out, SparseMarket const& market)
      : out_(out), residents_(quoted(market, market.first)),
        hospitals_(quoted(market, market.second)) {}

  void write(SparseMarket const& market) {
    out_.add("{\n  ");
    begin_mapping(title_of(market, market.first));
    for (std::uint32_t r = 0; r < residents_.size(); ++r) {
      begin_list(residents_[r]);
      for (auto entry = market.begin_of(r); entry < market.end_of(r); ++entry) {
        add(hospitals_[market.hospitals[entry]], market.tier(r, entry));
      }
      end_list();
    }
    end_mapping(",\n  ");
    begin_mapping(title_of(market, market.second));
    HospitalLists const lists(market);
    for (std::uint32_t h = 0; h < hospitals_.size(); ++h) {
      begin_list(hospitals_[h]);
      for (auto const& [resident, key] : lists.of(h)) {
        add(residents_[resident], key);
      }
      end_list();
    }
    end_mapping(",\n  ");
    begin_mapping("capacities");
    for (std::size_t h = 0; h < hospitals_.size(); ++h) {
      add_key(hospitals_[h]);
      out_.add_number(market.seats[h]);
    }
    end_mapping("\n}\n");
  }

 private:
  static std::vector<std::string> quoted(SparseMarket const& market, Agents const& side) {
    auto names = names_of(market, side);
    for (auto& name : names) {
      name = json_string(name);
    }
    return names;
  }

  void begin_mapping(std::string_view title) {
    out_.add(json_string(title));
    out_.add(": {");
    first_key_ = true;
  }
  void end_mapping(std::string_view end) {
    out_.add(first_key_ ? "}" : "\n  }");
    out_.add(end);
  }
  void add_key(std::string_view name) {
    out_.add(first_key_ ? "\n    " : ",\n    ");
    out_.add(name);
    out_.add(": ");
    first_key_ = false;
  }

  void begin_list(std::string_view owner) {
    add_key(owner);
    out_.add("[");
    tie_.clear();
    first_tie_ = true;
  }
  /// Adds a name. Names of the same class, one after another, are a tie.
  void add(std::string_view name, std::uint32_t tie_class) {
    if (!tie_.empty() && tie_class != class_) {
      flush_tie();
    }
    class_ = tie_class;
    tie_.push_back(name);
  }
  void end_list() {
    flush_tie();
    out_.add("]");
  }
  void flush_tie() {
    if (tie_.empty()) {
      return;
    }
    out_.add(first_tie_ ? "" : ", ");
    out_.add(tie_.size() > 1 ? "[" : "");
    for (std::size_t i = 0; i < tie_.size(); ++i) {
      out_.add(i > 0 ? ", " : "");
      out_.add(tie_[i]);
    }
    out_.add(tie_.size() > 1 ? "]" : "");
    tie_.clear();
    first_tie_ = false;
  }

  BufferedWriter& out_;
  std::vector<std::string> residents_, hospitals_;  // as JSON strings
  bool first_key_ = true;
  bool first_tie_ = true;
  std::uint32_t class_ = 0;
  std::vector<std::string_view> tie_;
};

/// A cell of a table. Throws: InputError if the reader could not take it.
std::string table_cell(std::string const& text) {
  if (text.empty() || text.find_first_of("\r\n") != std::string::npos) {
    throw InputError(fmt::format("CSV cannot hold the name {}; write JSON or YAML",
                                 text.empty() ? "''" : in_quotes(text)));
  }
  // The reader takes # and % at the begin of a line for a comment, and drops blanks around cells.
  auto const plain = text.find_first_of(",;\t\"#% ") == std::string::npos;
  auto const cell = csv_field(text);
  return plain || cell.starts_with('"') ? cell : '"' + cell + '"';
}

/// The titles of the columns. The sides keep theirs, unless the reader would take them for others.
std::string table_titles(SparseMarket const& market) {
  auto const* const value =
      market.scores.empty() || market.lowest_score_first() ? "priority" : "score";
  auto const with = [&](std::string const& first, std::string const& second) {
    return fmt::format("{},{},rank,{},seats\r\n", first, second, value);
  };
  try {
    auto const titles = with(table_cell(title_of(market, market.first)),
                             table_cell(title_of(market, market.second)));
    Source source("titles", titles);
    auto const roles = find_roles(CsvTable(source), {}, {}, {}, TableSide::first);
    if (roles.resident == 0u && roles.hospital == 1u && roles.rank == 2u) {
      return titles;
    }
  } catch (InputError const&) {
  }
  return with("resident", "hospital");
}

/// Writes a row per agent of the second side, then per resident a row per entry.
void write_table(BufferedWriter& out, SparseMarket const& market) {
  auto residents = names_of(market, market.first), hospitals = names_of(market, market.second);
  std::ranges::transform(residents, residents.begin(), table_cell);
  std::ranges::transform(hospitals, hospitals.begin(), table_cell);
  out.add(table_titles(market));
  for (std::size_t h = 0; h < hospitals.size(); ++h) {
    out.add(fmt::format(",{},,,{}\r\n", hospitals[h], market.seats[h]));
  }
  for (std::uint32_t r = 0; r < residents.size(); ++r) {
    if (market.begin_of(r) == market.end_of(r)) {
      out.add(residents[r]);
      out.add(",,,,\r\n");
    }
    for (auto entry = market.begin_of(r); entry < market.end_of(r); ++entry) {
      out.add(residents[r]);
      out.add(",");
      out.add(hospitals[market.hospitals[entry]]);
      out.add(",");
      out.add_number(std::uint64_t{market.tier(r, entry)} + 1);
      out.add(",");
      if (market.scores.empty()) {
        out.add_number(std::uint64_t{market.keys[entry]} + 1);
      } else {
        out.add_number(market.scores[market.keys[entry]]);
      }
      out.add(",\r\n");
    }
  }
}

}  // namespace

void write_market(std::ostream& out, SparseMarket const& market, MarketFormat format) {
  BufferedWriter text(out);
  if (format == MarketFormat::json || format == MarketFormat::yaml) {
    JsonLists(text, market).write(market);
  } else if (format == MarketFormat::csv) {
    write_table(text, market);
  } else {
    throw InputError("a market with short lists, ties or seats is written as JSON, YAML or CSV");
  }
}

}  // namespace taper::io
