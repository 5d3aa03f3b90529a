// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/contract.hpp>
#include <taper/matmul/matrix.hpp>

namespace taper::matmul::vendor {

/// Whether a vendor's product is linked for this execution space and scalar.
template <class Exec, class T>
inline constexpr bool is_there = false;

}  // namespace taper::matmul::vendor
