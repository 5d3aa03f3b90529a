// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/matmul/workers.hpp>

#include <cstdint>

namespace taper::matmul {

/// The temporaries of fork_join, strassen and winograd on a host, kept from one product to the next:
/// a system may take as long to give fresh pages as the additions that go through them. Empty at
/// first, and as large as the largest product needed; other engines leave it as it is.
///
/// For one product at a time. T is float or double.
template <class T>
class Workspace {
 public:
  std::uint64_t bytes() const { return temporaries_.bytes(); }
  detail::Temporaries<T>& temporaries() { return temporaries_; }

 private:
  detail::Temporaries<T> temporaries_;
};

}  // namespace taper::matmul
