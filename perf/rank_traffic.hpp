// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

/// Stable marriage on machines that share nothing, played through on one: what they would send each
/// other. docs/scaling.md has the scheme and quotes the figures.
namespace taper::support {

/// Lists and ranks as the simulation reads them: list[m][p] = the woman whom man m ranks p-th,
/// rank[w][m] = the rank of m in her list.
struct Ranking {
  std::vector<std::vector<std::uint32_t>> list;
  std::vector<std::vector<std::uint32_t>> rank;

  std::uint32_t people() const { return static_cast<std::uint32_t>(list.size()); }
};

/// An offer in a message: her id (4 bytes), and his rank, id and position (8 bytes, as in the
/// library).
inline constexpr std::uint64_t offer_bytes = 12;
/// Entries of a proposer's list, and as many of his ranks, that the leader gets at once.
inline constexpr std::uint32_t block_entries = 64;

struct RankTraffic {
  std::uint64_t rounds = 0;
  std::uint64_t messages = 0;  ///< point to point, all ranks, all rounds
  std::uint64_t bytes = 0;
  std::uint64_t most_bytes_a_round = 0;  ///< that one rank sent

  // What the formula is about: offers that a rank's replica got since the last exchange, and
  // receivers who have a better one after it.
  std::uint64_t offers_elsewhere = 0;  ///< whose receiver's home is another rank
  std::uint64_t news = 0;

  std::uint64_t left = 0;  ///< free after the last round
  std::uint64_t gets = 0;  ///< blocks of rows that the leader got from other ranks
  std::uint64_t get_bytes = 0;
};

/// Rounds of ranks with equal shares of the men and of the women. Free men propose at home, against
/// the offers that their rank knows of; then each rank tells the women's homes what is new, and the
/// homes tell all ranks.
class RankSimulation {
 public:
  RankSimulation(Ranking const& ranking, std::uint32_t ranks)
      : ranking_(ranking), ranks_(ranks), position_(people(), 0),
        replicas_(ranks, std::vector<Offer>(people())), known_(people()), free_(ranks) {
    for (std::uint32_t man = people(); man-- > 0;) {
      free_[home(man)].push_back(man);
    }
  }

  /// Rounds, to the end or while each settles half of those who were free; the rest by rank 0, which
  /// gets rows of other ranks' men in blocks.
  RankTraffic run(bool rounds_alone) {
    std::uint64_t before = 0;
    do {
      before = free();
      round();
    } while (free() > 0 && (rounds_alone || free() <= before / 2));
    traffic_.left = free();
    lead();
    return traffic_;
  }

  /// Of each man, the woman whose best offer is his.
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
  struct Told {
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

  /// `man` proposes until he is accepted; returns who had to leave.
  std::optional<std::uint32_t> propose(std::uint32_t man, std::vector<Offer>& offers) {
    for (;;) {
      std::uint32_t const woman = ranking_.list[man][position_[man]++];
      Offer const offer{ranking_.rank[woman][man], man};
      Offer& stands = offers[woman];
      if (offer < stands) {
        Offer const left = std::exchange(stands, offer);
        return left.none() ? std::nullopt : std::optional(left.man);
      }
    }
  }

  void round() {
    ++traffic_.rounds;
    std::vector<std::uint64_t> sent(ranks_, 0);
    auto const send = [&](std::uint32_t from, std::vector<Told> const& message) {
      if (!message.empty()) {
        ++traffic_.messages;
        sent[from] += message.size() * offer_bytes;
      }
    };

    std::vector<std::vector<Told>> inbox(ranks_);
    for (std::uint32_t k = 0; k < ranks_; ++k) {
      auto& mine = replicas_[k];
      while (!free_[k].empty()) {
        std::optional<std::uint32_t> man = free_[k].back();
        free_[k].pop_back();
        while (man && home(*man) == k) {  // another rank's man is freed there
          man = propose(*man, mine);
        }
      }
      std::vector<std::vector<Told>> outbox(ranks_);
      for (std::uint32_t woman = 0; woman < people(); ++woman) {
        if (mine[woman] != known_[woman]) {
          outbox[home(woman)].push_back({woman, mine[woman]});
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
      std::vector<Told> news;
      for (Told const& told : inbox[k]) {
        if (told.offer < known_[told.woman]) {
          known_[told.woman] = told.offer;
        }
      }
      std::sort(inbox[k].begin(), inbox[k].end(),
                [](Told const& a, Told const& b) { return a.woman < b.woman; });
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
        for (Told const& told : news) {
          Offer const stood = std::exchange(replicas_[to][told.woman], told.offer);
          if (stood != told.offer && !stood.none() && home(stood.man) == to) {
            free_[to].push_back(stood.man);
          }
        }
      }
    }
    for (std::uint64_t const bytes : sent) {
      traffic_.bytes += bytes;
      traffic_.most_bytes_a_round = std::max(traffic_.most_bytes_a_round, bytes);
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
  std::vector<std::vector<Offer>> replicas_;  ///< the offers that each rank knows of
  std::vector<Offer> known_;                  ///< as of the last exchange, the same everywhere
  std::vector<std::vector<std::uint32_t>> free_;
};

}  // namespace taper::support
