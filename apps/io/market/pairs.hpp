// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/write.hpp>
#include <io/text/source.hpp>

#include <cstddef>
#include <optional>
#include <string>

namespace taper::io {

// Files of matchings, for Market and SparseMarket.

/// Receives the pairs of a file, in its order.
class PairReceiver {
 public:
  virtual ~PairReceiver() = default;

  /// The titles of the market's sides.
  virtual std::string const& first_title() const = 0;
  virtual std::string const& second_title() const = 0;
  /// Whether an agent may come without a partner: `-`, an empty cell, or null.
  virtual bool allows_unassigned() const = 0;

  /// Called if the file's header says which side comes first.
  virtual void settle_order(bool second_first) = 0;
  /// Called for each pair. If the receiver allows_unassigned(), `agent` is always of the first
  /// side, and without a partner it is unassigned.
  virtual void add(std::string const& agent, std::optional<std::string> const& partner,
                   std::size_t line) = 0;
};

/// Reads a matching in a format of write_matching(); automatic: by the extension, else the content.
/// Throws: InputError, and what `pairs` throws.
void read_pairs(Source& source, MatchingFormat format, PairReceiver& pairs);

/// A name as one word of the text format, in quotes if necessary.
std::string text_word(std::string const& name);

}  // namespace taper::io
