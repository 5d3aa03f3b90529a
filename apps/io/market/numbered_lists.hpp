// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/id_table.hpp>
#include <io/market/read.hpp>
#include <io/text/source.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::io {

// Markets with numbers: text lists and .npy files.

/// The numbering of the tables of one market: the base is given, or determined by the first list.
class Numbering {
 public:
  Numbering(ListMeaning meaning, IdBase base)
      : meaning_(meaning), base_(base), given_(base != IdBase::automatic) {}

  ListMeaning meaning() const { return meaning_; }
  bool known() const { return base_ != IdBase::automatic; }

  /// 0 or 1; 0 while the base is unknown.
  std::uint32_t base() const { return base_ == IdBase::one ? 1 : 0; }

  /// Sets the base. `evidence` is where the file shows it: "market.txt:2".
  void settle(IdBase base, std::string evidence) {
    base_ = base;
    evidence_ = std::move(evidence);
  }

  /// The reason for the base, for messages: "--base 1" or "market.txt:2 is 1-based".
  std::string reason() const;

  /// A remark for the user if the base was found and not given.
  std::vector<std::string> notes(std::string_view file, std::size_t n) const;

 private:
  ListMeaning meaning_;
  IdBase base_;
  bool given_;
  std::string evidence_;
};

/// Builds a preference table from rows of numbers and checks that each row is a permutation.
class TableBuilder {
 public:
  /// `file` and `title` are for messages. Throws: InputError if a market with n people per side
  /// does not fit into memory.
  TableBuilder(std::string file, std::string title, std::size_t n, Numbering& numbering);
  /// The same for the rows from `first` on, `rows` of the n. It does not ask for the free memory.
  TableBuilder(std::string file, std::string title, std::size_t n, Numbering& numbering,
               std::size_t first, std::size_t rows);

  /// Adds the next row of n entries as in the file; `line` is its line, or 0. Throws: InputError if
  /// it is not a permutation.
  void add(std::span<const std::uint32_t> row, std::size_t line);

  /// Throws InputError: entry `entry` (from 0) of the next row is `text`, which is not a valid id.
  [[noreturn]] void reject(std::size_t line, std::size_t entry, std::string_view text) const;

  /// The next row in a message: "men, list 2".
  std::string list_name() const;

  std::size_t n() const { return n_; }
  std::string const& title() const { return title_; }
  bool complete() const { return rows_ == end_ - first_; }

  /// Moves the table out. Requires: complete().
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
  std::size_t first_ = 0;
  std::size_t end_;
  std::size_t rows_ = 0;  ///< that have been added
  IdTable table_;
  std::vector<std::uint64_t> seen_;  // one bit per id, which is faster than a word per id
};

/// Read the tables with these titles from a file that must have exactly these. Throw: InputError.
std::vector<IdTable> read_lists(Source& source, std::span<const std::string> titles,
                                Numbering& numbering);
std::vector<IdTable> read_npy(Source& source, std::span<const std::string> titles,
                              Numbering& numbering);

}  // namespace taper::io
