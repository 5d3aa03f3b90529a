// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <experiment/node.hpp>

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace taper::test {

/// A temporary folder for the current test. The destructor removes it.
class Scratch {
 public:
  Scratch() {
    auto const* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("taper-" + std::to_string(getpid()) + "-" + test->name());
    std::filesystem::create_directories(folder_);
  }
  ~Scratch() { std::filesystem::remove_all(folder_); }
  Scratch(Scratch const&) = delete;
  Scratch& operator=(Scratch const&) = delete;

  std::filesystem::path operator/(std::string_view name) const { return folder_ / name; }

  std::filesystem::path write(std::string_view name, std::string_view text) const {
    auto const path = folder_ / name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }

 private:
  std::filesystem::path folder_;
};

/// The message of the exception that `call` throws, with file names relative to the Scratch folder; ""
/// if it does not throw.
template <class Call>
std::string message_of(Call const& call) {
  try {
    call();
  } catch (std::exception const& error) {
    std::string text = error.what();
    auto const begin = text.find(std::filesystem::temp_directory_path().string());
    auto const end =
        begin == std::string::npos ? begin : text.find('/', text.find("taper-", begin));
    return end == std::string::npos ? text : text.erase(begin, end + 1 - begin);
  }
  return {};
}

/// A configuration with this text and the file name c.yaml.
inline app::Node configuration(std::string_view text,
                               std::vector<std::string> const& overrides = {}) {
  Scratch const scratch;
  return app::Node::load(scratch.write("c.yaml", text), overrides);
}

/// `text` with the first `from` replaced by `to`.
inline std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string changed(text);
  return changed.replace(changed.find(from), from.size(), to);
}

}  // namespace taper::test
