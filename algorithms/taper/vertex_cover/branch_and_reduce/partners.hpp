// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace taper::vertex_cover::branch_and_reduce {

/// The interface of a solver to the other processes that run the same solver on the same graph. It
/// hides how they communicate.
///
/// All processes find the same components. They search the hard ones together, one after another.
/// For each component a process calls begin(). Then it searches parts, which it gets from take()
/// and ends by finish(), until over(). Then it calls meet(). While it searches, it calls poll(),
/// which gives parts of its search to processes without work.
///
/// Used by: Solver and Search. Implemented by: Team of distributed/team.hpp, for MPI.
class Partners {
 public:
  /// A part of a search in a message. Only the searches know what the words mean.
  using Words = std::vector<std::uint32_t>;
  /// Cuts a part off the search of this process; nullopt: no branch waits.
  using Give = std::function<std::optional<Words>()>;

  /// The argument of meet(): what this process knows. The result of meet(): the best that any
  /// process knows.
  struct Standing {
    std::uint64_t component = 0;  ///< the number of the component; none if it is that of all
    std::uint64_t upper = 0;      ///< vertices of the smallest cover
    std::uint64_t lower = 0;      ///< no cover has fewer
    bool stopped = false;         ///< a limit has ended the whole run
    bool complete = false;        ///< no branch is left
  };

  Partners() = default;
  Partners(Partners const&) = delete;
  Partners& operator=(Partners const&) = delete;
  virtual ~Partners() = default;

  /// The number of this process, for seeds of random numbers.
  virtual std::uint32_t process() const = 0;
  /// The number of search nodes that each process visits alone in a component. A component that
  /// needs more is hard.
  virtual std::uint64_t nodes_alone() const = 0;

  /// Begins the search of a component for covers of fewer than `limit` vertices. A cover of at most
  /// `enough` vertices ends it; no cover has fewer than `lower`. All processes call it with the
  /// same numbers. Returns whether this process begins with the whole component.
  virtual bool begin(std::uint32_t limit, std::uint32_t enough, std::uint32_t lower, Give give) = 0;
  /// Takes the messages that have come, and answers them; it never waits. Returns true if the
  /// caller must end its present work: the search is over, or a part has come to a process that had
  /// none.
  virtual bool poll() = 0;
  /// Whether the search of the component is over.
  virtual bool over() const = 0;
  /// Only covers with fewer vertices are of interest.
  virtual std::uint32_t limit() const = 0;
  /// No cover of the component has fewer vertices.
  virtual std::uint32_t lower() const = 0;

  /// Tells all processes of a cover of the component with fewer vertices than limit().
  virtual void found(std::uint32_t size, std::vector<std::uint8_t> cover) = 0;
  /// Tells all processes that no cover of the component has fewer than `lower` vertices.
  virtual void proved(std::uint32_t lower) = 0;
  /// Sends learned clauses to other processes. Their meaning depends on the component alone.
  virtual void tell_clauses(Words clauses) = 0;
  /// Returns the clauses that have come since the last call.
  virtual Words take_clauses() = 0;
  /// The smallest cover that this process gave to found(); empty if there is none.
  virtual std::vector<std::uint8_t> const& cover() const = 0;

  /// The next part that has come; nullopt if there is none yet.
  virtual std::optional<Words> take() = 0;
  /// This process has searched its part, except for what poll() has given away.
  virtual void finish() = 0;
  /// Ends the search of the component without an answer.
  virtual void give_up() = 0;
  /// For a process without work: polls, and sleeps for a moment if nothing has come.
  virtual void rest() = 0;

  /// Waits for all processes, and returns the best that any of them knows.
  virtual Standing meet(Standing const& own) = 0;
  /// After meet(): replaces `cover` by the smallest cover of all processes.
  virtual void share(std::vector<std::uint8_t>& cover) = 0;
};

}  // namespace taper::vertex_cover::branch_and_reduce
