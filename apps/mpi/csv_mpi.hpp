// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/market_parts.hpp>
#include <io/market/read.hpp>

#include <filesystem>

namespace taper::app {

/// Reads a table; each process reads a range of its lines. All processes call it. A resident
/// belongs to the first process that reads its name, and other processes send their rows of this
/// resident to it. Each process gets the names of all hospitals. Agents have the same numbers as if
/// one process read the table.
///
/// Cost: reads the own range of the file three times. Messages have each name of a resident, and
///   each row of a resident that belongs to another process.
/// Throws: ConfigError in all processes. Used by: read_part() of parts_mpi.hpp.
io::MarketPart read_csv_part(std::filesystem::path const& path,
                             io::MarketReadOptions const& options);

}  // namespace taper::app
