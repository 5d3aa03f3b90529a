// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <sstream>
#include <string>

namespace taper::app {

/// CLI11's help format with wrapped descriptions. An option is shown as its name and the name of
/// its value, without CLI11's remarks.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(first_column); }

  std::string make_option_opts(CLI::Option const* option) const override {
    return option->get_type_name().empty() ? std::string{} : " " + option->get_type_name();
  }

  std::string make_option_desc(CLI::Option const* option) const override {
    return wrapped(option->get_description(), "\n");
  }

  /// A command in the list of its parent's help.
  std::string make_subcommand(CLI::App const* command) const override {
    auto const name = "  " + command->get_name();
    auto const gap = std::string(first_column - name.size(), ' ');
    return name + gap + wrapped(command->get_description(), "\n" + std::string(first_column, ' ')) +
           "\n";
  }

  std::string make_option_usage(CLI::Option const* option) const override {
    auto name = make_option_name(option, true);
    if (option->get_expected_max() > 1) {
      name += "...";
    }
    // CLI11 does not know what require_unless_subcommand() requires. Every positional argument is
    // required, except a list of any length.
    auto const any_length = option->get_expected_min() <= 1 && option->get_expected_max() > 1;
    return option->get_required() || !any_length ? name : "[" + name + "]";
  }

 private:
  /// The text in lines that fit the second column. `line_end` stands between two lines.
  static std::string wrapped(std::string const& description, std::string const& line_end) {
    std::istringstream words(description);
    std::string text;
    std::size_t width = 0;
    for (std::string word; words >> word; width += word.size() + 1) {
      if (width + word.size() > total_width - first_column) {
        text += line_end;
        width = 0;
      } else if (width > 0) {
        text += ' ';
      }
      text += word;
    }
    return text;
  }

  static constexpr std::size_t first_column = 28;
  static constexpr std::size_t total_width = 100;
};

}  // namespace taper::app
