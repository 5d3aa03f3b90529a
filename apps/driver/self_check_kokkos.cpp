// SPDX-License-Identifier: Apache-2.0
#include "self_check.hpp"

#include <support/spaces.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace taper::app {
namespace {

constexpr std::size_t count = 100'003;  // a prime: no multiple of a team size
constexpr std::size_t team_rows = 257;
constexpr std::size_t row_length = 64;
constexpr std::size_t buckets = 7;

/// Scattered 32-bit values, the same on host and device.
KOKKOS_INLINE_FUNCTION std::uint64_t value_of(std::uint64_t i) {
  return (i * 2654435761u + 12345u) & 0xffffffffu;
}

struct SumValues {
  KOKKOS_FUNCTION void operator()(std::size_t i, std::uint64_t& sum) const { sum += value_of(i); }
};

template <class Prefix>
struct ScanValues {
  Prefix prefix;

  KOKKOS_FUNCTION void operator()(std::size_t i, std::uint64_t& sum, bool last) const {
    if (last) {
      prefix(i) = sum;
    }
    sum += value_of(i);
  }
};

/// Each team writes its row into scratch, waits for all its members, and reads the row back in
/// reverse.
template <class Space, class Rows>
struct ReverseInScratch {
  using Member = typename Kokkos::TeamPolicy<Space>::member_type;
  using Scratch = Kokkos::View<std::uint64_t*, typename Space::scratch_memory_space,
                               Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  Rows rows;

  KOKKOS_FUNCTION void operator()(Member const& member) const {
    Scratch const scratch(member.team_scratch(0), row_length);
    auto const row = static_cast<std::size_t>(member.league_rank());
    auto const first = static_cast<std::size_t>(member.team_rank());
    auto const threads = static_cast<std::size_t>(member.team_size());
    for (std::size_t i = first; i < row_length; i += threads) {
      scratch(i) = value_of(row * row_length + i);
    }
    member.team_barrier();
    for (std::size_t i = first; i < row_length; i += threads) {
      rows(row, i) = scratch(row_length - 1 - i);
    }
  }
};

template <class Least>
struct LowerBuckets {
  Least least;

  KOKKOS_FUNCTION void operator()(std::size_t i) const {
    Kokkos::atomic_fetch_min(&least(i % buckets), value_of(i));
  }
};

template <class Space>
class Checker {
 public:
  Checker(std::string_view backend, std::vector<SelfCheck>& results)
      : backend_(backend), results_(results) {}

  void run() {
    reduction();
    scan();
    team_scratch();
    atomic_minimum();
  }

 private:
  using Words = Kokkos::View<std::uint64_t*, typename Space::memory_space>;
  using Rows = Kokkos::View<std::uint64_t**, Kokkos::LayoutRight, typename Space::memory_space>;

  void reduction() {
    std::uint64_t expected = 0;
    for (std::size_t i = 0; i < count; ++i) {
      expected += value_of(i);
    }
    std::uint64_t found = 0;
    Kokkos::parallel_reduce("taper::app::self_check::reduction",
                            Kokkos::RangePolicy<Space>(where_, 0, count), SumValues{}, found);
    record("reduction", 0, expected, found);
  }

  void scan() {
    Words const prefix("taper::app::self_check::prefix", count);
    Kokkos::parallel_scan("taper::app::self_check::scan",
                          Kokkos::RangePolicy<Space>(where_, 0, count), ScanValues<Words>{prefix});
    std::uint64_t sum = 0;
    compare("scan", prefix, [&](std::size_t i) { return i == 0 ? sum : sum += value_of(i - 1); });
  }

  void team_scratch() {
    Rows const rows("taper::app::self_check::rows", team_rows, row_length);
    using Reverse = ReverseInScratch<Space, Rows>;
    auto policy = Kokkos::TeamPolicy<Space>(where_, static_cast<int>(team_rows), Kokkos::AUTO);
    policy.set_scratch_size(0, Kokkos::PerTeam(Reverse::Scratch::shmem_size(row_length)));
    Kokkos::parallel_for("taper::app::self_check::team_scratch", policy, Reverse{rows});
    compare("team scratch", Words(rows.data(), rows.size()), [](std::size_t i) {
      return value_of(i / row_length * row_length + row_length - 1 - i % row_length);
    });
  }

  void atomic_minimum() {
    Words const least("taper::app::self_check::least", buckets);
    Kokkos::deep_copy(where_, least, ~std::uint64_t{0});
    Kokkos::parallel_for("taper::app::self_check::atomic_minimum",
                         Kokkos::RangePolicy<Space>(where_, 0, count), LowerBuckets<Words>{least});
    compare("atomic minimum", least, [](std::size_t bucket) {
      auto minimum = ~std::uint64_t{0};
      for (auto i = bucket; i < count; i += buckets) {
        minimum = std::min(minimum, value_of(i));
      }
      return minimum;
    });
  }

  /// Calls expected(i) for i = 0, 1, 2, ..., once each, up to the first entry that differs.
  template <class Expected>
  void compare(std::string_view what, Words const& words, Expected const& expected) {
    where_.fence("taper::app::self_check: wait for the result");
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, words);
    for (std::size_t i = 0; i < host.extent(0); ++i) {
      if (auto const right = expected(i); host(i) != right) {
        return record(what, i, right, host(i));
      }
    }
    record(what, 0, 0, 0);
  }

  void record(std::string_view what, std::size_t entry, std::uint64_t expected,
              std::uint64_t found) {
    auto const passed = expected == found;
    results_.push_back({backend_, what, passed,
                        passed
                            ? ""
                            : "entry " + std::to_string(entry) + ": expected " +
                                  std::to_string(expected) + ", found " + std::to_string(found)});
  }

  Space where_{};
  std::string_view backend_;
  std::vector<SelfCheck>& results_;
};

}  // namespace

std::vector<SelfCheck> self_check() {
  std::vector<SelfCheck> results;
  any_space([&]<class Space>(std::string_view name, std::type_identity<Space>) {
    Checker<Space>(name, results).run();
    return false;
  });
  return results;
}

}  // namespace taper::app
