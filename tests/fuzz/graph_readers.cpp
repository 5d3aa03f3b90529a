// SPDX-License-Identifier: Apache-2.0
//
// For any bytes the graph readers return a graph whose edges join its vertices, and the matrix reader a matrix whose
// number of entries fits its extents. Both can be written and read back. Otherwise they throw an error of one line.
// For libFuzzer:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -DTAPER_LIBFUZZER -Iapps -Icore
//     -Ialgorithms tests/fuzz/graph_readers.cpp apps/io/*/*.cpp -lfmt -lyaml-cpp -lz
// Without libFuzzer, main() below mutates sample files a given number of times, deterministically.
#include <io/graph/cover.hpp>
#include <io/graph/read.hpp>
#include <io/graph/write.hpp>
#include <io/matrix/matrix.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace taper::io;

/// Aborts if a property does not hold; a fuzzer detects the abort.
void require(bool condition, char const* promise) {
  if (!condition) {
    std::fprintf(stderr, "broken: %s\n", promise);
    std::abort();
  }
}

void check_error(InputError const& error) {
  std::string_view const text = error.what();
  require(!text.empty() && text.find('\n') == std::string_view::npos, "an error is one line");
  require(text.starts_with("fuzz"), "an error names the file");
}

void check_cover(GraphFile const& file, taper::vertex_cover::HostGraph const& graph) {
  std::vector<std::uint8_t> in_cover(file.vertices, 0);
  for (std::size_t v = 0; v < file.vertices; v += 2) {
    in_cover[v] = 1;
  }
  std::ostringstream text;
  write_cover(text, file, in_cover);
  require(parse_cover("fuzz", text.str(), file) == in_cover, "a cover is read back");
  std::fill(in_cover.begin(), in_cover.end(), 0);
  auto const uncovered = find_uncovered(file, in_cover, 3);
  require(uncovered.count >= graph.edges() && uncovered.edges.size() <= 3,
          "nothing covers no edge");
}

void check_written(taper::vertex_cover::HostGraph const& graph) {
  for (auto const format : {GraphFormat::pace, GraphFormat::dimacs, GraphFormat::matrix_market,
                            GraphFormat::metis, GraphFormat::edges}) {
    std::ostringstream text;
    write_graph(text, graph, format);
    GraphReadOptions options;
    options.format = format;
    options.header = EdgeListHeader::yes;
    auto const again = parse_graph("fuzz", text.str(), options);
    require(taper::vertex_cover::make_graph(again.vertices, again.edges).graph == graph,
            "a graph is read back");
  }
}

std::uint64_t graphs = 0;  // graphs read so far

void check(std::string const& text, GraphReadOptions const& options) {
  try {
    auto const file = parse_graph("fuzz", text, options);
    ++graphs;
    for (auto const& [u, v] : file.edges) {
      require(u < file.vertices && v < file.vertices, "edges join vertices");
    }
    auto const looped =
        std::ranges::any_of(file.edges, [](Edge const& edge) { return edge.first == edge.second; });
    require(looped == (file.first_loop_line > 0), "the first loop has a line");
    for (auto const& note : file.notes) {
      require(note.find('\n') == std::string::npos, "a note is one line");
    }
    constexpr std::size_t small = 10'000;  // a header that announces millions takes long
    if (file.vertices <= small) {
      auto const graph = taper::vertex_cover::make_graph(file.vertices, file.edges).graph;
      check_cover(file, graph);
      check_written(graph);
      try {
        parse_cover("fuzz", text, file);
      } catch (InputError const& error) {
        check_error(error);
      }
    }
  } catch (InputError const& error) {
    check_error(error);
  }
}

/// Whether two matrices are equal, entry by entry; any two NaN are equal.
bool same_entries(DenseMatrix const& a, DenseMatrix const& b) {
  for (std::size_t j = 0; j < a.columns(); ++j) {
    for (std::size_t i = 0; i < a.rows(); ++i) {
      auto const x = a.at(i, j), y = b.at(i, j);
      if (x != y && (x == x || y == y)) {
        return false;
      }
    }
  }
  return a.rows() == b.rows() && a.columns() == b.columns();
}

std::uint64_t matrices = 0;  // matrices read so far

void check_matrix(std::string const& bytes, Scalar scalar) {
  constexpr std::uint64_t most_bytes = 1 << 20;
  try {
    auto const matrix = parse_matrix("fuzz", bytes, most_bytes, scalar).matrix;
    ++matrices;
    auto const count = matrix.visit([](auto const& entries) { return entries.size(); });
    require(count == matrix.rows() * matrix.columns(), "a matrix has all its entries");
    if (count == 0) {
      return;
    }
    for (auto const format : {MatrixFormat::npy, MatrixFormat::matrix_market}) {
      std::ostringstream text;
      write_matrix(text, matrix, format);
      auto const again = parse_matrix("fuzz", text.str(), most_bytes, matrix.scalar()).matrix;
      require(same_entries(matrix, again), "a matrix is read back");
    }
  } catch (InputError const& error) {
    check_error(error);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  std::string const text(reinterpret_cast<char const*>(data), size);
  check(text, {});
  if (size > 0) {
    // Also read the bytes in formats that the content does not suggest.
    GraphReadOptions options;
    options.format = static_cast<GraphFormat>(1 + data[size / 2] % 10);
    options.header = static_cast<EdgeListHeader>(data[0] % 3);
    check(text, options);
  }
  check_matrix(text, size % 2 == 0 ? Scalar::float32 : Scalar::float64);
  return 0;
}

#ifndef TAPER_LIBFUZZER
namespace {

using namespace std::string_view_literals;

constexpr std::array<std::string_view, 26> samples{
    "c x\np td 5 4\n1 2\n2 3\n3 4\n4 5\n",
    "p edge 5 4\nn 1 3\ne 1 2\ne 2 3\ne 3 4\ne 4 4\n",
    "p hs 4 3\n1 2\n3\n3 4\n",
    "p htd 4 2\n1 1 2\n2 3 4\n",
    "%%MatrixMarket matrix coordinate pattern symmetric\n% c\n4 4 3\n2 1\n3 2\n4 3\n",
    "%MatrixMarket matrix coordinate real general\n3 4 3\n1 2 0.5\n3 4 -1e9\n2 2 0\n",
    "4 4\n2 4\n1 3\n2 4\n1 3\n",
    "% m\n4 2\n2 4\n1\n\n1\n",
    "3 2 11 2\n5 6 2 1\n5 6 1 1 3 1\n5 6 2 1\n",
    "5 3\n0 1\n1 2\n2 3\n",
    "5 3\r\n1 2\r\n2 3\r\n3 4\r\n",
    "4 4 3\n2 1\n3 2\n4 3\n",
    "# SNAP\n10\t7\n7\t1000000\n4 10\n7 7\n",
    "# Nodes: 4 Edges: 3\n1 2\n2 3\n3 4\n",
    "e 1 2\ne 2 3\n",
    "4 3\n3 2\n2 1\n1 0\n",
    "% bip unweighted\n% 3 2 2\n1 1\n2 2\n1 2\n",
    "1 2 0.5 1122\n2 3 0.25 1123\n",
    "source,target\nAda,Ben\nBen,\"Big Cy\"\nDi,Di\n",
    "id_1,id_2\n0,1\n1,2\n",
    "1 2\n2 18446744073709551616\n3 5000000000\n",
    "%%MatrixMarket matrix array real general\n2 3\n1\n-2.5\n3e9\n4\nnan\ninf\n",
    "%%MatrixMarket matrix array integer symmetric\n3 3\n1 2 3\n4 5\n6\n",
    "%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 0.5\n3 2 -1e9\n",
    "\x93NUMPY\x01\0\x3f\0{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }   "
    "\n\0\0\x80\x3f\0\0"
    "\0\x40"sv,
    "\x93NUMPY\x02\0\x3e\0\0\0{'descr': '>f8', 'fortran_order': True, 'shape': (1, 1), }   "
    "\n\x3f\xf0\0\0\0\0"
    "\0\0"sv};

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

std::string mutated(std::string text, std::mt19937& random) {
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
    case 3: {  // append the end of another sample
      std::string_view const other = samples[below(samples.size())];
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

int run(std::string const& text) {
  return LLVMFuzzerTestOneInput(reinterpret_cast<std::uint8_t const*>(text.data()), text.size());
}

}  // namespace

/// graph_readers [COUNT] runs COUNT mutated samples; graph_readers FILE... runs these inputs.
int main(int argc, char** argv) {
  auto const count = argc == 2 ? std::atoi(argv[1]) : 20'000;
  if (argc > 1 && count == 0) {
    for (int i = 1; i < argc; ++i) {
      std::ifstream stream(argv[i], std::ios::binary);
      run({std::istreambuf_iterator<char>(stream), {}});
    }
    return 0;
  }
  for (auto const sample : samples) {
    run(std::string(sample));
  }
  std::mt19937 random(20260101);
  std::string text;
  for (int i = 0; i < count; ++i) {
    // Mutations accumulate for a while, so that some inputs differ much from every sample.
    text = mutated(i % 8 == 0 ? std::string(samples[random() % samples.size()]) : text, random);
    run(text);
  }
  std::printf(
      "%d inputs: %llu graphs, of two readings, and %llu matrices, all else an error of one "
      "line\n",
      count, static_cast<unsigned long long>(graphs), static_cast<unsigned long long>(matrices));
  return 0;
}
#endif
