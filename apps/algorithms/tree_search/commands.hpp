// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <driver/command.hpp>

namespace taper::app {

// Each function adds its command to the parent.
Command add_tree(CLI::App& app, Runtime& runtime);
Command add_verify_tree(CLI::App& verify, Runtime& runtime);

}  // namespace taper::app
