// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli_options.hpp"

#include <experiment/fields.hpp>

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taper::app {

/// Command line options for the fields of an aggregate: `--tail-threshold` for `tail_threshold`.
/// Help, type and range come from its fields().
/// Used by: the commands match, cover, multiply and tree.
template <HasFields T>
class FieldArguments {
 public:
  /// Adds an option per field, without those of `except`. This object must outlive the command.
  void add_options(CLI::App& command, std::initializer_list<std::string_view> except = {}) {
    fields(values_, [&](Field const& field, auto& member) {
      if (std::ranges::find(except, field.name) == except.end()) {
        add(command, field, member);
      }
    });
  }

  /// Sets the fields whose options are on the command line.
  void apply_to(T& aggregate) const {
    nlohmann::ordered_json all;
    write_fields(all, values_);
    nlohmann::ordered_json on_command_line;
    for (auto const name : given()) {
      on_command_line[std::string(name)] = all[std::string(name)];
    }
    read_fields(on_command_line, aggregate);
  }

  /// The fields whose options are on the command line.
  std::vector<std::string_view> given() const {
    std::vector<std::string_view> names;
    for (auto const& [option, name] : options_) {
      if (option->count() > 0) {
        names.push_back(name);
      }
    }
    return names;
  }

  /// "--tail-threshold" of "tail_threshold".
  static std::string flag_of(std::string_view field) {
    auto flag = "--" + std::string(field);
    std::ranges::replace(flag, '_', '-');
    return flag;
  }

 private:
  template <class Member>
  void add(CLI::App& command, Field const& field, Member& member) {
    auto const flag = flag_of(field.name);
    std::string help(field.help);
    CLI::Option* option = nullptr;
    if constexpr (NamedEnum<Member>) {
      auto const words = names_of<Member>();
      help += fmt::format(": {}", fmt::join(words, ", "));
      option =
          command
              .add_option_function<std::string>(
                  flag, [&member](std::string const& word) { member = *parse<Member>(word); }, help)
              ->check(one_of(words))
              ->type_name("NAME");
    } else if constexpr (std::same_as<Member, bool>) {
      option = command
                   .add_option_function<std::string>(
                       flag, [&member](std::string const& word) { member = word == "true"; },
                       help + ": true, false")
                   ->check(one_of({"true", "false"}))
                   ->type_name("WORD");
    } else if constexpr (std::floating_point<Member>) {
      option = command.add_option(flag, member, help)
                   ->check(real_in(static_cast<double>(field.min), static_cast<double>(field.max)))
                   ->type_name("X");
    } else {
      option = command
                   .add_option_function<std::int64_t>(
                       flag,
                       [&member](std::int64_t value) {
                         if constexpr (detail::is_optional<Member>) {
                           member = static_cast<typename Member::value_type>(value);
                         } else {
                           member = static_cast<Member>(value);
                         }
                       },
                       help)
                   ->check(integer_in(field.min, field.max))
                   ->type_name("N");
    }
    options_.emplace_back(option, field.name);
  }

  T values_{};
  std::vector<std::pair<CLI::Option*, std::string_view>> options_;
};

}  // namespace taper::app
