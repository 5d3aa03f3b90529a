// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <driver/command.hpp>

namespace taper::app {

// Each function adds its command to the parent.
Command add_cover(CLI::App& app, Runtime& runtime);
Command add_generate_graph(CLI::App& generate);
Command add_verify_cover(CLI::App& verify);

}  // namespace taper::app
