// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/backend.hpp>
#include <taper/error.hpp>
#include <taper/random.hpp>
#include <taper/region.hpp>
#include <taper/stable_marriage/family.hpp>
#include <taper/stable_marriage/instance.hpp>
#include <taper/stable_marriage/sharded/instance.hpp>
#include <taper/stable_marriage/sharded/shards.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace taper::stable_marriage {
namespace detail {

/// The random streams of one side: one per kind of draw and person. So each list is the same,
/// whichever worker or device writes it.
struct SideStreams {
  enum class Draw : std::uint64_t { list, order, score };

  std::uint64_t seed;
  std::uint64_t side;  ///< 0: men, 1: women

  KOKKOS_FUNCTION RandomStream of(Draw draw, std::size_t person = 0) const {
    return {seed, static_cast<std::uint64_t>(draw) << 33 | side << 32 | person};
  }
};

/// The lists of one side, or of a shard: those from person `first` on.
template <class Rows>
struct ListsOf {
  using Id = typename Rows::value_type;
  using Memory = typename Rows::memory_space;

  Rows rows;
  std::size_t first = 0;

  KOKKOS_FUNCTION std::size_t n() const { return rows.extent(1); }
  KOKKOS_FUNCTION std::size_t end() const { return first + rows.extent(0); }
  KOKKOS_FUNCTION Id* operator[](std::size_t person) const { return &rows(person - first, 0); }
};

/// Writes the ids 0 .. n-1 but `a` and `b` to `out`, ascending.
template <class Id>
KOKKOS_FUNCTION void write_others(Id* out, std::size_t n, std::size_t a, std::size_t b) {
  for (std::size_t id = 0; id < n; ++id) {
    if (id != a && id != b) {
      *out++ = static_cast<Id>(id);
    }
  }
}

/// One random order of all ids, written by one work item. It takes as long as one list, and far
/// less work than all lists.
template <class Order>
struct WriteOrder {
  Order order;
  SideStreams streams;

  KOKKOS_FUNCTION void operator()(std::size_t) const {
    using Id = typename Order::value_type;
    auto const n = order.extent(0);
    for (std::size_t i = 0; i < n; ++i) {
      order(i) = static_cast<Id>(i);
    }
    auto stream = streams.of(SideStreams::Draw::order);
    shuffle(order.data(), n, stream);
  }
};

/// Families random, congested and uniform, which differ in their group size.
template <class Lists, class Order>
struct WriteGroupedLists {
  Lists lists;
  Order order;
  std::size_t group_size;
  SideStreams streams;

  KOKKOS_FUNCTION void operator()(std::size_t person) const {
    auto const n = lists.n();
    auto* const list = lists[person];
    for (std::size_t rank = 0; rank < n; ++rank) {
      list[rank] = order(rank);
    }
    auto stream = streams.of(SideStreams::Draw::list, person);
    for (std::size_t begin = 0; begin < n; begin += group_size) {
      shuffle(list + begin, group_size < n - begin ? group_size : n - begin, stream);
    }
  }
};

/// Family perfect.
template <class Lists, class Order>
struct WritePerfectLists {
  Lists lists;
  Order top;
  SideStreams streams;

  KOKKOS_FUNCTION void operator()(std::size_t person) const {
    auto const n = lists.n();
    auto* const list = lists[person];
    list[0] = top(person);
    write_others(list + 1, n, list[0], list[0]);
    auto stream = streams.of(SideStreams::Draw::list, person);
    shuffle(list + 1, n - 1, stream);
  }
};

/// Family solo; see Family::solo for the pattern.
template <class Lists>
struct WriteSoloMen {
  Lists lists;
  SideStreams streams;

  KOKKOS_FUNCTION void operator()(std::size_t man) const {
    using Id = typename Lists::Id;
    auto const n = lists.n();
    auto* const list = lists[man];
    std::size_t const first = man < n - 1 ? man : n - 2;
    std::size_t const last_but_one = (first + n - 2) % (n - 1);
    list[0] = static_cast<Id>(first);
    write_others(list + 1, n - 1, first, last_but_one);
    list[n - 2] = static_cast<Id>(last_but_one);
    list[n - 1] = static_cast<Id>(n - 1);
    auto stream = streams.of(SideStreams::Draw::list, man);
    shuffle(list + 1, n - 3, stream);
  }
};

/// Family solo, the other side.
template <class Lists>
struct WriteSoloWomen {
  Lists lists;
  SideStreams streams;

  KOKKOS_FUNCTION void operator()(std::size_t woman) const {
    using Id = typename Lists::Id;
    auto const n = lists.n();
    auto* const list = lists[woman];
    auto stream = streams.of(SideStreams::Draw::list, woman);
    if (woman == n - 1) {
      write_others(list, n, n, n);
      shuffle(list, n, stream);
      return;
    }
    std::size_t const first = (woman + 1) % (n - 1);
    std::size_t const second = (first + n - 1) % n;
    list[0] = static_cast<Id>(first);
    list[1] = static_cast<Id>(second);
    write_others(list + 2, n, first, second);
    shuffle(list + 2, n - 2, stream);
  }
};

/// The sort key of a candidate in one list of the correlated family; the lowest is the best.
struct CorrelatedKey {
  static constexpr std::uint64_t full_weight = 65536;

  RandomStream score;
  RandomStream noise;
  std::uint64_t weight;  ///< of the score, 0 .. full_weight

  /// The weights add up to 2^16 and the words are cut to 48 bits, so the sum fits 64 bits.
  KOKKOS_FUNCTION std::uint64_t operator()(std::size_t candidate) const {
    return ~(weight * (score.at(candidate) >> 16) +
             (full_weight - weight) * (noise.at(candidate) >> 16));
  }
};

/// Family correlated. Each worker sorts every workers-th list, in its own row of the workspace.
///
/// A key is a function of (person, candidate), so no key is stored. Keys are spread evenly, so a
/// bucket sort takes linear time: with n buckets by the leading bits of the key, each holds about
/// one candidate. An insertion sort over the whole row then orders candidates that share a bucket.
/// Both steps are stable, so equal keys stay in id order.
template <class Lists, class Workspace>
struct WriteCorrelatedLists {
  Lists lists;
  Workspace workspace;  ///< workers x n
  std::uint64_t weight;
  SideStreams streams;

  KOKKOS_FUNCTION void operator()(std::size_t worker) const {
    auto const score = streams.of(SideStreams::Draw::score);
    for (std::size_t person = lists.first + worker; person < lists.end();
         person += workspace.extent(0)) {
      CorrelatedKey const key{score, streams.of(SideStreams::Draw::list, person), weight};
      distribute(key, lists[person], &workspace(worker, 0));
      insert(key, lists[person]);
    }
  }

 private:
  using Id = typename Lists::Id;

  KOKKOS_FUNCTION std::size_t bucket(std::uint64_t key) const {
    return (key >> 32) * lists.n() >> 32;
  }

  /// Writes all ids to `list`, bucket by bucket. `ends` is scratch with one entry per bucket.
  KOKKOS_FUNCTION void distribute(CorrelatedKey const& key, Id* list, Id* ends) const {
    auto const n = lists.n();
    for (std::size_t b = 0; b < n; ++b) {
      ends[b] = 0;
    }
    for (std::size_t candidate = 0; candidate < n; ++candidate) {
      ++ends[bucket(key(candidate))];
    }
    std::size_t begin = 0;
    for (std::size_t b = 0; b < n; ++b) {
      std::size_t const size = ends[b];
      ends[b] = static_cast<Id>(begin);
      begin += size;
    }
    for (std::size_t candidate = 0; candidate < n; ++candidate) {
      list[ends[bucket(key(candidate))]++] = static_cast<Id>(candidate);
    }
  }

  /// Sorts `list` by insertion.
  KOKKOS_FUNCTION void insert(CorrelatedKey const& key, Id* list) const {
    auto const n = lists.n();
    auto highest = key(list[0]);
    for (std::size_t i = 1; i < n; ++i) {
      Id const candidate = list[i];
      auto const candidate_key = key(candidate);
      if (candidate_key >= highest) {
        highest = candidate_key;
        continue;
      }
      std::size_t hole = i;
      do {
        list[hole] = list[hole - 1];
        --hole;
      } while (hole > 0 && key(list[hole - 1]) > candidate_key);
      list[hole] = candidate;
    }
  }
};

template <class Space, class Body>
void for_each(Space const& where, std::size_t begin, std::size_t end, Body const& body) {
  Kokkos::parallel_for(
      "taper::stable_marriage::generate",
      Kokkos::RangePolicy<Space, Kokkos::IndexType<std::size_t>>(where, begin, end), body);
}

template <class Space, class Lists, class Body>
void for_each_person(Space const& where, Lists const& lists, Body const& body) {
  for_each(where, lists.first, lists.end(), body);
}

template <class Space, class Lists>
auto random_order(Space const& where, Lists const& lists, SideStreams const& streams) {
  using Order = Kokkos::View<typename Lists::Id*, typename Lists::Memory>;
  Order const order(
      Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::stable_marriage::order"),
      lists.n());
  for_each(where, 0, 1, WriteOrder<Order>{order, streams});
  return order;
}

template <class Space, class Lists>
void generate_grouped(Space const& where, std::size_t group_size, Lists const& lists,
                      SideStreams const& streams) {
  auto const order = random_order(where, lists, streams);
  for_each_person(where, lists,
                  WriteGroupedLists<Lists, decltype(order)>{lists, order, group_size, streams});
}

template <class Space, class Lists>
void generate_perfect(Space const& where, Lists const& lists, SideStreams const& streams) {
  auto const top = random_order(where, lists, streams);
  for_each_person(where, lists, WritePerfectLists<Lists, decltype(top)>{lists, top, streams});
}

template <class Space, class Lists>
void generate_solo(Space const& where, Lists const& lists, SideStreams const& streams) {
  if (streams.side == 0) {
    for_each_person(where, lists, WriteSoloMen<Lists>{lists, streams});
  } else {
    for_each_person(where, lists, WriteSoloWomen<Lists>{lists, streams});
  }
}

template <class Space, class Lists>
void generate_correlated(Space const& where, double strength, Lists const& lists,
                         SideStreams const& streams) {
  using Id = typename Lists::Id;
  using Workspace = Table<Id, typename Lists::Memory>;
  using Body = WriteCorrelatedLists<Lists, Workspace>;
  constexpr std::size_t workspace_bytes = std::size_t{512} << 20;
  auto const n = lists.n();
  auto const useful = std::min<std::size_t>(n, concurrency(where));
  auto const workers = std::clamp<std::size_t>(workspace_bytes / (n * sizeof(Id)), 1, useful);
  Workspace const workspace(
      Kokkos::view_alloc(where, Kokkos::WithoutInitializing, "taper::stable_marriage::buckets"),
      workers, n);
  auto const weight =
      static_cast<std::uint64_t>(std::llround(strength * double{CorrelatedKey::full_weight}));
  for_each(where, 0, workers, Body{lists, workspace, weight, streams});
}

template <class Space, class Lists>
void generate_side(Space const& where, Workload const& workload, Lists const& lists,
                   SideStreams const& streams) {
  switch (workload.family) {
  case Family::perfect:
    return generate_perfect(where, lists, streams);
  case Family::solo:
    return generate_solo(where, lists, streams);
  case Family::congested:
    return generate_grouped(where, 1, lists, streams);
  case Family::random:
    return generate_grouped(where, workload.group_size, lists, streams);
  case Family::uniform:
    return generate_grouped(where, workload.n, lists, streams);
  case Family::correlated:
    return generate_correlated(where, workload.strength, lists, streams);
  }
}

/// Compiles only if `Space` can write tables of type `Lists`.
template <class Space, class Lists>
constexpr void assert_writable() {
  static_assert(Kokkos::is_execution_space_v<Space>,
                "generate: `where` is a Kokkos execution space instance");
  static_assert(Kokkos::is_view_v<Lists> && Lists::rank == 2 &&
                    std::is_same_v<typename Lists::array_layout, Kokkos::LayoutRight>,
                "generate: the tables are rank-2 LayoutRight Views");
  using Id = typename Lists::value_type;
  static_assert(std::is_same_v<Id, std::uint16_t> || std::is_same_v<Id, std::uint32_t>,
                "generate: ids are std::uint16_t or std::uint32_t, and not const");
  static_assert(Kokkos::SpaceAccessibility<Space, typename Lists::memory_space>::accessible,
                "generate: the tables must be accessible from the execution space");
}

template <class Id>
void require_workload(std::string const& function, Workload const& workload) {
  std::size_t const n = workload.n;
  preferences::require_ids<Id>(function, n);
  TAPER_REQUIRE(workload.family != Family::solo || n >= 4,
                function + ": the solo family needs n >= 4, but n = " + std::to_string(n));
  TAPER_REQUIRE(workload.family != Family::random || workload.group_size >= 1,
                function + ": the random family needs group_size >= 1, but group_size = 0");
  TAPER_REQUIRE(workload.family != Family::correlated ||
                    (workload.strength >= 0 && workload.strength <= 1),
                function + ": the correlated family needs 0 <= strength <= 1, but strength = " +
                    std::to_string(workload.strength));
}

}  // namespace detail

/// Writes an instance of `workload` to both preference tables. See Family for the families.
///
/// The instance depends on the workload alone, not on backend, thread count or id width.
/// Requires: men and women are n x n, and `where` can reach them.
/// Cost:     O(n^2) work (correlated: expected); one worker writes a list. n ids in addition to the
///           tables. correlated takes a row of n ids per worker instead, at most 512 MiB or one
///           row.
/// Async:    returns with `where` fenced.
/// Throws:   taper::Error if extents disagree, n is more than the ids can number, solo has n < 4,
///           random has group_size 0, or correlated has a strength outside [0, 1].
template <class Space, class Lists>
void generate(Space const& where, Workload const& workload, Lists const& men, Lists const& women) {
  detail::assert_writable<Space, Lists>();
  std::string const function = "taper::stable_marriage::generate";
  std::size_t const n = workload.n;
  auto const extents = [](Lists const& lists) {
    return std::to_string(lists.extent(0)) + " x " + std::to_string(lists.extent(1));
  };
  TAPER_REQUIRE(men.extent(0) == n && men.extent(1) == n && women.extent(0) == n &&
                    women.extent(1) == n,
                function + ": the workload has n = " + std::to_string(n) + ", but men is " +
                    extents(men) + " and women is " + extents(women));
  detail::require_workload<typename Lists::value_type>(function, workload);
  if (n == 0) {
    return;
  }

  Region const region(function);
  using detail::ListsOf;
  detail::generate_side(where, workload, ListsOf<Lists>{men}, {workload.seed, 0});
  detail::generate_side(where, workload, ListsOf<Lists>{women}, {workload.seed, 1});
  where.fence(function + ": wait for both tables");
}

/// Writes a block of the lists of each side: those of the men from `first_man` on and of the women
/// from `first_woman` on.
///
/// Requires: each table has a row per person of its block, of workload.n ids; also no rows.
/// Throws:   taper::Error as generate(), or if a block exceeds its side.
template <class Space, class Lists>
void generate_block(Space const& where, Workload const& workload, Lists const& men,
                    std::size_t first_man, Lists const& women, std::size_t first_woman) {
  detail::assert_writable<Space, Lists>();
  std::string const function = "taper::stable_marriage::generate_block";
  detail::require_workload<typename Lists::value_type>(function, workload);
  Region const region(function);
  std::uint64_t side = 0;
  for (auto const& lists :
       {detail::ListsOf<Lists>{men, first_man}, detail::ListsOf<Lists>{women, first_woman}}) {
    if (lists.rows.extent(0) > 0) {
      TAPER_REQUIRE(lists.end() <= workload.n && lists.rows.extent(1) == workload.n,
                    function + ": the workload has n = " + std::to_string(workload.n) +
                        ", but a block has lists of " + std::to_string(lists.rows.extent(1)) +
                        " up to person " + std::to_string(lists.end()));
      detail::generate_side(where, workload, lists, {workload.seed, side});
    }
    ++side;
  }
  where.fence(function + ": wait for both blocks");
}

/// Writes the same instance to shards. The execution space instance of each shard writes its
/// tables.
///
/// Requires: each shard k has a table of partition.size(k) x n ids per side.
template <class Space, class Lists>
void generate(Shards<Space> const& shards, Workload const& workload, RowPartition const& partition,
              std::vector<Lists> const& men, std::vector<Lists> const& women) {
  detail::assert_writable<Space, Lists>();
  std::string const function = "taper::stable_marriage::generate";
  TAPER_REQUIRE(partition.rows() == workload.n,
                function + ": the workload has n = " + std::to_string(workload.n) +
                    ", but the shards have " + std::to_string(partition.rows()) + " people");
  detail::require_shards(function, shards, partition, men, women);
  detail::require_workload<typename Lists::value_type>(function, workload);

  Region const region(function);
  using detail::ListsOf;
  for (std::uint32_t k = 0; k < shards.size(); ++k) {
    if (partition.size(k) > 0) {
      std::size_t const first = partition.begin(k);
      detail::generate_side(shards[k], workload, ListsOf<Lists>{men[k], first}, {workload.seed, 0});
      detail::generate_side(shards[k], workload, ListsOf<Lists>{women[k], first},
                            {workload.seed, 1});
    }
  }
  shards.fence(function + ": wait for the tables of all shards");
}

}  // namespace taper::stable_marriage
