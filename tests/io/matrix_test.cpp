// SPDX-License-Identifier: Apache-2.0
#include "npy_bytes.hpp"
#include "scratch.hpp"

#include <io/matrix/matrix.hpp>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <sstream>

namespace {

using namespace taper;
using namespace taper::io;

constexpr std::uint64_t plenty = std::uint64_t{1} << 30;

/// The entries by rows, for either order in memory.
std::vector<double> entries_of(DenseMatrix const& matrix) {
  std::vector<double> entries;
  for (std::size_t i = 0; i < matrix.rows(); ++i) {
    for (std::size_t j = 0; j < matrix.columns(); ++j) {
      entries.push_back(matrix.at(i, j));
    }
  }
  return entries;
}

DenseMatrix parsed(std::string_view bytes, Scalar text = Scalar::float64) {
  return parse_matrix("m", bytes, plenty, text).matrix;
}

std::string error_in(std::string_view bytes) {
  try {
    parsed(bytes);
  } catch (InputError const& error) {
    return error.what();
  }
  return "no error";
}

using Entries = std::vector<double>;

template <class T>
std::string swapped(std::string bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(T)) {
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                 bytes.begin() + static_cast<std::ptrdiff_t>(at + sizeof(T)));
  }
  return bytes;
}

TEST(MatrixNpy, ReadsEveryTypeOrderAndVersion) {
  auto const check = [&]<class T>(std::string const& name, Scalar scalar, T) {
    std::vector<T> const by_rows{1, 2, 3, 4, 5, 6}, by_columns{1, 4, 2, 5, 3, 6};
    for (int version = 1; version <= 3; ++version) {
      for (auto const fortran : {false, true}) {
        for (auto const big : {false, true}) {
          auto data = raw<T>(fortran ? by_columns : by_rows);
          auto const matrix = parsed(npy((big ? ">" : "<") + name, "(2, 3)",
                                         big ? swapped<T>(data) : data, version, fortran));
          EXPECT_EQ(matrix.scalar(), scalar);
          EXPECT_EQ(matrix.rows(), 2u);
          EXPECT_EQ(matrix.columns(), 3u);
          EXPECT_EQ(matrix.order(), fortran ? Order::by_columns : Order::by_rows);
          EXPECT_EQ(entries_of(matrix), (Entries{1, 2, 3, 4, 5, 6})) << version << fortran << big;
        }
      }
    }
  };
  check("f4", Scalar::float32, float{});
  check("f8", Scalar::float64, double{});
}

TEST(MatrixNpy, ReadsEmptyMatrices) {
  for (std::string const shape : {"(0, 0)", "(0, 7)", "(7, 0)", "(0, 1000000000000)"}) {
    EXPECT_EQ(entries_of(parsed(npy("<f8", shape, ""))), Entries{}) << shape;
  }
}

TEST(MatrixNpy, ErrorsNameTheReason) {
  EXPECT_EQ(error_in(npy("<f8", "(2, 2)", std::string(24, 'x'))),
            "m: the table is cut short: expected 32 bytes of data, found 24");
  EXPECT_EQ(error_in(npy("<f4", "(2, 2)", std::string(17, 'x'))),
            "m: expected the end of the file after the table, found more bytes");
  EXPECT_EQ(error_in(npy("<f4", "(2, 2)", "").substr(0, 30)),
            "m: the .npy header is cut short: expected 118 bytes more, found 20");
  EXPECT_EQ(error_in(npy("<f4", "(2, 2)", "", 7)), "m: expected .npy version 1 to 3, found 7");
  EXPECT_EQ(error_in(npy("<i4", "(2, 2)", "")),
            "m: expected entries of float32 or float64, found dtype '<i4': save "
            "matrix.astype('<f8')");
  EXPECT_EQ(error_in(npy("<c16", "(2, 2)", "")),
            "m: expected entries of float32 or float64, found dtype '<c16': save "
            "matrix.astype('<f8')");
  EXPECT_EQ(error_in(npy("<f4", "(5,)", "")),
            "m: expected a matrix, shape (rows, columns), found shape (5)");
  EXPECT_EQ(error_in(npy("<f4", "(5, 1, 2)", "")),
            "m: expected a matrix, shape (rows, columns), found shape (5, 1, 2)");
  EXPECT_EQ(error_in(npy("<f8", "(200000, 100000)", "")),
            "m: a matrix of 200,000 x 100,000 float64 needs 149.0 GiB, this machine has 1.0 GiB "
            "free");
  EXPECT_NE(error_in(npy("<f4", "(4294967296, 4294967296)", "")).find("needs 17,179,869,184.0 GiB"),
            std::string::npos)
      << "no overflow";
  EXPECT_EQ(error_in("hello\n"),
            "m: expected a matrix, .npy or Matrix Market, found a file that begins with 'hello'");
  EXPECT_EQ(error_in(""),
            "m: expected a matrix, .npy or Matrix Market, found a file that is empty");
}

TEST(MatrixMarket, ReadsArrays) {
  auto const matrix = parsed("%%MatrixMarket matrix array real general\n% by columns\n\n2 3\n"
                             "1\n4\n+2e0\n5\n\n3.0\n 6 \n");
  EXPECT_EQ(matrix.scalar(), Scalar::float64);
  EXPECT_EQ(entries_of(matrix), (Entries{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(entries_of(parsed("%MatrixMarket Matrix ARRAY integer symmetric\r\n3 3\r\n1\r\n2\r\n3\r"
                              "\n4\r\n5\r\n6\r\n")),
            (Entries{1, 2, 3, 2, 4, 5, 3, 5, 6}));
  EXPECT_EQ(entries_of(parsed("%%MatrixMarket matrix array double skew-symmetric\n3 3\n1 2 3\n")),
            (Entries{0, -1, -2, 1, 0, -3, 2, 3, 0}));
  EXPECT_EQ(parsed("%%MatrixMarket matrix array real general\n1 1\n0.1", Scalar::float32).at(0, 0),
            double(0.1f));
  auto const special = parsed("%%MatrixMarket matrix array real general\n3 1\nnan\ninf\n-inf\n");
  EXPECT_TRUE(std::isnan(special.at(0, 0)));
  EXPECT_EQ(special.at(2, 0), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(entries_of(parsed("%%MatrixMarket matrix array real general\n0 5\n")), Entries{});
  EXPECT_EQ(entries_of(parsed("%%MatrixMarket matrix array real symmetric\n0 0\n")), Entries{});
}

TEST(MatrixMarket, CoordinatesAreExpanded) {
  EXPECT_EQ(entries_of(parsed("%%MatrixMarket matrix coordinate real general\n2 3 3\n"
                              "1 1 1.5\n% c\n2 3 -2\n2 3 5\n")),
            (Entries{1.5, 0, 0, 0, 0, 3}))
      << "what is listed again is added";
  EXPECT_EQ(entries_of(parsed("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n"
                              "2 2\n2 1\n")),
            (Entries{0, 1, 1, 1}));
  EXPECT_EQ(entries_of(parsed("%%MatrixMarket matrix coordinate integer skew-symmetric\n2 2 1\n"
                              "2 1 7\n")),
            (Entries{0, -7, 7, 0}));
}

TEST(MatrixMarket, ErrorsNameTheLineAndTheReason) {
  std::string const array = "%%MatrixMarket matrix array real general\n";
  EXPECT_EQ(error_in("%%MatrixMarket tensor array real general\n"),
            "m:1: expected 'matrix array or coordinate' in the banner, found 'tensor array'");
  EXPECT_EQ(error_in("%%MatrixMarket matrix array pattern general\n"),
            "m:1: expected 'matrix coordinate' in the banner, found 'matrix array'");
  EXPECT_EQ(error_in("%%MatrixMarket matrix array complex general\n"),
            "m:1: expected real, integer or pattern as the third word of the banner, found "
            "'complex'");
  EXPECT_EQ(error_in("%%MatrixMarket matrix array real hermitian\n"),
            "m:1: expected general, symmetric or skew-symmetric as the fourth word of the banner, "
            "found 'hermitian'");
  EXPECT_EQ(error_in(array),
            "m: expected the numbers of rows and columns, found the end of the file");
  EXPECT_EQ(error_in(array + "2 x\n"), "m:2: expected the numbers of rows and columns, found 'x'");
  EXPECT_EQ(error_in(array + "2 2 4\n"), "m:2: expected the end of the line, found '4'");
  EXPECT_EQ(error_in(array + "2 2\n1\n2\nthree\n4\n"), "m:5: expected a number, found 'three'");
  EXPECT_EQ(error_in(array + "2 2\n1\n2\n3\n"),
            "m:2: a general matrix of 2 x 2 has 4 entries, the file lists 3");
  EXPECT_EQ(error_in(array + "2 2\n1\n2\n3\n4\n5\n"),
            "m:7: a general matrix of 2 x 2 has 4 entries, the file lists more");
  EXPECT_EQ(error_in(array + "1 1\n1e999\n"), "m:3: '1e999' is out of the range of float64");
  EXPECT_EQ(error_in("%%MatrixMarket matrix array real symmetric\n2 3\n"),
            "m:2: a symmetric matrix must be square, found 2 x 3");
  std::string const coordinate = "%%MatrixMarket matrix coordinate real general\n";
  EXPECT_EQ(error_in(coordinate + "2 2\n"),
            "m:2: expected the numbers of rows, columns and entries, found the end of the line");
  EXPECT_EQ(error_in(coordinate + "2 2 1\n3 1 1\n"),
            "m:3: row 3 is out of range: the matrix has 2, numbered from 1");
  EXPECT_EQ(error_in(coordinate + "2 2 1\n1 1\n"), "m:3: expected a number, found the end of the "
                                                   "line");
  EXPECT_EQ(error_in(coordinate + "2 2 1\n1 1 1 1\n"),
            "m:3: expected the end of the line, found '1'");
  EXPECT_EQ(error_in(coordinate + "2 2 2\n1 1 1\n"),
            "m:2: the header announces 2 entries, the file lists 1");
  EXPECT_EQ(error_in("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n"),
            "m:3: a skew-symmetric matrix cannot have an entry on its diagonal");
  EXPECT_NE(error_in(coordinate + "1000000 1000000 0\n").find("m:2: a matrix of 1,000,000 x"),
            std::string::npos);
}

TEST(Matrix, ConvertsBetweenScalars) {
  DenseMatrix matrix(std::vector<double>{0.1, 2}, 1, 2, Order::by_rows);
  matrix.convert(Scalar::float32);
  EXPECT_EQ(matrix.scalar(), Scalar::float32);
  EXPECT_EQ(matrix.at(0, 0), double(0.1f));
  matrix.convert(Scalar::float64);
  EXPECT_EQ(matrix.at(0, 0), double(0.1f));
}

using MatrixFiles = Scratch;

TEST_F(MatrixFiles, ReadBack) {
  for (std::string const name : {"m.npy", "m.npy.gz", "m.mtx", "m.mtx.gz", "m"}) {
    for (auto const scalar : {Scalar::float32, Scalar::float64}) {
      for (auto const order : {Order::by_rows, Order::by_columns}) {
        DenseMatrix matrix(scalar, 3, 2, order);
        matrix.visit([](auto& entries) {
          for (std::size_t i = 0; i < entries.size(); ++i) {
            entries[i] = static_cast<std::remove_cvref_t<decltype(entries[0])>>(i) / 3;
          }
        });
        write_matrix(path(name), matrix);
        auto const [again, format] = read_matrix(path(name), scalar);
        EXPECT_EQ(format,
                  name.starts_with("m.mtx") ? MatrixFormat::matrix_market : MatrixFormat::npy);
        EXPECT_EQ(again.scalar(), scalar);
        EXPECT_EQ(entries_of(again), entries_of(matrix)) << name;
      }
    }
  }
  EXPECT_TRUE(bytes_of("m.mtx").starts_with("%%MatrixMarket matrix array real general\n3 2\n0\n"));
  EXPECT_EQ(bytes_of("m.npy").size() % 64, 48u) << "a header of whole lines of 64 bytes";
}

TEST_F(MatrixFiles, ReportsFilesThatCannotBeReadOrWritten) {
  EXPECT_EQ(error_of([&] { read_matrix(path("none.npy")); }),
            "none.npy: cannot be opened: No such file or directory");
  EXPECT_NE(error_of([&] { write_matrix(path("none/m.npy"), {}); }).find("cannot be written"),
            std::string::npos);
  write_matrix(path("m.npy.gz"), DenseMatrix(Scalar::float64, 50, 50));
  auto const cut = bytes_of("m.npy.gz").substr(0, 40);
  write("cut.npy.gz", cut);
  EXPECT_EQ(error_of([&] { read_matrix(path("cut.npy.gz")); }),
            "cut.npy.gz: the compressed data are cut short");
}

}  // namespace
