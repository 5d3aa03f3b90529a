// SPDX-License-Identifier: Apache-2.0
//
// CLI11's functions for help and configuration files. App.hpp, which all commands include, only declares them: their code
// takes a second to compile, and each source that includes CLI.hpp has it.
#include <CLI/CLI.hpp>
