// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scratch.hpp"

#include <io/market/sparse_market.hpp>

#include <fmt/format.h>

#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace taper::io {

/// A sparse market in one line: "residents Ada: City 0, (North 1, Park 0); Ben: | hospitals City 2,
/// North 1, Park 1". After a hospital comes its key for the resident, after a side its seats.
inline std::string in_words(SparseMarket const& market) {
  std::string text = market.first.title;
  for (std::uint32_t r = 0; r < market.first.count; ++r) {
    text += fmt::format("{} {}:", r > 0 ? ";" : "", market.name_of(market.first, r));
    auto const begin = static_cast<std::size_t>(market.offsets[r]);
    auto const end = static_cast<std::size_t>(market.offsets[r + 1]);
    for (auto entry = begin; entry < end; ++entry) {
      auto const tier = market.tier(r, entry);
      auto const opens = (entry == begin || market.tier(r, entry - 1) != tier) && entry + 1 < end &&
                         market.tier(r, entry + 1) == tier;
      auto const closes = entry > begin && market.tier(r, entry - 1) == tier &&
                          (entry + 1 == end || market.tier(r, entry + 1) != tier);
      text += fmt::format("{} {}{} {}{}", entry > begin ? "," : "", opens ? "(" : "",
                          market.name_of(market.second, market.hospitals[entry]),
                          market.keys[entry], closes ? ")" : "");
    }
  }
  text += fmt::format(" | {}", market.second.title);
  for (std::uint32_t h = 0; h < market.second.count; ++h) {
    text += fmt::format("{} {} {}", h > 0 ? "," : "", market.name_of(market.second, h),
                        market.seats[h]);
  }
  return text;
}

/// Adds readers of sparse markets.
class SparseScratch : public Scratch {
 protected:
  AnyMarket read_any(std::vector<std::string> const& names,
                     MarketReadOptions const& options = {}) const {
    std::vector<std::filesystem::path> paths;
    for (auto const& name : names) {
      paths.push_back(path(name));
    }
    return read_any_market(paths, options);
  }

  SparseMarket sparse(std::vector<std::string> const& names,
                      MarketReadOptions const& options = {}) const {
    auto market = read_any(names, options);
    EXPECT_TRUE(std::holds_alternative<SparseMarket>(market)) << names[0];
    return std::get<SparseMarket>(market);
  }

  SparseMarket sparse_in(std::string const& name, std::string_view bytes,
                         MarketReadOptions const& options = {}) const {
    write(name, bytes);
    return sparse({name}, options);
  }

  /// The error of reading one file with these bytes as any market.
  std::string any_error_in(std::string const& name, std::string_view bytes,
                           MarketReadOptions const& options = {}) const {
    write(name, bytes);
    return error_of([&] { read_any({name}, options); });
  }
};

/// A list of a test's market: classes of names, the best first.
using TiedList = std::vector<std::vector<std::string>>;

/// Random lists with ties of `agents` over some of `others`.
inline std::vector<TiedList> random_lists(std::size_t agents, std::vector<std::string> others,
                                          std::mt19937& random) {
  std::vector<TiedList> lists(agents);
  for (auto& list : lists) {
    std::shuffle(others.begin(), others.end(), random);
    auto const length = random() % (others.size() + 1);
    for (std::size_t i = 0; i < length; ++i) {
      if (list.empty() || random() % 3 > 0) {
        list.emplace_back();
      }
      list.back().push_back(others[i]);
    }
  }
  return lists;
}

}  // namespace taper::io
