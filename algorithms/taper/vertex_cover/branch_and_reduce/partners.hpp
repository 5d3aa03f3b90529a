// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace taper::vertex_cover::branch_and_reduce {

/// The other processes that run the same Solver on the same graph. It hides how they communicate.
///
/// All processes find the same components. They search the hard ones together, one after another:
/// begin(), then parts of the search until over(), then meet(). A process gives a part of its own
/// to one that has none.
///
/// Used by: Solver and Search. distributed/team.hpp is the one for MPI.
class Partners {
 public:
  /// A part of a search that one process gives to another one. They alone know what it means.
  using Words = std::vector<std::uint32_t>;
  /// Gives a part of the own search away; nullopt: none waits.
  using Give = std::function<std::optional<Words>()>;

  /// What a process says at a meeting, and what it hears: the best of all, and whether any has
  /// stopped or knows that the search is complete.
  struct Standing {
    std::uint64_t component = 0;  ///< the number of the component; for all: none
    std::uint64_t upper = 0, lower = 0;
    bool stopped = false;   ///< a limit has ended the whole run
    bool complete = false;  ///< no branch is left
  };

  Partners() = default;
  Partners(Partners const&) = delete;
  Partners& operator=(Partners const&) = delete;
  virtual ~Partners() = default;

  /// The number of this process, for the seeds of what is random.
  virtual std::uint32_t process() const = 0;
  /// How many search nodes each process visits alone, to find out which components are hard.
  virtual std::uint64_t nodes_alone() const = 0;

  /// Begins to search a component for covers of fewer than `limit` vertices. One of at most
  /// `enough` ends the search; none has fewer than `lower`. All processes call it with the same
  /// numbers. True: this process begins with the whole component.
  virtual bool begin(std::uint32_t limit, std::uint32_t enough, std::uint32_t lower, Give give) = 0;
  /// Takes messages and answers them; it never waits. True: the present work is to end, since the
  /// search is over, or a part has come to a process that had none.
  virtual bool poll() = 0;
  /// Whether the search of the component is over.
  virtual bool over() const = 0;
  /// Smaller covers are wanted.
  virtual std::uint32_t limit() const = 0;
  /// No cover of the component is smaller.
  virtual std::uint32_t lower() const = 0;

  /// Tells of a cover of the component with fewer vertices than limit(), and of a bound.
  virtual void found(std::uint32_t size, std::vector<std::uint8_t> cover) = 0;
  virtual void proved(std::uint32_t lower) = 0;
  /// Tells of clauses that were learned, and returns those that others have told of since the last
  /// call. What they mean depends on the component alone.
  virtual void tell_clauses(Words clauses) = 0;
  virtual Words take_clauses() = 0;
  /// The smallest cover that this process told of; empty: none.
  virtual std::vector<std::uint8_t> const& cover() const = 0;

  /// The next part that has come; nullopt: there is none yet.
  virtual std::optional<Words> take() = 0;
  /// The part that was taken, or begun with, is searched as far as it was not given away.
  virtual void finish() = 0;
  /// Ends the search of the component without an answer.
  virtual void give_up() = 0;
  /// Sleeps for a moment.
  virtual void rest() = 0;

  /// Waits for all processes, and returns the best that they have.
  virtual Standing meet(Standing const& own) = 0;
  /// After meet(): `cover` becomes that of the process with the smallest one.
  virtual void share(std::vector<std::uint8_t>& cover) = 0;
};

}  // namespace taper::vertex_cover::branch_and_reduce
