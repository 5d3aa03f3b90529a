// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <driver/command.hpp>

namespace taper::app {

Command add_stable_matchings(CLI::App& app);
Command add_roommates(CLI::App& app);
Command add_verify_roommates(CLI::App& verify_group);

}  // namespace taper::app
