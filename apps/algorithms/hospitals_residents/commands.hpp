// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <driver/command.hpp>

namespace taper::app {

// Each function adds its command to the parent.
Command add_generate_residents(CLI::App& generate, Runtime& runtime);
Command add_lottery(CLI::App& app, Runtime& runtime);

}  // namespace taper::app
