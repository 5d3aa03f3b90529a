// SPDX-License-Identifier: Apache-2.0
#include "graph_scratch.hpp"

#include <zlib.h>

#include <algorithm>
#include <random>

namespace {

using namespace taper;
using namespace taper::io;

using Edges = GraphScratch;

TEST_F(Edges, HeaderWithVerticesFromZero) {
  const auto file = graph("g.txt", "5 3\n0 1\n1 2\n2 3\n");
  EXPECT_EQ(file.format, GraphFormat::edges);
  EXPECT_EQ(file.vertices, 5u);
  EXPECT_EQ(named_edges(file), "0-1 1-2 2-3");
  EXPECT_EQ(file.names.first(), 0u);
}

TEST_F(Edges, HeaderWithVerticesFromOne) {
  const auto file = graph("g.txt", "4 3\n1 2\n2 3\n3 4\n");
  EXPECT_EQ(file.vertices, 4u);
  EXPECT_EQ(named_edges(file), "1-2 2-3 3-4");
  EXPECT_EQ(file.edges.front(), Edge(0, 1));
}

TEST_F(Edges, HeaderMayCountOneVertexTooMany) {
  const auto file = graph("g.txt", "5 3\n1 2\n2 3\n3 4\n");
  EXPECT_EQ(file.vertices, 5u);
  EXPECT_EQ(named_edges(file), "1-2 2-3 3-4");
}

TEST_F(Edges, HeaderMayBeThatOfMatrixMarketWithoutBanner) {
  const auto file = graph("g.mtx", "% from somewhere\n5 5 3\n2 1\n3 2\n5 3\n");
  EXPECT_EQ(file.vertices, 5u);
  EXPECT_EQ(named_edges(file), "2-1 3-2 5-3");
}

TEST_F(Edges, FirstLineThatContradictsTheRestIsAnEdge) {
  EXPECT_EQ(named_edges(graph("g.txt", "4 3\n0 1\n1 2\n2 4\n")), "4-3 0-1 1-2 2-4")
      << "vertices from 0 to 4 are more than four";
}

TEST_F(Edges, HeaderThatCouldBeAnEdgeIsNoted) {
  auto const file = graph("g.txt", "4 3\n3 2\n2 1\n1 0\n");
  EXPECT_EQ(file.vertices, 4u);
  EXPECT_EQ(notes_of(file), std::vector<std::string>{
                                "g.txt:1: '4 3' is read as the header (--header no: an edge)"});
  EXPECT_TRUE(
      graph("g.txt", "4 3\n3 2\n2 1\n1 0\n", {.header = EdgeListHeader::yes}).notes.empty());
  for (auto const* text : {"4 3\n1 2\n2 3\n3 4\n", "6 3\n1 2\n2 3\n3 4\n", "3 3\n1 2\n2 3\n3 1\n",
                           "4 5\n1 2\n2 3\n3 4\n4 1\n1 3\n"}) {
    EXPECT_TRUE(graph("g.txt", text).notes.empty()) << text;
  }
}

TEST_F(Edges, WithoutHeader) {
  const auto from_one = graph("g.txt", "1 2\n2 3\n3 4\n");
  EXPECT_EQ(from_one.vertices, 4u);
  EXPECT_EQ(named_edges(from_one), "1-2 2-3 3-4");
  const auto from_zero = graph("g.txt", "0 1\n1 2\n");
  EXPECT_EQ(from_zero.vertices, 3u);
  EXPECT_EQ(from_zero.names.first(), 0u);
  EXPECT_EQ(named_edges(graph("g.txt", "1 2\n")), "1-2");
  EXPECT_EQ(named_edges(graph("g.txt", "2 1\n1 3\n3 2\n")), "2-1 1-3 3-2");
}

TEST_F(Edges, NumbersMayHaveGaps) {
  const auto file = graph("g.txt", "# Nodes: 4\n# FromNodeId\tToNodeId\n10\t7\n7\t1000000\n4 10\n");
  EXPECT_EQ(file.vertices, 4u);
  EXPECT_EQ(named_edges(file), "10-7 7-1000000 4-10");
  EXPECT_EQ(file.edges.front(), Edge(2, 1)) << "vertices are numbered in ascending order";
}

TEST_F(Edges, NumbersOfMoreThan32BitsAreLabels) {
  const auto file = graph("g.txt", "1 2\n2 18446744073709551616\n3 5000000000\n");
  EXPECT_EQ(named_edges(file), "1-2 2-18446744073709551616 3-5000000000");
}

TEST_F(Edges, WordsAreLabels) {
  const auto file = graph("g.txt", "# friends\nAda Ben\nBen Chloe\nAda Chloe\n");
  EXPECT_EQ(file.format, GraphFormat::labels);
  EXPECT_TRUE(file.names.are_words());
  EXPECT_EQ(file.vertices, 3u);
  EXPECT_EQ(named_edges(file), "Ada-Ben Ben-Chloe Ada-Chloe");
  EXPECT_EQ(named_edges(graph("g.csv", "New York,Boston,3\n\"York, PA\",New York,4\r\n")),
            "New York-Boston York, PA-New York");
  EXPECT_EQ(named_edges(graph("g.tsv", "New York\tBoston\nBoston\tNew York\n")),
            "New York-Boston Boston-New York");
}

TEST_F(Edges, ManyLabelsAreNumberedByFirstAppearance) {
  std::string text, expected;
  for (int i = 0; i < 20000; ++i) {
    text += 'v' + std::to_string(i) + " v" + std::to_string(i / 2 + 7) + '\n';
    expected += (i == 0 ? "v" : " v") + std::to_string(i) + "-v" + std::to_string(i / 2 + 7);
  }
  const auto file = graph("g.txt", text);
  EXPECT_EQ(file.vertices, 20000u);
  EXPECT_EQ(named_edges(file), expected);
}

TEST_F(Edges, NumbersAreLabelsOnRequest) {
  const auto file = graph("g.txt", "1 2\n2 x\n", {.format = GraphFormat::labels});
  EXPECT_EQ(named_edges(file), "1-2 2-x");
}

TEST_F(Edges, ColumnTitlesAreSkipped) {
  const auto numbers = graph("g.csv", "id_1,id_2\n0,1\n1,2\n");
  EXPECT_EQ(named_edges(numbers), "0-1 1-2");
  EXPECT_EQ(notes_of(numbers),
            std::vector<std::string>{
                "g.csv:1: read as titles; the vertices are in column 1, 'id_1', and column 2, "
                "'id_2' (--titles, --columns)"});
  const auto labels = graph("g.csv", "Source,Target\na,b\nb,c\n");
  EXPECT_EQ(named_edges(labels), "a-b b-c");
  EXPECT_EQ(notes_of(labels),
            std::vector<std::string>{
                "g.csv:1: read as titles; the vertices are in column 1, 'Source', and column 2, "
                "'Target' (--titles, --columns)"});
}

TEST_F(Edges, WordsThatBeginLikeNumbersAreNotTitles) {
  for (std::string const line : {"-1 2", "+1 2", "1e3 2", "2 -1", "1.5,2", "-1 x"}) {
    auto const wrong =
        line == "2 -1" ? std::string("-1") : line.substr(0, line.find_first_of(" ,"));
    auto const second = line.find(',') == line.npos ? "2 3" : "2,3";
    EXPECT_EQ(graph_error("g.txt", "# a list\n" + line + "\n" + second + "\n"),
              "g.txt:2: expected two vertices, as numbers, found '" + wrong +
                  "'; --columns A,B names the columns of the vertices");
  }
  EXPECT_EQ(named_edges(graph("g.txt", "2 x\n2 3\n")), "2-x 2-3") << "labels: nothing is lost";
  EXPECT_EQ(named_edges(graph("g.txt", "4chan reddit\nreddit digg\n")), "4chan-reddit reddit-digg");
}

TEST_F(Edges, FurtherColumnsAreIgnored) {
  const auto file = graph("g.txt", "1 2 0.5 1122\n2 3 0.25 1123\n");
  EXPECT_EQ(named_edges(file), "1-2 2-3");
  EXPECT_EQ(notes_of(file),
            std::vector<std::string>{"g.txt: columns after the second are ignored"});
  for (auto const* text : {"1 2\n2 3 5\n", "1 2 5\n2 3\n", "1 2 5 6\n2 3 5\n", "1,2,\n2,3,7\n",
                           "1,2,7\n2,3,\n", "1 2 {}\n2 3 {'w': 1}\n"}) {
    EXPECT_EQ(named_edges(graph("g.txt", text)), "1-2 2-3") << text;
  }
  EXPECT_EQ(graph_error("g.txt", "1,2\n2,,3\n"),
            "g.txt:2: expected two vertices, found an empty field");
  EXPECT_EQ(graph_error("g.txt", "1,2\n,2,3\n"),
            "g.txt:2: expected two vertices, found an empty field");
}

TEST_F(Edges, BipartiteKonectGraphs) {
  const auto file = graph("out.x", "% bip unweighted\n% 3 2 2\n1 1\n2 2\n1 2\n");
  EXPECT_EQ(file.vertices, 4u);
  EXPECT_EQ(named_edges(file), "1-3 2-4 1-4");
  EXPECT_EQ(file.first_loop_line, 0u);
  EXPECT_EQ(named_edges(graph("out.x", "% sym unweighted\n1 2\n2 3\n")), "1-2 2-3");
}

/// Numbers of edges in comments of SNAP and KONECT are compared with the file. This finds truncated
/// files, which are otherwise valid.
TEST_F(Edges, CountsInCommentsAreCompared) {
  EXPECT_EQ(notes_of(graph("g.txt", "# Undirected graph\n# Nodes: 10 Edges: 30\n1\t2\n2\t3\n")),
            std::vector<std::string>{"g.txt:2: announces 30 edges, the file lists 2"});
  EXPECT_EQ(notes_of(graph("out.x", "% sym unweighted\n% 30 10 10\n1 2\n2 3\n")),
            std::vector<std::string>{"out.x:2: announces 30 edges, the file lists 2"});
  for (auto const* text :
       {"# Nodes: 3 Edges: 2\n1 2\n2 3\n", "# Nodes: 3 Edges: 2\n1 2\n2 1\n2 3\n3 2\n",
        "# Nodes: 3 Edges: 4\n1 2\n2 3\n", "# Edges: many\n1 2\n2 3\n",
        "% asym positive\n% 2 3 3\n1 2\n2 3\n", "% 30 10 10\n1 2\n2 3\n", "% bip\n1 2\n2 3\n"}) {
    auto const notes = notes_of(graph("g", text));
    EXPECT_TRUE(std::ranges::none_of(notes, [](auto const& note) {
      return note.find("announces") != std::string::npos;
    })) << text;
  }
}

TEST_F(Edges, LoopsAndRepeatedEdgesAreKept) {
  const auto file = graph("g.txt", "1 2\n2 1\n\n3 3\n");
  EXPECT_EQ(named_edges(file), "1-2 2-1 3-3");
  EXPECT_EQ(file.first_loop_line, 4u);
  EXPECT_EQ(graph("g.txt", "3 3\n0 1\n1 2\n2 2\n").first_loop_line, 4u);
}

TEST_F(Edges, EmptyFiles) {
  EXPECT_EQ(graph("g.txt", "0 0\n").vertices, 0u);
  EXPECT_EQ(graph("g.txt", "7 0\n").vertices, 7u);
  EXPECT_EQ(graph_error("g.txt", ""), "g.txt: expected a graph, found no edges and no header");
  EXPECT_EQ(graph_error("g.txt", "# nothing\n\n"),
            "g.txt: expected a graph, found no edges and no header");
}

TEST_F(Edges, AmbiguousFirstLineIsAnError) {
  EXPECT_EQ(graph_error("g.txt", "5 4\n0 1\n1 2\n2 3\n"),
            "g.txt:1: '5 4' may be an edge, or a header of 5 vertices and 4 edges, but 3 follow: "
            "set --header yes or no");
  EXPECT_EQ(named_edges(graph("g.txt", "5 4\n0 1\n1 2\n2 3\n", {.header = EdgeListHeader::no})),
            "5-4 0-1 1-2 2-3");
  EXPECT_EQ(graph_error("g.txt", "5 4\n0 1\n1 2\n2 3\n", {.header = EdgeListHeader::yes}),
            "g.txt:1: the header announces 4 edges, the file lists 3");
  EXPECT_EQ(graph_error("g.txt", "3 5\n0 1\n1 2\n2 4\n0 2\n0 3\n"),
            "g.txt:4: vertex 4 is out of range: the header announces 3 vertices, numbered from 0, "
            "as the vertex 0 occurs");
  EXPECT_EQ(graph_error("g.txt", "2 3\n0 1\n1 2\n2 0\n", {.header = EdgeListHeader::yes}),
            "g.txt:3: vertex 2 is out of range: the header announces 2 vertices, numbered from 0, "
            "as the vertex 0 occurs");
}

TEST_F(Edges, ErrorsNameTheLineAndTheReason) {
  EXPECT_EQ(graph_error("g.txt", "1 2\n2 3x\n"),
            "g.txt:2: expected two vertices, as numbers, found '3x'");
  EXPECT_EQ(graph_error("g.txt", "1 2\n2 -3\n"),
            "g.txt:2: expected two vertices, as numbers, found '-3'");
  EXPECT_EQ(
      graph_error("g.txt", "1 2\n2 3\n3\n"),
      "g.txt:3: expected two vertices, found one; --format neighbours reads lists of neighbours");
  EXPECT_EQ(graph_error("g.txt", "7\n"), "g.txt:1: expected two vertices, found '7' alone");
  EXPECT_EQ(graph_error("g.txt", "a b\nc\n"), "g.txt:2: expected two vertices, found 'c' alone");
  EXPECT_EQ(graph_error("g.csv", "a,b\n\"c,d\n"), "g.csv:2: expected a closing double quote");
  EXPECT_EQ(graph_error("g.csv", "a,b\n,d\n"), "g.csv:2: expected two labels, found an empty one");
  EXPECT_EQ(graph_error("g.bin", std::string_view("\x7f"
                                                  "ELF\0\0\0\1",
                                                  8)),
            "g.bin: this looks like binary data: save it as text");
}

/// The bytes, compressed with gzip.
std::string zipped(std::string const& text) {
  std::string bytes(compressBound(text.size()) + 64, 0);
  z_stream stream = {};
  deflateInit2(&stream, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  std::string input = text;
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  bytes.resize(stream.total_out);
  deflateEnd(&stream);
  return bytes;
}

/// Consecutive gzip members are one file, and zeros after the last are ignored.
TEST_F(Edges, GzipMembersAreConcatenated) {
  auto const members = zipped("p td 4 3\n1 ") + zipped("") + zipped("2\n2 3\n3 4\n");
  EXPECT_EQ(named_edges(graph("g.gr.gz", members)), "1-2 2-3 3-4");
  EXPECT_EQ(named_edges(graph("g.gr.gz", members + std::string(513, 0))), "1-2 2-3 3-4");
}

/// More bytes than a buffer, compressed and uncompressed, so that buffers end within lines and
/// members.
TEST_F(Edges, GzipMayBeLongerThanItsBuffers) {
  std::string text = "p td 1000000 400000\n";
  std::mt19937_64 random(1);
  for (int i = 0; i < 400'000; ++i) {
    auto const u = 1 + random() % 999'999;
    text += std::to_string(u) + " " + std::to_string(u + 1) + "\n";
  }
  std::string const whole = zipped(text);
  std::string pieces;
  for (std::size_t at = 0; at < text.size(); at += 1000) {
    pieces += zipped(text.substr(at, 1000));
  }
  std::size_t const buffer = std::size_t{1} << 20;
  ASSERT_GT(text.size(), 2 * buffer);
  ASSERT_GT(whole.size(), buffer);
  ASSERT_GT(pieces.size(), buffer);
  auto const edges = graph("g.gr", text).edges;
  EXPECT_EQ(edges.size(), 400'000u);
  EXPECT_EQ(graph("g.gr.gz", whole).edges, edges);
  EXPECT_EQ(graph("g.gr.gz", pieces).edges, edges);
}

/// Truncated and damaged files, and bytes after the data, are errors at every position.
TEST_F(Edges, TruncatedOrDamagedGzipIsAnError) {
  auto const bytes = zipped("p td 3 2\n1 2\n2 3\n");
  for (std::size_t size = 2; size < bytes.size(); ++size) {
    EXPECT_EQ(graph_error("g.gr.gz", bytes.substr(0, size)),
              "g.gr.gz: the compressed data are cut short")
        << size;
  }
  for (std::string const& junk :
       {std::string("1 3\n"), std::string("\0\0x", 3), std::string(2, 0) + zipped("1 3\n")}) {
    EXPECT_EQ(graph_error("g.gr.gz", bytes + junk),
              "g.gr.gz: expected the end of the file after the compressed data, found more bytes");
  }
  EXPECT_EQ(graph_error("g.gr.gz", bytes + "\x1f"), "g.gr.gz: the compressed data are cut short");
  EXPECT_EQ(graph_error("g.gr.gz", bytes + "\x1f\x8c" + std::string(20, 'x')),
            "g.gr.gz: the compressed data are damaged");
}

TEST_F(Edges, ReadsGzipAndReportsMissingFiles) {
  EXPECT_EQ(named_edges(graph("g.gr.gz", zipped("p td 2 1\n1 2\n"))), "1-2");
  std::filesystem::rename(path("g.gr.gz"), path("g.gr"));
  EXPECT_EQ(named_edges(read_graph(path("g.gr"))), "1-2") << "by content, whatever the name";
  EXPECT_EQ(error_of([&] { read_graph(path("none.gr")); }),
            "none.gr: cannot be opened: No such file or directory");
}

}  // namespace
