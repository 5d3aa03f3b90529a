// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/text/cursor.hpp>

namespace taper::io::shape {

// Tests whether the lines of a graph's file have the shape of a form. No test moves the cursor.
// Most of them read only the first lines. Used by: the table of forms.

/// The first line after comments is a problem line, such as "p td 5 4".
bool pace(Cursor& cursor);
/// The first line after comments is a DIMACS edge, such as "e 1 2", and not a line of words.
bool dimacs_edges(Cursor& cursor);
/// A single line of four or more numbers, an even number of them; or lines of this kind, some
/// longer than others.
bool pairs_on_a_line(Cursor& cursor);
/// A line per vertex, then an empty line or '#', then a line per edge between these vertices.
bool two_tables(Cursor& cursor);
/// The first column numbers the lines, and the two after it share vertices that are no such
/// numbers: pandas without titles.
bool numbered_edges(Cursor& cursor);
/// LGL: '#' and a vertex, then a line per neighbour, maybe with a weight; and so on.
bool lgl(Cursor& cursor);
/// Each line begins with the same keyword, as in "edge a b".
bool keyword_lines(Cursor& cursor);
/// SIF and other triples: the second column has relations, and the vertices are around it.
bool triples(Cursor& cursor);
/// Three or more lines of zeros and ones, not as many as columns.
bool zero_one_table(Cursor& cursor);
/// A table of vertices: the titles are Id, and Label or Name.
bool vertex_table(Cursor& cursor);

}  // namespace taper::io::shape
