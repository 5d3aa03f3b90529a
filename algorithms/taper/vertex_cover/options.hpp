// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

namespace taper::vertex_cover {

/// How to search. Spelled "default" and "paper": the first enumerator cannot have its own name.
enum class Mode {
  standard,  ///< every reduction and bound that pays, on one host core
  paper,     ///< the paper's rules alone, on every worker of the place
};

/// How the paper's mode spreads its search nodes over workers.
enum class Balance {
  none,      ///< each worker searches the part that it was given at the start
  worklist,  ///< own stacks and a bounded list that all share
  steal,     ///< own deques; whoever has nothing takes from another's
};

/// What a caller's thread may read while solve() runs. Every field only ever improves.
struct Progress {
  static constexpr std::uint64_t unknown = std::numeric_limits<std::uint64_t>::max();

  std::atomic<std::uint64_t> nodes{0};        ///< search nodes visited
  std::atomic<std::uint64_t> best{unknown};   ///< vertices of the smallest cover so far
  std::atomic<std::uint64_t> lower_bound{0};  ///< no cover has fewer vertices
};

/// How to solve; spelled in YAML exactly as here.
struct Options {
  Mode mode = Mode::standard;
  std::int64_t k = -1;  ///< 0 or more: find a cover of at most k vertices, or prove that there is
                        ///< none; -1: find a minimum cover
  double time_limit_s = 0;                  ///< seconds, from the call; 0: none
  std::atomic<bool> const* stop = nullptr;  ///< where not null: raised to end soon with the best

  // The paper's switches (mode paper).
  bool components = true;  ///< solve components that fall apart on their own
  bool induce = true;      ///< search on the subgraph that the root's reductions leave
  bool bounds = true;      ///< look only at the range of vertices that are still there
  Balance balance = Balance::steal;
  bool count = false;  ///< histogram of components a branch, time in each activity; costs time

  // Limits of mode paper; 0: from the memory that is free.
  std::uint64_t teams = 0;             ///< workers
  std::uint64_t stack_nodes = 0;       ///< search nodes a worker
  std::uint64_t registry_entries = 0;  ///< branches on components that are open at a time
  std::uint64_t queue_nodes = 0;       ///< search nodes in the shared worklist
  /// Mode paper, with `bounds`: a graph of at most so many vertices, and no more than 128, is searched
  /// by one worker to its end, as sets of bits.
  std::uint32_t small_vertices = 128;

  Progress* progress = nullptr;  ///< where not null: kept up to date during the run
};

namespace detail {

template <class E>
struct Spelling {
  std::string_view name;
  E value;
};

template <class E>
inline constexpr std::array<Spelling<E>, 0> spellings{};
template <>
inline constexpr std::array spellings<Mode>{Spelling<Mode>{"default", Mode::standard},
                                            Spelling<Mode>{"paper", Mode::paper}};
template <>
inline constexpr std::array spellings<Balance>{Spelling<Balance>{"none", Balance::none},
                                               Spelling<Balance>{"worklist", Balance::worklist},
                                               Spelling<Balance>{"steal", Balance::steal}};

}  // namespace detail

/// An option's value as YAML and the command line spell it.
template <class E>
requires(detail::spellings<E>.size() > 0) constexpr std::string_view to_string(E value) {
  for (auto const& spelling : detail::spellings<E>) {
    if (spelling.value == value) {
      return spelling.name;
    }
  }
  return "?";
}

template <class E>
requires(detail::spellings<E>.size() > 0) constexpr std::optional<E> parse(std::string_view text) {
  for (auto const& spelling : detail::spellings<E>) {
    if (spelling.name == text) {
      return spelling.value;
    }
  }
  return std::nullopt;
}

/// All that parse<E>() knows, in the enumeration's order.
template <class E>
requires(detail::spellings<E>.size() > 0) constexpr auto names() {
  std::array<std::string_view, detail::spellings<E>.size()> all;
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = detail::spellings<E>[i].name;
  }
  return all;
}

}  // namespace taper::vertex_cover
