// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/id_table.hpp>
#include <io/read.hpp>
#include <io/source.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::io {

/// How the tables of one market are numbered: given, or settled by the first list that is read.
class Numbering {
 public:
  Numbering(Meaning meaning, Base base)
      : meaning_(meaning), base_(base), given_(base != Base::automatic) {}

  Meaning meaning() const { return meaning_; }
  bool known() const { return base_ != Base::automatic; }

  /// 0 or 1; 0 as long as nothing is known.
  std::uint32_t base() const { return base_ == Base::one ? 1 : 0; }

  /// `place` shows it: "market.txt:2".
  void settle(Base base, std::string place) {
    base_ = base;
    place_ = std::move(place);
  }

  /// Why the base is what it is, for a message: "--base 1" or "market.txt:2 is 1-based".
  std::string reason() const;

  /// The remark about a base that was found, not given, or nothing.
  std::vector<std::string> notes(std::string_view file, std::size_t n) const;

 private:
  Meaning meaning_;
  Base base_;
  bool given_;
  std::string place_;
};

/// Builds a preference table from rows of numbers, and checks that each is a permutation.
class TableBuilder {
 public:
  /// `file` and `title` are for messages. Throws InputError if a market of n does not fit into the
  /// memory.
  TableBuilder(std::string file, std::string title, std::size_t n, Numbering& numbering);

  /// Adds the next row, of n raw entries; `line` is where it stands in the file, or 0.
  void add(std::span<const std::uint32_t> row, std::size_t line);

  /// Throws: entry `entry` (from 0) of the next row is `text`, which no id can be.
  [[noreturn]] void reject(std::size_t line, std::size_t entry, std::string_view text) const;

  /// "men, list 2" for the next row.
  std::string list_name() const;

  std::size_t n() const { return n_; }
  std::string const& title() const { return title_; }
  bool complete() const { return rows_ == n_; }

  /// The table, once complete.
  IdTable take() { return std::move(table_); }

 private:
  void settle_base(std::span<const std::uint32_t> row, std::size_t line);
  [[noreturn]] void explain(std::span<const std::uint32_t> row, std::size_t line,
                            std::size_t entry) const;
  std::string range() const;

  std::string file_;
  std::string title_;
  std::size_t n_;
  Numbering& numbering_;
  std::size_t rows_ = 0;
  IdTable table_;
  std::vector<std::uint64_t>
      seen_;  // a bit for each id: smaller, and so faster, than a word for each
};

/// The tables of the given titles, in a file of that many. Throws: InputError.
std::vector<IdTable> read_lists(Source& source, std::span<const std::string> titles,
                                Numbering& numbering);
std::vector<IdTable> read_npy(Source& source, std::span<const std::string> titles,
                              Numbering& numbering);

}  // namespace taper::io
