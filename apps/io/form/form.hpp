// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/graph/graph.hpp>
#include <io/market/read.hpp>
#include <io/matrix/matrix.hpp>
#include <io/text/cursor.hpp>
#include <io/text/source.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

namespace taper::io {

// The forms of files that are recognised, such as "a CSV table". Each reader first asks for the
// form of its file. It reads the form, or refuses it by name.
// Used by: read_graph(), read_market() and read_matrix().

/// The beginning of a file.
struct FileHead {
  std::string_view bytes;
  std::string_view content;  ///< from the first line that is neither empty nor a comment (# or %)
};

/// What a reader does with a form: it reads the form as this format, or refuses it with this
/// advice. std::monostate: the reader does not look for this form.
template <class Format>
using Treatment = std::variant<std::monostate, Format, std::string_view>;

/// A form of files. A file has it by its signature, or by its shape.
struct Form {
  std::string_view name;                             ///< as in "this looks like NAME"
  bool (*has_signature)(FileHead const&) = nullptr;  ///< tests the beginning of a file
  bool (*has_shape)(Cursor&) = nullptr;              ///< tests all lines; only for graphs
  bool binary = false;                               ///< no --format makes it readable
  Treatment<GraphFormat> graph;
  Treatment<MarketFormat> market;
  Treatment<MatrixFormat> matrix;
};

/// All forms, in the order in which they are tried.
std::span<Form const> forms();

/// The format of a file by its signature; nothing if no form has it. Text is made readable by
/// Source::read_as_text().
///
/// `given`: the user has named the format, so that only binary forms are refused.
/// Throws: InputError "this looks like ...", with what to do, if the form is not read.
std::optional<GraphFormat> graph_form(Source& source, bool given);
std::optional<MarketFormat> market_form(Source& source, bool given);
std::optional<MatrixFormat> matrix_form(Source& source, bool given);

/// The format of a graph by the shape of its lines. Does not move. Throws: as graph_form().
GraphFormat graph_form(Cursor& cursor);

}  // namespace taper::io
