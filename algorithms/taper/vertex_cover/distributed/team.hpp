// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <taper/vertex_cover/branch_and_reduce/partners.hpp>
#include <taper/vertex_cover/distributed/mailbox.hpp>
#include <taper/vertex_cover/distributed/report.hpp>

#include <taper/error.hpp>

#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace taper::vertex_cover::detail {

/// The processes of a communicator as partners of a search.
///
/// A process without a subproblem asks the others, one after another. Each of them keeps the
/// request until it has a branch to give. So no process waits for an answer, and a process that is
/// slow, or has nothing to give, delays no other one.
///
/// The search is over when process 0 knows that no subproblem is left. To find out, each process
/// confirms each subproblem to its giver. The subproblem that gave it work it confirms last: when
/// it has no subproblem any more, and all those that it gave away are confirmed. Any other
/// subproblem it confirms at once.
///
/// Used by: solve() of distributed.hpp, here and in clique/.
/// Source: Dijkstra and Scholten 1980, termination of diffusing computations, for the
///   confirmations; Hoefler, Siebert and Lumsdaine 2010, the NBX protocol, for meet().
class Team final : public branch_and_reduce::Partners {
 public:
  Team(Communicator const& communicator, DistributedOptions const& options)
      : communicator_(communicator), options_(options), mailbox_(communicator),
        next_asked_(communicator.process()) {}

  std::uint32_t process() const override { return communicator_.process(); }
  std::uint64_t nodes_alone() const override { return options_.nodes_alone; }

  bool begin(std::uint32_t limit, std::uint32_t enough, std::uint32_t lower, Give give) override {
    limit_ = limit;
    enough_ = enough;
    lower_ = lower;
    give_ = std::move(give);
    cover_.clear();
    clauses_.clear();
    over_ = complete_ = false;
    parts_.clear();
    asking_.clear();
    asked_.assign(communicator_.processes(), false);
    unconfirmed_ = 0;
    bool const first = process() == 0;
    giver_ = first ? process() : no_process;
    idle_ = !first;
    return first;
  }

  bool poll() override {
    if (options_.at_poll) {
      options_.at_poll();
    }
    while (auto const message = mailbox_.take()) {
      nap_ = shortest_nap;
      handle(message->from, message->words);
    }
    answer();
    ask();
    mailbox_.all_are_taken();
    return over_ || (idle_ && !parts_.empty());
  }

  bool over() const override { return over_; }
  std::uint32_t limit() const override { return limit_; }
  std::uint32_t lower() const override { return lower_; }
  std::vector<std::uint8_t> const& cover() const override { return cover_; }

  void found(std::uint32_t size, std::vector<std::uint8_t> cover) override {
    if (size < limit_) {
      cover_ = std::move(cover);
      limit_ = size;
      tell_bounds();
    }
  }
  void proved(std::uint32_t lower) override {
    if (lower > lower_) {
      lower_ = lower;
      tell_bounds();
    }
  }

  /// Process 0 gets no clauses, so that its clause learning takes the steps of a run of one
  /// process. Running times of clause learning vary widely, and those steps may be the fastest.
  void tell_clauses(Words clauses) override {
    if (over_ || clauses.empty()) {
      return;
    }
    clauses.push_back(learns);
    for (std::uint32_t other = 1; other < communicator_.processes(); ++other) {
      if (other != process()) {
        mailbox_.send(other, clauses);
      }
    }
  }
  Words take_clauses() override { return std::exchange(clauses_, {}); }

  std::optional<Words> take() override {
    poll();
    if (over_ || parts_.empty()) {
      return std::nullopt;
    }
    idle_ = false;
    Words part = std::move(parts_.front());
    parts_.pop_front();
    part.pop_back();
    return part;
  }
  void finish() override {
    idle_ = true;
    confirm();
  }
  void give_up() override { end(false); }

  void rest() override {
    if (!poll()) {
      std::this_thread::sleep_for(nap_);
      nap_ = std::min(2 * nap_, longest_nap);
    }
  }

  Standing meet(Standing const& own) override {
    if (own.stopped) {  // the others may still search
      tell({0, ends});
    }
    let_messages_arrive();
    std::array<std::uint64_t, 5> const said{own.component, own.upper, own.lower,
                                            own.stopped ? 1u : 0u, complete_ ? 1u : 0u};
    auto const heard = communicator_.gather(said);
    Standing best = own;
    best_process_ = process();
    bool alike = true;
    for (std::uint32_t other = 0; other < communicator_.processes(); ++other) {
      auto const* const says = &heard[other * said.size()];
      alike = alike && says[0] == own.component;
      if (says[1] < best.upper || (says[1] == best.upper && other < best_process_)) {
        best.upper = says[1];
        best_process_ = other;
      }
      best.lower = std::max(best.lower, says[2]);
      best.stopped = best.stopped || says[3] != 0;
      best.complete = best.complete || says[4] != 0;
    }
    TAPER_REQUIRE(alike || best.stopped,
                  "the processes of a search have found different components");
    return best;
  }

  void share(std::vector<std::uint8_t>& cover) override {
    communicator_.broadcast(cover, best_process_);
  }

  /// What each process has done. All call it, each with its own numbers.
  std::vector<ProcessWork> gather_work(std::uint64_t nodes, std::uint64_t conflicts) const {
    std::array<std::uint64_t, 5> const own{nodes, conflicts, subproblems_, mailbox_.messages(),
                                           mailbox_.bytes()};
    auto const all = communicator_.gather(own);
    std::vector<ProcessWork> work;
    for (std::size_t i = 0; i < all.size(); i += own.size()) {
      work.push_back({all[i], all[i + 1], all[i + 2], all[i + 3], all[i + 4]});
    }
    return work;
  }

 private:
  /// The last word of each message: what the sender does. The words before it are its data.
  enum Kind : std::uint32_t {
    asks,      ///< for a subproblem, since it has none
    gives,     ///< a subproblem: its words
    confirms,  ///< that a subproblem of the receiver, and all that was cut off it, is searched
    bounds,    ///< tells a limit and a lower bound: two words
    learns,    ///< tells learned clauses: their words
    ends,      ///< ends the search: 1 if it is complete, else 0
  };

  void handle(std::uint32_t from, Words const& words) {
    switch (words.back()) {
    case asks:
      asking_.push_back(from);
      break;
    case gives:
      asked_[from] = false;
      parts_.push_back(words);
      if (giver_ == no_process) {
        giver_ = from;
      } else {
        mailbox_.send(from, {confirms});
      }
      break;
    case confirms:
      --unconfirmed_;
      confirm();
      break;
    case bounds:
      limit_ = std::min(limit_, words[0]);
      lower_ = std::max(lower_, words[1]);
      end_if_answered();
      break;
    case learns:
      clauses_.insert(clauses_.end(), words.begin(), words.end() - 1);
      break;
    default:
      over_ = true;
      complete_ = complete_ || words[0] != 0;
    }
  }

  /// Gives subproblems to the processes that ask: those that wait here, else branches of the own
  /// search.
  void answer() {
    while (!over_ && !asking_.empty()) {
      Words words;
      if (parts_.size() > (idle_ ? 1u : 0u)) {
        words = std::move(parts_.back());
        parts_.pop_back();
      } else if (auto part = give_()) {
        words = std::move(*part);
        words.push_back(gives);
      } else {
        return;
      }
      ++unconfirmed_;
      ++subproblems_;
      mailbox_.send(asking_.front(), std::move(words));
      asking_.pop_front();
    }
  }

  /// If there is no work here: asks the next process that keeps no request of this one. Waits a
  /// while between two requests, for the answer to the first.
  void ask() {
    if (over_ || !idle_ || !parts_.empty()) {
      return;
    }
    auto const now = Clock::now();
    for (std::uint32_t i = 1; i < communicator_.processes() && now >= next_ask_; ++i) {
      next_asked_ = (next_asked_ + 1) % communicator_.processes();
      if (next_asked_ != process() && !asked_[next_asked_]) {
        asked_[next_asked_] = true;
        mailbox_.send(next_asked_, {asks});
        next_ask_ = now + patience;
      }
    }
  }

  /// Confirms the subproblem that gave this process work, if all work that came of it is done.
  /// Process 0 then ends the search.
  void confirm() {
    if (over_ || !idle_ || !parts_.empty() || unconfirmed_ > 0 || giver_ == no_process) {
      return;
    }
    if (giver_ == process()) {
      end(true);
    } else {
      mailbox_.send(std::exchange(giver_, no_process), {confirms});
    }
  }

  void tell_bounds() {
    tell({limit_, lower_, bounds});
    end_if_answered();
  }
  void end_if_answered() {
    if (limit_ <= enough_ || lower_ >= limit_) {
      end(false);
    }
  }

  void end(bool complete) {
    if (!over_) {
      over_ = true;
      complete_ = complete;
      tell({complete ? 1u : 0u, ends});
    }
  }

  void tell(Words const& words) {
    for (std::uint32_t other = 0; other < communicator_.processes(); ++other) {
      if (other != process()) {
        mailbox_.send(other, words);
      }
    }
  }

  /// Returns when each message that any process has sent is taken. Drops what comes, since the
  /// search is over. A process enters the barrier when all messages that it sent are taken.
  void let_messages_arrive() {
    auto const drop_until = [&](auto const& done) {
      nap_ = shortest_nap;
      while (!done()) {
        while (mailbox_.take()) {
        }
        std::this_thread::sleep_for(nap_);
        nap_ = std::min(2 * nap_, longest_nap);
      }
    };
    drop_until([&] { return mailbox_.all_are_taken(); });
    MPI_Request barrier = MPI_REQUEST_NULL;
    require_success(MPI_Ibarrier(communicator_.get(), &barrier), "MPI_Ibarrier");
    drop_until([&] {
      int done = 0;
      require_success(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), "MPI_Test");
      return done != 0;
    });
  }

  using Clock = std::chrono::steady_clock;
  static constexpr std::uint32_t no_process = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::chrono::microseconds shortest_nap{20}, longest_nap{500}, patience{1000};

  Communicator const& communicator_;
  DistributedOptions const& options_;
  Mailbox mailbox_;
  Give give_;

  std::uint32_t limit_ = 0, enough_ = 0, lower_ = 0;
  std::vector<std::uint8_t> cover_;  ///< the smallest that this process found; empty: none
  Words clauses_;                    ///< that others have learned
  bool over_ = true;                 ///< there is no search, or it has ended
  bool complete_ = false;            ///< it has ended because no subproblem was left

  bool idle_ = true;                  ///< no subproblem is being searched
  std::deque<Words> parts_;           ///< subproblems that have come and wait
  std::deque<std::uint32_t> asking_;  ///< processes whose requests this one keeps
  std::vector<bool> asked_;           ///< by process: whether it keeps a request of this one
  std::uint32_t next_asked_ = 0;      ///< the process that was asked last
  Clock::time_point next_ask_;
  /// The process to which this one still has to confirm; process 0 begins with itself.
  std::uint32_t giver_ = no_process;
  std::uint64_t unconfirmed_ = 0;  ///< subproblems that were given and are not confirmed
  std::uint64_t subproblems_ = 0;  ///< given in all

  std::uint32_t best_process_ = 0;  ///< of the last meeting
  std::chrono::microseconds nap_ = shortest_nap;
};

}  // namespace taper::vertex_cover::detail
