// SPDX-License-Identifier: Apache-2.0
#include "output.hpp"

#include "cli_options.hpp"
#include "config_error.hpp"
#include "text.hpp"

#include <fmt/format.h>

#include <iostream>
#include <system_error>

namespace taper::app {

Output::Output(std::filesystem::path const& path, std::span<std::filesystem::path const> inputs) {
  if (is_standard_output(path)) {
    return;
  }
  for (auto const& input : inputs) {
    std::error_code ignored;  // a file that is not there yet is none of the inputs
    if (std::filesystem::is_regular_file(path, ignored) &&
        std::filesystem::equivalent(path, input, ignored)) {
      throw ConfigError(
          fmt::format("-o {}: this is the input, which it would overwrite", path.string()));
    }
  }
  file_.emplace(path);
}

std::ostream& Output::stream() {
  return file_ ? file_->stream() : std::cout;
}

void Output::commit() {
  if (file_) {
    file_->commit();
  } else {
    flush_standard_output();
  }
}

}  // namespace taper::app
