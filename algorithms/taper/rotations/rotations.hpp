// SPDX-License-Identifier: Apache-2.0
#pragma once

// All stable matchings of a one-to-one market: the front door. The order of the includes is the
// order of the data flow. Everything here runs on one thread of the host, and needs no Kokkos.
// Used by: `taper stable-matchings`, and `taper run`.

// The options, and what the functions return.
#include <taper/rotations/options.hpp>
#include <taper/rotations/report.hpp>
// The lists of both sides, and proposals of one side to the other.
#include <taper/rotations/market.hpp>
// The rotations and their order, in which every stable matching is a closed set.
#include <taper/rotations/poset.hpp>

#include <taper/rotations/find_rotations.hpp>
// All of these sets, and their number.
#include <taper/rotations/enumerate.hpp>
// The best one in some sense.
#include <taper/rotations/optimum.hpp>
// The check of a matching, without any of the above.
#include <taper/rotations/verify.hpp>
