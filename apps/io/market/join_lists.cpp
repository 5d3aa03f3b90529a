// SPDX-License-Identifier: Apache-2.0
#include <io/market/id_table.hpp>
#include <io/market/join_lists.hpp>
#include <io/text/error.hpp>
#include <io/text/strings.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace taper::io {
namespace {

constexpr auto no_position = std::numeric_limits<std::size_t>::max();

/// The entries of one side's lists, sorted by the agent of the other side that they name.
struct Mentions {
  std::vector<std::size_t> begins;    ///< per agent of the other side, and one more
  std::vector<std::uint32_t> owners;  ///< whose list the entry is in; ascending per agent
  std::vector<std::size_t> places;    ///< the entry in SideLists::entries

  Mentions(SideLists const& lists, std::size_t others)
      : begins(others + 1), owners(lists.entries.size()), places(lists.entries.size()) {
    for (auto const id : lists.entries) {
      ++begins[id + 1];
    }
    std::partial_sum(begins.begin(), begins.end(), begins.begin());
    auto next = begins;
    for (std::size_t owner = 0; owner < lists.ends.size(); ++owner) {
      for (std::size_t entry = lists.begin_of(owner); entry < lists.ends[owner]; ++entry) {
        auto const place = next[lists.entries[entry]]++;
        owners[place] = static_cast<std::uint32_t>(owner);
        places[place] = entry;
      }
    }
  }
};

/// For each entry of the first side, the entry of the second side that returns it, or no_position.
std::vector<std::size_t> find_returned(SideLists const& first, SideLists const& second) {
  Mentions const mentions(second, first.ends.size());
  std::vector<std::size_t> place_of(second.ends.size(), no_position);
  std::vector<std::size_t> returned(first.entries.size());
  for (std::size_t agent = 0; agent < first.ends.size(); ++agent) {
    auto const begin = mentions.begins[agent], end = mentions.begins[agent + 1];
    for (auto at = begin; at < end; ++at) {
      place_of[mentions.owners[at]] = mentions.places[at];
    }
    for (std::size_t entry = first.begin_of(agent); entry < first.ends[agent]; ++entry) {
      returned[entry] = place_of[first.entries[entry]];
    }
    for (auto at = begin; at < end; ++at) {
      place_of[mentions.owners[at]] = no_position;
    }
  }
  return returned;
}

/// The name in quotes, or the number, for a message.
std::string agent_in_words(SideLists const& side, int id_base, std::size_t id) {
  return side.agents.names.empty() ? std::to_string(id + static_cast<unsigned>(id_base))
                                   : in_quotes(side.agents.names[id]);
}

/// "market.json:3: 'Ada' of the residents lists 'City', which does not list 'Ada'".
std::string one_sided_in_words(SideLists const& from, SideLists const& to, int id_base,
                               std::size_t agent, std::size_t entry) {
  auto const name = agent_in_words(from, id_base, agent);
  auto const line = from.lines.empty() ? std::size_t{0} : from.lines[agent];
  return InputError(from.file, line,
                    fmt::format("{} of the {} lists {}, which does not list {}", name,
                                from.agents.title, agent_in_words(to, id_base, from.entries[entry]),
                                name))
      .what();
}

/// Per entry of the second side that is `kept`: its class among those of its list that are kept.
std::vector<std::uint32_t> classes_of(SideLists const& lists, std::vector<bool> const& kept) {
  std::vector<std::uint32_t> classes(lists.entries.size());
  for (std::size_t agent = 0; agent < lists.ends.size(); ++agent) {
    std::uint32_t next = 0;
    auto last = no_position;
    for (std::size_t entry = lists.begin_of(agent); entry < lists.ends[agent]; ++entry) {
      if (!kept[entry]) {
        continue;
      }
      auto const tied =
          last != no_position && !lists.tiers.empty() && lists.tiers[entry] == lists.tiers[last];
      classes[entry] = tied ? classes[last] : next++;
      last = entry;
    }
  }
  return classes;
}

/// Drops the entries of the first side that are not returned. Then classes are consecutive again.
void drop_one_sided(SideLists& lists, std::vector<std::size_t>& returned) {
  std::size_t to = 0, begin = 0;
  auto has_ties = false;
  for (auto& end : lists.ends) {
    auto const list_begin = to;
    std::uint32_t tier = 0, last_tier = 0;
    for (std::size_t entry = begin; entry < end; ++entry) {
      if (returned[entry] == no_position) {
        continue;
      }
      lists.entries[to] = lists.entries[entry];
      returned[to] = returned[entry];
      if (!lists.tiers.empty()) {
        auto const file_tier = lists.tiers[entry];
        auto const tied = to > list_begin && file_tier == last_tier;
        tier += to > list_begin && !tied;
        has_ties = has_ties || tied;
        last_tier = file_tier;
        lists.tiers[to] = tier;
      }
      ++to;
    }
    begin = end;
    end = to;
  }
  lists.entries.resize(to);
  returned.resize(to);
  lists.tiers.resize(has_ties ? to : 0);
}

/// Counts the entries that are not returned. Throws: InputError if there are any and `strict` is
/// set.
OneSidedEntries count_one_sided(SideLists const& first, SideLists const& second,
                                std::vector<std::size_t> const& returned,
                                std::vector<bool> const& kept, int id_base, bool strict) {
  OneSidedEntries result;
  auto const count = [&](SideLists const& from, SideLists const& to, std::uint64_t& counter,
                         auto const& is_returned) {
    for (std::size_t agent = 0; agent < from.ends.size(); ++agent) {
      for (std::size_t entry = from.begin_of(agent); entry < from.ends[agent]; ++entry) {
        if (!is_returned(entry) && ++counter == 1 && result.example.empty()) {
          result.example = one_sided_in_words(from, to, id_base, agent, entry);
        }
      }
    }
  };
  count(first, second, result.of_first,
        [&](std::size_t entry) { return returned[entry] != no_position; });
  count(second, first, result.of_second, [&](std::size_t entry) { return bool(kept[entry]); });
  if (strict && result.count() > 0) {
    throw InputError(result.example);
  }
  return result;
}

/// The table of complete lists without ties.
IdTable table_of(SideLists const& lists, std::size_t others) {
  IdTable table(lists.ends.size(), others);
  table.visit([&]<class Id>(std::span<Id> ids) {
    for (std::size_t entry = 0; entry < ids.size(); ++entry) {
      ids[entry] = static_cast<Id>(lists.entries[entry]);
    }
  });
  return table;
}

}  // namespace

void SideLists::append(std::uint32_t id, bool tied_with_last) {
  if (tied_with_last && tiers.empty()) {  // the first tie of the file
    for (std::size_t agent = 0; agent < ends.size(); ++agent) {
      for (std::size_t entry = 0; entry < length_of(agent); ++entry) {
        tiers.push_back(static_cast<std::uint32_t>(entry));
      }
    }
  }
  if (!tiers.empty()) {
    auto const is_first = length_of(ends.size() - 1) == 0;
    tiers.push_back(is_first ? 0 : tiers.back() + (tied_with_last ? 0 : 1));
  }
  entries.push_back(id);
  ++ends.back();
}

bool is_complete_marriage(SideLists const& first, SideLists const& second,
                          std::vector<std::uint32_t> const& seats) {
  auto const n = first.ends.size();
  auto const complete = [&](SideLists const& side) {
    for (std::size_t agent = 0; agent < side.ends.size(); ++agent) {
      if (side.length_of(agent) != n) {
        return false;
      }
    }
    return side.tiers.empty();
  };
  return second.ends.size() == n && std::ranges::all_of(seats, [](auto q) { return q == 1; }) &&
         complete(first) && complete(second);
}

Market complete_market(SideLists men, SideLists women) {
  auto const n = men.ends.size();
  try {
    require_memory(n);
  } catch (InputError const& error) {
    throw InputError(men.file, error.what());
  }
  Market market;
  market.men = {std::move(men.agents.title), std::move(men.agents.names), table_of(men, n)};
  market.women = {std::move(women.agents.title), std::move(women.agents.names), table_of(women, n)};
  return market;
}

std::string one_sided_note(OneSidedEntries const& one_sided) {
  return fmt::format("{} one-sided and dropped (--strict refuses the file); the first: {}",
                     one_sided.count() == 1 ? "1 entry is"
                                            : grouped(one_sided.count()) + " entries are",
                     one_sided.example);
}

void set_keys_by_score(SparseMarket& market, std::vector<double> const& score_of_entry,
                       bool lowest_first) {
  auto const better = [&](double a, double b) { return lowest_first ? a < b : a > b; };
  market.scores = score_of_entry;
  std::ranges::sort(market.scores, better);
  auto const repeated = std::ranges::unique(market.scores);
  market.scores.erase(repeated.begin(), repeated.end());
  market.scores.shrink_to_fit();
  market.keys.resize(score_of_entry.size());
  std::ranges::transform(score_of_entry, market.keys.begin(), [&](double score) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(market.scores, score, better) -
                                      market.scores.begin());
  });
}

SparseMarket market_of(SideLists first, Agents second, std::vector<std::uint32_t> seats) {
  SparseMarket market;
  market.offsets.reserve(first.ends.size() + 1);
  for (auto const end : first.ends) {
    market.offsets.push_back(static_cast<std::int64_t>(end));
  }
  market.hospitals = std::move(first.entries);
  market.resident_tiers = std::move(first.tiers);
  market.seats = std::move(seats);
  market.seats.resize(second.count, 1);
  market.first = std::move(first.agents);
  market.second = std::move(second);
  if (first.scores.empty()) {
    market.keys.resize(market.entries());
  } else {
    set_keys_by_score(market, first.scores, first.lowest_first);
  }
  return market;
}

SparseMarket join_lists(SideLists first, SideLists second, std::vector<std::uint32_t> seats,
                        int id_base, bool strict) {
  auto returned = find_returned(first, second);
  std::vector<bool> kept(second.entries.size());
  for (auto const entry : returned) {
    if (entry != no_position) {
      kept[entry] = true;
    }
  }
  auto one_sided = count_one_sided(first, second, returned, kept, id_base, strict);
  drop_one_sided(first, returned);
  first.scores.clear();
  auto market = market_of(std::move(first), std::move(second.agents), std::move(seats));
  market.id_base = id_base;
  market.one_sided = std::move(one_sided);
  if (second.scores.empty()) {
    auto const classes = classes_of(second, kept);
    std::ranges::transform(returned, market.keys.begin(),
                           [&](std::size_t entry) { return classes[entry]; });
  } else {
    std::vector<double> scores;
    for (auto const entry : returned) {
      scores.push_back(second.scores[entry]);
    }
    set_keys_by_score(market, scores, second.lowest_first);
  }
  return market;
}

}  // namespace taper::io
