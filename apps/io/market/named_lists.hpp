// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/events.hpp>
#include <io/market.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace taper::io {

/// Names in the order of their first appearance, and back to their number.
class NameIndex {
 public:
  std::optional<std::uint32_t> find(std::string_view name) const;

  /// The number of `name`, and whether it is new.
  std::pair<std::uint32_t, bool> add(std::string name);

  std::vector<std::string> const& names() const { return names_; }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  std::vector<std::string> names_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> numbers_;
};

/// One mapping from names to lists of names, as it stands in the file: the other side may not be
/// known yet.
struct NamedSide {
  struct Person {
    std::size_t line;
    std::size_t list_end;  ///< one past the last of this person's entries in `list_entries`
  };
  struct Mention {
    std::size_t line;
    std::size_t person;
    std::size_t entry;
  };

  std::string file;
  std::string title;
  std::size_t line = 0;
  NameIndex people;
  std::vector<Person> persons;
  NameIndex mentioned;                       ///< names in the lists
  std::vector<Mention> first_mentions;       ///< of each of them
  std::vector<std::uint32_t> last_mentions;  ///< the last list that each is in
  std::vector<std::uint32_t> list_entries;   ///< numbers in `mentioned`, list after list
};

/// Gathers the sides that one JSON or YAML file holds.
class NamedFile : public Events {
 public:
  /// `file` for messages; `stem` is the title of a mapping under no key.
  NamedFile(std::string file, std::string stem) : file_(std::move(file)), stem_(std::move(stem)) {}

  void open_map(std::size_t line) override;
  void close_map(std::size_t line) override;
  void open_list(std::size_t line) override;
  void close_list(std::size_t line) override;
  void text(std::string text, std::size_t line) override;
  void other(std::string_view what, std::size_t line) override;

  /// The sides, of which there must be `count`. Throws: InputError.
  std::vector<NamedSide> take(std::size_t count);

 private:
  enum class Expected { top_map, top_key, top_value, person, list, entry, end };

  [[noreturn]] void unexpected(std::string_view found, std::size_t line) const;
  void begin_side(std::string title, std::size_t line);
  void begin_person(std::string name, std::size_t line);
  void add_entry(std::string name, std::size_t line);

  std::string file_;
  std::string stem_;
  Expected expected_ = Expected::top_map;
  bool bare_ = false;  // the file's own mapping is a side, under no key
  std::string key_;    // read, and its value yet to come
  std::size_t key_line_ = 0;
  std::vector<NamedSide> sides_;
};

/// Throws InputError unless as many men as women stand in `file`: all forms are asked here.
void require_equal_sides(std::string_view file, std::size_t men, std::string_view men_title,
                         std::size_t women, std::string_view women_title);

/// Checks the names against each other, and numbers them in the order of the mappings. Throws:
/// InputError.
Market join(NamedSide men, NamedSide women);

}  // namespace taper::io
