// SPDX-License-Identifier: Apache-2.0
//
// Solves one generated market by a serial engine, under a cache simulator:
//   perf_proposal_misses ENGINE FAMILY N initialise|all
// With `initialise` it makes the market and the tables of the engine, and makes no proposal. With
// `all` it solves the market. The exit status is then 1 if the matching is not perfect.
// Used by: count.sh.
#include <taper/preferences/offers.hpp>
#include <taper/preferences/rank_matrix.hpp>
#include <taper/stable_marriage/generate.hpp>
#include <taper/stable_marriage/stable_marriage.hpp>
#include <taper/stable_marriage/verify.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <string_view>

namespace {

namespace sm = taper::stable_marriage;

using Host = Kokkos::DefaultHostExecutionSpace;
using Id = std::uint16_t;
using Lists = sm::ConstTable<Id, Kokkos::HostSpace>;

/// The tables that a serial engine builds before its first proposal.
void initialise(Host const& host, sm::Instance<Lists> const& market, sm::Options const& options) {
  std::uint64_t const n = market.size();
  auto const ranks =
      taper::preferences::allocate_ranks<Id, Kokkos::HostSpace>(host, "perf::ranks", n, n);
  taper::preferences::build_rank_matrix(host, market.women, ranks);
  if (options.algorithm == sm::Algorithm::locality_aware) {
    taper::preferences::transpose<Host, Id, Kokkos::HostSpace>(host, ranks);
    using Word = taper::preferences::CandidateWord<Id>;
    Kokkos::View<Word**, Kokkos::LayoutRight, Kokkos::HostSpace> const pr_matrix("perf::pr_matrix",
                                                                                 n, n);
    taper::preferences::pair_candidates<Host, Lists, Id>(host, market.men, ranks, pr_matrix);
  }
  host.fence("perf: wait for the tables");
}

int run(sm::Engine const& engine, sm::Family family, std::size_t n, bool all) {
  Host const host;
  sm::Table<Id, Kokkos::HostSpace> const men("perf::men", n, n);
  sm::Table<Id, Kokkos::HostSpace> const women("perf::women", n, n);
  sm::generate(host, sm::Workload{.family = family, .n = n}, men, women);
  sm::Instance<Lists> const market{men, women};
  if (!all) {
    initialise(host, market, engine.options);
    return 0;
  }
  Kokkos::View<Id*, Kokkos::HostSpace> const partner_of("perf::partner_of", n);
  auto const report = sm::solve(host, market, partner_of, engine.options);
  std::printf("%llu\n", static_cast<unsigned long long>(report.proposals));
  return sm::is_perfect_matching(host, partner_of) ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::string_view const what = argc == 5 ? argv[4] : "";
  auto const engine = std::ranges::find(sm::engines(), std::string_view(argc == 5 ? argv[1] : ""),
                                        &sm::Engine::name);
  auto const family = sm::parse<sm::Family>(argc == 5 ? argv[2] : "");
  std::size_t n = 0;
  if (argc == 5) {
    std::string_view const text = argv[3];
    std::from_chars(text.data(), text.data() + text.size(), n);
  }
  if (engine == sm::engines().end() || engine->options.schedule != sm::Schedule::serial ||
      !family || n < 4 || n > 65'535 || (what != "initialise" && what != "all")) {
    std::fprintf(stderr, "usage: perf_proposal_misses GS-Seq-CPU|MW-Seq-CPU|LA-Seq-CPU FAMILY N "
                         "initialise|all, with 4 <= N <= 65535\n");
    return 2;
  }
  Kokkos::ScopeGuard const kokkos(argc, argv);
  return run(*engine, *family, n, what == "all");
}
