// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/assignment_summary.hpp>
#include <io/market/sparse_market.hpp>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace taper::io {

// A matching of a sparse market in words. Used by: taper match and taper verify.

/// Names agents in messages. It adds the side if both sides have the same names or numbers.
class AgentWords {
 public:
  explicit AgentWords(SparseMarket const& market);

  std::string resident(std::uint32_t id) const { return name(market_.first, id); }
  std::string hospital(std::uint32_t id) const { return name(market_.second, id); }

 private:
  std::string name(Agents const& side, std::uint32_t id) const;

  SparseMarket const& market_;
  bool share_names_ = false;
};

/// The lines of the report: the unassigned, seats, choices, and the cut-off of each hospital if
/// there are at most 10.
std::vector<std::string> report_lines(SparseMarket const& market, AssignmentSummary const& summary);

/// The same, for programs, with all unassigned residents and all hospitals.
nlohmann::ordered_json report_json(SparseMarket const& market, AssignmentSummary const& summary);

/// What a resident and a hospital that block a matching think of each other and of what they have.
struct BlockingPairFacts {
  std::uint32_t resident = 0;
  std::uint32_t hospital = 0;
  std::uint32_t choice = 0;       ///< the tie class of the hospital in the resident's list
  std::uint32_t held = 0;         ///< the hospital that the resident has, or `unassigned`
  std::uint32_t held_choice = 0;  ///< its tie class, if there is one
  std::uint32_t key = 0;          ///< of the resident at the hospital
  std::uint32_t filled = 0;       ///< seats of the hospital
  std::uint32_t worst = 0;        ///< the first resident of those with the worst key; needs one
  std::uint32_t worst_key = 0;
};

/// Requires: they list each other. Cost: one pass over all residents.
BlockingPairFacts facts_of_pair(SparseMarket const& market,
                                std::span<std::uint32_t const> hospital_of, std::uint32_t resident,
                                std::uint32_t hospital);

/// The proof that a resident and a hospital are a blocking pair. Of `market` it needs titles, names,
/// seats and scores.
std::string certificate(SparseMarket const& market, AgentWords const& words,
                        BlockingPairFacts const& pair);

}  // namespace taper::io
