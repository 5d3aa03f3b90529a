// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <driver/command.hpp>

namespace taper::app {

// Each function adds its command to the parent.
Command add_match(CLI::App& app, Runtime& runtime);
// Without a subcommand, `taper generate` and `taper verify` handle markets.
Command add_generate_market(CLI::App& generate, Runtime& runtime);
Command add_verify_matching(CLI::App& verify, Runtime& runtime);

}  // namespace taper::app
