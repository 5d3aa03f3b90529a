// SPDX-License-Identifier: Apache-2.0
//
// Every host engine multiplies small matrices of small integers, of any layout, to the same bits as
// three loops, and changes nothing else.
#include "kokkos.hpp"

#include <support/products.hpp>
#include <taper/matmul/matmul.hpp>

#include <cstdint>
#include <limits>
#include <vector>

namespace {

namespace mm = taper::matmul;
namespace oracle = taper::testing;
using taper::fuzz::Bytes;
using taper::fuzz::require;
using taper::fuzz::Space;

mm::Options options_of(Bytes& bytes) {
  static auto const& choices = *new std::vector(oracle::host_choices<Space>());
  auto options = choices[bytes.next() % choices.size()];
  auto const sizes = bytes.next();
  options.block = 1 + sizes % 8;
  options.threshold = 1 + sizes / 8 % 8;
  options.explicit_simd = sizes >= 128;
  return options;
}

template <class T>
void check_product(Bytes& bytes, mm::Options const& options) {
  static auto const& orders = *new std::vector(oracle::orders());
  auto const m = bytes.below(9), n = bytes.below(9), k = bytes.below(9);
  auto const layout = bytes.next();
  auto const count = orders.size();
  oracle::TestMatrix<T> const a(m, k, orders[layout % count]);
  oracle::TestMatrix<T> const b(k, n, orders[layout / count % count]);
  oracle::TestMatrix<T> const c(m, n, orders[layout / count / count % count]);
  auto const scales = bytes.next();
  auto const alpha = static_cast<T>(scales % 4) - T(1);
  auto const beta = static_cast<T>(scales / 4 % 3) - T(1);
  auto const entry = [&](std::size_t i, std::size_t j) {
    return static_cast<T>((bytes.empty() ? i + 2 * j : bytes.next()) % 9) - T(4);
  };
  a.fill(entry);
  b.fill(entry);
  c.fill(entry);
  if (beta == 0) {  // C is not read
    c.fill([](std::size_t, std::size_t) { return std::numeric_limits<T>::quiet_NaN(); });
  }
  auto const should = oracle::product_by_definition(alpha, a, b, beta, c);
  mm::multiply(Space{}, alpha, a.const_view(), b.const_view(), beta, c.view(), options);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      require(c(i, j) == should[i * n + j], "an entry is that of three loops");
    }
  }
  require(c.gaps_are_untouched(), "memory between the entries is not written");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  Bytes bytes(data, size);
  auto const options = options_of(bytes);
  size % 2 == 0 ? check_product<float>(bytes, options) : check_product<double>(bytes, options);
  return 0;
}
