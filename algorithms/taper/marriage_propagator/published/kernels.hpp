// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/atomics.hpp>
#include <taper/marriage_propagator/domains.hpp>
#include <taper/marriage_propagator/published/bounds.hpp>
#include <taper/marriage_propagator/published/lists.hpp>
#include <taper/rows.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>

// The three kernels of the parallel propagator as published (the paper's Section 4, Algorithm 3).
// Used by: published::ParallelPropagator.

namespace taper::marriage_propagator::published {

/// What the threads of a call tell the host.
struct Control {
  int length_min_men_stack;      ///< men in stack_mod_min_men
  int new_length_min_men_stack;  ///< men in new_stack_mod_min_men
  int failed;                    ///< not 0: some domain is empty
};

/// The memory that the threads of all kernels share.
template <class Id>
struct Data : Matrices<Id> {
  Rows<Word> men;    ///< the men's domains, a bit per value
  Rows<Word> women;  ///< the women's
  Bounds old;
  Bounds now;
  Control* control;
  int n;

  /// Relaxed: other threads may clear bits meanwhile. A value is removed only after the woman's
  /// maximum has fallen below it. So a thread that still sees the value proposes, and is rejected.
  KOKKOS_FUNCTION static bool has(Rows<Word> const& domains, int person, int value) {
    std::uint32_t const bit = static_cast<std::uint32_t>(value);
    return (relaxed_load(word_of(domains, person, bit)) & bit_of(bit)) != 0;
  }
  /// Returns whether this thread removed the value.
  KOKKOS_FUNCTION static bool remove(Rows<Word> const& domains, int person, int value) {
    std::uint32_t const bit = static_cast<std::uint32_t>(value);
    Word& word = word_of(domains, person, bit);
    return (Kokkos::atomic_fetch_and(&word, ~bit_of(bit)) & bit_of(bit)) != 0;
  }
  /// All writers store 1, and the host reads after the kernel.
  KOKKOS_FUNCTION void fail() const { relaxed_store(control->failed, 1); }

 private:
  KOKKOS_FUNCTION static Word& word_of(Rows<Word> const& domains, int person, std::uint32_t bit) {
    return domains(static_cast<std::size_t>(person), bit / word_bits);
  }
};

/// Phase 1, one thread per modified person: a person that has lost a partner leaves this partner's
/// domain too. The persons are listed in stack_mod_men, and behind them in stack_mod_women.
///
/// A man that loses his old minimum here joins stack_mod_min_men. The host has listed those that
/// had lost it before. Only the thread that clears the bit adds him, so each is listed once.
template <class Id>
struct MakeDomainsCoherent {
  Data<Id> data;
  int const* stack_mod_men;
  int const* stack_mod_women;
  int length_men_stack;
  int* stack_mod_min_men;
  bool all_men_are_free;  ///< in a first call the stack holds all men

  KOKKOS_FUNCTION void operator()(int id) const {
    if (id < length_men_stack) {
      look_through_man(stack_mod_men[id]);
    } else {
      look_through_woman(stack_mod_women[id - length_men_stack]);
    }
  }

 private:
  KOKKOS_FUNCTION void look_through_man(int m) const {
    for (int k = data.old.min_men[m]; k <= data.old.max_men[m]; ++k) {
      if (!data.has(data.men, m, k)) {
        int const w = data.pm(m, k);
        data.remove(data.women, w, data.wpm(w, m));
      }
    }
  }
  KOKKOS_FUNCTION void look_through_woman(int w) const {
    for (int k = data.old.min_women[w]; k <= data.old.max_women[w]; ++k) {
      if (!data.has(data.women, w, k)) {
        int const m = data.pw(w, k);
        int const value = data.mpw(m, w);
        if (data.remove(data.men, m, value) && value == data.old.min_men[m] && !all_men_are_free) {
          stack_mod_min_men[Kokkos::atomic_fetch_add(&data.control->length_min_men_stack, 1)] = m;
        }
      }
    }
  }
};

/// Phase 2, Algorithm 3: one thread per free man. The comments give the lines of Algorithm 3.
///
/// The loop ends. Each turn of a thread raises the position old_min_men of its man, or lowers the
/// maximum of a woman, or is the last. No thread waits for another.
template <class Id>
struct ApplySmConstraint {
  Data<Id> data;
  int const* stack_mod_min_men;
  int* new_stack_mod_min_men;
  std::uint32_t* round_added;  ///< per man: the launch that last added him to the new stack
  std::uint32_t round;         ///< the number of this launch

  KOKKOS_FUNCTION void operator()(int id) const {
    int* const max_women = data.now.max_women;
    int m = stack_mod_min_men[id];                            // 2
    for (;;) {                                                // 3
      int const w_index = relaxed_load(data.old.min_men[m]);  // 4
      if (w_index > data.now.max_men[m]) {                    // 5
        return data.fail();
      }
      int const w = data.pm(m, w_index);                                   // 7, 20
      int const m_val = data.wpm(w, m);                                    // 8, 21
      if (data.has(data.men, m, w_index)) {                                // 6
        int const p_val = Kokkos::atomic_fetch_min(&max_women[w], m_val);  // 9
        if (p_val < m_val) {                                               // 10
          pass(m, w_index);                                                // 11
        } else if (p_val == m_val) {                                       // 13
          return;                                                          // 14
        } else {                                                           // 15
          remove_following(w, m_val, p_val);                               // 16
          m = data.pw(w, p_val);                                           // 17
        }
      } else {                                                                 // 18
        pass(m, w_index);                                                      // 19
        int const p_val = Kokkos::atomic_fetch_min(&max_women[w], m_val - 1);  // 22
        if (p_val > m_val) {
          remove_following(w, m_val, p_val);    // 23
          add_to_new_stack(data.pw(w, p_val));  // 24, 25
        }
        if (m_val == 0) {
          return data.fail();  // whatever partner she has, the missing pair blocks the matching
        }
      }
    }
  }

 private:
  /// Two threads may follow the same man: Algorithm 3 goes on with the man at p_val, although he
  /// need not be engaged to w. Then the greater position counts, hence the maximum. Both threads
  /// make the same proposals, and the second one finds "already engaged" or is rejected.
  KOKKOS_FUNCTION void pass(int m, int w_index) const {
    Kokkos::atomic_max(&data.old.min_men[m], w_index + 1);
  }

  /// Removes w from the domains of the men behind m_val up to p_val in her list. Threads that lower
  /// her maximum one after another have disjoint ranges, so every such man loses her. Her own
  /// domain follows in phase 3, since her maximum tells what is gone.
  KOKKOS_FUNCTION void remove_following(int w, int m_val, int p_val) const {
    for (int k = m_val + 1; k <= p_val; ++k) {
      int const rival = data.pw(w, k);
      data.remove(data.men, rival, data.mpw(rival, w));
    }
  }

  KOKKOS_FUNCTION void add_to_new_stack(int m) const {
    if (Kokkos::atomic_exchange(&round_added[m], round) != round) {
      new_stack_mod_min_men[Kokkos::atomic_fetch_add(&data.control->new_length_min_men_stack, 1)] =
          m;
    }
  }
};

/// Phase 3, one thread per man and woman: the woman's domain loses what is above her maximum, and
/// the old bounds become the present ones. Phase 2 has kept old_min_men itself.
template <class Id>
struct FinalizeChanges {
  Data<Id> data;

  KOKKOS_FUNCTION void operator()(int i) const {
    auto const person = static_cast<std::size_t>(i);
    int const max = data.now.max_women[i];
    std::uint32_t const end = static_cast<std::uint32_t>(max + 1);
    for (std::uint32_t word = end / word_bits; word < words_for(static_cast<std::uint64_t>(data.n));
         ++word) {
      data.women(person, word) &= bits_below(end, word);
    }
    data.old.max_women[i] = max;
    data.old.min_women[i] = next_value(data.women[person], data.n, data.now.min_women[i]);
    data.old.max_men[i] = last_value(data.men[person], data.now.max_men[i]);
    if (data.old.min_women[i] == data.n || data.old.max_men[i] == -1) {
      data.fail();
    }
  }
};

}  // namespace taper::marriage_propagator::published
