// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/distributed/communicator.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

// Exchanges of records between all processes. All processes call each function.
// Used by: csv_mpi.cpp and parts_mpi.hpp.

namespace taper::app {

using distributed::Communicator;

/// A list of records per process.
template <class Item>
using PerProcess = std::vector<std::vector<Item>>;

/// Sends items_for(p) to each process p. Returns the records that come from each process;
/// coming[p]: their number.
template <class Item, class ItemsFor>
PerProcess<Item> exchange_items(Communicator const& communicator,
                                std::vector<std::uint64_t> const& coming,
                                ItemsFor const& items_for) {
  PerProcess<Item> from(coming.size());
  distributed::Messages messages(communicator, distributed::longest_message);
  for (std::uint32_t other = 0; other < communicator.processes(); ++other) {
    std::vector<Item> const& items = items_for(other);
    if (other == communicator.process()) {
      from[other] = items;
      continue;
    }
    from[other].resize(coming[other]);
    messages.receive(other, from[other].data(), coming[other] * sizeof(Item));
    messages.send(other, items.data(), items.size() * sizeof(Item));
  }
  messages.wait();
  return from;
}

/// Sends to[p] to each process p. Returns the records that come from each process.
template <class Item>
PerProcess<Item> deliver(Communicator const& communicator, PerProcess<Item> const& to) {
  std::vector<std::uint64_t> counts;
  for (auto const& items : to) {
    counts.push_back(items.size());
  }
  return exchange_items<Item>(
      communicator, communicator.exchange(counts, 1), [&](std::uint32_t other) -> auto const& {
        return to[other];
      });
}

/// Sends `own` to all processes. Returns the records of each process.
template <class Item>
PerProcess<Item> share(Communicator const& communicator, std::vector<Item> const& own) {
  return exchange_items<Item>(
      communicator,
      communicator.gather(own.size()), [&](std::uint32_t) -> auto const& { return own; });
}

/// Appends a name to a message, behind its length.
inline void append_name(std::vector<char>& names, std::string_view name) {
  auto const length = static_cast<std::uint32_t>(name.size());
  auto const* const bytes = reinterpret_cast<char const*>(&length);
  names.insert(names.end(), bytes, bytes + sizeof length);
  names.insert(names.end(), name.begin(), name.end());
}
/// The names in a message that append_name() has made.
inline std::vector<std::string_view> names_in(std::vector<char> const& names) {
  std::vector<std::string_view> found;
  for (std::size_t at = 0; at < names.size();) {
    std::uint32_t length = 0;
    std::memcpy(&length, names.data() + at, sizeof length);
    found.emplace_back(names.data() + at + sizeof length, length);
    at += sizeof length + length;
  }
  return found;
}

}  // namespace taper::app
