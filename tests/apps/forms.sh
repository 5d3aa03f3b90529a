# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Files of public reports: each is read as it was meant, or refused by name in one line. CTest sets $TAPER,
# $TAPER_SOURCE and an empty working directory.
# shellcheck source=tests/support/driver.sh
source "$TAPER_SOURCE/tests/support/driver.sh"
cases=$TAPER_SOURCE/tests/io/cases

# Graphs that are read: the size of the minimum cover and the number of vertices
while read -r size vertices options; do
  # shellcheck disable=SC2086  # options, to be split
  expect 0 "s vc $vertices $size" cover $options
  check grep -qF "verified  the cover covers every edge of the file" out
done <<END
2 3 $cases/cr_only.csv
2 3 $cases/cr_only_numbers.txt
2 3 $cases/titles_u_v.csv
2 3 $cases/titles_id1_id2.csv
2 3 $cases/titles_two_words.csv
2 3 $cases/titles_index_column.csv
2 3 $cases/titles_id_source_target.csv
2 3 $cases/matrix_triangle.txt
3 5 $cases/matrix_ring5.csv
2 3 $cases/neighbours_colon.txt
4 7 $cases/neighbours_equal_rows.txt --format neighbours
1 2 $cases/node_link.json
2 3 $cases/weight_first.txt --columns 2,3
2 3 $cases/empty_last_field.tsv
1 3 $cases/attributes.txt
2 3 $cases/weights_on_some_lines.txt
2 3 $cases/metis_fractional_weights.graph
3 5 $cases/titles_u_v.csv --titles no
3 6 $cases/titles_id_source_target.csv --titles yes --columns id,target
END

# Graphs that are refused
while read -r file words; do
  expect 2 "$cases/$file: $words" cover "$cases/$file" && one_line
done <<END
arrows.txt this looks like edges written with arrows; graphs are read as PACE
tuples.txt this looks like pairs or lists in brackets
list_of_lists.json this looks like JSON
graph.dot this looks like DOT (Graphviz)
graph.gml this looks like GML
pairs_on_one_line.txt this looks like several pairs on a line
metis_zero_based.graph this looks like METIS with vertices from 0
vertices_then_edges.txt this looks like two tables, of vertices and of edges
neighbours_equal_rows.txt this looks like lists of neighbours, or edges with further columns
END
expect 2 "weight_first.txt:1: expected two vertices, as numbers, found '0.5'; --columns A,B" \
  cover "$cases/weight_first.txt" && one_line
# GraphML is read by builds with Expat.
"$TAPER" cover "$cases/graph.graphml" >out 2>&1
check grep -qE "^s vc 2 1$|this looks like GraphML" out

# Notes say what was guessed
expect 0 "read as titles; the vertices are in column 2, 'source', and column 3, 'target' (--titles, --columns)" \
  cover "$cases/titles_index_column.csv"
expect 0 "read as an adjacency matrix of 3 vertices (--format edges: a list of edges)" cover "$cases/matrix_triangle.txt"
expect 2 "unknown value 'maybe'" cover "$cases/titles_u_v.csv" --titles maybe && one_line
expect 2 "--columns 1: expected two columns, A,B" cover "$cases/titles_u_v.csv" --columns 1 && one_line

# Other readers
printf 's vc 3 2\r2\r3\r' >cr.cover
expect 0 "a vertex cover: 2 of 3 vertices" verify cover "$cases/cr_only_numbers.txt" cr.cover
printf '\xff\xfe1\x00 \x002\x00\r\x00\n\x002\x00 \x003\x00' >utf16.txt
expect 0 "s vc 3 1" cover utf16.txt
printf 'BZh91AY&SY' >edges.bz2
expect 2 "edges.bz2: this looks like bzip2 data: unpack it first" cover edges.bz2 && one_line
tar czf edges.tar.gz utf16.txt
expect 2 "edges.tar.gz: this looks like a tar archive: unpack it first" cover edges.tar.gz && one_line
"$TAPER" match "$cases/market_glasgow.instance" >matching 2>err
check test "$(cat matching)" = $'1 2\n2 1\n3 3'
"$TAPER" match "$cases/market_index_lists.json" >matching 2>err
check test "$(cat matching)" = $'0 1\n1 0\n2 2'
expect 2 "this looks like lists with names before a colon" match "$cases/market_colon.txt" && one_line
"$TAPER" match "$cases/market_capacities.json" >matching 2>err
check test "$(cat matching)" = $'Ada City\nBen -\nCy City'
printf '1,2\n3,4\n' >table.csv
expect 2 "table.csv: this looks like a table of numbers as text" multiply table.csv table.csv && one_line
verdict
