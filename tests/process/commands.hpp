// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <process/child.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace taper::test {

/// Whether a text is a whole answer. `reference`: an answer of the same command.
using IsWhole = bool (*)(std::string const& text, std::string const& reference);

inline bool equals_reference(std::string const& text, std::string const& reference) {
  return text == reference;
}

/// For answers with dates or measurements: the last line, and about as many lines.
inline bool ends_as_reference(std::string const& text, std::string const& reference) {
  auto const last_line = [](std::string_view all) {
    auto const end = all.find_last_of('\n', all.size() - 2);
    return all.substr(end == std::string_view::npos ? 0 : end + 1);
  };
  auto const key = [&](std::string_view all) { return last_line(all).substr(0, 6); };
  return text.size() > 1 && text.ends_with('\n') && key(text) == key(reference);
}

/// "s vc N K", then K lines.
inline bool is_cover(std::string const& text, std::string const&) {
  auto const begin = text.find("s vc ");
  if (begin == std::string::npos || !text.ends_with('\n')) {
    return false;
  }
  auto const end = text.find('\n', begin);
  auto const size = std::stol(text.substr(text.rfind(' ', end)));
  return std::count(text.begin() + static_cast<std::ptrdiff_t>(end) + 1, text.end(), '\n') == size;
}

/// A command that writes to `output`, or to the standard output if that is empty.
struct Command {
  std::string name;
  std::vector<std::string> arguments;
  std::string output;
  IsWhole is_whole = equals_reference;
  /// A signal may give the best answer so far, with exit status 1.
  bool searches = false;
};

/// Inputs of the commands, in a folder of their own. The outputs go to another.
class Commands {
 public:
  /// `size`: 0 for inputs of a few bytes, 1 for commands of some tenths of a second.
  explicit Commands(int size) : small_(size == 0) {
    make({"generate", "random", agents(), "-o", market});
    make({"generate", "graph", "random_regular", small_ ? "8" : "500", "--degree",
          small_ ? "3" : "6", "-o", graph});
    make({"generate", "matrix", "uniform", rows(), rows(), "-o", matrix});
    make({"match", market, "-o", matching});
    make({"cover", graph, "--time-limit", "1", "-o", cover});
    make({"multiply", matrix, matrix, "-o", product});
    write_file(inputs_ / "c.yaml", experiment(results, agents()));
    make({"run", inputs_ / "c.yaml"});
    write_file(inputs_ / "run.yaml",
               experiment(outputs.path() / "run", agents() + (small_ ? "" : ", 3000")));
  }

  std::vector<Command> all() const {
    auto const out = outputs / "answer";
    return {
        {"generate", {"generate", "random", agents(), "-o", out}, "answer"},
        {"generate to stdout", {"generate", "random", agents()}, ""},
        {"generate graph", {"generate", "graph", "gnp", agents(), "-o", out}, "answer"},
        {"generate matrix", {"generate", "matrix", "uniform", rows(), rows(), "-o", out}, "answer"},
        {"match", {"match", market, "-o", out}, "answer"},
        {"match to stdout", {"match", market}, ""},
        {"verify", {"verify", market, matching}, ""},
        {"cover", {"cover", graph, "--time-limit", "1", "-o", out}, "answer", is_cover, true},
        {"cover to stdout", {"cover", graph, "--time-limit", "1"}, "", is_cover, true},
        {"cover published",
         {"cover", graph, "--mode", "published", "--time-limit", "1", "-o", out},
         "answer",
         is_cover,
         true},
        {"verify cover", {"verify", "cover", graph, cover}, ""},
        {"multiply", {"multiply", matrix, matrix, "-o", out}, "answer"},
        {"verify product", {"verify", "product", matrix, matrix, product}, ""},
        {"tree", {"tree", "T1", "--schedule", "serial", "--max-depth", small_ ? "5" : "9"}, ""},
        {"verify tree",
         {"verify", "tree", "T1", "--max-depth", small_ ? "5" : "9", small_ ? "3987" : "1031269",
          small_ ? "3232" : "825408", small_ ? "5" : "9"},
         ""},
        {"run", {"run", inputs_ / "run.yaml"}, "run/results.json", ends_as_reference, true},
        {"table", {"table", results}, ""},
        {"plot", {"plot", results, "-o", out + ".svg"}, "answer.svg"},
        {"report", {"report", results, "-o", out}, "answer"},
        {"info", {"info"}, "", ends_as_reference},
        {"tune", {"tune", "--quick", "-o", out}, "answer", ends_as_reference},
        {"help", {"--help"}, ""},
    };
  }

  std::vector<std::string> csv_table() const { return {"table", results, "--csv"}; }

  void empty_outputs() const {
    for (auto const& entry : std::filesystem::directory_iterator(outputs.path())) {
      std::filesystem::remove_all(entry.path());
    }
  }

  Folder const outputs;

 private:
  static void make(std::vector<std::string> const& arguments) {
    auto const ended = run(arguments);
    EXPECT_TRUE(ended.status < 2) << arguments.front() << ": " << ended.err;
  }
  std::string agents() const { return small_ ? "3" : "600"; }
  std::string rows() const { return small_ ? "3" : "400"; }
  static std::string experiment(std::string const& output, std::string const& sizes) {
    return "name: c\noutput: " + output + "\nworkloads: [uniform]\nsizes: [" + sizes +
           "]\nengines: [GS-Seq-CPU, MW-Seq-CPU]\nbaseline: GS-Seq-CPU\nrepetitions: 3\nwarmup: "
           "1\n";
  }

  Folder const inputs_;
  bool const small_;
  std::string const market = inputs_ / "market.json";
  std::string const graph = inputs_ / "graph.gr";
  std::string const matrix = inputs_ / "a.npy";
  std::string const matching = inputs_ / "matching";
  std::string const cover = inputs_ / "cover";
  std::string const product = inputs_ / "c.npy";
  std::string const results = inputs_ / "results";
};

}  // namespace taper::test
