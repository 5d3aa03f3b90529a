// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/distributed/blocks.hpp>
#include <taper/distributed/communicator.hpp>
#include <taper/huge_pages.hpp>
#include <taper/place.hpp>
#include <taper/preferences/rank_matrix.hpp>
#include <taper/rows.hpp>
#include <taper/stable_marriage/instance.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

// The ranks of the proposers of a process, in the order of their lists. The process of a receiver
// builds its row of the rank matrix. Tiles of these rows travel to the processes of the proposers.
// Used by: DistributedRun.

namespace taper::stable_marriage::detail {

/// Fills a tile with the ranks of some proposers at the receivers of this process: tile(i, j) is
/// the rank of proposer first + i at receiver j. An iteration writes `width` rows of the tile, so
/// that it reads a cache line of each row of ranks.
template <class Id>
struct PackTile {
  static constexpr std::uint64_t width = 64 / sizeof(Id);

  Rows<Id const> ranks;  ///< a row per receiver of this process
  std::uint64_t receivers;
  std::uint64_t first;
  std::uint64_t proposers;
  Id* tile;

  KOKKOS_FUNCTION void operator()(std::uint64_t part) const {
    std::uint64_t const end = Kokkos::min(proposers, (part + 1) * width);
    for (std::uint64_t receiver = 0; receiver < receivers; ++receiver) {
      for (std::uint64_t i = part * width; i < end; ++i) {
        tile[i * receivers + receiver] = ranks(receiver, first + i);
      }
    }
  }
};

/// Copies a tile to its columns in the rows of the own proposers.
template <class Id>
struct UnpackTile {
  Id const* tile;
  std::uint64_t first;  ///< the first receiver of the tile
  std::uint64_t receivers;
  Rows<Id> ranks_by_proposer;

  KOKKOS_FUNCTION void operator()(std::uint64_t proposer) const {
    for (std::uint64_t j = 0; j < receivers; ++j) {
      ranks_by_proposer(proposer, first + j) = tile[proposer * receivers + j];
    }
  }
};

/// The ranks of the own proposers, and how many ranks went to other processes.
template <class Id, class Memory>
struct OwnRanks {
  Table<Id, Memory> ordered;  ///< (m, r): the rank of proposer m in the list of its r-th receiver
  std::uint64_t sent = 0;
};

/// Exchanges the tiles of the rank matrix. In each step a process sends one tile and receives one.
/// So it never stores more than two tiles.
template <ExecutionSpace Exec, class Lists>
class ExchangeRanks {
  using Memory = typename Exec::memory_space;
  using Id = typename Lists::non_const_value_type;
  using Tile = Kokkos::View<Id*, Memory>;
  using Blocks = distributed::Blocks<Memory>;

 public:
  ExchangeRanks(Exec const& where, distributed::Communicator const& communicator,
                std::uint64_t max_message_bytes, Blocks const& proposers, Blocks const& receivers)
      : where_(where), communicator_(communicator), max_message_bytes_(max_message_bytes),
        proposers_(proposers), receivers_(receivers) {}

  OwnRanks<Id, Memory> operator()(Lists const& proposer_lists, Lists const& receiver_lists) const {
    OwnRanks<Id, Memory> own;
    auto const by_proposer = exchange(receiver_lists, own.sent);
    own.ordered = table("taper::stable_marriage::ordered_ranks", proposer_lists.extent(0));
    if (proposer_lists.extent(0) > 0) {
      preferences::order_ranks<Exec, Lists, Id>(where_, proposer_lists, by_proposer, own.ordered);
    }
    where_.fence("taper::stable_marriage: wait for the ranks of the own proposers");
    return own;
  }

 private:
  std::uint32_t own() const { return communicator_.process(); }
  static std::uint64_t size(Blocks const& blocks, std::uint32_t process) {
    return blocks.first(process + 1) - blocks.first(process);
  }
  Table<Id, Memory> table(char const* label, std::uint64_t rows) const {
    return preferences::allocate_ranks<Id, Memory>(where_, label, proposers_.all(), rows);
  }

  Table<Id, Memory> exchange(Lists const& receiver_lists, std::uint64_t& sent) const {
    auto const ranks = table("taper::stable_marriage::ranks", receiver_lists.extent(0));
    if (receiver_lists.extent(0) > 0) {
      preferences::build_rank_matrix(where_, receiver_lists, ranks);
    }
    auto const by_proposer =
        table("taper::stable_marriage::ranks_by_proposer", size(proposers_, own()));
    std::uint32_t const processes = communicator_.processes();
    for (std::uint32_t step = 0; step < processes; ++step) {
      std::uint32_t const to = (own() + step) % processes;
      std::uint32_t const from = (own() + processes - step) % processes;
      auto const packed = pack(ranks, to);
      auto const came = step == 0 ? packed : swap(packed, to, from);
      sent += step == 0 ? 0 : packed.extent(0);
      unpack(came, from, by_proposer);
    }
    return by_proposer;
  }

  Tile pack(Table<Id, Memory> const& ranks, std::uint32_t to) const {
    std::uint64_t const proposers = size(proposers_, to);
    std::uint64_t const receivers = ranks.extent(0);
    auto const tile =
        allocate_large<Tile>(where_, "taper::stable_marriage::tile", proposers * receivers);
    using Pack = PackTile<Id>;
    Kokkos::parallel_for("taper::stable_marriage::pack_tile",
                         ItemRange<Exec>(where_, 0, (proposers + Pack::width - 1) / Pack::width),
                         Pack{rows_of(ConstTable<Id, Memory>(ranks)), receivers,
                              proposers_.first(to), proposers, tile.data()});
    where_.fence("taper::stable_marriage: wait for a tile of ranks");
    return tile;
  }

  Tile swap(Tile const& packed, std::uint32_t to, std::uint32_t from) const {
    auto const came = allocate_large<Tile>(where_, "taper::stable_marriage::tile",
                                           size(proposers_, own()) * size(receivers_, from));
    distributed::Messages messages(communicator_, max_message_bytes_);
    messages.receive(from, came.data(), came.extent(0) * sizeof(Id));
    messages.send(to, packed.data(), packed.extent(0) * sizeof(Id));
    messages.wait();
    return came;
  }

  void unpack(Tile const& tile, std::uint32_t from, Table<Id, Memory> const& by_proposer) const {
    Kokkos::parallel_for("taper::stable_marriage::unpack_tile",
                         ItemRange<Exec>(where_, 0, by_proposer.extent(0)),
                         UnpackTile<Id>{tile.data(), receivers_.first(from), size(receivers_, from),
                                        rows_of(by_proposer)});
    where_.fence("taper::stable_marriage: wait for the columns of a tile");
  }

  Exec where_;
  distributed::Communicator const& communicator_;
  std::uint64_t max_message_bytes_;
  Blocks proposers_;
  Blocks receivers_;
};

}  // namespace taper::stable_marriage::detail
