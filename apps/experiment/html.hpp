// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace taper::app {

/// The text as HTML shows it, between tags and in attributes: `&`, `<`, `>` and quotes as entities,
/// control bytes and invalid UTF-8 as \xNN.
std::string html_text(std::string_view text);

/// An SVG document of gnuplot as an `<svg>` element of a page. It has no size of its own: CSS
/// scales it.
/// `prefix`: begins all its ids, since the ids of a page must differ. `label`: for screen readers.
/// Throws ConfigError if the document has no `<svg>` element, or one that is not closed.
std::string inline_svg(std::string_view document, std::string_view prefix, std::string_view label);

}  // namespace taper::app
