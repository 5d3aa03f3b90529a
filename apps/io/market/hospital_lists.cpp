// SPDX-License-Identifier: Apache-2.0
#include <io/market/hospital_lists.hpp>

#include <algorithm>
#include <numeric>

namespace taper::io {

HospitalLists::HospitalLists(SparseMarket const& market)
    : begins_(market.second.count + 1), entries_(market.entries()) {
  for (auto const hospital : market.hospitals) {
    ++begins_[hospital + 1];
  }
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  auto next = begins_;
  for (std::uint32_t resident = 0; resident < market.first.count; ++resident) {
    for (auto entry = market.begin_of(resident); entry < market.end_of(resident); ++entry) {
      entries_[next[market.hospitals[entry]]++] = {resident, market.keys[entry]};
    }
  }
  for (std::size_t hospital = 0; hospital < market.second.count; ++hospital) {
    auto const list =
        std::span(entries_).subspan(begins_[hospital], begins_[hospital + 1] - begins_[hospital]);
    std::ranges::stable_sort(list, {}, &Entry::key);
  }
}

bool has_hospital_ties(SparseMarket const& market) {
  HospitalLists const lists(market);
  for (std::size_t hospital = 0; hospital < market.second.count; ++hospital) {
    auto const list = lists.of(hospital);
    if (std::ranges::adjacent_find(list, {}, &HospitalLists::Entry::key) != list.end()) {
      return true;
    }
  }
  return false;
}

}  // namespace taper::io
