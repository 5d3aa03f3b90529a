// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include "cli_options.hpp"

#include <support/config_error.hpp>
#include <support/interrupt.hpp>
#include <support/message.hpp>
#include <support/text.hpp>

#include <fmt/format.h>

#include <iostream>
#include <system_error>

namespace taper::app {

Output::Output(std::filesystem::path const& path, std::span<std::filesystem::path const> inputs) {
  if (is_standard_output(path)) {
    return;
  }
  for (auto const& input : inputs) {
    std::error_code ignored;  // a file that does not exist yet is not an input
    if (std::filesystem::is_regular_file(path, ignored) &&
        std::filesystem::equivalent(path, input, ignored)) {
      throw ConfigError(fmt::format("-o {}: would overwrite the input", path.string()));
    }
  }
  file_.emplace(path);
}

std::ostream& Output::stream() {
  if (!file_ || file_->direct()) {
    begin_answer(AnswerTo::stream);
  }
  return file_ ? file_->stream() : std::cout;
}

void Output::commit() {
  if (file_) {
    begin_answer(file_->direct() ? AnswerTo::stream : AnswerTo::file);
    file_->commit();
  } else {
    flush_standard_output();
  }
}

void print_notes(std::span<std::string const> notes) {
  for (auto const& note : notes) {
    print_message("note: {}\n", note);
  }
}

}  // namespace taper::app
