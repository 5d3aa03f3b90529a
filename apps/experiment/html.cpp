// SPDX-License-Identifier: Apache-2.0
#include "html.hpp"

#include <support/config_error.hpp>

#include <io/text/strings.hpp>

#include <fmt/format.h>

namespace taper::app {
namespace {

/// `text` with `prefix` after each `marker`.
std::string with_prefix(std::string_view text, std::string_view marker, std::string_view prefix) {
  std::string result;
  for (auto at = text.find(marker); at != std::string_view::npos; at = text.find(marker)) {
    result += text.substr(0, at + marker.size());
    result += prefix;
    text.remove_prefix(at + marker.size());
  }
  return result.append(text);
}

/// The value of an attribute such as width="640" in a tag; empty if it has none.
std::string_view attribute(std::string_view tag, std::string_view name) {
  auto const begin = tag.find(fmt::format(" {}=\"", name));
  if (begin == std::string_view::npos) {
    return {};
  }
  auto const value = tag.substr(begin + name.size() + 3);
  return value.substr(0, value.find('"'));
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string result;
  for (char const c : io::printable(text)) {
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\'':
      result += "&#39;";
      break;
    default:
      result += c;
    }
  }
  return result;
}

std::string inline_svg(std::string_view document, std::string_view prefix, std::string_view label) {
  auto const begin = document.find("<svg");
  auto const open_end = document.find('>', begin);
  auto const end = document.rfind("</svg>");
  if (begin == std::string_view::npos || end == std::string_view::npos || open_end > end) {
    throw ConfigError(fmt::format("the picture '{}' is not an SVG document", label));
  }
  auto const tag = document.substr(begin, open_end - begin);
  std::string body(document.substr(open_end + 1, end - open_end - 1));
  // gnuplot writes ids and references in these forms only.
  for (std::string_view const marker : {" id=\"", " id='", "href='#", "url(#"}) {
    body = with_prefix(body, marker, prefix);
  }
  return fmt::format("<svg role=\"img\" aria-label=\"{}\" viewBox=\"{}\" "
                     "style=\"--width:{}px\">{}</svg>",
                     html_text(label), html_text(attribute(tag, "viewBox")),
                     html_text(attribute(tag, "width")), body);
}

}  // namespace taper::app
