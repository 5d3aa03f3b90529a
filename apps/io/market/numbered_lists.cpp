// SPDX-License-Identifier: Apache-2.0
#include <io/market/numbered_lists.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace taper::io {

std::string Numbering::reason() const {
  return given_ ? fmt::format("--base {}", base())
                : fmt::format("{} is {}-based", evidence_, base());
}

std::vector<std::string> Numbering::notes(std::string_view file, std::size_t n) const {
  if (given_ || !known())
    return {};
  return {fmt::format("{}: {} run from {} to {}: read as {}-based (set --base 0|1)", file,
                      meaning_ == ListMeaning::order ? "ids" : "ranks", base(), base() + n - 1,
                      base())};
}

TableBuilder::TableBuilder(std::string file, std::string title, std::size_t n, Numbering& numbering)
    : TableBuilder(std::move(file), std::move(title), n, numbering, 0, n) {
  try {
    require_memory(n);
  } catch (InputError const& error) {
    throw InputError(file_, error.what());
  }
}

TableBuilder::TableBuilder(std::string file, std::string title, std::size_t n, Numbering& numbering,
                           std::size_t first, std::size_t rows)
    : file_(std::move(file)), title_(std::move(title)), n_(n), numbering_(numbering), first_(first),
      end_(first + rows) {}

void TableBuilder::add(std::span<const std::uint32_t> row, std::size_t line) {
  // Allocate only when the first row has been read: a damaged n must not cost an allocation.
  if (rows_ == 0) {
    table_ = IdTable(end_ - first_, n_);
    seen_.resize((n_ + 63) / 64);
  }
  if (!numbering_.known())
    settle_base(row, line);
  std::fill(seen_.begin(), seen_.end(), 0);
  const std::uint32_t base = numbering_.base();
  const bool order = numbering_.meaning() == ListMeaning::order;
  const std::uint64_t start = table_offset(n_, rows_, 0);
  std::uint64_t* const seen = seen_.data();
  table_.visit([&]<class Id>(std::span<Id> ids) {
    Id* const to = ids.data() + start;
    for (std::size_t entry = 0; entry < n_; ++entry) {
      const std::uint32_t id = row[entry] - base;  // below the base, it wraps to an invalid id
      const std::uint64_t bit = std::uint64_t{1} << (id % 64);
      if (id >= n_ || (seen[id / 64] & bit) != 0)
        explain(row, line, entry);
      seen[id / 64] |= bit;
      if (order)
        to[entry] = static_cast<Id>(id);
      else
        to[id] = static_cast<Id>(entry);
    }
  });
  ++rows_;
}

void TableBuilder::settle_base(std::span<const std::uint32_t> row, std::size_t line) {
  const auto zero = std::find(row.begin(), row.end(), 0u);
  const auto last = std::find(row.begin(), row.end(), static_cast<std::uint32_t>(n_));
  if (zero != row.end() && last != row.end())
    throw InputError(file_, line,
                     fmt::format("{}: 0 (entry {}) and {} (entry {}) both occur: "
                                 "expected 0..{} or 1..{}",
                                 list_name(), zero - row.begin() + 1, n_, last - row.begin() + 1,
                                 n_ - 1, n_));
  // A row with neither is not a permutation in either base, and add() then throws.
  if (zero != row.end() || last != row.end())
    numbering_.settle(zero != row.end() ? IdBase::zero : IdBase::one,
                      line > 0 ? fmt::format("{}:{}", file_, line)
                               : fmt::format("list {} of {}", first_ + rows_ + 1, file_));
}

void TableBuilder::explain(std::span<const std::uint32_t> row, std::size_t line,
                           std::size_t entry) const {
  const auto first =
      std::find(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(entry), row[entry]);
  const auto first_entry = static_cast<std::size_t>(first - row.begin());
  if (first_entry == entry)
    reject(line, entry, std::to_string(row[entry]));
  throw InputError(file_, line,
                   fmt::format("{}, entry {}: {} appears twice (first in entry {})", list_name(),
                               entry + 1, row[entry], first_entry + 1));
}

void TableBuilder::reject(std::size_t line, std::size_t entry, std::string_view text) const {
  const bool number = text.find_first_not_of("0123456789", text.starts_with('-') ? 1 : 0) ==
                          std::string_view::npos &&
                      text != "-";
  throw InputError(
      file_, line,
      fmt::format("{}, entry {}: {} {}", list_name(), entry + 1,
                  number ? std::string(text) : in_quotes(text),
                  number
                      ? "is out of range " + range()
                      : fmt::format("is not a whole number, expected {} in {}",
                                    numbering_.meaning() == ListMeaning::order ? "an id" : "a rank",
                                    range())));
}

std::string TableBuilder::list_name() const {
  return fmt::format("{}, list {}", title_, first_ + rows_ + 1);
}

std::string TableBuilder::range() const {
  if (!numbering_.known())
    return fmt::format("0..{} or 1..{}", n_ - 1, n_);
  return fmt::format("{}..{} ({})", numbering_.base(), numbering_.base() + n_ - 1,
                     numbering_.reason());
}

}  // namespace taper::io
