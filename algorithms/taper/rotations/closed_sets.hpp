// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/rotations/poset.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace taper::rotations::detail {

/// A set of numbers below a bound, with a search for the next member.
class OrderedBits {
 public:
  static constexpr std::int32_t none = -1;

  explicit OrderedBits(std::int32_t bound)
      : words_(static_cast<std::size_t>(bound) / 64 + 1), summary_(words_.size() / 64 + 1) {}

  void insert(std::int32_t i) {
    auto const word = static_cast<std::size_t>(i) / 64;
    words_[word] |= bit(static_cast<std::size_t>(i));
    summary_[word / 64] |= bit(word);
  }
  void erase(std::int32_t i) {
    auto const word = static_cast<std::size_t>(i) / 64;
    words_[word] &= ~bit(static_cast<std::size_t>(i));
    if (words_[word] == 0) {
      summary_[word / 64] &= ~bit(word);
    }
  }

  /// The least member above i; none if there is none. Cost: at most bound / 4096 words and two.
  std::int32_t next_after(std::int32_t i) const {
    std::size_t const from = static_cast<std::size_t>(i + 1);
    std::size_t word = from / 64;
    if (word >= words_.size()) {
      return none;
    }
    std::uint64_t const rest = words_[word] & ~(bit(from) - 1);
    if (rest != 0) {
      return member(word, rest);
    }
    ++word;
    for (std::size_t group = word / 64; group < summary_.size(); ++group) {
      std::uint64_t const rest_of_group =
          summary_[group] & (group == word / 64 ? ~(bit(word) - 1) : ~std::uint64_t{0});
      if (rest_of_group != 0) {
        auto const found = group * 64 + static_cast<std::size_t>(std::countr_zero(rest_of_group));
        return member(found, words_[found]);
      }
    }
    return none;
  }

 private:
  static std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << i % 64; }
  static std::int32_t member(std::size_t word, std::uint64_t bits) {
    return static_cast<std::int32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
  }

  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> summary_;  // a bit per word that is not 0
};

/// What a visitor of closed sets wants next.
enum class Visit {
  children,  ///< the larger sets that begin with this one
  siblings,  ///< not these
  parent,    ///< nor the further siblings of this one
  stop,
};

/// Visits closed sets of rotations depth first, each set once: a child of a set adds one rotation
/// with a number above all members, whose predecessors are members. Every closed set is reached,
/// since each prefix of its sorted members is closed.
///
/// The order is the lexicographic order of the sorted members, so that a set comes before larger
/// sets that begin with it. The empty set is not visited.
/// Cost: per visited set O(degree of the added rotation) and two bit searches.
class ClosedSets {
 public:
  explicit ClosedSets(RotationPoset const& poset) : poset_(poset), ready_(poset.rotations()) {
    for (std::int32_t rotation = 0; rotation < poset.rotations(); ++rotation) {
      missing_.push_back(static_cast<std::int32_t>(poset.predecessors.row(rotation).size()));
    }
  }

  /// Visits the sets of rotations that are reached from `starts`, which have no predecessors.
  /// `Visit enter(rotation)` gets the set of members() and `rotation`. After it returns children or
  /// siblings, `leave(rotation)` is called when the sets that begin with that one are done. Returns
  /// false if enter() stopped the visits.
  template <class Enter, class Leave>
  bool visit(std::span<std::int32_t const> starts, Enter const& enter, Leave const& leave) {
    for (std::int32_t const start : starts) {
      ready_.insert(start);
    }
    bool const complete = visit_ready(enter, leave);
    while (!members_.empty()) {  // after a stop
      remove_last();
    }
    for (std::int32_t const start : starts) {
      ready_.erase(start);
    }
    return complete;
  }

  /// Goes to the next set in the order of visit(), from the empty set at first. Returns the rotation
  /// that was added last; none after the last set, and the set is empty again. Calls
  /// `leave(rotation)` for each rotation that leaves the set. `starts`: the rotations without
  /// predecessors.
  template <class Leave>
  std::int32_t next(std::span<std::int32_t const> starts, Leave const& leave) {
    if (members_.empty()) {
      for (std::int32_t const start : starts) {
        ready_.insert(start);
      }
    }
    for (std::int32_t last = members_.empty() ? -1 : members_.back();;) {
      std::int32_t const found = ready_.next_after(last);
      if (found != OrderedBits::none) {
        add(found);
        return found;
      }
      if (members_.empty()) {
        return OrderedBits::none;
      }
      last = remove_last();
      leave(last);
    }
  }

  /// The set whose children are visited, ascending.
  std::vector<std::int32_t> const& members() const { return members_; }

 private:
  template <class Enter, class Leave>
  bool visit_ready(Enter const& enter, Leave const& leave) {
    std::int32_t last = -1;
    for (;;) {
      std::int32_t const next = ready_.next_after(last);
      Visit const wish = next == OrderedBits::none ? Visit::parent : enter(next);
      if (wish == Visit::stop) {
        return false;
      }
      if (wish == Visit::children) {
        add(next);
        last = next;
      } else if (wish == Visit::siblings) {
        leave(next);
        last = next;
      } else if (members_.empty()) {
        return true;
      } else {
        last = remove_last();
        leave(last);
      }
    }
  }

  void add(std::int32_t rotation) {
    members_.push_back(rotation);
    for (std::int32_t const successor : poset_.successors.row(rotation)) {
      if (--missing_[static_cast<std::size_t>(successor)] == 0) {
        ready_.insert(successor);
      }
    }
  }

  std::int32_t remove_last() {
    std::int32_t const rotation = members_.back();
    members_.pop_back();
    for (std::int32_t const successor : poset_.successors.row(rotation)) {
      if (missing_[static_cast<std::size_t>(successor)]++ == 0) {
        ready_.erase(successor);
      }
    }
    return rotation;
  }

  RotationPoset const& poset_;
  OrderedBits ready_;                  // all predecessors are members
  std::vector<std::int32_t> missing_;  // per rotation: predecessors that are no members
  std::vector<std::int32_t> members_;
};

/// The rotations without predecessors, ascending.
inline std::vector<std::int32_t> minimal_rotations(RotationPoset const& poset) {
  std::vector<std::int32_t> result;
  for (std::int32_t rotation = 0; rotation < poset.rotations(); ++rotation) {
    if (poset.predecessors.row(rotation).empty()) {
      result.push_back(rotation);
    }
  }
  return result;
}

}  // namespace taper::rotations::detail
