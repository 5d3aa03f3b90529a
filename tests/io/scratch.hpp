// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <io/market/read.hpp>

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace taper::io {

/// A fixture with a temporary folder per test. It removes the folder's path from messages.
class Scratch : public testing::Test {
 protected:
  Scratch() {
    auto const* test = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = std::string(test->test_suite_name()) + '.' + test->name();
    std::replace(name.begin(), name.end(), '/', '.');
    folder_ =
        std::filesystem::temp_directory_path() / ("taper." + std::to_string(getpid()) + '.' + name);
    std::filesystem::create_directories(folder_);
  }
  ~Scratch() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path path(std::string const& name) const { return folder_ / name; }

  std::filesystem::path write(std::string const& name, std::string_view bytes) const {
    std::ofstream(path(name), std::ios::binary) << bytes;
    return path(name);
  }

  std::string bytes_of(std::string const& name) const {
    std::ifstream file(path(name), std::ios::binary);
    std::ostringstream bytes;
    bytes << file.rdbuf();
    return bytes.str();
  }

  Market read(std::vector<std::string> const& names, MarketReadOptions const& options = {}) const {
    std::vector<std::filesystem::path> paths;
    for (auto const& name : names)
      paths.push_back(path(name));
    return read_market(paths, options);
  }

  /// The message of the InputError that `action` throws, without the folder. Expects one line.
  template <class Action>
  std::string error_of(Action const& action) const {
    try {
      action();
    } catch (InputError const& error) {
      std::string text = error.what();
      EXPECT_EQ(text.find('\n'), std::string::npos) << "more than one line: " << text;
      const std::string prefix = folder_.string() + '/';
      for (auto at = text.find(prefix); at != std::string::npos; at = text.find(prefix))
        text.erase(at, prefix.size());
      return text;
    }
    return "no error";
  }

  /// The error of reading one file with these bytes.
  std::string error_in(std::string const& name, std::string_view bytes,
                       MarketReadOptions const& options = {}) const {
    write(name, bytes);
    return error_of([&] { read({name}, options); });
  }

 private:
  std::filesystem::path folder_;
};

inline std::vector<std::uint32_t> ids_of(IdTable const& table) {
  return table.visit([](auto ids) { return std::vector<std::uint32_t>(ids.begin(), ids.end()); });
}

using Ids = std::vector<std::uint32_t>;

inline IdTable random_table(std::size_t n, std::mt19937& random) {
  IdTable table(n, n);
  std::vector<std::uint32_t> row(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::uint32_t id = 0; id < n; ++id)
      row[id] = id;
    std::shuffle(row.begin(), row.end(), random);
    for (std::size_t rank = 0; rank < n; ++rank)
      table.set(i, rank, row[rank]);
  }
  return table;
}

inline Market random_market(std::size_t n, int base) {
  std::mt19937 random(static_cast<unsigned>(n));
  Market market;
  market.men = {"men", {}, random_table(n, random)};
  market.women = {"women", {}, random_table(n, random)};
  market.id_base = base;
  return market;
}

}  // namespace taper::io
