// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/workload.hpp>
#include <taper/huge_pages.hpp>
#include <taper/place.hpp>
#include <taper/random.hpp>
#include <taper/region.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace taper::hospitals_residents {
namespace detail {

/// The kinds of random draws, each with its own streams.
enum class Draw : std::uint64_t { list, key, quality, merit };

KOKKOS_INLINE_FUNCTION RandomStream stream_of(std::uint64_t seed, Draw draw, std::uint64_t agent) {
  return {seed, static_cast<std::uint64_t>(draw) << 40 | agent};
}

/// The upper 64 bits of a product: of two fractions of 2^64, their product.
KOKKOS_INLINE_FUNCTION std::uint64_t multiply_fractions(std::uint64_t a, std::uint64_t b) {
  std::uint64_t const low_mask = 0xFFFFFFFF;
  std::uint64_t const low = (a & low_mask) * (b & low_mask);
  std::uint64_t const middle = (a >> 32) * (b & low_mask) + (low >> 32);
  std::uint64_t const other = (a & low_mask) * (b >> 32) + (middle & low_mask);
  return (a >> 32) * (b >> 32) + (middle >> 32) + (other >> 32);
}

/// Writes the list and the keys of one resident of a block.
template <class MemorySpace>
struct WriteList {
  Workload workload;
  std::uint64_t first_resident;
  std::uint32_t length;
  Kokkos::View<std::uint32_t*, MemorySpace> hospitals;
  Kokkos::View<std::uint32_t*, MemorySpace> keys;

  KOKKOS_FUNCTION void operator()(std::uint64_t item) const {
    std::uint64_t const resident = first_resident + item;
    std::uint32_t* const list = hospitals.data() + item * length;
    std::uint32_t* const list_keys = keys.data() + item * length;
    RandomStream stream = stream_of(workload.seed, Draw::list, resident);
    if (workload.family == Family::uniform || workload.family == Family::scores) {
      sample_uniformly(list, stream);
    } else {
      draw_distinct(resident, list, stream);
    }
    if (workload.family == Family::scores) {
      sort_by_quality(list, stream);
    }
    RandomStream opinion = stream_of(workload.seed, Draw::key, resident);
    for (std::uint32_t i = 0; i < length; ++i) {
      list_keys[i] = key_of(resident, opinion.next());
    }
  }

 private:
  KOKKOS_FUNCTION static bool has(std::uint32_t const* list, std::uint32_t count,
                                  std::uint32_t hospital) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (list[i] == hospital) {
        return true;
      }
    }
    return false;
  }

  /// A uniform sample by Floyd's algorithm (Bentley and Floyd, "A sample of brilliance", CACM
  /// 1987), then in random order.
  KOKKOS_FUNCTION void sample_uniformly(std::uint32_t* list, RandomStream& stream) const {
    auto const all = static_cast<std::uint32_t>(workload.hospitals);
    for (std::uint32_t i = 0; i < length; ++i) {
      std::uint32_t const last = all - length + i;
      std::uint32_t const drawn = stream.below(last + 1);
      list[i] = has(list, i, drawn) ? last : drawn;
    }
    shuffle(list, length, stream);
  }

  /// Draws one hospital after another. After 16 draws of hospitals that are listed already, the
  /// next id that is not listed is taken.
  KOKKOS_FUNCTION void draw_distinct(std::uint64_t resident, std::uint32_t* list,
                                     RandomStream& stream) const {
    for (std::uint32_t i = 0; i < length; ++i) {
      std::uint32_t drawn = draw(resident, stream);
      for (int again = 0; again < 16 && has(list, i, drawn); ++again) {
        drawn = draw(resident, stream);
      }
      while (has(list, i, drawn)) {
        drawn = static_cast<std::uint32_t>((drawn + std::uint64_t{1}) % workload.hospitals);
      }
      list[i] = drawn;
    }
  }

  KOKKOS_FUNCTION std::uint32_t draw(std::uint64_t resident, RandomStream& stream) const {
    if (workload.family == Family::popularity) {
      // A uniform fraction to the power of `skew`.
      std::uint64_t const uniform = stream.next();
      std::uint64_t fraction = uniform;
      for (std::uint32_t i = 1; i < workload.skew; ++i) {
        fraction = multiply_fractions(fraction, uniform);
      }
      return static_cast<std::uint32_t>(multiply_fractions(fraction, workload.hospitals));
    }
    // The resident's own place, and a step to either side: nearer ones are more likely.
    std::uint64_t const home = resident * workload.hospitals / workload.residents;
    std::uint32_t const reach = workload.reach;
    std::uint64_t const step = std::uint64_t{stream.below(reach + 1)} + stream.below(reach + 1);
    std::uint64_t const all = workload.hospitals;
    return static_cast<std::uint32_t>((home + all * (reach / all + 1) - reach + step) % all);
  }

  /// `strength` times the one number plus the rest times the other, all below 2^32.
  KOKKOS_FUNCTION std::uint32_t mix(std::uint64_t common, std::uint64_t own) const {
    auto const weight = static_cast<std::uint64_t>(workload.strength * 65'536);
    return static_cast<std::uint32_t>(((common >> 32) * weight + (own >> 32) * (65'536 - weight)) >>
                                      16);
  }

  KOKKOS_FUNCTION void sort_by_quality(std::uint32_t* list, RandomStream& stream) const {
    // By insertion, since lists are short. The resident's taste for a hospital is a hash.
    std::uint64_t const tastes = stream.next();
    for (std::uint32_t i = 1; i < length; ++i) {
      std::uint32_t const moved = list[i];
      std::uint32_t const value = value_of(moved, tastes);
      std::uint32_t at = i;
      for (; at > 0 && value_of(list[at - 1], tastes) < value; --at) {
        list[at] = list[at - 1];
      }
      list[at] = moved;
    }
  }
  KOKKOS_FUNCTION std::uint32_t value_of(std::uint32_t hospital, std::uint64_t tastes) const {
    return mix(stream_of(workload.seed, Draw::quality, hospital).at(0),
               scatter_bits(tastes + hospital));
  }

  KOKKOS_FUNCTION std::uint32_t key_of(std::uint64_t resident, std::uint64_t opinion) const {
    std::uint32_t key = static_cast<std::uint32_t>(opinion >> 32);
    if (workload.family == Family::scores) {
      key = mix(stream_of(workload.seed, Draw::merit, resident).at(0), opinion);
    }
    return workload.key_classes == 0
               ? key
               : static_cast<std::uint32_t>(std::uint64_t{key} * workload.key_classes >> 32);
  }
};

}  // namespace detail

/// A market with its own memory.
template <class MemorySpace>
struct GeneratedMarket {
  Kokkos::View<std::int64_t*, MemorySpace> offsets;
  Kokkos::View<std::uint32_t*, MemorySpace> hospitals;
  Kokkos::View<std::uint32_t*, MemorySpace> keys;
  Kokkos::View<std::uint32_t*, MemorySpace> seats;

  Market<MemorySpace> market() const { return {offsets, hospitals, keys, seats}; }
};

/// A block of ids: `begin` to `end` - 1.
struct IdBlock {
  std::uint64_t begin;
  std::uint64_t end;
};

/// Generates a block of residents with their lists, and a block of hospitals with their seats, as
/// generate() gives them to the whole market. The offsets begin at 0; lists have ids of the whole
/// market. So each process of MPI can make its own shard.
///
/// Cost and errors: as generate(), for the blocks; and it throws taper::Error if a block exceeds
/// its side.
template <ExecutionSpace Exec>
GeneratedMarket<typename Exec::memory_space>
generate_block(Exec const& where, Workload const& workload, IdBlock resident_ids,
               IdBlock hospital_ids);

/// Generates a market in the memory of `where`.
///
/// Cost: lists of length l take O(l^2) work per resident. 8 bytes per entry, 8 per resident, 4 per
///   hospital.
/// Async: does not fence.
/// Throws: taper::Error if there are residents but no hospitals, or if a number is out of range.
template <ExecutionSpace Exec>
GeneratedMarket<typename Exec::memory_space> generate(Exec const& where, Workload const& workload) {
  return generate_block(where, workload, {0, workload.residents}, {0, workload.hospitals});
}

template <ExecutionSpace Exec>
GeneratedMarket<typename Exec::memory_space>
generate_block(Exec const& where, Workload const& workload, IdBlock resident_ids,
               IdBlock hospital_ids) {
  using Memory = typename Exec::memory_space;
  using Range = ItemRange<Exec>;
  std::string const function = "taper::hospitals_residents::generate";
  TAPER_REQUIRE(workload.residents < unassigned && workload.hospitals < unassigned,
                function + ": a side has at most 2^32 - 2 agents");
  TAPER_REQUIRE(workload.strength >= 0 && workload.strength <= 1,
                function + ": strength is 0 to 1, not " + std::to_string(workload.strength));
  TAPER_REQUIRE(workload.skew >= 1, function + ": skew is at least 1");
  TAPER_REQUIRE(resident_ids.begin <= resident_ids.end && resident_ids.end <= workload.residents &&
                    hospital_ids.begin <= hospital_ids.end &&
                    hospital_ids.end <= workload.hospitals,
                function + ": a block exceeds its side");
  Region const region(function);
  std::uint64_t const residents = resident_ids.end - resident_ids.begin;
  std::uint64_t const hospitals = workload.hospitals;
  auto const length =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(workload.list_length, hospitals));

  auto const allocated = [&]<class T>(std::string const& label, T, std::uint64_t count) {
    return allocate_large<Kokkos::View<T*, Memory>>(where, label, count);
  };
  GeneratedMarket<Memory> const made{
      allocated("taper::market::offsets", std::int64_t{}, residents + 1),
      allocated("taper::market::hospitals", std::uint32_t{}, residents * length),
      allocated("taper::market::keys", std::uint32_t{}, residents * length),
      allocated("taper::market::seats", std::uint32_t{}, hospital_ids.end - hospital_ids.begin)};
  auto const offsets = made.offsets;
  Kokkos::parallel_for(
      "taper::hospitals_residents::write_offsets", Range(where, 0, residents + 1),
      KOKKOS_LAMBDA(std::uint64_t resident) {
        offsets(resident) = static_cast<std::int64_t>(resident * length);
      });
  Kokkos::parallel_for(
      "taper::hospitals_residents::write_lists", Range(where, 0, residents),
      detail::WriteList<Memory>{workload, resident_ids.begin, length, made.hospitals, made.keys});
  // Shares in fractions of 2^32; the seats that rounding leaves go to the first hospitals.
  bool const equal = workload.capacities == Capacities::equal;
  std::uint64_t total = 0;
  auto const share = KOKKOS_LAMBDA(std::uint64_t hospital)->std::uint64_t {
    return equal ? 1 : (std::uint64_t{1} << 32) / (hospital + 1);
  };
  Kokkos::parallel_reduce(
      "taper::hospitals_residents::sum_shares", Range(where, 0, hospitals),
      KOKKOS_LAMBDA(std::uint64_t hospital, std::uint64_t & sum) { sum += share(hospital); },
      total);
  auto const seats = made.seats;
  std::uint64_t const all = workload.seats;
  // floor(all * share / total) in two parts, so that no product exceeds 64 bits.
  auto const part = KOKKOS_LAMBDA(std::uint64_t hospital)->std::uint64_t {
    return all / total * share(hospital) + all % total * share(hospital) / total;
  };
  std::uint64_t given = 0;
  Kokkos::parallel_reduce(
      "taper::hospitals_residents::sum_seats", Range(where, 0, hospitals),
      KOKKOS_LAMBDA(std::uint64_t hospital, std::uint64_t & sum) { sum += part(hospital); }, given);
  std::uint64_t const left = all - given;
  std::uint64_t const first = hospital_ids.begin;
  Kokkos::parallel_for(
      "taper::hospitals_residents::write_seats", Range(where, first, hospital_ids.end),
      KOKKOS_LAMBDA(std::uint64_t hospital) {
        seats(hospital - first) = static_cast<std::uint32_t>(part(hospital) + left / hospitals +
                                                             (hospital < left % hospitals));
      });
  where.fence(function + ": wait for the market");
  return made;
}

}  // namespace taper::hospitals_residents
