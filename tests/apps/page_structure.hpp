// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::test {

/// Reads a page in HTML as a strict reader would, and lists what is wrong with it: tags that do not
/// nest, rows of unequal length, equal ids, references out of the page, scripts, bare '&'.
/// It knows the HTML that a program writes: attributes in quotes, and every element closed except
/// the empty ones.
class PageStructure {
 public:
  explicit PageStructure(std::string_view html) : rest_(html) {
    while (!rest_.empty()) {
      text(take_until('<'));
      if (!rest_.empty()) {
        tag(take_tag());
      }
    }
    for (auto const& name : open_) {
      problem("<" + name + "> is not closed");
    }
    for (auto const& id : references_) {
      if (!ids_.contains(id)) {
        problem("no element has the id '" + id + "'");
      }
    }
  }

  std::vector<std::string> const& problems() const { return problems_; }
  /// The number of elements with this name.
  int count(std::string const& name) const {
    auto const found = counts_.find(name);
    return found == counts_.end() ? 0 : found->second;
  }

 private:
  using Attributes = std::map<std::string, std::string, std::less<>>;

  void problem(std::string what) { problems_.push_back(std::move(what)); }

  std::string_view take(std::size_t size) {
    auto const taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view take_until(char end) { return take(std::min(rest_.find(end), rest_.size())); }

  /// The next tag without its brackets. A '>' in quotes does not end it.
  std::string_view take_tag() {
    char quote = 0;
    std::size_t at = 1;
    for (; at < rest_.size() && (quote != 0 || rest_[at] != '>'); ++at) {
      auto const c = rest_[at];
      if (quote == 0 && (c == '"' || c == '\'')) {
        quote = c;
      } else if (c == quote) {
        quote = 0;
      }
    }
    auto const tag = take(at + 1);
    return tag.substr(1, tag.size() - (tag.ends_with('>') ? 2 : 1));
  }

  /// Only the entities that html_text() and gnuplot write are allowed.
  void text(std::string_view text) {
    constexpr std::array<std::string_view, 6> entities{"&amp;",  "&lt;",  "&gt;",
                                                       "&quot;", "&#39;", "&middot;"};
    for (auto at = text.find('&'); at != text.npos; at = text.find('&', at + 1)) {
      auto const here = text.substr(at);
      if (std::ranges::none_of(entities, [&](auto entity) { return here.starts_with(entity); })) {
        problem("'&' begins no entity: " + std::string(here.substr(0, 20)));
      }
    }
  }

  static Attributes attributes_of(std::string_view tag) {
    Attributes attributes;
    for (auto equal = tag.find('='); equal != tag.npos; equal = tag.find('=')) {
      auto name = tag.substr(0, equal);
      name.remove_prefix(name.find_last_of(" \n\t") + 1);
      auto const quote = tag.substr(equal + 1, 1);
      auto const end = tag.find(quote, equal + 2);
      attributes.emplace(name, tag.substr(equal + 2, end - equal - 2));
      tag.remove_prefix(std::min(end, tag.size() - 1) + 1);
    }
    return attributes;
  }

  void tag(std::string_view tag) {
    if (tag.starts_with('!')) {
      return;  // the document type
    }
    std::string const name(tag.substr(0, tag.find_first_of(" \n\t/", 1)));
    if (name.starts_with('/')) {
      close(name.substr(1));
      return;
    }
    ++counts_[name];
    look_at(name, attributes_of(tag));
    if (name == "style") {
      style(take_until('<'));
    }
    constexpr std::array<std::string_view, 4> empty{"meta", "br", "img", "link"};
    if (!tag.ends_with('/') && std::ranges::find(empty, name) == empty.end()) {
      open_.push_back(name);
    }
  }

  void close(std::string const& name) {
    if (open_.empty() || open_.back() != name) {
      problem("</" + name + "> closes " + (open_.empty() ? "nothing" : "<" + open_.back() + ">"));
      return;
    }
    open_.pop_back();
    if (name == "tr") {
      if (cells_in_first_row_ && *cells_in_first_row_ != cells_) {
        problem("a row has " + std::to_string(cells_) + " cells, the first has " +
                std::to_string(*cells_in_first_row_));
      }
      cells_in_first_row_ = cells_in_first_row_.value_or(cells_);
    }
  }

  void look_at(std::string const& name, Attributes const& attributes) {
    if (name == "script") {
      problem("<script> is not allowed");
    } else if (name == "table") {
      cells_in_first_row_.reset();
    } else if (name == "tr") {
      cells_ = 0;
    } else if (name == "td" || name == "th") {
      ++cells_;
    } else if (name == "svg" &&
               (!attributes.contains("role") || !attributes.contains("aria-label"))) {
      problem("a picture has no role or no label");
    }
    for (auto const& [key, value] : attributes) {
      text(value);
      if (key == "id" && !ids_.insert(value).second) {
        problem("two elements have the id '" + value + "'");
      }
      if ((key == "href" || key == "xlink:href") && value.starts_with('#')) {
        references_.insert(value.substr(1));
      } else if (key == "href" || key == "xlink:href" || key == "src" || key == "srcset") {
        problem("the page refers to '" + value + "'");
      } else if (value.starts_with("url(#")) {
        references_.insert(value.substr(5, value.size() - 6));
      } else if (key.starts_with("on")) {
        problem("a script in the attribute '" + key + "'");
      }
    }
  }

  void style(std::string_view sheet) {
    if (sheet.find("@import") != sheet.npos || sheet.find("url(") != sheet.npos) {
      problem("the style sheet refers to other files");
    }
  }

  std::string_view rest_;
  std::vector<std::string> open_;
  std::vector<std::string> problems_;
  std::map<std::string, int> counts_;
  std::set<std::string> ids_;
  std::set<std::string> references_;
  std::size_t cells_ = 0;
  std::optional<std::size_t> cells_in_first_row_;
};

}  // namespace taper::test
