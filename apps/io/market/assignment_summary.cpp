// SPDX-License-Identifier: Apache-2.0
#include <io/market/assignment_summary.hpp>
#include <io/market/write.hpp>

#include <algorithm>
#include <numeric>

namespace taper::io {

std::optional<std::size_t> entry_of(SparseMarket const& market, std::uint32_t resident,
                                    std::uint32_t hospital) {
  for (auto entry = market.begin_of(resident); entry < market.end_of(resident); ++entry) {
    if (market.hospitals[entry] == hospital) {
      return entry;
    }
  }
  return std::nullopt;
}

AssignmentSummary summarize_assignment(SparseMarket const& market,
                                       std::span<std::uint32_t const> hospital_of) {
  AssignmentSummary summary;
  summary.hospitals.resize(market.second.count);
  summary.seats = std::accumulate(market.seats.begin(), market.seats.end(), std::uint64_t{0});
  std::uint64_t sum = 0;
  for (std::uint32_t resident = 0; resident < market.first.count; ++resident) {
    auto const entry = hospital_of[resident] == unassigned
                           ? std::nullopt
                           : entry_of(market, resident, hospital_of[resident]);
    if (!entry) {
      summary.unassigned.push_back(resident);
      continue;
    }
    auto const choice = market.tier(resident, *entry);
    ++summary.assigned;
    sum += choice + 1;
    summary.by_choice.resize(std::max<std::size_t>(summary.by_choice.size(), choice + 1));
    ++summary.by_choice[choice];
    auto& hospital = summary.hospitals[hospital_of[resident]];
    ++hospital.filled;
    hospital.last_key = std::max(hospital.last_key.value_or(0), market.keys[*entry]);
  }
  if (summary.assigned > 0) {
    summary.mean_choice = static_cast<double>(sum) / static_cast<double>(summary.assigned);
  }
  return summary;
}

}  // namespace taper::io
