// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/market_parts.hpp>
#include <io/market/read.hpp>

#include <filesystem>

namespace taper::app {

/// Reads a table of which each process reads a range of lines. All processes call it. A resident
/// belongs to the first process that reads its name, and other processes send their rows of it. Each
/// process has the names of all hospitals. Agents have the numbers that one process gives them.
///
/// Cost: the own range of the file three times; each name of a resident, and each row of a resident
/// that belongs to another process, in messages.
/// Throws ConfigError in all processes.
io::MarketPart read_csv_part(std::filesystem::path const& path,
                             io::MarketReadOptions const& options);

}  // namespace taper::app
