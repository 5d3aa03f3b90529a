// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <driver/command.hpp>

namespace taper::app {

// Each function adds its command to the parent.
Command add_clique(CLI::App& app, Runtime& runtime);
Command add_independent_set(CLI::App& app, Runtime& runtime);
Command add_verify_clique(CLI::App& verify);
Command add_verify_independent_set(CLI::App& verify);

}  // namespace taper::app
