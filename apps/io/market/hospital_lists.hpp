// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/sparse_market.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace taper::io {

/// The lists of the second side of a sparse market: per hospital its residents, the best first.
/// Residents with equal keys are in the order of the file.
/// Used by: the writers, and the reports of `taper verify`.
class HospitalLists {
 public:
  struct Entry {
    std::uint32_t resident;
    std::uint32_t key;
  };

  /// Cost: a sort of each list; 8 bytes per entry.
  explicit HospitalLists(SparseMarket const& market);

  std::span<Entry const> of(std::size_t hospital) const {
    return std::span(entries_).subspan(begins_[hospital],
                                       begins_[hospital + 1] - begins_[hospital]);
  }

 private:
  std::vector<std::size_t> begins_;
  std::vector<Entry> entries_;
};

/// Whether two residents have equal keys at a hospital. Cost: as HospitalLists.
bool has_hospital_ties(SparseMarket const& market);

}  // namespace taper::io
