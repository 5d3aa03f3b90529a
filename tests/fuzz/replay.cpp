// SPDX-License-Identifier: Apache-2.0
//
// Runs a fuzz target without a fuzzer: on its seeds, and on seeds that it changes at random. The
// changes are the same in each run.
//   replay SEEDS [COUNT]   the files of the folder SEEDS, then COUNT changed ones
//   replay FILE            this input
#include "fuzz.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

namespace {

constexpr std::array<std::string_view, 20> pieces{"0",
                                                  "1",
                                                  "-1",
                                                  "4294967294",
                                                  "4294967295",
                                                  "18446744073709551615",
                                                  "99999999999999999999",
                                                  "\n",
                                                  "\r\n",
                                                  " ",
                                                  "\t",
                                                  ",",
                                                  "\"",
                                                  "%",
                                                  "#",
                                                  "c ",
                                                  "p td 3 2\n",
                                                  "e 1 2\n",
                                                  "2 2\n",
                                                  "\xef\xbb\xbf"};

std::string changed(std::string text, std::vector<std::string> const& seeds, std::mt19937& random) {
  auto const below = [&](std::size_t bound) { return random() % std::max<std::size_t>(bound, 1); };
  for (auto changes = 1 + below(4); changes > 0; --changes) {
    auto const at = below(text.size() + 1);
    switch (below(6)) {
    case 0:
      if (at < text.size()) {
        text[at] = static_cast<char>(random());
      }
      break;
    case 1:
      text.insert(at, pieces[below(pieces.size())]);
      break;
    case 2:
      text.erase(at, 1 + below(5));
      break;
    case 3: {  // append the end of another seed
      auto const& other = seeds[below(seeds.size())];
      text = text.substr(0, at).append(other.substr(below(other.size())));
      break;
    }
    case 4: {  // repeat a part
      auto const part = text.substr(at, 1 + below(12));
      text.insert(below(text.size() + 1), part);
      break;
    }
    default:  // replace a digit by another number
      if (auto const digit = text.find_first_of("0123456789", at); digit != std::string::npos) {
        text.replace(digit, 1, pieces[below(7)]);
      }
    }
  }
  return text;
}

void run(std::string const& text) {
  LLVMFuzzerTestOneInput(reinterpret_cast<std::uint8_t const*>(text.data()), text.size());
}

std::string read(std::filesystem::path const& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The files of a folder, in the order of their names.
std::vector<std::string> read_folder(std::filesystem::path const& folder) {
  std::vector<std::filesystem::path> files;
  std::ranges::copy(std::filesystem::directory_iterator(folder), std::back_inserter(files));
  std::ranges::sort(files);
  std::vector<std::string> texts;
  std::ranges::transform(files, std::back_inserter(texts), read);
  return texts;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || !std::filesystem::exists(argv[1])) {
    std::fprintf(stderr, "usage: %s SEEDS [COUNT]\n", argv[0]);
    return 2;
  }
  if (!std::filesystem::is_directory(argv[1])) {
    run(read(argv[1]));
    return 0;
  }
  auto const seeds = read_folder(argv[1]);
  taper::fuzz::require(!seeds.empty(), "there are seeds");
  for (auto const& seed : seeds) {
    run(seed);
  }
  std::mt19937 random(20260101);
  std::string text;
  int const count = argc > 2 ? std::atoi(argv[2]) : 0;
  for (int i = 0; i < count; ++i) {
    // Changes accumulate for a while, so that some inputs differ much from every seed.
    text = changed(i % 8 == 0 ? seeds[random() % seeds.size()] : text, seeds, random);
    run(text);
  }
  std::printf("%zu seeds and %d changed ones: every promise holds\n", seeds.size(), count);
  return 0;
}
