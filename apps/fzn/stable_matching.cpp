// SPDX-License-Identifier: Apache-2.0
#include <fzn/arguments.hpp>
#include <fzn/stable_matching.hpp>

#include <taper/marriage_propagator/marriage_propagator.hpp>

#include <array>
#include <bit>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace taper::fzn {
namespace {

using Gecode::Int::OffsetView;
using marriage_propagator::Side;
using marriage_propagator::Word;
using State = marriage_propagator::Propagator<Kokkos::DefaultExecutionSpace>;

/// The runs of values in a row of words, in ascending order, as a Gecode range iterator.
/// Requires: bits after the last value are 0.
class RowRanges {
 public:
  explicit RowRanges(std::span<Word const> row)
      : row_(row), bits_(row.size() * marriage_propagator::word_bits) {
    ++*this;
  }

  bool operator()() const { return begin_ < bits_; }
  void operator++() {
    begin_ = next(end_, Word{0});
    end_ = next(begin_, ~Word{0});
  }
  int min() const { return static_cast<int>(begin_); }
  int max() const { return static_cast<int>(end_) - 1; }
  unsigned int width() const { return static_cast<unsigned int>(end_ - begin_); }

 private:
  /// The first bit from `from` on that is set in the row xor `flip`.
  std::size_t next(std::size_t from, Word flip) const {
    constexpr std::size_t word_bits = marriage_propagator::word_bits;
    if (from >= bits_) {
      return bits_;
    }
    std::size_t word = from / word_bits;
    Word rest = (row_[word] ^ flip) & (~Word{0} << from % word_bits);
    while (rest == 0) {
      if (++word == row_.size()) {
        return bits_;
      }
      rest = row_[word] ^ flip;
    }
    return word * word_bits + static_cast<std::size_t>(std::countr_zero(rest));
  }

  std::span<Word const> row_;
  std::size_t bits_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
};

/// The Gecode propagator. Outside a call, the domains of state_ and of the views are the same:
/// advisors pass each removal to state_ at once, and a call narrows the views by what it removed.
class StableMatching : public Gecode::Propagator {
  using Views = Gecode::ViewArray<OffsetView>;

  /// The advisor of one view. `index`: the number of the view, men first, then women.
  class DomainAdvisor : public Gecode::ViewAdvisor<OffsetView> {
   public:
    DomainAdvisor(Gecode::Space& home, StableMatching& propagator,
                  Gecode::Council<DomainAdvisor>& council, OffsetView view, int view_index)
        : ViewAdvisor(home, propagator, council, view), index(view_index) {}
    DomainAdvisor(Gecode::Space& home, DomainAdvisor& domain_advisor)
        : ViewAdvisor(home, domain_advisor), index(domain_advisor.index) {}

    int index;
  };

 public:
  /// Requires: the views' values are from 0 to n - 1.
  static Gecode::ExecStatus post(Gecode::Home home, Views views, std::unique_ptr<State> state) {
    (void)new (home) StableMatching(home, views, std::move(state));
    return Gecode::ES_OK;
  }

  Gecode::Actor* copy(Gecode::Space& home) override {
    return new (home) StableMatching(home, *this);
  }

  Gecode::PropCost cost(Gecode::Space const&, Gecode::ModEventDelta const&) const override {
    return Gecode::PropCost::quadratic(Gecode::PropCost::HI, views_.size());
  }

  void reschedule(Gecode::Space& home) override {
    OffsetView::schedule(home, *this, Gecode::Int::ME_INT_DOM);
  }

  using Gecode::Propagator::advise;
  Gecode::ExecStatus advise(Gecode::Space& home, Gecode::Advisor& advisor,
                            Gecode::Delta const& delta) override {
    DomainAdvisor& domain_advisor = static_cast<DomainAdvisor&>(advisor);
    int const index = domain_advisor.index;
    OffsetView const& view = views_[index];
    if (index != narrowing_) {
      if (view.any(delta)) {
        update_state(index);
      } else {
        state_->remove(side_of(index), person_of(index),
                       static_cast<std::uint32_t>(view.min(delta)),
                       static_cast<std::uint32_t>(view.max(delta)));
      }
    }
    if (view.assigned()) {
      return state_->pending() ? home.ES_NOFIX_DISPOSE(advisors_, domain_advisor)
                               : home.ES_FIX_DISPOSE(advisors_, domain_advisor);
    }
    return state_->pending() ? Gecode::ES_NOFIX : Gecode::ES_FIX;
  }

  Gecode::ExecStatus propagate(Gecode::Space& home, Gecode::ModEventDelta const&) override {
    if (state_->propagate().status == marriage_propagator::Status::failed) {
      return Gecode::ES_FAILED;
    }
    for (Side const side : {Side::men, Side::women}) {
      int const first = side == Side::men ? 0 : views_.size() / 2;
      for (std::uint32_t const person : state_->changed(side)) {
        GECODE_ME_CHECK(narrow_view(home, first + static_cast<int>(person)));
      }
    }
    // Narrowing a view changes the state if another view has the same variable.
    if (state_->pending()) {
      return Gecode::ES_NOFIX;
    }
    return advisors_.empty() ? home.ES_SUBSUMED(*this) : Gecode::ES_FIX;
  }

  std::size_t dispose(Gecode::Space& home) override {
    home.ignore(*this, Gecode::AP_DISPOSE);
    advisors_.dispose(home);
    state_.~unique_ptr();
    (void)Propagator::dispose(home);
    return sizeof(*this);
  }

 private:
  StableMatching(Gecode::Home home, Views views, std::unique_ptr<State> state)
      : Propagator(home), views_(views), advisors_(home), state_(std::move(state)) {
    home.notice(*this, Gecode::AP_DISPOSE);
    for (int i = 0; i < views_.size(); ++i) {
      update_state(i);
      if (!views_[i].assigned()) {
        (void)new (home) DomainAdvisor(home, *this, advisors_, views_[i], i);
      }
    }
    OffsetView::schedule(home, *this, Gecode::Int::ME_INT_DOM);
  }

  StableMatching(Gecode::Space& home, StableMatching& from)
      : Propagator(home, from), state_(std::make_unique<State>(from.state_->copy())) {
    views_.update(home, from.views_);
    advisors_.update(home, from.advisors_);
  }

  /// Removes from a view the values that its person has lost.
  Gecode::ModEvent narrow_view(Gecode::Space& home, int index) {
    OffsetView& view = views_[index];
    Side const side = side_of(index);
    std::uint32_t const person = person_of(index);
    std::uint32_t const left = state_->count(side, person);
    if (view.size() == left) {
      return Gecode::Int::ME_INT_NONE;
    }
    narrowing_ = index;
    Gecode::ModEvent event;
    if (left == 1) {
      event = view.eq(home, static_cast<int>(state_->least(side, person)));
    } else if (view.size() - left <= few_values) {
      event = remove_few(home, view, state_->row(side, person), view.size() - left);
    } else {
      RowRanges ranges(state_->row(side, person));
      event = view.narrow_r(home, ranges, false);
    }
    narrowing_ = none;
    return event;
  }

  /// Removes from a view its `count` values that are not in the row. Cheaper than to write all
  /// ranges of the row.
  static Gecode::ModEvent remove_few(Gecode::Space& home, OffsetView& view,
                                     std::span<Word const> row, std::uint32_t count) {
    using marriage_propagator::bits_below;
    constexpr std::uint32_t word_bits = marriage_propagator::word_bits;
    std::array<int, few_values> lost;
    std::uint32_t found = 0;
    for (Gecode::Int::ViewRanges<OffsetView> ranges(view); found < count; ++ranges) {
      auto const begin = static_cast<std::uint32_t>(ranges.min());
      auto const end = static_cast<std::uint32_t>(ranges.max()) + 1;
      for (std::uint32_t word = begin / word_bits; word * word_bits < end; ++word) {
        Word gone = ~row[word] & bits_below(end, word) & ~bits_below(begin, word);
        for (; gone != 0; gone &= gone - 1) {
          lost[found++] = static_cast<int>(word * word_bits) + std::countr_zero(gone);
        }
      }
    }
    Gecode::ModEvent event = Gecode::Int::ME_INT_NONE;
    for (std::uint32_t i = 0; i < found && !Gecode::me_failed(event); ++i) {
      event = view.nq(home, lost[i]);
    }
    return event;
  }

  /// Removes from the state the values that a view has lost.
  void update_state(int index) {
    std::uint32_t kept_until = 0;
    auto const remove_up_to = [&](std::uint32_t end) {
      if (kept_until < end) {
        state_->remove(side_of(index), person_of(index), kept_until, end - 1);
      }
    };
    for (Gecode::Int::ViewRanges<OffsetView> ranges(views_[index]); ranges(); ++ranges) {
      remove_up_to(static_cast<std::uint32_t>(ranges.min()));
      kept_until = static_cast<std::uint32_t>(ranges.max()) + 1;
    }
    remove_up_to(state_->size());
  }

  Side side_of(int index) const { return index < views_.size() / 2 ? Side::men : Side::women; }
  std::uint32_t person_of(int index) const {
    int const n = views_.size() / 2;
    return static_cast<std::uint32_t>(index < n ? index : index - n);
  }

  static constexpr int none = -1;
  static constexpr std::uint32_t few_values = 4;

  Views views_;
  Gecode::Council<DomainAdvisor> advisors_;  ///< of the views that are not assigned
  int narrowing_ = none;                     ///< the view that this propagator is narrowing
  std::unique_ptr<State> state_;
};

/// A table of ids from 0, from checked ids that count from `base`.
Lists to_lists(char const* argument, Gecode::IntArgs const& ids, int n, int base) {
  using Table = preferences::Table<std::uint16_t, Kokkos::DefaultExecutionSpace::memory_space>;
  std::size_t const people = static_cast<std::size_t>(n);
  Table const table(Kokkos::view_alloc(Kokkos::WithoutInitializing, "taper::fzn::lists"), people,
                    people);
  auto const host = Kokkos::create_mirror_view(table);
  read_lists(argument, ids, n, base, [&](int person, int place, int candidate) {
    host(static_cast<std::size_t>(person), static_cast<std::size_t>(place)) =
        static_cast<std::uint16_t>(candidate);
  });
  Kokkos::deep_copy(Kokkos::DefaultExecutionSpace{}, table, host);
  Kokkos::DefaultExecutionSpace{}.fence("taper::fzn: wait for the copy of the lists");
  return table;
}

void require_people_fit(int people) {
  if (static_cast<std::size_t>(people) > preferences::max_people_for<std::uint16_t>) {
    throw InvalidArgument(std::to_string(people) + " people per side: the most are " +
                          std::to_string(preferences::max_people_for<std::uint16_t>));
  }
}

}  // namespace

void stable_matching(Gecode::Home home, Gecode::IntVarArgs const& men,
                     Gecode::IntVarArgs const& women, Lists const& men_like,
                     Lists const& women_like, int base,
                     marriage_propagator::Options const& options) {
  require_equal_sides(men.size(), women.size());
  require_people_fit(men.size());
  if (men_like.extent(0) != static_cast<std::size_t>(men.size())) {
    throw InvalidArgument("the lists are for " + std::to_string(men_like.extent(0)) +
                          " people, but there are " + std::to_string(men.size()) +
                          " variables per side");
  }
  GECODE_POST;
  if (men.size() == 0) {
    return;
  }
  require_places("men", men, base);
  require_places("women", women, base);
  auto own = options;
  own.max_levels = 0;
  std::unique_ptr<State> state;
  try {
    state = std::make_unique<State>(
        State::post(Kokkos::DefaultExecutionSpace{}, {men_like, women_like}, own));
  } catch (Error const& error) {
    // Gecode keeps only some hundred characters, so the name of our function is dropped.
    std::string const message = error.what();
    std::string const ours = "taper::marriage_propagator::post: ";
    throw InvalidArgument(message.rfind(ours, 0) == 0 ? message.substr(ours.size()) : message);
  }
  Gecode::ViewArray<OffsetView> views(home, 2 * men.size());
  for (int i = 0; i < men.size(); ++i) {
    views[i] = OffsetView(men[i], -base);
    views[men.size() + i] = OffsetView(women[i], -base);
  }
  GECODE_ES_FAIL(StableMatching::post(home, views, std::move(state)));
}

void stable_matching(Gecode::Home home, Gecode::IntVarArgs const& men,
                     Gecode::IntVarArgs const& women, Gecode::IntArgs const& men_like,
                     Gecode::IntArgs const& women_like, int base,
                     marriage_propagator::Options const& options) {
  require_equal_sides(men.size(), women.size());
  require_people_fit(men.size());
  Lists const mens_lists = to_lists(mens_lists_argument, men_like, men.size(), base);
  Lists const womens_lists = to_lists(womens_lists_argument, women_like, women.size(), base);
  auto checked = options;
  checked.check_lists = false;
  stable_matching(home, men, women, mens_lists, womens_lists, base, checked);
}

}  // namespace taper::fzn
