// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/matmul/workers.hpp>

#include <cstdint>

namespace taper::matmul {

/// Keeps the temporaries of fork_join, strassen and winograd on a host from one product to the
/// next.
///
/// Without it each product allocates them anew, and fresh pages can cost as much as the additions
/// that use them. It starts empty and grows to what the largest product needs. Other engines do
/// not use it. T is float or double.
/// Requires: one product at a time.
template <class T>
class Workspace {
 public:
  std::uint64_t bytes() const { return temporaries_.bytes(); }
  detail::BufferPool<T>& temporaries() { return temporaries_; }  ///< for the engines

 private:
  detail::BufferPool<T> temporaries_;
};

}  // namespace taper::matmul
