// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <string_view>

namespace taper::testing {

/// The tests of a folder are one executable. `--source=solve.cpp` selects those of one file.
///
/// Call it after InitGoogleTest(), which removes its own arguments. Returns false, with a line on the standard error, if
/// no test is in that file: GoogleTest would call this a success.
inline bool select_source(int argc, char** argv) {
  constexpr std::string_view option = "--source=";
  std::string_view source;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view const argument = argv[i]; argument.starts_with(option)) {
      source = argument.substr(option.size());
    }
  }
  if (source.empty()) {
    return true;
  }
  std::map<std::string, std::string> source_of;  // by the name of a test
  std::string filter;
  auto const& tests = *::testing::UnitTest::GetInstance();
  for (int i = 0; i < tests.total_test_suite_count(); ++i) {
    auto const& suite = *tests.GetTestSuite(i);
    for (int j = 0; j < suite.total_test_count(); ++j) {
      auto const& test = *suite.GetTestInfo(j);
      std::string const name = std::string(suite.name()) + "." + test.name();
      std::string const file = std::filesystem::path(test.file()).filename().string();
      if (auto const [first, added] = source_of.emplace(name, file); !added) {
        std::cerr << first->second << " and " << file << " both have the test " << name << "\n";
        return false;
      }
      if (file == source) {
        filter += name + ":";
      }
    }
  }
  if (filter.empty()) {
    std::cerr << "no test of this executable is in " << source << "\n";
    return false;
  }
  GTEST_FLAG_SET(filter, filter);
  return true;
}

}  // namespace taper::testing
