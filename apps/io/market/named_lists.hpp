// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/join_lists.hpp>
#include <io/market/market.hpp>
#include <io/market/name_index.hpp>
#include <io/market/numbered_lists.hpp>
#include <io/market/parse_events.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace taper::io {

// JSON and YAML files. NamedFile reads the mappings of one file, and join() turns two of them into
// a Market. The sides may also be lists of lists of ids.

/// One mapping from names to lists of names, or one list of lists of ids, as in the file. The lists
/// are not resolved, since the other side may not have been read yet.
struct NamedSide {
  /// An entry of a list.
  struct Mention {
    std::size_t line;
    std::size_t person;
    std::size_t entry;
  };

  std::size_t line = 0;
  bool indexed = false;  ///< a list of lists of ids: the agents have no names
  NameIndex people;
  NameIndex mentioned;                       ///< the names in the lists
  std::vector<Mention> first_mentions;       ///< per mentioned name: its first entry
  std::vector<std::uint32_t> last_mentions;  ///< per mentioned name: the last list with it
  SideLists lists;                           ///< entries are numbers in `mentioned`, or ids

  std::string const& title() const { return lists.agents.title; }
  std::string const& file() const { return lists.file; }
};

/// The mapping `capacities` of a file, from names of the second side to their seats.
struct NamedSeats {
  struct Seats {
    std::size_t line;
    std::uint32_t seats;
  };

  std::string file;
  std::size_t line = 0;  ///< 0: the file has no such mapping
  NameIndex names;
  std::vector<Seats> seats;  ///< per name
};

/// Reads the sides in one JSON or YAML file from its events.
class NamedFile : public ParseEvents {
 public:
  /// `file` is for messages; `stem` is the title of a mapping without a key.
  NamedFile(std::string file, std::string stem) : file_(std::move(file)), stem_(std::move(stem)) {}

  void open_map(std::size_t line) override;
  void close_map(std::size_t line) override;
  void open_list(std::size_t line) override;
  void close_list(std::size_t line) override;
  void text(std::string text, std::size_t line) override;
  void other(std::string_view what, std::size_t line) override;

  /// Returns the sides. Throws: InputError if they are not `count`.
  std::vector<NamedSide> take(std::size_t count);
  /// Returns the mapping `capacities`.
  NamedSeats take_seats() { return std::move(seats_); }

 private:
  /// `first_item`: what begins a list under a key decides what the list is. `first_nested`: that
  /// is a list, of ids or of names that are a tie.
  enum class Expected {
    top_map,
    top_key,
    top_value,
    first_item,
    first_nested,
    person,
    list,
    entry,
    tied_entry,
    id_list,
    id,
    seats_map,
    seats_name,
    seats,
    end
  };

  [[noreturn]] void unexpected(std::string_view found, std::size_t line) const;
  void begin_side(std::string title, std::size_t line);
  void begin_person(std::string name, std::size_t line);
  void add_entry(std::string name, std::size_t line, bool tied_with_last);
  void begin_bare_person(std::size_t line);
  void begin_indexed_side();
  void begin_nested(std::string_view item, std::size_t line);
  void begin_top_value(std::string key, std::size_t line);
  void add_seats(std::string const& text, std::size_t line);
  std::string expected_in_words(std::string_view found) const;
  void begin_id_list(std::size_t line);
  void add_id(std::string const& text, std::size_t line);

  std::string file_;
  std::string stem_;
  Expected expected_ = Expected::top_map;
  bool bare_ = false;  // the top mapping is itself a side, without a key
  std::string key_;    // a key whose value follows
  std::size_t key_line_ = 0;
  std::size_t nested_line_ = 0;  // of a list in a list that may be of ids
  bool tie_has_begun_ = false;   // the open tie has an entry
  std::vector<NamedSide> sides_;
  NamedSeats seats_;
};

/// The table of a side that is `indexed`. Throws: InputError if its lists are not permutations.
IdTable index_table(NamedSide const& side, Numbering& numbering);

/// Throws InputError unless there are as many men as women. All formats call it.
void require_equal_sides(std::string_view file, std::size_t men, std::string_view men_title,
                         std::size_t women, std::string_view women_title);

/// Resolves the names in the lists of each side to agents of the other, in the order of the
/// mappings. `seats` are of the second side.
/// Returns a Market if the lists are complete and strict, of equal sides, with one seat each;
/// otherwise a SparseMarket. Throws: InputError if a name is unknown; if an entry is one-sided and
/// `strict` is set.
AnyMarket join(NamedSide men, NamedSide women, NamedSeats const& seats, bool strict);

}  // namespace taper::io
