// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <driver/command.hpp>

namespace taper::app {

// Each function adds its command to the parent.
Command add_multiply(CLI::App& app, Runtime& runtime);
Command add_generate_matrix(CLI::App& generate, Runtime& runtime);
Command add_verify_product(CLI::App& verify, Runtime& runtime);

}  // namespace taper::app
