// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

// Simulates stable marriage on machines without shared memory, and counts their messages.
// docs/scaling.md describes the scheme and quotes the figures. "Rank" means two things here: a
// process, as in MPI (`ranks`), and a position in a preference list (`Ranking`, `Offer`).
// Used by: perf/ranks.cpp and its test.
namespace taper::support {

/// The lists of the men and the ranks of the women: list[m][p] = the woman that man m ranks p-th,
/// rank[w][m] = the rank of man m in the list of woman w.
struct Ranking {
  std::vector<std::vector<std::uint32_t>> list;
  std::vector<std::vector<std::uint32_t>> rank;

  std::uint32_t people() const { return static_cast<std::uint32_t>(list.size()); }
};

/// An offer in a message: the receiver's id (4 bytes), and the proposer's rank, id and position (8
/// bytes, as in the library).
inline constexpr std::uint64_t offer_bytes = 12;
/// Entries of a proposer's list, and of its ranks, that the leader fetches at once.
inline constexpr std::uint32_t block_entries = 64;

struct RankTraffic {
  std::uint64_t rounds = 0;
  std::uint64_t messages = 0;  ///< point to point, all ranks, all rounds
  std::uint64_t bytes = 0;
  std::uint64_t max_bytes_per_round = 0;  ///< sent by one rank

  // The terms of the formula in docs/scaling.md.
  std::uint64_t offers_elsewhere = 0;  ///< new in a replica, for a receiver of another rank
  std::uint64_t news = 0;              ///< receivers with a better offer after an exchange

  std::uint64_t left = 0;  ///< proposers that are free after the last round
  std::uint64_t gets = 0;  ///< blocks of rows that the leader fetched from other ranks
  std::uint64_t get_bytes = 0;
};

/// Each rank is the home of an equal share of the men and of the women. In a round the free men
/// propose on their home, against its replica of the offers. Then each rank sends new offers to the
/// homes of the women, and the homes send the best ones to all ranks.
class RankSimulation {
 public:
  RankSimulation(Ranking const& ranking, std::uint32_t ranks)
      : ranking_(ranking), ranks_(ranks), position_(people(), 0),
        replicas_(ranks, std::vector<Offer>(people())), known_(people()), free_(ranks) {
    for (std::uint32_t man = people(); man-- > 0;) {
      free_[home(man)].push_back(man);
    }
  }

  /// Runs rounds to the end, or while each settles half of the free men. Rank 0 then solves the
  /// rest, and fetches the rows of other ranks' men in blocks.
  RankTraffic run(bool rounds_only) {
    std::uint64_t before = 0;
    do {
      before = free();
      round();
    } while (free() > 0 && (rounds_only || free() <= before / 2));
    traffic_.left = free();
    lead();
    return traffic_;
  }

  /// The woman of each man.
  std::vector<std::uint32_t> partner_of_man() const {
    std::vector<std::uint32_t> partner(people());
    for (std::uint32_t woman = 0; woman < people(); ++woman) {
      partner[known_[woman].man] = woman;
    }
    return partner;
  }

 private:
  struct Offer {
    std::uint32_t rank = std::numeric_limits<std::uint32_t>::max();
    std::uint32_t man = 0;

    bool none() const { return rank == std::numeric_limits<std::uint32_t>::max(); }
    bool operator<(Offer const& other) const { return rank < other.rank; }
    bool operator==(Offer const&) const = default;
  };
  struct OfferMessage {
    std::uint32_t woman;
    Offer offer;
  };

  std::uint32_t people() const { return ranking_.people(); }
  std::uint32_t home(std::uint32_t person) const {
    return static_cast<std::uint32_t>(std::uint64_t{person} * ranks_ / people());
  }
  std::uint64_t free() const {
    std::uint64_t sum = 0;
    for (auto const& men : free_) {
      sum += men.size();
    }
    return sum;
  }

  /// `man` proposes until one proposal is accepted. Returns the man that it displaced.
  std::optional<std::uint32_t> propose(std::uint32_t man, std::vector<Offer>& offers) {
    for (;;) {
      std::uint32_t const woman = ranking_.list[man][position_[man]++];
      Offer const offer{ranking_.rank[woman][man], man};
      Offer& best = offers[woman];
      if (offer < best) {
        Offer const displaced = std::exchange(best, offer);
        return displaced.none() ? std::nullopt : std::optional(displaced.man);
      }
    }
  }

  void round() {
    ++traffic_.rounds;
    std::vector<std::uint64_t> sent(ranks_, 0);
    auto const send = [&](std::uint32_t from, std::vector<OfferMessage> const& message) {
      if (!message.empty()) {
        ++traffic_.messages;
        sent[from] += message.size() * offer_bytes;
      }
    };

    std::vector<std::vector<OfferMessage>> inbox(ranks_);
    for (std::uint32_t k = 0; k < ranks_; ++k) {
      auto& replica = replicas_[k];
      while (!free_[k].empty()) {
        std::optional<std::uint32_t> man = free_[k].back();
        free_[k].pop_back();
        while (man && home(*man) == k) {  // a man of another rank is freed there
          man = propose(*man, replica);
        }
      }
      std::vector<std::vector<OfferMessage>> outbox(ranks_);
      for (std::uint32_t woman = 0; woman < people(); ++woman) {
        if (replica[woman] != known_[woman]) {
          outbox[home(woman)].push_back({woman, replica[woman]});
        }
      }
      for (std::uint32_t to = 0; to < ranks_; ++to) {
        inbox[to].insert(inbox[to].end(), outbox[to].begin(), outbox[to].end());
        if (to != k) {
          send(k, outbox[to]);
          traffic_.offers_elsewhere += outbox[to].size();
        }
      }
    }

    for (std::uint32_t k = 0; k < ranks_; ++k) {
      std::vector<OfferMessage> news;
      for (OfferMessage const& message : inbox[k]) {
        if (message.offer < known_[message.woman]) {
          known_[message.woman] = message.offer;
        }
      }
      std::sort(inbox[k].begin(), inbox[k].end(),
                [](OfferMessage const& a, OfferMessage const& b) { return a.woman < b.woman; });
      for (std::size_t i = 0; i < inbox[k].size(); ++i) {
        std::uint32_t const woman = inbox[k][i].woman;
        if (i == 0 || inbox[k][i - 1].woman != woman) {
          news.push_back({woman, known_[woman]});
        }
      }
      traffic_.news += news.size();
      for (std::uint32_t to = 0; to < ranks_; ++to) {
        if (to != k) {
          send(k, news);
        }
        for (OfferMessage const& message : news) {
          Offer const before = std::exchange(replicas_[to][message.woman], message.offer);
          if (before != message.offer && !before.none() && home(before.man) == to) {
            free_[to].push_back(before.man);
          }
        }
      }
    }
    for (std::uint64_t const bytes : sent) {
      traffic_.bytes += bytes;
      traffic_.max_bytes_per_round = std::max(traffic_.max_bytes_per_round, bytes);
    }
  }

  void lead() {
    std::uint64_t const id_bytes = people() <= std::numeric_limits<std::uint16_t>::max() ? 2 : 4;
    for (auto const& men : free_) {
      for (std::uint32_t const first : men) {
        std::optional<std::uint32_t> man = first;
        while (man) {
          std::uint32_t const from = position_[*man];
          std::uint32_t const proposer = *man;
          man = propose(proposer, known_);
          if (home(proposer) != 0) {
            std::uint64_t const blocks =
                (position_[proposer] - from + block_entries - 1) / block_entries;
            traffic_.gets += blocks;
            traffic_.get_bytes += blocks * block_entries * 2 * id_bytes;
          }
        }
      }
    }
  }

  Ranking const& ranking_;
  std::uint32_t ranks_;
  RankTraffic traffic_;
  std::vector<std::uint32_t> position_;
  std::vector<std::vector<Offer>> replicas_;  ///< of the best offers, one per rank
  std::vector<Offer> known_;                  ///< best offers at the last exchange
  std::vector<std::vector<std::uint32_t>> free_;
};

}  // namespace taper::support
