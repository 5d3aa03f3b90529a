// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/error.hpp>
#include <taper/hospitals_residents/assign.hpp>
#include <taper/hospitals_residents/market.hpp>
#include <taper/hospitals_residents/offer.hpp>
#include <taper/hospitals_residents/options.hpp>
#include <taper/hospitals_residents/propose.hpp>
#include <taper/hospitals_residents/rounds.hpp>
#include <taper/hospitals_residents/seats.hpp>
#include <taper/hospitals_residents/select.hpp>
#include <taper/huge_pages.hpp>
#include <taper/place.hpp>
#include <taper/stop.hpp>
#include <taper/tapering.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>

namespace taper::hospitals_residents::detail {

/// The tail threshold that a hybrid run chooses: a hybrid run ends its rounds when at most this
/// many residents are free. That is fewer than a GPU has threads, and far more than a host has.
template <ExecutionSpace Exec>
inline constexpr std::uint64_t automatic_threshold = is_gpu<Exec> ? 4096 : 512;

/// Deferred acceptance in which residents propose: rounds, then a tail of chains; or only chains.
/// Throws: Stopped. Used by: solve() of hospitals_residents.hpp.
template <Place P, class Memory>
class ResidentsRun {
  using Device = DeviceOf<P>;
  using Range = ItemRange<Device>;
  using Chains = Frontier<ResidentChain, Memory>;
  using Hospitals = Kokkos::View<std::uint32_t*, Memory>;

 public:
  ResidentsRun(P const& place, Market<Memory> const& market, OfferFormat const& format,
               Options const& options)
      : place_(place), options_(options), market_(market), format_(format),
        seat_numbers_(count_seats(device(), market)), wide_(choose_wide()),
        seats_(make_seats(device(), market, wide_ == Wide::rounds ? Room::offers : Room::bounds,
                          seat_numbers_, keeps_brief_cutoffs())) {
    if (seats_.has_brief_cutoffs() && seat_numbers_.least == seat_numbers_.most &&
        seat_numbers_.most <= max_seats_in_one_block &&
        seat_numbers_.sum <= std::numeric_limits<std::uint32_t>::max()) {
      seats_.equal_seats = seat_numbers_.most;
    }
  }

  template <class Assignment>
  Report operator()(Assignment const& hospital_of) {
    if (alone()) {
      run_rounds<true>();
    } else if (wide_ == Wide::rounds) {
      run_rounds<false>();
    } else {
      follow_all_chains();
    }
    if (list_.live > 0) {
      follow_chains();
    }
    write(hospital_of);
    return std::move(report_);
  }

 private:
  Device const& device() const { return device_of(place_); }
  StopFlag stop() const { return {options_.stop}; }

  /// Residents per launch, if the run can be stopped. They are work for all threads of a GPU, and
  /// take a host tenths of a second.
  static constexpr std::uint64_t residents_per_slice = is_gpu<Device> ? 1 << 24 : 1 << 18;

  std::uint64_t threshold() const {
    if (options_.schedule != Schedule::hybrid) {
      return 0;
    }
    return options_.tail_threshold < 0 ? automatic_threshold<Device>
                                       : static_cast<std::uint64_t>(options_.tail_threshold);
  }

  /// Whether one worker does all.
  bool alone() const { return options_.schedule == Schedule::serial || concurrency(device()) == 1; }

  /// How the residents propose.
  ///
  /// On a host rounds are faster than chains, unless there are few residents per thread: the
  /// proposals of a round do not depend on each other, but all threads wait for each other after a
  /// round. On a GPU chains are faster, since the accesses of many chains overlap; but not if they
  /// meet at a few hospitals with many seats each, where they delay each other. The limits are
  /// measured.
  Wide choose_wide() const {
    if (alone()) {
      return Wide::rounds;
    }
    if (options_.wide != Wide::automatic) {
      return options_.wide;
    }
    if constexpr (is_gpu<Device>) {
      constexpr std::uint64_t many_seats = 64;
      return seat_numbers_.sum >= many_seats * market_.hospital_count() ? Wide::rounds
                                                                        : Wide::chains;
    } else {
      constexpr std::uint64_t few_residents = 12288;
      return market_.resident_count() / concurrency(device()) > few_residents ? Wide::rounds
                                                                              : Wide::chains;
    }
  }

  /// Whether one more pass over the residents, or one more array, costs less than it saves.
  bool many() const { return market_.resident_count() >= 1'000'000; }

  bool keeps_brief_cutoffs() const { return wide_ == Wide::chains && many(); }

  /// Follows a chain per resident, from the start of its list. If the run can be stopped, the chains
  /// of a slice of the residents are followed to their ends before those of the next.
  void follow_all_chains() {
    FollowChain<Memory> const follow{
        {market_, format_, {seats_}, many() ? equal_list_length(device(), market_) : 0}};
    std::uint64_t const residents = market_.resident_count();
    std::uint64_t const slice = stop().flag == nullptr ? residents : residents_per_slice;
    for (std::uint64_t begin = 0; begin < residents; begin += slice) {
      stop().check();
      Kokkos::parallel_for("taper::hospitals_residents::follow_chains",
                           Range(device(), begin, std::min(residents, begin + slice)), follow);
      if (slice < residents) {
        device().fence("taper::hospitals_residents: wait for the chains of a slice");
      }
    }
  }

  /// Runs rounds until at most threshold() residents are free. list_ then has these. `alone`: one
  /// worker runs them.
  template <bool alone>
  void run_rounds() {
    std::uint64_t const residents = market_.resident_count();
    counts_ = Kokkos::View<RoundCounts, Memory>(
        Kokkos::view_alloc(device(), "taper::hospitals_residents::counts"));
    list_.waiting = allocate_large<typename Chains::Chains>(
        device(), "taper::hospitals_residents::waiting", residents);
    list_.parked = allocate_large<typename Chains::Chains>(
        device(), "taper::hospitals_residents::rejected", residents);
    touched_ = Hospitals(Kokkos::view_alloc(device(), Kokkos::WithoutInitializing,
                                            "taper::hospitals_residents::touched"),
                         std::min(residents, market_.hospital_count()));
    run_round<alone>(typename Chains::Chains(), residents);
    while (list_.live > threshold()) {
      stop().check();
      run_round<alone>(list_.waiting, list_.live);
    }
  }

  /// Runs a round for the `items` residents in `list`; for all residents if `list` has no entries.
  /// Each of them adds at most one resident to the next list: itself, or one that loses its seat.
  template <bool alone>
  void run_round(typename Chains::Chains const& list, std::uint64_t items) {
    ++report_.rounds;
    // Many offers touch most hospitals. Then all select, and the touched ones are not listed.
    bool const sweep = items >= market_.hospital_count() / 2;
    auto const touched = sweep ? Hospitals() : touched_;
    Kokkos::deep_copy(device(), counts_, RoundCounts{});
    for_items<alone>("taper::hospitals_residents::ask", items,
                     AskInRound<alone, Memory>{market_, format_, seats_, list, items, list_.parked,
                                               touched, counts_});
    std::uint64_t const selecting = sweep ? market_.hospital_count() : read_counts().touched;
    if constexpr (is_gpu<Device> && !alone) {
      select_by_warps(touched, selecting);
    } else {
      select_by_workers<alone>(touched, selecting, items);
    }
    std::swap(list_.waiting, list_.parked);
  }

  /// The hospitals select on a GPU.
  void select_by_warps(Hospitals const& touched, std::uint64_t hospitals) {
    using Select = SelectBestByWarp<Device, Memory>;
    auto const teams = static_cast<int>((hospitals + Select::threads - 1) / Select::threads);
    Kokkos::parallel_for(
        "taper::hospitals_residents::select",
        Kokkos::TeamPolicy<Device>(device(), teams, Select::threads, Warp<Device>::count),
        Select{market_, format_, seats_, touched, list_.parked, counts_, hospitals});
    list_.live = read_counts().waiting;
  }

  /// The hospitals select on a host, or by one worker. `items`: the number of residents that asked.
  template <bool alone>
  void select_by_workers(Hospitals const& touched, std::uint64_t hospitals, std::uint64_t items) {
    std::uint64_t const waiting = read_counts().waiting;
    if (waiting > items / 2) {
      for_items<alone>("taper::hospitals_residents::turn_around", waiting / 2,
                       TurnAround<Memory>{list_.parked, waiting});
    }
    SelectBest<Memory> const select{market_, format_, seats_, touched, list_.parked, waiting};
    std::uint64_t rejected = 0;
    ScanOneAfterAnother<SelectBest<Memory>> const one_worker{select, hospitals};
    if constexpr (alone && is_gpu<Device>) {
      Kokkos::parallel_reduce("taper::hospitals_residents::select", Range(device(), 0, 1),
                              one_worker, rejected);
    } else if constexpr (alone) {
      one_worker(0, rejected);
    } else {
      Kokkos::parallel_scan("taper::hospitals_residents::select", Range(device(), 0, hospitals),
                            select, rejected);
    }
    list_.live = waiting + rejected;
  }

  /// Runs the kernel for each item: in parallel, or one after another if `alone`.
  template <bool alone, class Kernel>
  void for_items(std::string const& label, std::uint64_t items, Kernel const& kernel) {
    OneAfterAnother<Kernel> const one_worker{kernel, items};
    if constexpr (alone && is_gpu<Device>) {
      Kokkos::parallel_for(label, Range(device(), 0, 1), one_worker);
    } else if constexpr (alone) {
      one_worker(0);  // on this thread, without a launch that wakes the others
    } else {
      Kokkos::parallel_for(label, Range(device(), 0, items), kernel);
    }
  }

  RoundCounts read_counts() const {
    auto const here = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, counts_);
    Kokkos::deep_copy(device(), here, counts_);
    device().fence("taper::hospitals_residents: wait for the counts of a round");
    return here();
  }

  /// The tail: a chain per free resident.
  void follow_chains() {
    clear_bounds();
    if (options_.tail == Tail::host) {
      if constexpr (AnyDuo<P>) {
        follow_on_host();
      }
      return;
    }
    run_leg(device(), "taper::hospitals_residents::tail",
            AskHospital<Memory>{market_, format_, {seats_}}, list_,
            {.max_workers = is_gpu<Device> ? unlimited : 1, .stop = stop()});
    stop().check();
  }

  /// Chains keep bounds in words where rounds kept waiting offers.
  void clear_bounds() {
    Kokkos::parallel_for("taper::hospitals_residents::clear_bounds",
                         Range(device(), 0, market_.hospital_count()), ClearBounds<Memory>{seats_});
  }

  /// Follows the chains on the host. Copies the seats to the host and back; for a GPU, also the
  /// market to the host.
  void follow_on_host() {
    using Host = HostOf<P>;
    using HostMemory = typename Host::memory_space;
    std::uint64_t bytes = 0;
    auto const moved = [&](auto const& view) {
      if constexpr (!std::is_same_v<HostMemory, Memory>) {
        bytes += view.span() * sizeof(typename std::decay_t<decltype(view)>::value_type);
      }
      return Kokkos::create_mirror_view_and_copy(HostMemory{}, view);
    };
    Seats<HostMemory> const seats_here{moved(seats_.words), moved(seats_.desks),
                                       moved(seats_.offers)};
    bytes *= 2;
    Market<HostMemory> const market_here{moved(market_.offsets), moved(market_.hospitals),
                                         moved(market_.keys), moved(market_.seats)};
    auto migrated = migrate(device(), place_.host, "taper::hospitals_residents::chains", list_);
    report_.migrations.push_back(
        {Location::device, Location::host, list_.live, bytes + migrated.bytes_moved});
    run_leg(place_.host, "taper::hospitals_residents::tail",
            AskHospital<HostMemory>{market_here, format_, {seats_here}}, migrated.frontier,
            {.max_workers = 1, .stop = stop()});
    stop().check();
    Kokkos::deep_copy(device(), seats_.words, seats_here.words);
  }

  template <class Assignment>
  void write(Assignment const& hospital_of) {
    Kokkos::deep_copy(device(), hospital_of, unassigned);
    WriteAssignment<Memory, Assignment> const writer{market_, format_, seats_, hospital_of};
    if (seats_.equal_seats > 0) {
      Kokkos::parallel_reduce("taper::hospitals_residents::write_assignment",
                              Range(device(), 0, seats_.words.extent(0)),
                              WriteSeat<Memory, Assignment>{writer}, report_.assigned,
                              report_.proposals);
    } else {
      Kokkos::parallel_reduce("taper::hospitals_residents::write_assignment",
                              Range(device(), 0, market_.hospital_count()), writer,
                              report_.assigned, report_.proposals);
    }
    std::uint64_t without = 0;
    Kokkos::parallel_reduce("taper::hospitals_residents::count_unassigned",
                            Range(device(), 0, market_.resident_count()),
                            CountUnassigned<Memory, Assignment>{market_, hospital_of}, without);
    report_.proposals += without;
  }

  P place_;
  Options options_;
  Market<Memory> market_;
  OfferFormat format_;
  SeatNumbers seat_numbers_;
  Wide wide_;
  Seats<Memory> seats_;
  Chains list_;
  Hospitals touched_;
  Kokkos::View<RoundCounts, Memory> counts_;
  Report report_;
};

}  // namespace taper::hospitals_residents::detail
