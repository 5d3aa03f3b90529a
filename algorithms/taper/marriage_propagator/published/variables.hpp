// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/host_state.hpp>
#include <taper/marriage_propagator/published/bounds.hpp>

#include <cstdint>
#include <queue>

namespace taper::marriage_propagator::published {

/// The functions of Algorithm 2 that a change of a domain calls for.
enum class Function { delta_min, delta_max, remove_value, inst };

/// A call of such a function that waits in the propagator's queue.
struct Call {
  Function function;
  bool is_man;  ///< of remove_value and inst; delta_min is for men, delta_max for women
  int person;
  int value = 0;  ///< of remove_value
};

/// The variables of one side, with the operations on domains that Algorithm 2 uses. Domains are
/// bitmaps with their bounds and sizes, as in MiniCPP.
///
/// An operation that changes a domain adds the calls that this needs to the queue: delta_min if a
/// man's minimum is gone, delta_max if a woman's maximum is gone, and inst if one value is left.
/// If none is left it sets HostState::failed. The operations are then still safe to call.
template <class Id>
class Variables {
 public:
  /// `binds_partners`: whether inst is called at all (Options::bind_partner).
  Variables(detail::HostState<Id>& state, Side side, bool binds_partners, std::queue<Call>& calls)
      : state_(state), view_(state.view_of(side)), n_(static_cast<int>(state.n)),
        min_(side == Side::men ? state.bounds.now().min_men : state.bounds.now().min_women),
        max_(side == Side::men ? state.bounds.now().max_men : state.bounds.now().max_women),
        binds_partners_(binds_partners), calls_(calls) {}

  std::uint32_t size(int i) const { return view_.count[i]; }
  bool has(int i, int value) const { return view_.has(unsigned_of(i), unsigned_of(value)); }
  int get_min(int i) const { return min_[i] = next_value(view_.rows[unsigned_of(i)], n_, min_[i]); }
  int get_max(int i) const { return max_[i] = last_value(view_.rows[unsigned_of(i)], max_[i]); }
  /// Requires: one value is left.
  int get_val(int i) const { return get_min(i); }

  void rem_val(int i, int value) const { remove(i, value, value); }
  /// Does nothing if the maximum is not greater than `value`.
  void set_max(int i, int value) const { remove(i, value + 1, get_max(i)); }
  void set_val(int i, int value) const {
    remove(i, 0, value - 1);
    remove(i, value + 1, n_ - 1);
  }

 private:
  static std::uint32_t unsigned_of(int number) { return static_cast<std::uint32_t>(number); }

  /// Removes the values from `first` to `last`, both included.
  void remove(int i, int first, int last) const {
    if (first > last) {
      return;
    }
    int const min = get_min(i);
    int const max = get_max(i);
    std::uint32_t const size_before = size(i);
    std::uint32_t const begin = unsigned_of(first);
    std::uint32_t const end = unsigned_of(last) + 1;
    for (std::uint32_t word = begin / word_bits; word * word_bits < end; ++word) {
      clear(unsigned_of(i), word, bits_below(end, word) & ~bits_below(begin, word));
    }
    if (size(i) == size_before) {
      return;
    }
    state_.mark_changed(view_.side, unsigned_of(i));
    if (size(i) == 0) {
      state_.failed = true;
      return;
    }
    bool const is_man = view_.side == Side::men;
    if (is_man && !has(i, min)) {
      calls_.push({Function::delta_min, is_man, i});
    }
    if (!is_man && !has(i, max)) {
      calls_.push({Function::delta_max, is_man, i});
    }
    if (binds_partners_ && size(i) == 1) {
      calls_.push({Function::inst, is_man, i});
    }
  }

  void clear(std::uint32_t person, std::uint32_t word, Word mask) const {
    Word const removed = view_.rows(person, word) & mask;
    view_.rows(person, word) &= ~mask;
    view_.count[person] -= count_bits(removed);
    if (view_.side == Side::men) {
      state_.size -= count_bits(removed);
      state_.trail_values(person, word, removed);
    }
  }

  detail::HostState<Id>& state_;
  detail::SideView<Id> view_;
  int n_;
  int* min_;
  int* max_;
  bool binds_partners_;
  std::queue<Call>& calls_;
};

}  // namespace taper::marriage_propagator::published
