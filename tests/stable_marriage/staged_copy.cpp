// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <taper/conveyor.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

template <class Space>
struct Conveyor : ::testing::Test {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Conveys = taper::Conveyor<Space, Host, std::uint16_t>;
  using There = Kokkos::View<std::uint16_t*, typename Space::memory_space>;
  Host host;

  /// 0 .. size-1 in blocks, each looked at when it is said to have arrived; returns their order.
  std::vector<std::size_t> send(std::size_t size, std::size_t block, std::size_t lane_count,
                                bool staged) {
    std::vector<Space> const lanes(lane_count);
    std::vector<std::uint16_t> from(size);
    There const to("test::to", size);
    for (std::size_t i = 0; i < size; ++i) {
      from[i] = static_cast<std::uint16_t>(i);
    }
    std::vector<std::size_t> order;
    Conveys conveyor("test::conveyor", lanes, host,
                     typename Conveys::Buffers("test::buffers", staged ? block * lane_count : 0));
    for (std::size_t begin = 0; begin < size; begin += block) {
      std::size_t const end = std::min(size, begin + block);
      conveyor.send(from.data() + begin, to.data() + begin, end - begin, [&, begin, end] {
        order.push_back(begin);
        auto const here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, to);
        EXPECT_TRUE(std::equal(from.begin() + static_cast<std::ptrdiff_t>(begin),
                               from.begin() + static_cast<std::ptrdiff_t>(end),
                               here.data() + begin))
            << "entries " << begin << " to " << end << " are not there";
      });
    }
    conveyor.finish();
    return order;
  }
};

TYPED_TEST_SUITE(Conveyor, taper::testing::Backends, taper::testing::BackendNames);

TYPED_TEST(Conveyor, BlocksArriveInOrderAndWhole) {
  for (bool const staged : {false, true}) {
    for (std::size_t const lanes : {1, 2, 3, 5}) {
      for (std::size_t const size : {0, 1, 12, 100, 1001}) {
        for (std::size_t const block : {1, 7, 100, 2000}) {
          auto const order = this->send(size, block, lanes, staged);
          EXPECT_EQ(order.size(), (size + block - 1) / block);
          EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
        }
      }
    }
  }
}

}  // namespace
