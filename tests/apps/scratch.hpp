// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/schema.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include <unistd.h>

namespace taper::test {

/// A folder of its own for one test, gone afterwards.
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

/// What `call` throws, as text, with file names as if the scratch folder were the current one; ""
/// for nothing.
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

/// The configuration c.yaml of this text.
inline app::Node configuration(std::string_view text,
                               std::vector<std::string> const& overrides = {}) {
  Scratch const scratch;
  return app::Node::load(scratch.write("c.yaml", text), overrides);
}

inline std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string changed(text);
  return changed.replace(changed.find(from), from.size(), to);
}

}  // namespace taper::test
