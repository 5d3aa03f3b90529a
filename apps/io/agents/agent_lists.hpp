// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/text/error.hpp>
#include <taper/preferences/lists.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taper::io {

/// Agents with names, and their preference lists of any length.
/// Used by: taper stable-matchings, taper roommates.
struct AgentLists {
  std::string title;               ///< the key of the file, or its name; "agents" if it has none
  std::vector<std::string> names;  ///< in the order of the file
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> ids;

  preferences::Lists view() const { return {offsets, ids}; }
};

/// Reads the two sides of a market from a JSON or YAML file: two mappings, under any two keys, from
/// a name to its list of names, best first. "-" is the standard input. Gzip is decompressed.
///
/// Ensures: each list has different names of the other side.
/// Throws: InputError with the file, line, list and entry, and what was expected.
std::array<AgentLists, 2> read_two_sides(std::filesystem::path const& path);

/// Reads agents that rank each other: one mapping from names to lists of names, at the top of the
/// file or under a key. Ensures: no agent lists itself. Throws: as read_two_sides().
AgentLists read_roommates(std::filesystem::path const& path);

/// The same from texts in memory; `name` is for messages. A text that begins with { is JSON.
std::array<AgentLists, 2> parse_two_sides(std::string name, std::string_view text);
AgentLists parse_roommates(std::string name, std::string_view text);

/// Writes a line "NAME PARTNER" per agent of `names`, and "NAME -" if it has no partner. Names with
/// a blank, a quote or a comment sign, and the name -, are in double quotes.
void write_partners(std::ostream& out, std::span<std::string const> names,
                    std::span<std::string const> partner_names,
                    std::span<std::int32_t const> partners);

}  // namespace taper::io
