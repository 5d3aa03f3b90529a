// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/join_lists.hpp>
#include <io/market/named_lists.hpp>
#include <io/market/read.hpp>
#include <io/text/source.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace taper::io {

/// A file of PrefLib: the orders of one side's agents, its voters, over its alternatives, the agents
/// of the other side.
struct PrefLibOrders {
  SideLists lists;                             ///< one per order; voters have no names here
  std::vector<std::uint32_t> voters;           ///< per order: how many voters have it
  std::vector<std::string> alternative_names;  ///< per alternative

  std::uint64_t voter_count() const;
};

/// Reads a file of type .soc, .soi, .toc or .toi, in the format with a header of lines
/// "# NUMBER ALTERNATIVES: n". A line "k: 1,{2,3}" stands for k voters. Throws: InputError.
PrefLibOrders read_preflib(Source& source);

/// Joins the orders of both sides. Voter i of one file is alternative i of the other.
/// Throws: InputError if there are not two, or if their sizes do not fit.
AnyMarket join_orders(std::vector<PrefLibOrders> orders, NamedSeats const& seats,
                      MarketReadOptions const& options);

}  // namespace taper::io
