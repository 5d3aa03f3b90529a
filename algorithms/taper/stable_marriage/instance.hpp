// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/preferences/instance.hpp>
#include <taper/preferences/validate.hpp>

/// The names of taper/preferences/ that users of stable marriage write.
namespace taper::stable_marriage {

using preferences::BadEntry;
using preferences::ConstTable;
using preferences::find_bad_partner;
using preferences::find_bad_row;
using preferences::Instance;
using preferences::is_perfect_matching;
using preferences::max_people;
using preferences::max_people_for;
using preferences::Table;

}  // namespace taper::stable_marriage
