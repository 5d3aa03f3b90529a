// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/interrupt.hpp>

namespace taper::testing {

/// An interrupt without limits: it never stops anything.
inline vertex_cover::Interrupt never{vertex_cover::Options{}};

}  // namespace taper::testing
