// SPDX-License-Identifier: Apache-2.0
#include <support/backends.hpp>
#include <taper/stable_marriage/staged_copy.hpp>

#include <Kokkos_Core.hpp>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace {

template <class Space>
struct StagedCopy : ::testing::Test {
  using Host = Kokkos::DefaultHostExecutionSpace;
  using Copy = taper::stable_marriage::detail::StagedCopy<Space, Host, std::uint16_t>;
  using There = Kokkos::View<std::uint16_t*, typename Space::memory_space>;
  Host host;

  /// Copies 0 .. size-1 in blocks, and checks each block in its callback. Returns the first entries
  /// of the blocks in the order of the callbacks.
  std::vector<std::size_t> send(std::size_t size, std::size_t block, std::size_t stream_count,
                                bool staged) {
    std::vector<Space> const streams(stream_count);
    std::vector<std::uint16_t> from(size);
    There const to("test::to", size);
    for (std::size_t i = 0; i < size; ++i) {
      from[i] = static_cast<std::uint16_t>(i);
    }
    std::vector<std::size_t> order;
    Copy copy("test::staged_copy", streams, host,
              typename Copy::Buffers("test::buffers", staged ? block * stream_count : 0));
    for (std::size_t begin = 0; begin < size; begin += block) {
      std::size_t const end = std::min(size, begin + block);
      copy.send(from.data() + begin, to.data() + begin, end - begin, [&, begin, end] {
        order.push_back(begin);
        auto const here = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, to);
        EXPECT_TRUE(std::equal(from.begin() + static_cast<std::ptrdiff_t>(begin),
                               from.begin() + static_cast<std::ptrdiff_t>(end),
                               here.data() + begin))
            << "entries " << begin << " to " << end << " have not arrived";
      });
    }
    copy.finish();
    return order;
  }
};

TYPED_TEST_SUITE(StagedCopy, taper::testing::Backends, taper::testing::BackendNames);

TYPED_TEST(StagedCopy, BlocksArriveCompleteAndInOrder) {
  for (bool const staged : {false, true}) {
    for (std::size_t const streams : {1u, 2u, 3u, 5u}) {
      for (std::size_t const size : {0u, 1u, 12u, 100u, 1001u}) {
        for (std::size_t const block : {1u, 7u, 100u, 2000u}) {
          auto const order = this->send(size, block, streams, staged);
          EXPECT_EQ(order.size(), (size + block - 1) / block);
          EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
        }
      }
    }
  }
}

}  // namespace
