// SPDX-License-Identifier: Apache-2.0
#include <io/form/form.hpp>
#include <io/form/shapes.hpp>
#include <io/form/signatures.hpp>
#include <io/graph/format_readers.hpp>
#include <io/text/error.hpp>

#include <fmt/format.h>

#include <array>

namespace taper::io {
namespace {

// What to do with what is not read.
constexpr std::string_view unpack = "unpack it first";
constexpr std::string_view save_text = "save it as text";
constexpr std::string_view save_npy = "save it as .npy, with numpy.save";
constexpr std::string_view save_matrix = "save it as .npy, with numpy.save, or as Matrix Market";
constexpr std::string_view write_pairs = "write two vertices per line";
constexpr std::string_view write_market =
    "write n, then a line of n ids per person, or mappings of names in JSON";
constexpr std::string_view table_advice =
    "load it as an array and save that: numpy.save('m.npy', numpy.loadtxt(FILE, delimiter=','))";

/// A form of binary data, which no reader reads.
Form binary_form(std::string_view name, bool (*signature)(FileHead const&), std::string_view graph,
                 std::string_view market, std::string_view matrix) {
  return {name, signature, nullptr, true, graph, market, matrix};
}

Form archive(std::string_view name, bool (*signature)(FileHead const&)) {
  return binary_form(name, signature, unpack, unpack, unpack);
}

/// A text that no reader reads, which holds a graph if anything.
Form foreign_text(std::string_view name, bool (*signature)(FileHead const&),
                  std::string_view advice) {
  return {name, signature, nullptr, false, advice, write_market, save_matrix};
}

/// A text of a graph, about which other readers do not ask: it might be one of theirs.
Form foreign_graph(std::string_view name, bool (*signature)(FileHead const&),
                   std::string_view advice) {
  return {name, signature, nullptr, false, advice, {}, {}};
}

/// An XML format of graphs, which builds with Expat read.
Form xml_form(std::string_view name, bool (*signature)(FileHead const&), std::string_view advice) {
  auto form = foreign_text(name, signature, advice);
  if (auto const format = xml_format()) {
    form.graph = *format;
  }
  return form;
}

/// A text whose lines are one of the formats of graphs.
Form graph_text(std::string_view name, bool (*shape)(Cursor&), Treatment<GraphFormat> treatment) {
  return {name, nullptr, shape, false, treatment, {}, {}};
}

}  // namespace

/// The one table of forms. The first that matches counts.
std::span<Form const> forms() {
  using namespace signature;
  static std::array const all{
      // Binary
      Form{"a NumPy array (.npy)", npy, nullptr, true,
           "write its edges as text: numpy.savetxt('graph.txt', edges, fmt='%d')",
           MarketFormat::npy, MatrixFormat::npy},
      Form{"a NumPy archive (.npz)", npz, nullptr, true, save_text, MarketFormat::arrays, save_npy},
      binary_form("a spreadsheet (Excel or OpenDocument)", workbook, "save it as CSV", save_npy,
                  save_npy),
      archive("a zip archive", zip),
      archive("bzip2 data", bzip2),
      archive("xz data", xz),
      archive("Zstandard data", zstandard),
      archive("a packed archive", other_archive),
      archive("a tar archive", tar),
      binary_form("a MATLAB file (.mat)", matlab, "save it as text: writematrix([i j], 'g.txt')",
                  save_npy, save_npy),
      binary_form("R data", r_data, "save it as text, with write.csv", save_text, save_npy),
      binary_form("a Python pickle", pickle, save_text, save_npy, save_npy),
      binary_form("a file of tables (HDF5, Parquet, Arrow or SQLite)", table_store, save_text,
                  save_npy, save_npy),
      binary_form("a PDF document", pdf, save_text, write_market, save_matrix),
      binary_form("UTF-16 without a byte order mark", unmarked_utf16, "save it as UTF-8",
                  "save it as UTF-8", "save it as UTF-8"),
      binary_form("binary data", binary, save_text, write_market, save_matrix),
      // Texts by their beginning
      Form{"Matrix Market", matrix_market, nullptr, false, GraphFormat::matrix_market,
           "save it as .npy, with numpy.save", MatrixFormat::matrix_market},
      foreign_text("a formula (DIMACS CNF)", cnf, write_pairs),
      foreign_text("a web page (HTML)", web_page, "download the file that the page links to"),
      xml_form("GraphML", graphml,
               "this build has no Expat to read it; convert it, such as with NetworkX: "
               "write_edgelist(read_graphml(FILE), 'graph.txt', data=False)"),
      xml_form("GEXF", gexf,
               "this build has no Expat to read it; export the edges as CSV in Gephi"),
      foreign_text("XML", xml, write_pairs),
      foreign_text("GML", gml,
                   "convert it, such as with NetworkX: "
                   "write_edgelist(read_gml(FILE), 'graph.txt', data=False)"),
      foreign_text("DOT (Graphviz)", dot,
                   "write its edges, two vertices per line, such as with gvpr: "
                   "gvpr 'E { print(tail.name, \" \", head.name) }' FILE"),
      foreign_text("Pajek", pajek,
                   "convert it, such as with NetworkX: "
                   "write_edgelist(read_pajek(FILE), 'graph.txt', data=False)"),
      foreign_text("UCINET DL", dl, write_pairs),
      foreign_text("GDF (GUESS)", gdf, "export the edges as CSV in Gephi"),
      foreign_text("LEMON LGF", lgf, write_pairs),
      foreign_text("Tulip TLP", tulip, write_pairs),
      foreign_graph("graph6 or sparse6", graph6,
                    "convert it, such as with NetworkX: "
                    "write_edgelist(read_graph6(FILE), 'graph.txt', data=False)"),
      foreign_graph("a multiline adjacency list (NetworkX)", multiline_adjacency,
                    "write it with write_adjlist or write_edgelist instead"),
      Form{"node-link JSON", node_link, nullptr, false, GraphFormat::node_link, write_market,
           save_matrix},
      Form{"JSON", json, nullptr, false,
           "write two vertices per line, such as with jq: jq -r '.[] | @tsv' FILE",
           MarketFormat::json, save_matrix},
      foreign_graph("pairs or lists in brackets", tuples, write_pairs),
      foreign_graph("a table with bars (Markdown)", bars, write_pairs),
      foreign_graph("edges written with arrows", arrows,
                    "write two vertices per line, such as with sed 's/->/ /'"),
      Form{"YAML", yaml, nullptr, false, write_pairs, MarketFormat::yaml, save_matrix},
      Form{"an instance of the Glasgow solvers",
           glasgow,
           nullptr,
           false,
           {},
           MarketFormat::glasgow,
           {}},
      Form{"a file of algmatch", algmatch, nullptr, false, {}, MarketFormat::algmatch, {}},
      Form{"orders of PrefLib", preflib, nullptr, false, {}, MarketFormat::preflib, {}},
      Form{"a table of preferences (CSV)", market_table, nullptr, false, {}, MarketFormat::csv, {}},
      Form{"lists with names before a colon",
           colon_lists,
           nullptr,
           false,
           {},
           "lists with names belong into JSON or YAML, such as {\"men\": {\"Al\": [\"Di\", "
           "\"Eve\"], ...}, \"women\": {...}}",
           {}},
      Form{"a table of numbers as text", number_rows, nullptr, false, {}, {}, table_advice},
      // Graphs by their lines
      graph_text("PACE", shape::pace, GraphFormat::pace),
      graph_text("DIMACS", shape::dimacs_edges, GraphFormat::dimacs),  // without a problem line
      graph_text("METIS with vertices from 0", is_metis_from_zero,
                 "METIS counts from 1, so add 1 to each vertex; --format edges reads a list of "
                 "edges"),
      graph_text("METIS", is_metis, GraphFormat::metis),
      graph_text("an adjacency matrix", is_adjacency_matrix, GraphFormat::adjacency_matrix),
      graph_text("two tables, of vertices and of edges", shape::two_tables,
                 "keep the table of edges alone; --format edges reads every line as an edge"),
      graph_text("a table of vertices", shape::vertex_table,
                 "give the table of edges; --format edges reads every line as an edge"),
      graph_text("LGL", shape::lgl,
                 "write two vertices per line; --format edges passes the lines with # over"),
      graph_text("edges after a keyword", shape::keyword_lines,
                 "give --columns 2,3, or --columns 1,2 if the first column is vertices"),
      graph_text("triples, with relations in the second column", shape::triples,
                 "give --columns 1,3, or --columns 1,2 if the second column is vertices"),
      graph_text("a table of zeros and ones that is not square", shape::zero_one_table,
                 "an adjacency matrix has as many lines as columns; --format edges reads the first "
                 "two columns as edges"),
      graph_text("lists of neighbours", is_neighbour_lists, GraphFormat::neighbour_lists),
      graph_text("lists of neighbours, or edges with further columns", may_be_neighbour_lists,
                 "give --format neighbours or --format edges"),
      graph_text("edges with a number before each", shape::numbered_edges,
                 "give --columns 2,3, or --columns 1,2 if the first column is vertices"),
      graph_text("several pairs on a line", shape::pairs_on_a_line,
                 "write one edge per line, such as with xargs -n 2; --format edges reads the first "
                 "pair of each line"),
  };
  return all;
}

namespace {

constexpr std::string_view graph_formats =
    "graphs are read as PACE, DIMACS, Matrix Market, METIS, node-link JSON, lists of edges or "
    "neighbours, and adjacency matrices";
constexpr std::string_view market_formats =
    "markets are read as lists of numbers, JSON, YAML, CSV and .npy";
constexpr std::string_view matrix_formats = "matrices are read as .npy and Matrix Market";

/// The message about a form that is not read. Texts of other programs also get the list of what is.
std::string refusal(Form const& form, std::string_view advice, std::string_view formats) {
  auto const foreign = form.has_signature != nullptr && !form.binary;
  return fmt::format("this looks like {}{}{}: {}", form.name, foreign ? "; " : "",
                     foreign ? formats : "", advice);
}

template <class Format>
std::optional<Format> by_signature(Source& source, bool given, Treatment<Format> Form::*treatment,
                                   std::string_view formats) {
  auto const begin = source.head(16);
  if (!signature::npy({begin, {}}) && !begin.starts_with("PK\3\4")) {
    source.read_as_text();
  }
  auto const head = signature::head_of(source.head(signature::head_bytes));
  for (auto const& form : forms()) {
    auto const& use = form.*treatment;
    if (form.has_signature == nullptr || use.index() == 0 || (given && !form.binary) ||
        !form.has_signature(head)) {
      continue;
    }
    if (auto const* const format = std::get_if<Format>(&use)) {
      return *format;
    }
    throw InputError(source.name(), refusal(form, std::get<std::string_view>(use), formats));
  }
  return std::nullopt;
}

}  // namespace

std::optional<GraphFormat> graph_form(Source& source, bool given) {
  return by_signature(source, given, &Form::graph, graph_formats);
}

std::optional<MarketFormat> market_form(Source& source, bool given) {
  return by_signature(source, given, &Form::market, market_formats);
}

std::optional<MatrixFormat> matrix_form(Source& source, bool given) {
  return by_signature(source, given, &Form::matrix, matrix_formats);
}

GraphFormat graph_form(Cursor& cursor) {
  for (auto const& form : forms()) {
    if (form.has_shape == nullptr || !form.has_shape(cursor)) {
      continue;
    }
    if (auto const* const format = std::get_if<GraphFormat>(&form.graph)) {
      return *format;
    }
    throw InputError(cursor.name(),
                     refusal(form, std::get<std::string_view>(form.graph), graph_formats));
  }
  return GraphFormat::edges;
}

}  // namespace taper::io
