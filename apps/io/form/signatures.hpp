// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/form/form.hpp>

namespace taper::io::signature {

// Tests whether the beginning of a file has the signature of a form. Used by: the table of forms.

/// The number of bytes at the beginning of a file that are read for this.
inline constexpr std::size_t head_bytes = std::size_t{1} << 16;

FileHead head_of(std::string_view bytes);

bool npy(FileHead const& head);
bool npz(FileHead const& head);
bool workbook(FileHead const& head);
bool zip(FileHead const& head);
bool bzip2(FileHead const& head);
bool xz(FileHead const& head);
bool zstandard(FileHead const& head);
bool other_archive(FileHead const& head);
bool tar(FileHead const& head);
bool matlab(FileHead const& head);
bool r_data(FileHead const& head);
bool pickle(FileHead const& head);
bool table_store(FileHead const& head);
bool pdf(FileHead const& head);
bool unmarked_utf16(FileHead const& head);
bool binary(FileHead const& head);

bool matrix_market(FileHead const& head);
bool cnf(FileHead const& head);
bool web_page(FileHead const& head);
bool graphml(FileHead const& head);
bool gexf(FileHead const& head);
bool xml(FileHead const& head);
bool gml(FileHead const& head);
bool dot(FileHead const& head);
bool pajek(FileHead const& head);
bool dl(FileHead const& head);
bool gdf(FileHead const& head);
bool lgf(FileHead const& head);
bool tulip(FileHead const& head);
bool graph6(FileHead const& head);
bool node_link(FileHead const& head);
bool json(FileHead const& head);
bool tuples(FileHead const& head);
bool bars(FileHead const& head);
bool arrows(FileHead const& head);
bool multiline_adjacency(FileHead const& head);

bool yaml(FileHead const& head);
bool glasgow(FileHead const& head);
bool colon_lists(FileHead const& head);
bool market_table(FileHead const& head);
bool algmatch(FileHead const& head);
bool preflib(FileHead const& head);
bool number_rows(FileHead const& head);

}  // namespace taper::io::signature
