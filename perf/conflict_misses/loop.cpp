// SPDX-License-Identifier: Apache-2.0
//
// Multiplies by three loops, in float, under a cache simulator:
//   perf_conflict_misses ijk|ikj N ROWS
// computes the first ROWS rows of an N x N product. Used by: count.sh. The exit status is 1 if an entry
// is wrong.
#include <taper/matmul/loops.hpp>
#include <taper/matmul/matrix.hpp>
#include <taper/matmul/workers.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace {

namespace mm = taper::matmul;

bool read_number(std::string_view text, std::int64_t& number) {
  auto const* const end = text.data() + text.size();
  auto const [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stopped == end && number >= 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string_view const order = argc == 4 ? argv[1] : "";
  std::int64_t n = 0;
  std::int64_t rows = 0;
  if ((order != "ijk" && order != "ikj") || !read_number(argv[2], n) ||
      !read_number(argv[3], rows) || n > 16'384 || rows > n) {
    std::fprintf(stderr, "usage: perf_conflict_misses ijk|ikj N ROWS, with ROWS <= N <= 16384\n");
    return 2;
  }
  mm::detail::Buffer<float> const a(n * n);
  mm::detail::Buffer<float> const b(n * n);
  mm::detail::Buffer<float> const c(n * n);
  std::fill_n(a.data(), n * n, 1.0f);
  std::fill_n(b.data(), n * n, 1.0f);
  std::fill_n(c.data(), n * n, 0.0f);

  mm::Matrix<float const> const left{a.data(), rows, n, n, 1};
  mm::Matrix<float const> const right{b.data(), n, n, n, 1};
  mm::Matrix<float> const out{c.data(), rows, n, n, 1};
  if (order == "ijk") {
    mm::detail::multiply_ijk<mm::detail::PlainSum>(1.0f, left, right, 0.0f, out);
  } else {
    mm::detail::multiply_ikj(1.0f, left, right, 0.0f, out);
  }
  return std::count(c.data(), c.data() + n * n, static_cast<float>(n)) == rows * n ? 0 : 1;
}
