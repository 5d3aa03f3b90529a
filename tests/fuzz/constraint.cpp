// SPDX-License-Identifier: Apache-2.0
//
// The domains that the stable marriage constraint leaves, after any removals, saves and restores,
// are the greatest fixpoint by its definition. They keep every stable matching that the removals
// allow, by the trial of all matchings.
#include "kokkos.hpp"

#include <taper/marriage_propagator/marriage_propagator.hpp>
#include <taper/marriage_propagator/verify.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace {

namespace mp = taper::marriage_propagator;
namespace oracle = taper::testing;
using mp::Side;
using taper::fuzz::Bytes;
using taper::fuzz::require;
using taper::fuzz::Space;
using Propagator = mp::Propagator<Space>;

mp::Options options_of(Bytes& bytes) {
  mp::Options options;
  auto const choice = bytes.next();
  options.engine = std::array{mp::Engine::taper, mp::Engine::taper, mp::Engine::published_serial,
                              mp::Engine::published_parallel}[choice % 4];
  options.schedule = static_cast<mp::Schedule>(choice / 4 % 3);
  options.symmetric = options.engine == mp::Engine::taper && choice / 12 % 2 == 1;
  options.bind_partner = options.engine != mp::Engine::published_parallel && choice / 24 % 2 == 1;
  options.check_lists = choice / 48 % 2 == 1;
  options.thresholds = mp::Thresholds{.free_people = 2, .modified_values = 4, .domain_size = 0};
  options.max_levels = 8;
  return options;
}

/// A propagator, and beside it the pairs that its domains should hold.
class Search {
 public:
  Search(oracle::Market const& market, mp::Options const& options)
      : market_(market), instance_(oracle::to_instance<Space>(market)),
        lists_(instance_), rules_{options.symmetric, options.bind_partner},
        pairs_(market.size(), true), propagator_(Propagator::post(Space{}, instance_, options)) {}

  /// Acts as the next bytes say. Returns false if it can do no more.
  bool act(Bytes& bytes) {
    auto const what = bytes.next();
    auto const n = static_cast<std::uint32_t>(market_.size());
    if (failed_ && what % 8 != 7) {
      return !saved_.empty();
    }
    switch (what % 8) {
    case 0:
    case 1:
      propagate();
      break;
    case 6:
      if (settled_ && saved_.size() < 8) {
        propagator_.save();
        saved_.push_back(pairs_);
      }
      break;
    case 7:
      restore();
      break;
    default:
      remove(what % 2 == 0 ? Side::men : Side::women, what / 8 % n, bytes.next() % n,
             what % 8 >= 4);
    }
    return true;
  }

  void propagate() {
    auto const failed = propagator_.propagate().status == mp::Status::failed;
    require_matchings(failed);
    auto const should = mp::greatest_fixpoint(lists_, pairs_, rules_);
    require(failed == !should.has_value(), "a call fails if and only if nothing is left");
    failed_ = failed;
    settled_ = !failed;
    if (should) {
      require(mp::pairs_of(lists_, propagator_) == should, "the domains are the fixpoint");
      pairs_ = *should;
    }
  }

 private:
  /// Removes one value, or with `assign` all but one.
  void remove(Side side, std::uint32_t person, std::uint32_t value, bool assign) {
    for (std::uint32_t other = 0; other < market_.size(); ++other) {
      if (assign == (other != value)) {
        auto const partner = lists_.candidate(side, person, other);
        side == Side::men ? pairs_.set(person, partner, false) : pairs_.set(partner, person, false);
      }
    }
    assign ? propagator_.assign(side, person, value) : propagator_.remove(side, person, value);
    settled_ = settled_ && !propagator_.pending();
  }

  void restore() {
    if (saved_.empty()) {
      return;
    }
    propagator_.restore();
    pairs_ = saved_.back();
    saved_.pop_back();
    failed_ = false;
    settled_ = true;
    require(mp::pairs_of(lists_, propagator_) == pairs_, "restore() returns to save()");
  }

  /// Requires the domains to keep the stable matchings that have no removed pair.
  void require_matchings(bool failed) const {
    bool allowed = false;
    for (auto const& matching : oracle::stable_matchings(market_)) {
      bool fits = true;
      for (std::size_t man = 0; man < market_.size(); ++man) {
        fits = fits && pairs_.has(man, matching[man]);
      }
      allowed = allowed || fits;
      for (std::uint32_t man = 0; fits && !failed && man < market_.size(); ++man) {
        auto const value = oracle::rank_in(market_.men[man], matching[man]);
        require(propagator_.contains(Side::men, man, static_cast<std::uint32_t>(value)),
                "an allowed stable matching stays");
      }
    }
    require(!allowed || !failed, "a call fails only if no stable matching is allowed");
  }

  oracle::Market const& market_;
  taper::preferences::Instance<taper::preferences::ConstTable<std::uint16_t, Space::memory_space>>
      instance_;
  mp::HostMarket lists_;
  mp::Rules rules_;
  mp::PairSet pairs_;
  Propagator propagator_;
  std::vector<mp::PairSet> saved_;
  bool failed_ = false;
  bool settled_ = false;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
  Bytes bytes(data, size);
  std::size_t const n = 1 + bytes.below(5);
  auto const options = options_of(bytes);
  auto const market = taper::fuzz::market(n, bytes);
  Search search(market, options);
  while (!bytes.empty() && search.act(bytes)) {
  }
  return 0;
}
